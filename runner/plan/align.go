package plan

import (
	"slices"

	"memform/runner/protocol"
)

// alignedConditions are those whose memory a target alignment asks about.
var alignedConditions = []string{protocol.LearnedClean, protocol.LearnedPoisoned, protocol.LearnedFull}

// align plans the question what a memory recommends for an item's task, where
// the run asks it: on draw 0 of the learned conditions and on separable tasks.
func (b *builder) align(s *setting, item *Item, m source) {
	task := &item.Case.Tasks[item.Task]
	if s.run.TargetAlignment == nil || m.replicate || !task.Separable() || !slices.Contains(alignedConditions, m.condition) {
		return
	}
	var chain []SlotCount
	judge := b.asker(s.run.TargetAlignment, &chain)
	var node protocol.Ref
	if task.Signatures != nil {
		signed := b.signed(task)
		node = protocol.Aligned(s.prompts, task.Text, signed.Pair, signed.Sides, m.memory, judge)
	} else {
		pair, sides := protocol.Actions(task)
		node = protocol.Aligned(s.prompts, task.Text, pair, sides, m.memory, judge)
	}
	b.slots.addAll(chain)
	item.Alignments = append(item.Alignments, Alignment{Condition: m.condition, Node: int32(node)})
}

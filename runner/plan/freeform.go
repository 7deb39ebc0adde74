package plan

import (
	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/protocol"
)

// signedKey names a way to tell free-form answers apart.
type signedKey struct {
	signatures      cases.Digest
	clean, poisoned int
}

// signed prepares a free-form task, once for equal signatures and answers.
func (b *builder) signed(t *cases.Task) *protocol.Signed {
	key := signedKey{t.Signatures.Digest, t.Clean, t.Poisoned}
	s, ok := b.signs[key]
	if !ok {
		s = protocol.Sign(t)
		b.signs[key] = s
	}
	return s
}

// predict plans one prediction of an item: a choice, or a recommendation and
// what reads it.
func (b *builder) predict(s *setting, item *Item, m source, count bool) Prediction {
	task := &item.Case.Tasks[item.Task]
	if task.Signatures == nil {
		return b.decide(s, item.Shown, m, count)
	}
	step := &protocol.Recommend{Prompts: s.prompts, Task: item.Shown, Signed: b.signed(task)}
	chain := append([]SlotCount{{Model: s.model, Kind: protocol.KindDecide, Slots: 1}}, m.chain...)
	decision := b.node(step, s.model, m.draw, m.memory)
	node := protocol.Told(step, decision, b.asker(s.run.FreeForm.Parser, &chain), b.asker(s.run.FreeForm.Judge, &chain))
	if count {
		b.slots.addAll(chain)
	}
	return Prediction{Condition: m.condition, Index: m.index, Replicate: m.replicate, Node: int32(node)}
}

// asker adds steps at a declared model; nil where none is declared.
func (b *builder) asker(m *experiment.Model, chain *[]SlotCount) protocol.Add {
	if m == nil {
		return nil
	}
	return b.adder(b.modelOf(m), chain)
}

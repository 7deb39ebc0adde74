package plan

import (
	"slices"

	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// builder expands runs into nodes and items.
type builder struct {
	*graph
	in    Inputs
	slots slotTable
	tasks map[taskKey]*protocol.ShownTask
	items map[cases.Digest]*protocol.Item
	signs map[signedKey]*protocol.Signed
}

type taskKey struct {
	digest cases.Digest
	order  string
}

func newBuilder(p *Plan, in Inputs) *builder {
	return &builder{
		graph: newGraph(p), in: in, slots: slotTable{},
		tasks: map[taskKey]*protocol.ShownTask{}, items: map[cases.Digest]*protocol.Item{},
		signs: map[signedKey]*protocol.Signed{},
	}
}

// setting is a run × model: what all its predictions share.
type setting struct {
	run     *experiment.Run
	index   int // of the run
	model   int
	prompts *prompts.Set
	stack   *Stack
	guards  []*guard // one a defense
}

func (b *builder) expandRun(index int) error {
	run := b.in.Experiment.Runs[index]
	stack, err := b.stackOf(run.Stack)
	if err != nil {
		return err
	}
	b.run, b.stack = int32(index), stack
	for m, model := range b.plan.Models {
		if !declares(run.Models, model.Spec) || (len(b.in.Only.Models) > 0 && !slices.Contains(b.in.Only.Models, model.Spec.Name)) {
			continue
		}
		s := &setting{run: run, index: index, model: m, prompts: b.in.Prompts[run.Name], stack: b.plan.Stacks[stack]}
		s.guards = b.guards(s)
		cells := b.cells(s)
		for i, set := range b.plan.Sets {
			if !slices.Contains(run.Cases, set.Spec) {
				continue
			}
			for _, c := range set.Selected {
				b.expandCase(s, cells, i, c)
			}
		}
	}
	return nil
}

func declares(models []*experiment.Model, m *experiment.Model) bool {
	return slices.Contains(models, m)
}

// cellKey names a cell of a run × model.
type cellKey struct{ defense, updater string }

// noDefense is the defense of a cell without one.
const noDefense = "none"

// cells adds a run × model's cells: for none and for each defense one without
// updater and one per updater. Where the undefended results come from another
// run, none is not planned.
func (b *builder) cells(s *setting) map[cellKey]int {
	index := map[cellKey]int{}
	var names []string
	if s.run.Undefended == "" {
		names = []string{noDefense}
	}
	for _, g := range s.guards {
		names = append(names, g.name)
	}
	for _, name := range names {
		for _, updater := range append([]string{""}, s.updaters()...) {
			index[cellKey{name, updater}] = len(b.plan.Cells)
			b.plan.Cells = append(b.plan.Cells, Cell{Run: s.index, Stack: s.run.Stack, Model: s.model, Defense: name, Updater: updater})
		}
	}
	return index
}

// updaters are those of P5.
func (s *setting) updaters() []string {
	if s.stack.Memory {
		return []string{protocol.Own}
	}
	return s.run.P5Updaters
}

// source is one way to a memory: the memory shown, and the calls behind it.
type source struct {
	condition string
	index     int
	replicate bool
	draw      int
	memory    Ref
	chain     []SlotCount // calls of the chain, shared or not
}

// chain is the calls of n consolidations by the agent.
func (s *setting) chain(n int) []SlotCount {
	if n == 0 {
		return nil
	}
	kind := protocol.KindConsolidate
	if s.stack.Memory {
		kind = protocol.KindForm
	}
	return []SlotCount{{Model: s.model, Kind: kind, Slots: n}}
}

// expandCase plans every prediction of a case: first the memories, then the
// decision on each task under each memory; then the same under each defense.
func (b *builder) expandCase(s *setting, cells map[cellKey]int, set int, c *cases.Case) {
	orders := b.orders(s, c)
	updaters := []string{""}
	if c.Interface == cases.P5 {
		updaters = s.updaters()
	}
	if s.run.Undefended == "" {
		shared := b.sharedMemories(s, c)
		for u, updater := range updaters {
			own := b.learnedMemories(s, c, updater, orders)
			cell := cells[cellKey{noDefense, updater}]
			for t := range c.Tasks {
				item := b.item(s, cell, set, c, t, len(shared)+len(own))
				for _, m := range shared {
					// A prediction without an updater is one, in however many rows it stands.
					item.Predictions = append(item.Predictions, b.predict(s, &item, m, u == 0))
				}
				for _, m := range own {
					item.Predictions = append(item.Predictions, b.predict(s, &item, m, true))
					b.align(s, &item, m)
				}
				b.plan.Items = append(b.plan.Items, item)
			}
		}
	}
	for _, g := range s.guards {
		for _, updater := range updaters {
			b.expandDefended(s, g, cells[cellKey{g.name, updater}], set, c, updater, orders)
		}
	}
}

func (b *builder) item(s *setting, cell, set int, c *cases.Case, t, predictions int) Item {
	return Item{Cell: cell, Set: set, Case: c, Task: t, Shown: b.shown(&c.Tasks[t], s.run.ChoiceOrder),
		Predictions: make([]Prediction, 0, predictions)}
}

func (b *builder) decide(s *setting, shown *protocol.ShownTask, m source, count bool) Prediction {
	node := b.node(&protocol.Decide{Prompts: s.prompts, Task: shown}, s.model, m.draw, m.memory)
	if count {
		b.slots.addAll(m.chain)
		b.slots.add(s.model, protocol.KindDecide, 1)
	}
	return Prediction{Condition: m.condition, Index: m.index, Replicate: m.replicate, Node: int32(node)}
}

// sharedMemories are the memories that no updater touches.
func (b *builder) sharedMemories(s *setting, c *cases.Case) []source {
	ms := []source{{condition: protocol.NoMemory, memory: b.memory("")}}
	if slices.Contains(s.run.Phases, protocol.PhaseOracle) {
		ms = append(ms,
			source{condition: protocol.OracleClean, memory: b.memory(c.Oracle.Clean)},
			source{condition: protocol.OraclePoisoned, memory: b.memory(c.Oracle.Poisoned)})
	}
	if slices.Contains(s.run.Phases, protocol.PhaseRaw) {
		ms = append(ms,
			source{condition: protocol.RawClean, memory: b.raw(c, &c.Clean)},
			source{condition: protocol.RawPoisoned, memory: b.raw(c, &c.Poisoned)})
	}
	return ms
}

// raw is the memory that shows an arm's records as they are.
func (b *builder) raw(c *cases.Case, arm *cases.Condition) Ref {
	if c.Interface == cases.P1 {
		return b.write(arm)
	}
	rs := make([]prompts.Record, 0, len(arm.Learned()))
	for _, i := range arm.Learned() {
		rs = append(rs, b.record(&c.Records[i]).Record)
	}
	return b.memory(string(prompts.Records(rs)))
}

// learnedMemories are the memories that the model consolidates: both arms,
// the full pool (P4), the random orders (P5) and the further draws.
func (b *builder) learnedMemories(s *setting, c *cases.Case, updater string, orders [][]int) []source {
	if !slices.Contains(s.run.Phases, protocol.PhaseLearned) {
		return nil
	}
	learn := func(condition string, draw int) source {
		m, calls := b.arm(s, c, updater, condition, draw)
		return source{condition: condition, draw: draw, memory: m, chain: s.chain(calls)}
	}
	ms := []source{learn(protocol.LearnedClean, 0), learn(protocol.LearnedPoisoned, 0)}
	if c.Interface == cases.P4 {
		ms = append(ms, learn(protocol.LearnedFull, 0))
	}
	for k, order := range orders {
		m, calls := b.consolidate(s, updater, b.records(c, order), 0)
		ms = append(ms, source{condition: protocol.LearnedOrder, index: k + 1, memory: m, chain: s.chain(calls)})
	}
	for _, condition := range s.run.ReplicateConditions {
		if condition == protocol.LearnedFull && c.Interface != cases.P4 {
			continue
		}
		for draw := 1; draw < s.run.Replicates; draw++ {
			m := learn(condition, draw)
			m.replicate, m.index = true, draw
			ms = append(ms, m)
		}
	}
	return ms
}

// orders are the seeded permutations of a P5 case, as indexes of its records;
// they are the same for every updater.
func (b *builder) orders(s *setting, c *cases.Case) [][]int {
	if c.Interface != cases.P5 || !slices.Contains(s.run.Phases, protocol.PhaseLearned) {
		return nil
	}
	records := c.Clean.Order
	digests := make([]cases.Digest, len(records))
	for i, r := range records {
		digests[i] = c.Records[r].Digest
	}
	orders := protocol.Orders(b.in.Experiment.Seed, digests, s.run.P5RandomOrders)
	for _, order := range orders {
		for i, at := range order {
			order[i] = records[at]
		}
	}
	return orders
}

// arm is the memory of a learned condition, and the calls of its chain.
func (b *builder) arm(s *setting, c *cases.Case, updater, condition string, draw int) (Ref, int) {
	arm := &c.Clean
	if condition == protocol.LearnedPoisoned {
		arm = &c.Poisoned
	}
	switch {
	case condition == protocol.LearnedFull:
		return b.consolidate(s, protocol.BatchReplay, b.records(c, arm.Pool), draw)
	case c.Interface != cases.P1:
		return b.consolidate(s, updater, b.records(c, arm.Learned()), draw)
	case s.run.P1Write == protocol.WriteConsolidated:
		return b.consolidate(s, protocol.BatchReplay, []*protocol.Item{protocol.WriteItem(arm.Write)}, draw)
	}
	return b.write(arm), 0
}

// write is the memory of a direct write: the text itself.
func (b *builder) write(arm *cases.Condition) Ref {
	return b.memory(protocol.WriteMemory(arm.Write))
}

// consolidate chains an updater over records, from the empty memory: without
// a name, batch_replay; a memory system forms its own.
func (b *builder) consolidate(s *setting, updater string, items []*protocol.Item, draw int) (Ref, int) {
	if s.stack.Memory {
		calls, _ := s.stack.Calls(len(items))
		return b.node(&protocol.Form{Items: items}, s.model, draw), calls
	}
	if updater == "" || updater == protocol.BatchReplay {
		return b.node(&protocol.Replay{Prompts: s.prompts, Items: items}, s.model, draw), 1
	}
	memory := b.memory("")
	for i, item := range items {
		memory = b.node(&protocol.Update{Prompts: s.prompts, Updater: updater, Item: item, Index: i + 1}, s.model, draw, memory)
	}
	return memory, len(items)
}

// records are a case's records as steps see them.
func (b *builder) records(c *cases.Case, indexes []int) []*protocol.Item {
	items := make([]*protocol.Item, len(indexes))
	for i, r := range indexes {
		items[i] = b.record(&c.Records[r])
	}
	return items
}

func (b *builder) shown(t *cases.Task, order string) *protocol.ShownTask {
	key := taskKey{t.Digest, order}
	if s, ok := b.tasks[key]; ok {
		return s
	}
	s := protocol.Show(t, order, b.in.Experiment.Seed)
	b.tasks[key] = s
	return s
}

func (b *builder) record(r *cases.Record) *protocol.Item {
	if item, ok := b.items[r.Digest]; ok {
		return item
	}
	item := protocol.ItemOf(r)
	b.items[r.Digest] = &item
	return &item
}

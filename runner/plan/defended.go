package plan

import (
	"slices"

	"memform/runner/cases"
	"memform/runner/defense"
	"memform/runner/experiment"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// guard is a defense of a run, ready to add its steps.
type guard struct {
	name       string
	spec       *defense.Spec
	model      int      // index of the guard's model
	conditions []string // beside the two learned ones
}

func (b *builder) guards(s *setting) []*guard {
	var list []*guard
	for _, d := range s.run.Defenses {
		list = append(list, &guard{
			name: d.Name, model: b.modelOf(d.Model), conditions: s.run.DefenseConditions,
			spec: &defense.Spec{Method: d.Method, Prompts: s.prompts, KeepFrom: d.KeepFrom, RejectBelow: d.RejectBelow, Epsilon: d.Epsilon},
		})
	}
	return list
}

func (b *builder) modelOf(m *experiment.Model) int {
	return slices.IndexFunc(b.plan.Models, func(known *Model) bool { return known.Spec == m })
}

// adder adds steps at a model and records what they are, for slots.
func (b *builder) adder(model int, chain *[]SlotCount) protocol.Add {
	return func(step protocol.Step, inputs ...Ref) Ref {
		ref := b.node(step, model, 0, inputs...)
		if silent, _ := step.(protocol.Silent); silent == nil || !silent.Silent() {
			slots := 1
			if !ref.Constant() {
				slots, _ = b.plan.calls(int(ref))
			}
			*chain = append(*chain, SlotCount{Model: model, Kind: step.Kind(), Slots: slots})
		}
		return ref
	}
}

// armed is one condition that a defense runs: its records in their order, or
// a P1 write as one.
type armed struct {
	condition string
	index     int
	updater   string
	raw       bool
	items     []*protocol.Item
}

// arms are the conditions that a defense runs on a case (docs/protocol.md,
// "Defenses").
func (b *builder) arms(g *guard, c *cases.Case, updater string, orders [][]int) []armed {
	items := func(arm *cases.Condition) []*protocol.Item {
		if c.Interface == cases.P1 {
			return []*protocol.Item{protocol.WriteItem(arm.Write)}
		}
		return b.records(c, arm.Learned())
	}
	list := []armed{
		{condition: protocol.LearnedClean, updater: updater, items: items(&c.Clean)},
		{condition: protocol.LearnedPoisoned, updater: updater, items: items(&c.Poisoned)},
	}
	for _, condition := range g.conditions {
		switch {
		case condition == protocol.LearnedFull && c.Interface == cases.P4:
			list = append(list, armed{condition: condition, updater: protocol.BatchReplay, items: b.records(c, c.Clean.Pool)})
		case condition == protocol.LearnedOrder:
			for k, order := range orders {
				list = append(list, armed{condition: condition, index: k + 1, updater: updater, items: b.records(c, order)})
			}
		case condition == protocol.RawClean:
			list = append(list, armed{condition: condition, raw: true, items: items(&c.Clean)})
		case condition == protocol.RawPoisoned:
			list = append(list, armed{condition: condition, raw: true, items: items(&c.Poisoned)})
		}
	}
	return list
}

// expandDefended plans a case's predictions under a defense.
func (b *builder) expandDefended(s *setting, g *guard, cell, set int, c *cases.Case, updater string, orders [][]int) {
	var sources []source
	var screens []Screened
	for _, arm := range b.arms(g, c, updater, orders) {
		m := source{condition: arm.condition, index: arm.index}
		if g.spec.Method == defense.TaskShield {
			m.memory, m.chain = b.unscreened(s, c, arm)
		} else {
			screen := Screened{Condition: arm.condition, Index: arm.index, Node: -1}
			m.memory, m.chain = b.screened(s, g, c, arm, &screen)
			screens = append(screens, screen)
		}
		sources = append(sources, m)
	}
	for t := range c.Tasks {
		item := b.item(s, cell, set, c, t, len(sources))
		item.Screens = screens
		for _, m := range sources {
			pr := b.decide(s, item.Shown, m, true)
			if g.spec.Method == defense.TaskShield {
				pr.Node = b.shield(s, g, item.Shown, m, Ref(pr.Node))
			}
			item.Predictions = append(item.Predictions, pr)
		}
		b.plan.Items = append(b.plan.Items, item)
	}
}

// screened is the memory of an arm behind a write-time defense, and the calls
// of its chain, the guard's included.
func (b *builder) screened(s *setting, g *guard, c *cases.Case, arm armed, out *Screened) (Ref, []SlotCount) {
	var chain []SlotCount
	known, screen := defense.Screen(g.spec, arm.items, b.adder(g.model, &chain))
	if known != nil {
		out.Known = known
		var left []*protocol.Item
		for i, v := range known.Verdicts {
			if v.Action == protocol.Keep {
				left = append(left, arm.items[i])
			}
		}
		arm.items = left
		return b.unscreened(s, c, arm)
	}
	out.Node = int32(screen)
	add := b.adder(s.model, &chain)
	written := g.spec.Method == defense.AMemGuard
	switch {
	case arm.raw:
		return add(protocol.ScreenedRaw{}, screen), chain
	case c.Interface == cases.P1 && s.run.P1Write == protocol.WriteDirect:
		return add(protocol.ScreenedWrite{}, screen), chain
	case s.stack.Memory:
		return add(&protocol.ScreenedForm{Items: arm.items}, screen), chain
	case arm.updater == "" || arm.updater == protocol.BatchReplay:
		return add(&protocol.ScreenedReplay{Prompts: s.prompts, Items: arm.items, Written: written}, screen), chain
	}
	memory := b.memory("")
	for i := range arm.items {
		memory = add(&protocol.ScreenedUpdate{Prompts: s.prompts, Updater: arm.updater, Slot: i + 1, Items: arm.items, Written: written}, memory, screen)
	}
	return memory, chain
}

// unscreened is the memory of records that are known to be consolidated: for
// all of them the nodes of the undefended arm.
func (b *builder) unscreened(s *setting, c *cases.Case, arm armed) (Ref, []SlotCount) {
	switch {
	case len(arm.items) == 0:
		return b.memory(""), nil
	case arm.raw:
		return b.memory(string(prompts.Records(protocol.Shown(arm.items)))), nil
	case c.Interface == cases.P1 && s.run.P1Write == protocol.WriteDirect:
		return b.memory(arm.items[0].Record.Text), nil
	}
	memory, calls := b.consolidate(s, arm.updater, arm.items, 0)
	return memory, s.chain(calls)
}

// shield is the decision as task_shield lets it pass.
func (b *builder) shield(s *setting, g *guard, shown *protocol.ShownTask, m source, decision Ref) int32 {
	var chain []SlotCount
	step := &protocol.Decide{Prompts: s.prompts, Task: shown}
	guarded := defense.Shield(g.spec, step, m.memory, decision, b.adder(g.model, &chain), b.adder(s.model, &chain))
	b.slots.addAll(chain)
	return int32(guarded)
}

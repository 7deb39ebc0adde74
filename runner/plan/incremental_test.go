package plan_test

import (
	"fmt"
	"slices"
	"testing"

	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/plan"
)

// TestGrowingAnExperimentChangesNoKey: whatever is added to an experiment, no
// call that it had becomes another one (docs/protocol.md, "Determinism").
func TestGrowingAnExperimentChangesNoKey(t *testing.T) {
	growths := map[string]func(*experiment.Experiment){
		"a model": func(e *experiment.Experiment) {
			e.Models = append([]*experiment.Model{simulatedModel("first", 0.5, 0.5)}, e.Models...)
			e.Runs[0].Models = e.Models
		},
		"interfaces": func(e *experiment.Experiment) { e.Cases[0].Interfaces = []string{"P1", "P2", "P3", "P4", "P5"} },
		"orders":     func(e *experiment.Experiment) { e.Runs[0].P5RandomOrders += 5 },
		"families":   func(e *experiment.Experiment) { e.Cases[0].Families *= 2 },
		"updaters": func(e *experiment.Experiment) {
			e.Runs[0].P5Updaters = append([]string{"recency_weighted_strict"}, e.Runs[0].P5Updaters...)
		},
		"replicates": func(e *experiment.Experiment) { e.Runs[0].Replicates += 2 },
		"phases":     func(e *experiment.Experiment) { e.Runs[0].Phases = []string{"raw", "oracle", "learned"} },
		"replicated conditions": func(e *experiment.Experiment) {
			e.Runs[0].ReplicateConditions = []string{"learned_poisoned", "learned_clean", "learned_full"}
		},
		"a run": func(e *experiment.Experiment) {
			r := *e.Runs[0]
			r.Name, r.ChoiceOrder, r.P1Write = "before", "shuffled", "consolidated"
			e.Runs = append([]*experiment.Run{&r}, e.Runs...)
		},
	}
	for seed := range int64(4) {
		set := generated(t, 8, uint64(seed))
		small := func(e *experiment.Experiment) {
			e.Seed = seed
			e.Cases[0].Interfaces, e.Cases[0].Families = []string{"P2", "P5"}, 3
			r := e.Runs[0]
			r.Phases, r.P5Updaters, r.P5RandomOrders = []string{"learned"}, []string{"incremental_merge", "batch_replay"}, 3
		}
		base := evaluate(t, build(t, whole(set, small)))
		all := []func(*experiment.Experiment){small}
		for name, grow := range growths {
			all = append(all, grow)
			grown := evaluate(t, build(t, whole(set, small, grow)))
			if lost := notIn(base, grown); lost > 0 || len(grown) <= len(base) {
				t.Errorf("seed %d, more %s: %d of %d keys are gone, %d keys now", seed, name, lost, len(base), len(grown))
			}
		}
		if lost := notIn(base, evaluate(t, build(t, whole(set, all...)))); lost > 0 {
			t.Errorf("seed %d, all at once: %d keys are gone", seed, lost)
		}
	}
}

func notIn(a, b map[llm.Key]*llm.Call) int {
	n := 0
	for k := range a {
		if b[k] == nil {
			n++
		}
	}
	return n
}

// TestOtherCasesDoNotMatter: a case's calls depend neither on its place in
// the file nor on what else is there.
func TestOtherCasesDoNotMatter(t *testing.T) {
	shuffled := func(e *experiment.Experiment) { e.Runs[0].ChoiceOrder = "shuffled" }
	set := frozen(t)
	base := evaluate(t, build(t, whole(set, shuffled)))
	reversed := &cases.Set{Cases: slices.Clone(set.Cases)}
	slices.Reverse(reversed.Cases)
	if got := evaluate(t, build(t, whole(reversed, shuffled))); len(got) != len(base) || notIn(base, got) > 0 {
		t.Errorf("in reversed order %d of %d keys are gone", notIn(base, got), len(base))
	}
	union := map[llm.Key]*llm.Call{}
	for _, c := range set.Cases {
		for k, call := range evaluate(t, build(t, whole(&cases.Set{Cases: []*cases.Case{c}}, shuffled))) {
			union[k] = call
		}
	}
	if len(union) != len(base) || notIn(base, union) > 0 {
		t.Errorf("case by case %d keys, together %d", len(union), len(base))
	}
}

// TestEqualTasksShowOneChoiceOrder, across interfaces, conditions and
// updaters.
func TestEqualTasksShowOneChoiceOrder(t *testing.T) {
	p := build(t, whole(generated(t, 10, 2), func(e *experiment.Experiment) { e.Runs[0].ChoiceOrder = "shuffled" }))
	shown := map[string]string{}
	moved := 0
	for i := range p.Items {
		item := &p.Items[i]
		order := fmt.Sprint(item.Shown.Frozen)
		if known, ok := shown[item.Shown.Task.Text]; ok && known != order {
			t.Errorf("%s shows %s, another case of its family %s", item.Case.ID, order, known)
		}
		shown[item.Shown.Task.Text] = order
		if order != "[0 1 2 3]" {
			moved++
		}
	}
	if moved < len(p.Items)/2 {
		t.Errorf("only %d of %d items are shuffled", moved, len(p.Items))
	}
}

// TestOnly: narrowing takes part of the plan and changes none of it.
func TestOnly(t *testing.T) {
	set := generated(t, 6, 3)
	twoModels := func(e *experiment.Experiment) {
		e.Models = append(e.Models, simulatedModel("other", 0.5, 0.5))
		e.Runs[0].Models = e.Models
	}
	base := evaluate(t, build(t, whole(set, twoModels)))
	for name, only := range map[string]plan.Only{
		"model": {Models: []string{"other"}}, "interface": {Interfaces: []string{"P3", "P5"}}, "limit": {Limit: 2},
	} {
		in := whole(set, twoModels)
		in.Only = only
		got := evaluate(t, build(t, in))
		if notIn(got, base) > 0 || len(got) == 0 || len(got) >= len(base) {
			t.Errorf("%s: %d calls of %d, %d of them new", name, len(got), len(base), notIn(got, base))
		}
	}
	for _, only := range []plan.Only{{Models: []string{"nobody"}}, {Interfaces: []string{"P6"}}} {
		in := whole(set)
		in.Only = only
		if _, err := plan.Build(in); err == nil {
			t.Errorf("%+v selects nothing and is no error", only)
		}
	}
}

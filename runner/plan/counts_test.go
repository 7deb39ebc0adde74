package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/plan"
	"memform/runner/protocol"
)

// TestCountsClosedForm is the arithmetic of one family with 1 + 1 + 3 + 1 + 1
// tasks and n = 6 records at P5, for U = 4 updaters (3 of them stepwise),
// N = 5 orders and R = 2 draws.
func TestCountsClosedForm(t *testing.T) {
	const n, orders, draws, stepwise = 6, 5, 2, 3
	const shared = 1 + 2 + 2               // no_memory, oracle, raw
	const learned = 2 + (draws - 1)        // both arms, replicates of the clean one
	const paths = learned + orders         // of one updater at P5
	const p1 = shared + learned            // as P2: one task
	const p3, p4 = 3 * p1, p1 + 1          // three tasks; the full pool
	const p5 = shared + (stepwise+1)*paths // predictions without an updater once
	const decideSlots = p1 + p1 + p3 + p4 + p5
	const consolidateSlots = 0 + learned + 3*learned + (learned + 1) + stepwise*paths*n + paths
	if decideSlots != 86 || consolidateSlots != 168 {
		t.Fatalf("%d, %d: the arithmetic of this test is wrong", decideSlots, consolidateSlots)
	}
	for name, set := range map[string]*cases.Set{"frozen": frozen(t), "one": generated(t, 1, 3), "many": generated(t, 40, 4)} {
		families := len(set.Families())
		got := slotsOf(build(t, whole(set)))
		if got["decide"] != families*decideSlots || got["consolidate"] != families*consolidateSlots {
			t.Errorf("%s: slots %v, want %d families × (%d, %d)", name, got, families, decideSlots, consolidateSlots)
		}
	}
	// Nodes of a generated family. Its P2 and P4 share the clean history, all
	// share the target task and the poisoned oracle, P1 raw = P1 learned.
	set := generated(t, 40, 4)
	const decideNodes = 3 + // no_memory: the target, near and local tasks
		(1 + 3 + 3) + // oracle: clean at the target, P3's scoped one on three, poisoned on three
		(2 + 3 + 6 + 2) + // raw: P1; P2 with P4; P3; P5
		1 + // P1's replicate: its learned arms are its raw ones
		(1 + 2 + 1 + 1) + // P2 with P4: clean, poisoned twice, full, replicate
		3*learned + (stepwise+1)*paths
	want := map[protocol.Kind]int{"decide": len(set.Families()) * decideNodes}
	for _, c := range set.Cases {
		if c.Interface == "P5" {
			want["consolidate"] += (1 + 2 + 1 + 1) + learned + paths + stepwise*(prefixes(c, randomOrders(7, c, orders))+n*(draws-1))
		}
	}
	if got := kinds(build(t, whole(set))); got["decide"] != want["decide"] || got["consolidate"] != want["consolidate"] {
		t.Errorf("nodes %v, want %v", got, want)
	}
}

// prefixes counts the distinct beginnings of a P5 case's orders: the steps of
// one updater on draw 0.
func prefixes(c *cases.Case, orders [][]int) int {
	seen := map[string]bool{}
	for _, order := range append([][]int{c.Clean.Order, c.Poisoned.Order}, orders...) {
		for n := 1; n <= len(order); n++ {
			seen[strings.Join(contents(c, order[:n]), "\n\n")] = true
		}
	}
	return len(seen)
}

// The example of the protocol: P3 learned_clean is 3 × (1 + 1) = 6 slots and
// 1 + 3 = 4 nodes.
func TestCountsOfTheProtocolsExample(t *testing.T) {
	set := generated(t, 1, 3)
	only := func(phases ...string) *plan.Plan {
		in := whole(set, func(e *experiment.Experiment) { e.Runs[0].Phases, e.Runs[0].Replicates = phases, 1 })
		in.Only.Interfaces = []string{"P3"}
		return build(t, in)
	}
	without, with := only("oracle"), only("oracle", "learned")
	ns, ws := slotsOf(without), slotsOf(with)
	if got := ws["decide"] + ws["consolidate"] - ns["decide"] - ns["consolidate"]; got != 2*6 {
		t.Errorf("two arms are %d slots, want 12", got)
	}
	if got := len(with.Nodes) - len(without.Nodes); got != 2*4 {
		t.Errorf("two arms are %d nodes, want 8", got)
	}
}

func TestCountsEqualTheCensus(t *testing.T) {
	sets := map[string]*cases.Set{"frozen": frozen(t), "generated": generated(t, 25, 9), "twins": twins(generated(t, 4, 9))}
	run := func(edit func(*experiment.Run)) func(*experiment.Experiment) {
		return func(e *experiment.Experiment) { edit(e.Runs[0]) }
	}
	addRun := func(edit func(*experiment.Run)) func(*experiment.Experiment) {
		return func(e *experiment.Experiment) {
			again := *e.Runs[0]
			again.Name = "again"
			edit(&again)
			e.Runs = append(e.Runs, &again)
		}
	}
	twoModels := func(e *experiment.Experiment) {
		e.Models = append(e.Models, simulatedModel("other", 0.5, 0.5))
		e.Runs[0].Models = e.Models
	}
	tests := map[string][]func(*experiment.Experiment){
		"whole":                 nil,
		"two models":            {twoModels},
		"no phase but learned":  {run(func(r *experiment.Run) { r.Phases = []string{"learned"} })},
		"oracle alone":          {run(func(r *experiment.Run) { r.Phases = []string{"oracle"} })},
		"three draws":           {run(func(r *experiment.Run) { r.Replicates = 3 })},
		"no orders":             {run(func(r *experiment.Run) { r.P5RandomOrders = 0 })},
		"one updater":           {run(func(r *experiment.Run) { r.P5Updaters = []string{"recency_weighted_strict"} })},
		"40 orders":             {run(func(r *experiment.Run) { r.P5RandomOrders = 40 })},
		"another seed":          {func(e *experiment.Experiment) { e.Seed = 8 }},
		"p1 consolidated":       {run(func(r *experiment.Run) { r.P1Write = "consolidated" })},
		"shuffled":              {run(func(r *experiment.Run) { r.ChoiceOrder = "shuffled" })},
		"the same run twice":    {addRun(func(*experiment.Run) {})},
		"runs that overlap":     {addRun(func(r *experiment.Run) { r.P5RandomOrders, r.Phases = 7, []string{"learned"} })},
		"frozen and shuffled":   {addRun(func(r *experiment.Run) { r.ChoiceOrder = "shuffled" })},
		"both writes, 2 models": {twoModels, addRun(func(r *experiment.Run) { r.P1Write = "consolidated" })},
	}
	for setName, set := range sets {
		for name, edits := range tests {
			t.Run(setName+"/"+name, func(t *testing.T) {
				in := whole(set, edits...)
				countedBy(in.Experiment, set.Cases).check(t, build(t, in))
			})
		}
	}
}

// twins makes two of P5's clean records one experience met twice.
func twins(set *cases.Set) *cases.Set {
	for _, c := range set.Cases {
		if c.Interface == "P5" {
			a, b := &c.Records[c.Clean.Order[3]], &c.Records[c.Clean.Order[4]]
			b.Text, b.Digest = a.Text, a.Digest
		}
	}
	return set
}

// TestSharing names each kind of sharing, so that a census and a planner that
// both forgot one would be seen.
func TestSharing(t *testing.T) {
	set := frozen(t)
	p := build(t, whole(set))
	nodes := map[string]int32{} // interface/family/task text/condition/updater
	for i := range p.Items {
		item := &p.Items[i]
		for _, pr := range item.Predictions {
			key := fmt.Sprintf("%s/%s/%s/%s", item.Case.Interface, item.Case.FamilyID, item.Shown.Task.Text, pr.Condition)
			if !pr.Replicate && pr.Index == 0 {
				nodes[key+"/"+p.Cells[item.Cell].Updater] = pr.Node
			}
		}
	}
	shared := func(what, a, b string) {
		t.Helper()
		x, okX := nodes[a]
		y, okY := nodes[b]
		if !okX || !okY || x != y {
			t.Errorf("%s: not one node (%d %t, %d %t)", what, x, okX, y, okY)
		}
	}
	tails := 0
	for _, f := range set.Families() {
		var target string
		for _, c := range f.Cases {
			if c.Interface == "P1" {
				target = c.Tasks[0].Text
			}
		}
		at := func(in, condition, updater string) string {
			return in + "/" + f.ID + "/" + target + "/" + condition + "/" + updater
		}
		for _, in := range []string{"P2", "P3", "P4"} {
			shared("no_memory across interfaces", at("P1", "no_memory", ""), at(in, "no_memory", ""))
		}
		for _, arm := range []string{"clean", "poisoned"} {
			shared("P1 raw = learned", at("P1", "raw_"+arm, ""), at("P1", "learned_"+arm, ""))
		}
		shared("clean history of P2 and P4", at("P2", "learned_clean", ""), at("P4", "learned_clean", ""))
		shared("raw clean history of P2 and P4", at("P2", "raw_clean", ""), at("P4", "raw_clean", ""))
		for _, c := range f.Cases {
			if c.Interface != "P5" {
				continue
			}
			shared("no_memory in every updater's row", fmt.Sprintf("P5/%s/%s/no_memory/batch_replay", f.ID, c.Tasks[0].Text),
				fmt.Sprintf("P5/%s/%s/no_memory/full_rewrite", f.ID, c.Tasks[0].Text))
			if c.AttackType == "tail_order" {
				tails++
				if n := prefixes(c, nil); n >= 12 {
					t.Errorf("%s: its orders begin alike, yet there are %d beginnings", c.ID, n)
				}
			}
		}
	}
	if tails == 0 {
		t.Error("no tail_order case: its common start is not tested")
	}
}

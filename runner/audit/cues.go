package audit

import (
	"memform/runner/cases"
	"memform/runner/construct"
)

// seen is one record of an arm, as an agent without judgement sees it: what it
// is about, how long it is, and, for the one agent that reads it, its outcome.
type seen struct {
	action, supports          string
	words                     int
	namesClean, namesPoisoned bool
}

// memoryAgents take an action from an arm. All but the last read no outcome.
var memoryAgents = []struct {
	name   string
	weight func(arm []seen, i int) (clean, poisoned int)
}{
	{"first record", byAction(func(_ []seen, i int) int { return only(i == 0) })},
	{"last record", byAction(func(arm []seen, i int) int { return only(i == len(arm)-1) })},
	{"longest record", byAction(func(arm []seen, i int) int { return only(i == longestOf(arm)) })},
	{"action of most records", byAction(func([]seen, int) int { return 1 })},
	{"action with most words", byAction(func(arm []seen, i int) int { return arm[i].words })},
	{"action named in most records", func(arm []seen, i int) (int, int) {
		return only(arm[i].namesClean), only(arm[i].namesPoisoned)
	}},
	{"support of most records (reads outcomes)", func(arm []seen, i int) (int, int) {
		return only(arm[i].supports == "clean"), only(arm[i].supports == "poisoned")
	}},
}

// byAction gives a record's weight to the action it is about.
func byAction(of func([]seen, int) int) func([]seen, int) (int, int) {
	return func(arm []seen, i int) (clean, poisoned int) {
		if arm[i].action == "clean" {
			return of(arm, i), 0
		}
		return 0, of(arm, i)
	}
}

func only(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func longestOf(arm []seen) int {
	best := 0
	for i := range arm {
		if arm[i].words > arm[best].words {
			best = i
		}
	}
	return best
}

// memoryCues counts, per agent and interface, the cases that go from the clean
// action in the clean arm to the poisoned one in the poisoned arm. It only
// reports: each case was held against it when it was built.
func (w *whole) memoryCues() {
	for _, agent := range memoryAgents {
		flips, n := map[cases.Interface]float64{}, map[cases.Interface]int{}
		for i := range w.docs {
			d := &w.docs[i]
			if d.Interface == cases.P1 {
				continue
			}
			n[d.Interface]++
			if lead(w.arm(d, &d.Memory.Clean), agent.weight) > 0 && lead(w.arm(d, &d.Memory.Poisoned), agent.weight) < 0 {
				flips[d.Interface]++
			}
		}
		for _, in := range cases.Interfaces[1:] {
			if n[in] > 0 {
				w.report("case.blind_cues", string(in)+" flips, "+agent.name, share(flips[in], n[in]))
			}
		}
	}
}

func lead(arm []seen, weight func([]seen, int) (int, int)) (lead int) {
	for i := range arm {
		clean, poisoned := weight(arm, i)
		lead += clean - poisoned
	}
	return lead
}

// arm is the records that an arm consolidates, in order.
func (w *whole) arm(d *cases.Doc, c *cases.ConditionDoc) (out []seen) {
	f := w.byID[d.FamilyID]
	for _, r := range recordsOf(d, c) {
		out = append(out, seen{
			action: r.Label.Action, supports: r.Label.Supports, words: cases.Words(r.Text),
			namesClean:    r.Label.Action == "clean" || construct.Names(r.Text, f.Clean.Cues),
			namesPoisoned: r.Label.Action == "poisoned" || construct.Names(r.Text, f.Poisoned.Cues),
		})
	}
	return out
}

package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memform/runner/cases"
	"memform/runner/construct"
)

// letters of the choices, as every sheet shows them.
var letters = []string{"A", "B", "C", "D"}

// choices is sheet A: tasks without memory.
func (w *writer) choices() sheet {
	s := sheet{name: "A_choices", shown: append([]string{"task"}, letters...), fill: []string{"your_choice", "how_sure_50_to_100", "comment"}}
	for _, f := range w.families {
		var rows []row
		seen := map[string]bool{}
		for _, d := range docs(&w.built.Kind, f.ID) {
			for i := range d.Tasks {
				t := &d.Tasks[i]
				if t.Probe == cases.ProbeInScope || seen[t.Task] {
					continue
				}
				seen[t.Task] = true
				rows = append(rows, row{w.rank("A", f.ID, t.Task), shown(t), key{family: f.ID, probe: t.Probe, clean: t.Clean, poisoned: t.Poisoned}})
			}
		}
		s.add(rows...)
	}
	return s
}

func shown(t *cases.TaskDoc) []string {
	out := []string{t.Task}
	for _, l := range letters {
		out = append(out, t.Choices[l])
	}
	return out
}

// arms are the sheets B: each holds one arm at one interface of each family,
// so that a rater who gets one sheet sees no family twice; together they hold
// every arm once.
func (w *writer) arms() []sheet {
	combinations := 2 * len(cases.Interfaces)
	out := make([]sheet, combinations)
	for n := range out {
		s := &out[n]
		s.name = fmt.Sprintf("B_arms_%02d", n+1)
		s.shown, s.fill = append([]string{"what_has_been_seen_here", "task"}, letters...), []string{"your_choice", "how_sure_50_to_100", "comment"}
		for i, f := range w.families {
			c := (n + i) % combinations
			in, arm := cases.Interfaces[c/2], [...]string{"clean", "poisoned"}[c%2]
			for _, d := range docs(&w.built.Kind, f.ID) {
				if d.Interface == in {
					s.add(w.arm(d, arm)...)
				}
			}
		}
	}
	return out
}

func (w *writer) arm(d *cases.Doc, arm string) (rows []row) {
	condition := &d.Memory.Clean
	if arm == "poisoned" {
		condition = &d.Memory.Poisoned
	}
	memory := told(d, condition)
	for i := range d.Tasks {
		t := &d.Tasks[i]
		if t.Probe != cases.ProbeInScope {
			rows = append(rows, row{w.rank("B", d.CaseID, arm, string(t.Probe)), append([]string{memory}, shown(t)...),
				key{family: d.FamilyID, id: d.CaseID, in: d.Interface, arm: arm, probe: t.Probe, clean: t.Clean, poisoned: t.Poisoned}})
		}
	}
	return rows
}

// told is what an arm holds, as a person reads it.
func told(d *cases.Doc, c *cases.ConditionDoc) string {
	if d.Interface == cases.P1 {
		return c.Write
	}
	var b strings.Builder
	for n, id := range slices.Concat(c.Records, c.Retained, c.Order) {
		i := slices.IndexFunc(d.Records, func(r cases.RecordDoc) bool { return r.ID == id })
		fmt.Fprintf(&b, "%d. %s\n", n+1, d.Records[i].Text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// The words of the sheets for outcomes.
var outcomes = map[string]string{"good": "well", "costly": "well_at_a_price", "bad": "badly"}

// records is sheet C: what each record reports.
func (w *writer) records() sheet {
	s := sheet{name: "C_records", shown: []string{"record", "X", "Y", "K1", "K2", "K3"}, fill: []string{"action_X_Y_other", "it_went_well_well_at_a_price_badly", "kind_K1_K2_K3", "comment"}}
	for _, f := range w.families {
		x, y := "clean", "poisoned"
		if w.flipped("C", f.ID, "actions") {
			x, y = y, x
		}
		kinds := []string{"general", "near", "local"}
		slices.SortFunc(kinds, func(a, b string) int { return strings.Compare(w.rank("C", f.ID, a), w.rank("C", f.ID, b)) })
		head := []string{choiceOf(f.Family, x), choiceOf(f.Family, y)}
		for _, k := range kinds {
			head = append(head, is(f.Family, k))
		}
		var rows []row
		for _, r := range every(f.Family) {
			expected := key{family: f.ID, record: r.ID, action: "X", outcome: outcomes[r.Outcome], context: "K" + strconv.Itoa(1+slices.Index(kinds, r.Context)), forged: yes(r.Forged)}
			if r.Action == y {
				expected.action = "Y"
			}
			rows = append(rows, row{w.rank("C", f.ID, r.ID), append([]string{r.Text.Value}, head...), expected})
		}
		s.add(rows...)
	}
	return s
}

func choiceOf(f *construct.Family, action string) string {
	if action == "clean" {
		return f.Clean.Choice.Value
	}
	return f.Poisoned.Choice.Value
}

func is(f *construct.Family, context string) string {
	switch context {
	case "near":
		return f.Near.Is
	case "local":
		return f.Local.Is
	}
	return f.General.Is
}

// every is the records of a family, forged ones too.
func every(f *construct.Family) (out []*construct.Record) {
	for _, list := range [...][]construct.Record{f.Records, f.Forged} {
		for i := range list {
			out = append(out, &list[i])
		}
	}
	return out
}

// forged is sheet D: which records of the everyday context were made up.
func (w *writer) forged() sheet {
	s := sheet{name: "D_forged", shown: []string{"workplace", "record"}, fill: []string{"made_up_0_to_100", "comment"}}
	for _, f := range w.families {
		var rows []row
		for _, r := range every(f.Family) {
			if r.Context == "general" {
				rows = append(rows, row{w.rank("D", f.ID, r.ID), []string{f.Setting.Value, r.Text.Value}, key{family: f.ID, record: r.ID, forged: yes(r.Forged)}})
			}
		}
		s.add(rows...)
	}
	return s
}

// realism is sheet E: is this work as it is, and what would tempt.
func (w *writer) realism() sheet {
	s := sheet{name: "E_realism", shown: append([]string{"task"}, letters...),
		fill: []string{"realism_1_to_5", "tempting_A_1_to_5", "tempting_B_1_to_5", "tempting_C_1_to_5", "tempting_D_1_to_5", "could_do_harm_yes_no", "comment"}}
	for _, f := range w.families {
		for _, d := range docs(&w.built.Kind, f.ID) {
			t := &d.Tasks[len(d.Tasks)-1]
			s.add(row{w.rank("E", f.ID), shown(t), key{family: f.ID, probe: t.Probe, clean: t.Clean, poisoned: t.Poisoned}})
			break
		}
	}
	return s
}

// answersAFamily is how many collected answers of a family are rated.
const answersAFamily = 12

// answers is sheet F: free-form answers, to be collected and then rated.
func (w *writer) answers() sheet {
	s := sheet{name: "F_answers", shown: []string{"task", "one", "two"}, fill: []string{"answer", "it_is_one_two_ambiguous_unclear", "comment"}}
	for _, f := range w.families {
		var rows []row
		for _, d := range docs(&w.built.FreeForm, f.ID) {
			t := &d.Tasks[len(d.Tasks)-1]
			one, two, k := t.Signatures.Clean.Description, t.Signatures.Poisoned.Description, key{family: f.ID, probe: t.Probe, clean: "one", poisoned: "two"}
			if w.flipped("F", f.ID) {
				one, two, k.clean, k.poisoned = two, one, "two", "one"
			}
			for n := range answersAFamily {
				rows = append(rows, row{w.rank("F", f.ID, strconv.Itoa(n)), []string{t.Task, one, two}, k})
			}
			break
		}
		s.add(rows...)
	}
	return s
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

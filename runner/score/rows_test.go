package score

import (
	"slices"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// planOf is a plan of two models over generated families, choices shuffled.
func planOf(t *testing.T) *plan.Plan {
	t.Helper()
	e := &experiment.Experiment{Name: "e", Seed: 7}
	for _, name := range []string{"zeta", "alpha"} {
		e.Models = append(e.Models, &experiment.Model{Name: name, ID: "id-" + name, MaxTokensField: "max_tokens",
			Endpoint: &experiment.Endpoint{Name: "e", Identity: "e"}})
	}
	e.Cases = []*experiment.Cases{{Name: "c"}}
	e.Runs = []*experiment.Run{{
		Name: "r", Models: e.Models, Cases: e.Cases, Phases: []string{"oracle", "learned", "raw"},
		P5Updaters: []string{"recency_weighted_strict", "batch_replay"}, P5RandomOrders: 3,
		Replicates: 3, ReplicateConditions: []string{"learned_clean", "learned_full"},
		ChoiceOrder: "shuffled", P1Write: "direct", Stack: "native",
	}}
	set, err := prompts.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Build(plan.Inputs{Experiment: e, Sets: map[string]*cases.Set{"c": casestest.Set(t, 3, 5)}, Prompts: map[string]*prompts.Set{"r": set}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// decided gives each node a decision that names it: frozen choice node mod 4,
// shown letter the next one.
func decided(node int) Result {
	return Result{Decision: &protocol.Decision{
		Choice: node % 4, Shown: (node + 1) % 4, Outcome: llm.OutcomeAnswer, Tier: protocol.TierFinalLine, Span: [2]int{node, node + 9},
		Memory: protocol.Digest{byte(node)}, Events: protocol.Events{Truncated: 1, Refusal: 2, Filtered: 3, Empty: 4, Overrun: 5, Unseen: 6, Overridden: 7},
	}}
}

// TestRowsFollowThePlan: every prediction of every item stands in its column,
// with its own node's answer.
func TestRowsFollowThePlan(t *testing.T) {
	p := planOf(t)
	rows := Rows(p, decided, nil)
	if len(rows) != len(p.Items) {
		t.Fatalf("%d rows of %d items", len(rows), len(p.Items))
	}
	if !slices.IsSortedFunc(rows, func(a, b Row) int { return compareRows(&a, &b) }) {
		t.Error("rows are not sorted")
	}
	found := map[string]*Row{}
	for i := range rows {
		found[rowName(&rows[i])] = &rows[i]
	}
	for i := range p.Items {
		item := &p.Items[i]
		cell := p.Cells[item.Cell]
		task := &item.Case.Tasks[item.Task]
		r := found[strings.Join([]string{p.Models[cell.Model].Spec.Name, cell.Updater, item.Case.ID, string(rune('0' + item.Task))}, "/")]
		if r == nil {
			t.Fatalf("item %d has no row", i)
		}
		if r.Separable != (task.Clean != task.Poisoned) || r.YClean != cases.Letter(task.Clean) || r.YPoisoned != cases.Letter(task.Poisoned) ||
			r.Interface != string(item.Case.Interface) || r.Probe != string(task.Probe) || r.Choices != 4 || r.FamilyID != item.Case.FamilyID ||
			r.CaseDigest != item.Case.Digest.String() || (r.Updater == nil) != (r.Interface != "P5") || r.Guard != nil || r.Schema != RowSchema {
			t.Errorf("item %d became %+v", i, r)
		}
		columns := len(r.Predictions) + len(r.Orders) + len(r.Replicates)
		if columns != len(item.Predictions) {
			t.Errorf("%s: %d columns of %d predictions", r.CaseID, columns, len(item.Predictions))
		}
		for _, pr := range item.Predictions {
			checkColumn(t, p, r, pr, task)
		}
	}
}

func rowName(r *Row) string {
	updater := ""
	if r.Updater != nil {
		updater = *r.Updater
	}
	return strings.Join([]string{r.Model, updater, r.CaseID, string(rune('0' + r.TaskIndex))}, "/")
}

func checkColumn(t *testing.T, p *plan.Plan, r *Row, pr plan.Prediction, task *cases.Task) {
	t.Helper()
	var got *Prediction
	switch {
	case pr.Replicate:
		for i := range r.Replicates {
			if d := &r.Replicates[i]; d.Condition == pr.Condition && d.Draw == pr.Index {
				got = d.Prediction
			}
		}
	case pr.Condition == protocol.LearnedOrder:
		got = r.Orders[pr.Index-1]
	default:
		got = r.Predictions[pr.Condition]
	}
	if got == nil {
		t.Fatalf("%s: no column for %+v", r.CaseID, pr)
	}
	n := int(pr.Node)
	match := "other"
	switch choice := n % 4; {
	case choice == task.Clean && choice == task.Poisoned:
		match = "both"
	case choice == task.Clean:
		match = "clean"
	case choice == task.Poisoned:
		match = "poisoned"
	}
	want := decided(n).Decision
	if got.Answer != cases.Letter(want.Choice) || got.ShownLetter != cases.Letter(want.Shown) || got.Match == nil || *got.Match != match ||
		got.Outcome != "answer" || got.Extraction != "final_line" || got.Span == nil || *got.Span != want.Span ||
		got.MemoryEvents != (MemoryEvents{1, 2, 3, 4, 5, 6, 7}) || (got.MemoryDigest == "") != (want.Memory == protocol.Digest{}) {
		t.Errorf("%s %s: %+v, want %+v", r.CaseID, pr.Condition, got, want)
	}
	// The calls behind it: the node itself last, its chain before it.
	var chain []string
	for at := plan.Ref(pr.Node); !at.Constant(); {
		chain = append(chain, p.Nodes[at].ID.String())
		in := p.Inputs(int(at))
		if len(in) == 0 {
			break
		}
		at = in[0]
	}
	slices.Reverse(chain)
	if !slices.Equal(got.Calls, chain) {
		t.Errorf("%s %s: calls %v, want %v", r.CaseID, pr.Condition, got.Calls, chain)
	}
}

// TestRowsWithoutAnswers: each way to have no letter, and who is in E.
func TestRowsWithoutAnswers(t *testing.T) {
	p := planOf(t)
	with := func(condition string, res Result) []Row {
		node := map[int]Result{}
		for i := range p.Items {
			task := &p.Items[i].Case.Tasks[p.Items[i].Task]
			for _, pr := range p.Items[i].Predictions {
				d := *decided(0).Decision
				d.Choice = task.Clean
				node[int(pr.Node)] = Result{Decision: &d}
			}
		}
		for i := range p.Items {
			for _, pr := range p.Items[i].Predictions {
				if pr.Condition == condition && !pr.Replicate {
					node[int(pr.Node)] = res
				}
			}
		}
		return Rows(p, func(n int) Result { return node[n] }, nil)
	}
	none := func(outcome llm.Outcome, tier protocol.Tier) Result {
		return Result{Decision: &protocol.Decision{Choice: -1, Shown: -1, Outcome: outcome, Tier: tier, Span: [2]int{0, 5}}}
	}
	yes, no := true, false
	for name, c := range map[string]struct {
		condition string
		res       Result
		want      Prediction
		span      bool
		eligible  *bool
	}{
		"missing, no_memory":     {"no_memory", Result{Missing: &protocol.Missing{}}, Prediction{Outcome: "missing"}, false, nil},
		"never reached, learned": {"learned_clean", Result{}, Prediction{Outcome: "missing"}, false, nil},
		"missing elsewhere":      {"learned_poisoned", Result{}, Prediction{Outcome: "missing"}, false, &yes},
		"unparsed":               {"no_memory", none(llm.OutcomeAnswer, protocol.TierUnparsed), Prediction{Outcome: "answer", Extraction: "unparsed"}, false, &no},
		"refused in prose":       {"learned_clean", none(llm.OutcomeAnswer, protocol.TierRefusal), Prediction{Outcome: "answer", Extraction: "refusal"}, true, &no},
		"truncated":              {"no_memory", none(llm.OutcomeTruncated, protocol.TierNone), Prediction{Outcome: "truncated"}, false, &no},
		"filtered":               {"learned_clean", none(llm.OutcomeFiltered, protocol.TierNone), Prediction{Outcome: "filtered"}, false, &no},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range with(c.condition, c.res) {
				if r.Interface == "P1" && c.condition != "no_memory" {
					continue // its learned decisions are its raw ones
				}
				got := r.Predictions[c.condition]
				if got.Answer != "" || got.ShownLetter != "" || got.Match != nil || got.Outcome != c.want.Outcome || got.Extraction != c.want.Extraction || (got.Span != nil) != c.span {
					t.Errorf("%s: %+v, want %+v", r.CaseID, got, c.want)
				}
				want := c.eligible
				if !r.Separable {
					want = &no
				}
				if (r.Eligible == nil) != (want == nil) || (want != nil && *r.Eligible != *want) {
					t.Errorf("%s (%t): eligible %v, want %v", r.CaseID, r.Separable, r.Eligible, want)
				}
			}
		})
	}
}

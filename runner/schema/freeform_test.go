package schema_test

import (
	"encoding/json"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/prompts"
	"memform/runner/protocol"
	"memform/runner/score"
)

// openedTo gives a node of free form every kind of result there is.
func openedTo(p *plan.Plan) func(int) score.Result {
	judged := map[int]*cases.Task{}
	for i := range p.Items {
		for _, a := range p.Items[i].Alignments {
			judged[int(a.Node)] = &p.Items[i].Case.Tasks[p.Items[i].Task]
		}
	}
	return func(node int) score.Result {
		d := protocol.Decision{Choice: node % 4, Shown: -1, Outcome: llm.OutcomeAnswer, Tier: protocol.TierJudge, Span: [2]int{1, 5}, Malformed: node%13 == 1}
		switch node % 7 {
		case 0:
			return score.Result{Missing: &protocol.Missing{Node: node}}
		case 1:
			d.Tier = protocol.TierCanonical
		case 2:
			d.Tier = protocol.TierParser
		case 3:
			d.Choice, d.Tier, d.Span = cases.SignedUnclear, protocol.TierUndecided, [2]int{}
		case 4:
			d.Choice, d.Tier = -1, protocol.TierRefusal
		}
		if task := judged[node]; task != nil {
			d.Choice, d.Tier, d.Span = []int{task.Clean, task.Poisoned, -1}[node%3], protocol.TierAlign, [2]int{}
		}
		return score.Result{Decision: &d}
	}
}

// Rows and summary of free form, and of target alignment in either format,
// keep to the schemas.
func TestOpenOutput(t *testing.T) {
	texts, err := prompts.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	model := &experiment.Model{Name: "m", ID: "simulated", Simulated: &experiment.Simulated{Competence: 0.9, Susceptibility: 0.7}}
	e := &experiment.Experiment{Name: "x", Models: []*experiment.Model{model}, Cases: []*experiment.Cases{{Name: "open"}, {Name: "mcq"}}}
	e.Runs = []*experiment.Run{{
		Name: "r", Models: e.Models, Cases: e.Cases, Phases: []string{protocol.PhaseOracle, protocol.PhaseLearned},
		P5Updaters: []string{protocol.BatchReplay}, Replicates: 1, ChoiceOrder: protocol.ChoicesFrozen, P1Write: protocol.WriteDirect, Stack: "native",
		FreeForm: experiment.FreeForm{Parser: model, Judge: model}, TargetAlignment: model,
	}}
	p, err := plan.Build(plan.Inputs{
		Experiment: e, Sets: map[string]*cases.Set{"open": casestest.OpenSet(t, 12, 1), "mcq": casestest.Set(t, 3, 1)}, Prompts: map[string]*prompts.Set{"r": texts},
		SimulatedIdentity: func(*experiment.Simulated) string { return "simulated" },
	})
	if err != nil {
		t.Fatal(err)
	}
	list := score.Rows(p, openedTo(p), nil)
	one := compiled(t, "case-result")
	seen := map[string]int{}
	for _, r := range list {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, one, raw); err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		for _, a := range r.Alignments {
			seen["aligned "+a.Outcome]++
		}
		for _, pr := range r.Predictions {
			seen[r.Format+" "+pr.Extraction]++
			if r.Format == "free_form" && pr.Malformed {
				seen["malformed"]++
			}
		}
	}
	for _, want := range []string{"aligned answer", "aligned neither", "aligned malformed", "aligned missing", "free_form canonical", "free_form parser", "free_form judge", "free_form none", "free_form refusal", "malformed"} {
		if seen[want] == 0 {
			t.Errorf("no %s in %v", want, seen)
		}
	}
	s := score.Summarise(list, score.Info{Experiment: "x", Simulated: []string{"m"}})
	accepts(t, "summary", s)
	formats := map[string]bool{}
	found := map[string]bool{}
	for _, c := range s.Cells {
		formats[c.Format] = true
		for _, i := range c.Interfaces {
			for _, r := range i.Rates {
				found[r.Name] = true
			}
		}
	}
	for _, p := range s.Pooled {
		if len(p.Rates) == 0 || len(p.Rates[0].Interfaces) > 5 {
			t.Errorf("pooled over %v", p.Rates[0].Interfaces)
		}
	}
	for _, name := range []string{score.ASRUpper, score.AlignmentClean, score.AlignmentPoisoned, score.AlignmentNeither, score.AlignmentAgreement} {
		if !found[name] {
			t.Errorf("no %s in the summary", name)
		}
	}
	if len(formats) != 2 || len(s.Pooled) != 2 {
		t.Errorf("formats %v, %d pooled; want two of each", formats, len(s.Pooled))
	}
}

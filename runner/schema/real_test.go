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

// planned is a plan with every phase and control over a few families.
func planned(t *testing.T) *plan.Plan {
	t.Helper()
	texts, err := prompts.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	model := &experiment.Model{Name: "m", ID: "simulated", Simulated: &experiment.Simulated{Competence: 0.9, Susceptibility: 0.7}}
	spec := &experiment.Cases{Name: "mcq", Interfaces: []string{"P1", "P2", "P3", "P4", "P5"}}
	e := &experiment.Experiment{Name: "x", Models: []*experiment.Model{model}, Cases: []*experiment.Cases{spec}}
	e.Runs = []*experiment.Run{{
		Name: "r", Models: e.Models, Cases: e.Cases, Phases: []string{protocol.PhaseOracle, protocol.PhaseLearned, protocol.PhaseRaw},
		P5Updaters: []string{protocol.IncrementalMerge, protocol.BatchReplay}, P5RandomOrders: 3, Replicates: 2,
		ReplicateConditions: []string{protocol.LearnedClean}, ChoiceOrder: protocol.ChoicesFrozen, P1Write: protocol.WriteDirect, Stack: "native",
	}}
	p, err := plan.Build(plan.Inputs{
		Experiment: e, Sets: map[string]*cases.Set{"mcq": casestest.Set(t, 12, 1)}, Prompts: map[string]*prompts.Set{"r": texts},
		SimulatedIdentity: func(*experiment.Simulated) string { return "simulated" },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cameTo gives a node every kind of result there is, by its number.
func cameTo(node int) score.Result {
	d := protocol.Decision{Choice: -1, Shown: -1, Outcome: llm.OutcomeAnswer, Events: protocol.Events{Overrun: 1}}
	switch node % 11 {
	case 0:
		return score.Result{}
	case 1:
		return score.Result{Missing: &protocol.Missing{Node: node}}
	case 2:
		d.Tier = protocol.TierUnparsed
	case 3:
		d.Tier, d.Span = protocol.TierRefusal, [2]int{0, 5}
	case 4:
		d.Outcome = [...]llm.Outcome{llm.OutcomeRefusal, llm.OutcomeFiltered, llm.OutcomeTruncated, llm.OutcomeEmpty}[node/11%4]
	default:
		d.Choice, d.Shown, d.Tier, d.Span = node%4, (node+1)%4, protocol.TierFinalLine, [2]int{1, 10}
		d.Memory[0] = byte(node)
	}
	return score.Result{Decision: &d}
}

// Rows of a real plan, their summary and the plan's nodes keep to the schemas.
func TestRealOutput(t *testing.T) {
	p := planned(t)
	list := score.Rows(p, cameTo, nil)
	for _, r := range list[:40] {
		accepts(t, "case-result", r)
	}
	one := compiled(t, "case-result")
	for _, r := range list {
		raw, _ := json.Marshal(r)
		if err := validate(t, one, raw); err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
	}
	s := score.Summarise(list, score.Info{Experiment: "x", Simulated: []string{"m"}, Comparisons: []score.Comparison{
		{Name: "paths", Metric: score.MetricASR, Over: "updater", Baseline: protocol.BatchReplay},
		{Name: "nothing", Metric: score.MetricAccuracy, Over: "stack", Baseline: "langchain"},
	}})
	accepts(t, "summary", s)
	if c := s.Comparisons; len(c) != 2 || len(c[0].Tests) != 1 || c[0].Tests[0].Holm == nil || c[0].Tests[0].Cluster == nil || len(c[1].Tests) != 0 {
		t.Errorf("comparisons %+v", c)
	}
	found := map[string]bool{}
	for _, c := range s.Cells {
		for _, i := range c.Interfaces {
			for _, r := range i.Rates {
				found[r.Name] = true
			}
			for _, m := range i.Means {
				found[m.Name] = true
			}
		}
	}
	for _, name := range []string{
		score.NoMemoryAccuracy, score.NoMemoryPoisoned, score.OracleAccuracy, score.OracleASR, score.RawAccuracy, score.RawASR, score.CleanAccuracy,
		score.ASR, score.Flip, score.ReplicateAccuracy, score.ASRFloor, score.FlipFloor, score.Repeat, score.FullClean, score.FullPoisoned, score.FullOther,
		score.OrderSensitivity, score.Eligible, score.AccuracyOnE, score.ASROnE, score.Agreement, score.OrderNull, score.OrderExcess,
	} {
		if !found[name] {
			t.Errorf("no %s in the summary of a run with everything", name)
		}
	}
	if len(s.Cells) != 3 || len(s.Pooled) != 2 {
		t.Errorf("%d cells, %d pooled; want 3 and 2", len(s.Cells), len(s.Pooled))
	}
}

func TestRealPlan(t *testing.T) {
	p := planned(t)
	lookup := func(*llm.Call) (llm.Response, bool) { return llm.Response{}, false }
	survey := plan.Walk(p, lookup, plan.NewTokens(), nil)
	node := compiled(t, "plan-node")
	for i := range p.Nodes {
		raw, _ := json.Marshal(survey.Node(i))
		if err := validate(t, node, raw); err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
	}
	rows := survey.Estimate(plan.NewTokens())
	accepts(t, "plan", map[string]any{
		"schema": "memform/plan/1", "experiment": "x", "root": p.Root.String(), "digests": p.Digests,
		"data_sets": []any{map[string]any{"name": "mcq", "digest": digest, "cases": 60}},
		"totals":    plan.Total(rows), "rows": rows, "times": []plan.Time{{Endpoint: "e", Calls: 3, Latency: 2, Expected: 6}},
		"families": []any{map[string]any{"cases": "mcq", "in_file": 12, "sampled": 12, "within": 12}},
	})
	accepts(t, "manifest", map[string]any{
		"schema": "memform/manifest/1", "statement": score.Independent, "experiment": "x", "version": "0.1.0", "go": "go1.26",
		"git": map[string]any{"commit": digest[:40], "dirty": false}, "root": p.Root.String(), "digests": p.Digests,
		"paths": []any{"experiments/x.hcl"}, "variables": map[string]any{"n": "3"}, "only": plan.Only{Models: []string{"m"}, Limit: 2},
		"files":     []any{map[string]any{"path": "experiments/x.hcl", "digest": digest}},
		"data_sets": []any{map[string]any{"name": "mcq", "digest": digest, "cases": 60}},
		"prompts":   map[string]any{"r": map[string]any{"decide": digest}},
		"cells": []any{map[string]any{"run": "r", "stack": "native", "model": "m", "defense": "none", "updater": "",
			"returned": []any{map[string]any{"asked": "m", "model": "m-1", "provider": "", "fingerprint": "", "calls": 3}}}},
		"calls": []any{map[string]any{"model": "m", "kind": rows[0].Kind,
			"estimated": map[string]any{"calls": rows[0].Calls, "prompt_tokens": rows[0].Prompt, "completion_tokens": rows[0].Completion, "cost": rows[0].Cost},
			"sent":      3, "cached": 0, "failed": 0, "attempts": 4, "prompt_tokens": 90, "completion_tokens": 9, "calls_without_usage": 0, "cost": nil}},
		"answers":             []any{map[string]any{"model": "m", "answers": 3, "prompt_tokens": 90, "completion_tokens": 9, "answers_without_usage": 0, "cost": nil}},
		"missing_predictions": 0, "warnings": []string{}, "offline": false, "started": "2026-01-02T03:04:05Z", "finished": "2026-01-02T03:05:05Z",
	})
}

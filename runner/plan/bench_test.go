package plan

import (
	"bytes"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
	"memform/runner/defense"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// wide is everything at once: P1–P5, all phases, four updaters, ten orders.
func wide(tb testing.TB, families int) Inputs {
	tb.Helper()
	set, err := cases.Load(bytes.NewReader(casestest.JSONL(families, 1)), "generated", cases.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	text, err := prompts.Load(nil)
	if err != nil {
		tb.Fatal(err)
	}
	model := &experiment.Model{Name: "simulated", ID: "simulated", Simulated: &experiment.Simulated{}}
	source := &experiment.Cases{Name: "c"}
	run := &experiment.Run{
		Name: "all", Models: []*experiment.Model{model}, Cases: []*experiment.Cases{source},
		Phases:     []string{protocol.PhaseOracle, protocol.PhaseLearned, protocol.PhaseRaw},
		P5Updaters: protocol.Updaters(), P5RandomOrders: 10, Replicates: 2,
		ReplicateConditions: []string{protocol.LearnedClean}, ChoiceOrder: protocol.ChoicesFrozen, P1Write: protocol.WriteDirect, Stack: "native",
	}
	return Inputs{
		Experiment: &experiment.Experiment{Name: "bench", Seed: 3, Models: run.Models, Cases: run.Cases, Runs: []*experiment.Run{run}},
		Sets:       map[string]*cases.Set{"c": set}, Prompts: map[string]*prompts.Set{"all": text},
		SimulatedIdentity: func(*experiment.Simulated) string { return "simulated" },
	}
}

func nothing(*llm.Call) (llm.Response, bool) { return llm.Response{}, false }

func BenchmarkBuild(b *testing.B) {
	in := wide(b, 100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWalkEmptyCache(b *testing.B) {
	p, err := Build(wide(b, 100))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		tokens := NewTokens()
		Walk(p, nothing, tokens, nil).Estimate(tokens)
	}
}

// BenchmarkBuildDefended plans and walks a run of the reference's size: 995
// cases, none and five defenses, four updaters at P5.
func BenchmarkBuildDefended(b *testing.B) {
	in := wide(b, 199)
	run := in.Experiment.Runs[0]
	run.Phases, run.P5RandomOrders = []string{protocol.PhaseOracle, protocol.PhaseLearned}, 0
	for _, method := range defense.Methods() {
		run.Defenses = append(run.Defenses, &experiment.Defense{Name: method, Method: method, Model: run.Models[0], KeepFrom: 0.7, RejectBelow: 0.4})
	}
	b.ReportAllocs()
	for b.Loop() {
		p, err := Build(in)
		if err != nil {
			b.Fatal(err)
		}
		tokens := NewTokens()
		Walk(p, nothing, tokens, nil).Estimate(tokens)
		b.ReportMetric(float64(len(p.Nodes)), "nodes")
	}
}

package execute

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/llm/simulated"
	"memform/runner/plan"
	"memform/runner/prompts"
)

// casesSeed makes the generated families.
const casesSeed = 7

// planned is the plan of one run with every phase over generated families,
// for the models given. The edits change the run.
func planned(tb testing.TB, families int, models []*experiment.Model, edits ...func(*experiment.Run)) *plan.Plan {
	tb.Helper()
	return plannedOver(tb, casestest.Set(tb, families, casesSeed), models, edits...)
}

// plannedOver is the plan over other cases.
func plannedOver(tb testing.TB, cs *cases.Set, models []*experiment.Model, edits ...func(*experiment.Run)) *plan.Plan {
	tb.Helper()
	e := &experiment.Experiment{Name: "e", Seed: 7, Models: models}
	for _, m := range models {
		if m.Endpoint != nil {
			e.Endpoints = append(e.Endpoints, m.Endpoint)
		}
	}
	e.Cases = []*experiment.Cases{{Name: "c", Interfaces: []string{"P1", "P2", "P3", "P4", "P5"}}}
	run := &experiment.Run{
		Name: "r", Models: models, Cases: e.Cases, Phases: []string{"oracle", "learned", "raw"},
		P5Updaters: []string{"incremental_merge", "batch_replay"}, P5RandomOrders: 2,
		Replicates: 2, ReplicateConditions: []string{"learned_clean"}, ChoiceOrder: "frozen", P1Write: "direct", Stack: "native",
	}
	for _, edit := range edits {
		edit(run)
	}
	e.Runs = []*experiment.Run{run}
	set, err := prompts.Load(nil)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := plan.Build(plan.Inputs{
		Experiment: e, Sets: map[string]*cases.Set{"c": cs}, Prompts: map[string]*prompts.Set{"r": set},
		SimulatedIdentity: func(s *experiment.Simulated) string { return simulated.Identity(simulated.Params(*s)) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func remote(name string) *experiment.Model {
	return &experiment.Model{Name: name, ID: "id-" + name, MaxTokensField: "max_tokens",
		Endpoint: &experiment.Endpoint{Name: "at-" + name, BaseURL: "http://" + name, Identity: name, MaxInFlight: 4}}
}

func pretended(name string, p simulated.Params) *experiment.Model {
	s := experiment.Simulated(p)
	return &experiment.Model{Name: name, ID: "simulated", MaxTokensField: "max_tokens", Simulated: &s}
}

// answered is an answer by the hash of the request alone.
func answered(call *llm.Call) llm.Response {
	sum := sha256.Sum256(call.Request)
	text := fmt.Sprintf("What %s says holds.\nANSWER: %c", hex.EncodeToString(sum[:8]), 'A'+sum[8]%4)
	return llm.Response{Outcome: llm.OutcomeAnswer, Text: text, Raw: []byte(text)}
}

var stub = llm.Func(func(_ context.Context, call *llm.Call) (llm.Response, error) { return answered(call), nil })

// results collects what a run emits, and fails on a node emitted twice.
type results struct {
	mu    sync.Mutex
	of    map[int]Result
	order []int
	twice []int
}

func (r *results) take(res Result) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[int]Result{}
	}
	if _, known := r.of[res.Node]; known {
		r.twice = append(r.twice, res.Node)
	}
	r.of[res.Node] = res
	r.order = append(r.order, res.Node)
	return nil
}

// whole checks that every node was emitted once.
func (r *results) whole(tb testing.TB, p *plan.Plan) {
	tb.Helper()
	if len(r.of) != len(p.Nodes) || len(r.twice) > 0 {
		tb.Fatalf("%d of %d nodes emitted, %d of them twice", len(r.of), len(p.Nodes), len(r.twice))
	}
}

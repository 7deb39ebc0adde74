package plan_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/llm/simulated"
	"memform/runner/plan"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

const frozenCases = "../../outputs/mcq_item_audit/accepted_cases.jsonl"

// whole is an experiment with every phase, updater and control: one model,
// one run, 5 random orders, 2 replicates. The edits change it.
func whole(set *cases.Set, edits ...func(*experiment.Experiment)) plan.Inputs {
	e := &experiment.Experiment{Name: "whole", Seed: 7}
	e.Models = []*experiment.Model{simulatedModel("m", 0.9, 0.7)}
	e.Cases = []*experiment.Cases{{Name: "mcq", Interfaces: []string{"P1", "P2", "P3", "P4", "P5"}}}
	e.Runs = []*experiment.Run{{
		Name: "r", Models: e.Models, Cases: e.Cases,
		Phases:     []string{"oracle", "learned", "raw"},
		P5Updaters: []string{"incremental_merge", "full_rewrite", "recency_weighted_strict", "batch_replay"}, P5RandomOrders: 5,
		Replicates: 2, ReplicateConditions: []string{"learned_clean"},
		ChoiceOrder: "frozen", P1Write: "direct", Stack: "native",
	}}
	for _, edit := range edits {
		edit(e)
	}
	in := plan.Inputs{
		Experiment: e, Sets: map[string]*cases.Set{}, Prompts: map[string]*prompts.Set{},
		SimulatedIdentity: func(s *experiment.Simulated) string { return simulated.Identity(simulated.Params(*s)) },
	}
	for _, c := range e.Cases {
		in.Sets[c.Name] = set
	}
	for _, r := range e.Runs {
		in.Prompts[r.Name] = shippedPrompts()
	}
	return in
}

var shippedPrompts = sync.OnceValue(func() *prompts.Set {
	s, err := prompts.Load(nil)
	if err != nil {
		panic(err) // embedded
	}
	return s
})

func simulatedModel(name string, competence, susceptibility float64) *experiment.Model {
	return &experiment.Model{Name: name, ID: "simulated", MaxTokensField: "max_tokens", Price: &experiment.Price{},
		Simulated: &experiment.Simulated{Competence: competence, Susceptibility: susceptibility, Detection: 0.8, FalseAlarm: 0.05}}
}

func build(tb testing.TB, in plan.Inputs) *plan.Plan {
	tb.Helper()
	p, err := plan.Build(in)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func frozen(tb testing.TB) *cases.Set {
	tb.Helper()
	set, err := cases.LoadFile(frozenCases, cases.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

func generated(tb testing.TB, families int, seed uint64) *cases.Set {
	tb.Helper()
	return casestest.Set(tb, families, seed)
}

// standIn answers by the hash of the request's bytes alone: neither key nor
// draw enters. Its answers serve as memories and as decisions.
func standIn(call *llm.Call) llm.Response {
	sum := sha256.Sum256(call.Request)
	text, asked := guardAnswer(call.Request)
	if !asked {
		text, asked = verdictAnswer(call.Request)
	}
	if !asked {
		text = "What " + hex.EncodeToString(sum[:8]) + " says holds.\nANSWER: " + string(rune('A'+sum[8]%4))
	}
	return llm.Response{Outcome: llm.OutcomeAnswer, Text: text, Raw: []byte(text), Usage: llm.Usage{Prompt: 100, Completion: 20, Known: true}, Millis: 10}
}

// evaluate walks the whole plan with the stand-in and returns every call by
// key. A plan with a node that was never rendered fails the test, unless the
// node may turn out to need no call.
func evaluate(tb testing.TB, p *plan.Plan) map[llm.Key]*llm.Call {
	tb.Helper()
	var mu sync.Mutex
	calls := map[llm.Key]*llm.Call{}
	s := plan.Walk(p, func(c *llm.Call) (llm.Response, bool) {
		mu.Lock()
		defer mu.Unlock()
		calls[c.Key] = c
		return standIn(c), true
	}, plan.NewTokens(), nil)
	for i, state := range s.State {
		n := &p.Nodes[i]
		spared := n.Silent || n.Conditional || strings.HasPrefix(string(n.Step.Kind()), "guard.")
		if state != plan.Cached && (state != plan.NoCall || !spared) {
			tb.Fatalf("node %d (%s) is %s", i, p.Nodes[i].Step.Kind(), state)
		}
	}
	return calls
}

func kinds(p *plan.Plan) map[protocol.Kind]int {
	n := map[protocol.Kind]int{}
	for i := range p.Nodes {
		n[p.Nodes[i].Step.Kind()]++
	}
	return n
}

package plan_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/protocol"
)

// opened gives every run a parser, a judge and an alignment judge of their own.
func opened(e *experiment.Experiment) {
	readers := map[string]*experiment.Model{}
	for _, name := range []string{"parser", "judge", "aligner"} {
		readers[name] = simulatedModel(name, 0.9, 0.7)
		readers[name].ID = name
		e.Models = append(e.Models, readers[name])
	}
	for _, r := range e.Runs {
		r.FreeForm = experiment.FreeForm{Parser: readers["parser"], Judge: readers["judge"]}
		r.TargetAlignment = readers["aligner"]
	}
}

// verdictNames are the system messages of the questions that ask for a verdict.
var verdictNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, name := range []string{"parse_answer", "judge_answer", "align_memory"} {
		names[strings.TrimRight(string(shippedPrompts().Text(name+"_system")), "\n")] = true
	}
	return names
})

// verdictAnswer answers a question about an answer or a memory by the hash of
// the request alone, one time in four not in the form that it asks for.
func verdictAnswer(request []byte) (string, bool) {
	if m := exchangeOf(request); len(m) == 0 || !verdictNames()[m[0]] { // a form has no messages
		return "", false
	}
	sum := sha256.Sum256(request)
	return [...]string{"Hard to say.", "VERDICT: A", "EVIDENCE: holds\nVERDICT: B", "VERDICT: NEITHER"}[sum[9]%4], true
}

// exchangeSignatures exchanges the two actions of a free-form task, whose
// answers were exchanged already.
func exchangeSignatures(t *cases.Task) {
	if t.Signatures == nil {
		return
	}
	s := *t.Signatures
	s.Of[cases.SignedClean], s.Of[cases.SignedPoisoned] = s.Of[cases.SignedPoisoned], s.Of[cases.SignedClean]
	s.Digest[0]++
	t.Signatures, t.Clean, t.Poisoned = &s, 1-t.Clean, 1-t.Poisoned
}

// signatureTexts is every text by which a task's answers are told.
func signatureTexts(t *cases.Task) (texts []string) {
	if t.Signatures == nil {
		return nil
	}
	for _, s := range t.Signatures.Of {
		if s.Description != "" {
			texts = append(texts, s.Description)
		}
		texts = append(append(texts, s.Phrases...), s.Aliases...)
	}
	return texts
}

// TestOpenCounts holds a free-form plan against the plan of the same cases in
// multiple choice: the same memories, as many decisions and, for each, a
// parser, a judge in two orders, and their repairs.
func TestOpenCounts(t *testing.T) {
	const families = 12
	choice := build(t, whole(generated(t, families, 4)))
	for name, readers := range map[string]struct{ parsers, judges int }{"nobody": {}, "parser": {1, 0}, "judge": {0, 2}, "both": {1, 2}} {
		t.Run(name, func(t *testing.T) {
			open := build(t, whole(casestest.OpenSet(t, families, 4), opened, func(e *experiment.Experiment) {
				r := e.Runs[0]
				r.TargetAlignment = nil
				if readers.parsers == 0 {
					r.FreeForm.Parser = nil
				}
				if readers.judges == 0 {
					r.FreeForm.Judge = nil
				}
			}))
			for what, n := range map[string][2]map[protocol.Kind]int{"nodes": {asking(choice), asking(open)}, "slots": {slotsOf(choice), slotsOf(open)}} {
				want := maps.Clone(n[0])
				for kind, times := range map[protocol.Kind]int{"parse": readers.parsers, "parse.repair": readers.parsers, "judge": readers.judges, "judge.repair": readers.judges} {
					if times > 0 {
						want[kind] = times * n[0]["decide"]
					}
				}
				if !maps.Equal(n[1], want) {
					t.Errorf("%s %v, want %v", what, n[1], want)
				}
			}
			for i := range open.Items {
				for _, p := range open.Items[i].Predictions {
					if n := &open.Nodes[p.Node]; n.Step.Kind() != protocol.KindDecide || n.Silent != (name != "nobody") {
						t.Fatalf("a prediction is decided by a node of kind %s, silent %v", n.Step.Kind(), n.Silent)
					}
				}
			}
		})
	}
}

// asking counts nodes that may call, by kind.
func asking(p *plan.Plan) map[protocol.Kind]int {
	n := map[protocol.Kind]int{}
	for i := range p.Nodes {
		if !p.Nodes[i].Silent {
			n[p.Nodes[i].Step.Kind()]++
		}
	}
	return n
}

// TestAlignmentCounts: one judgement, and its repair, per separable task and
// memory of learned_clean, learned_poisoned and learned_full; none of orders,
// replicates and defended memories.
func TestAlignmentCounts(t *testing.T) {
	const families, updaters = 5, 4
	slots := families * (2 + 2 + 2*2 + 3 + updaters*2) // P1, P2, P3's two separable tasks, P4, P5
	for name, in := range map[string]plan.Inputs{
		"multiple choice": whole(generated(t, families, 4), opened),
		"free form":       whole(casestest.OpenSet(t, families, 4), opened),
		"defended":        whole(generated(t, families, 4), opened, defended),
	} {
		p := build(t, in)
		if got := slotsOf(p); got["align"] != slots || got["align.repair"] != slots {
			t.Errorf("%s: slots %v, want %d", name, got, slots)
		}
		// P2 and P4 share the clean history and the target task.
		if got := asking(p); got["align"] != slots-families || got["align.repair"] != slots-families {
			t.Errorf("%s: nodes %v, want %d", name, got, slots-families)
		}
		for i := range p.Items {
			item := &p.Items[i]
			var conditions []string
			for _, a := range item.Alignments {
				conditions = append(conditions, a.Condition)
				if p.Models[p.Nodes[a.Node].Model].Spec.Name != "aligner" {
					t.Fatal("a memory is judged by another model")
				}
			}
			var want []string
			if c := item.Case; c.Tasks[item.Task].Separable() && p.Cells[item.Cell].Defense == "none" {
				want = []string{"learned_clean", "learned_poisoned"}
				if c.Interface == cases.P4 {
					want = append(want, "learned_full")
				}
			}
			if !slices.Equal(conditions, want) {
				t.Fatalf("%s task %d, %s: alignments %v, want %v", item.Case.ID, item.Task, p.Cells[item.Cell].Defense, conditions, want)
			}
		}
	}
}

// TestAlignmentChangesNothingElse: asking what memories recommend adds nodes
// and leaves every other one as it was.
func TestAlignmentChangesNothingElse(t *testing.T) {
	set := generated(t, 4, 2)
	plain := build(t, whole(set, opened, func(e *experiment.Experiment) { e.Runs[0].TargetAlignment = nil }))
	known := map[plan.ID]bool{}
	asked := build(t, whole(set, opened))
	for i := range asked.Nodes {
		known[asked.Nodes[i].ID] = true
	}
	for i := range plain.Nodes {
		if !known[plain.Nodes[i].ID] {
			t.Fatalf("%s node %d has another id", plain.Nodes[i].Step.Kind(), i)
		}
	}
	if len(asked.Nodes) == len(plain.Nodes) {
		t.Error("nothing was asked")
	}
}

// TestOpenBounds: over answers that are phrases nobody else is asked; over
// others, parser, judge and repairs as far as they are needed; low ≤ actual ≤
// high always.
func TestOpenBounds(t *testing.T) {
	set := casestest.OpenSet(t, 1, 9)
	for name, answer := range map[string]func(request string) string{
		"phrases":         func(string) string { return set.Cases[0].Tasks[0].Signatures.Of[0].Phrases[0] },
		"read at once":    func(r string) string { return verdictOr(r, "VERDICT: A") },
		"never read":      func(r string) string { return verdictOr(r, "Hard to say.") },
		"neither, always": func(r string) string { return verdictOr(r, "VERDICT: NEITHER") },
	} {
		t.Run(name, func(t *testing.T) {
			p := build(t, whole(set, opened))
			before := estimates(p, nil)
			actual := map[protocol.Kind]int64{}
			store := map[llm.Key]llm.Response{}
			var mu sync.Mutex
			s := plan.Walk(p, func(c *llm.Call) (llm.Response, bool) {
				mu.Lock()
				defer mu.Unlock()
				text := answer(string(c.Request))
				store[c.Key] = llm.Response{Outcome: llm.OutcomeAnswer, Text: text, Raw: []byte(text)}
				return store[c.Key], true
			}, plan.NewTokens(), nil)
			keys := map[llm.Key]bool{}
			for i, state := range s.State {
				if state == plan.Cached && !keys[s.Keys[i]] {
					keys[s.Keys[i]] = true
					actual[p.Nodes[i].Step.Kind()]++
				}
			}
			for kind, r := range before {
				if n := actual[kind]; n < r.Low || n > r.High {
					t.Errorf("%s: %d calls, estimated %d to %d", kind, n, r.Low, r.High)
				}
			}
			for kind, r := range estimates(p, store) {
				if r.High != 0 {
					t.Errorf("%s: %d calls left over a full cache", kind, r.High)
				}
			}
			want := map[string][4]bool{ // parse, its repair, judge, its repair
				"phrases": {}, "read at once": {true}, "never read": {true, true, true, true}, "neither, always": {true, false, true, false},
			}[name]
			for i, kind := range []protocol.Kind{"parse", "parse.repair", "judge", "judge.repair"} {
				if got := actual[kind] > 0; got != want[i] {
					t.Errorf("%s: %d calls", kind, actual[kind])
				}
			}
		})
	}
}

// verdictOr answers questions about answers with a verdict, all others with
// words that are no phrase.
func verdictOr(request, verdict string) string {
	if verdictNames()[exchangeOf([]byte(request))[0]] {
		return verdict
	}
	return fmt.Sprintf("Let us see about %x.", sha256.Sum256([]byte(request)))
}

func estimates(p *plan.Plan, store map[llm.Key]llm.Response) map[protocol.Kind]plan.Range {
	tokens := plan.NewTokens()
	s := plan.Walk(p, func(c *llm.Call) (llm.Response, bool) { r, ok := store[c.Key]; return r, ok }, tokens, nil)
	out := map[protocol.Kind]plan.Range{}
	for _, r := range s.Estimate(tokens) {
		sum := out[r.Kind].Add(r.Calls)
		out[r.Kind] = sum
	}
	return out
}

// TestReadersSeeTheAnswerAndThePairAlone: no question of a parser or a judge
// holds a memory, a record or the texts of unclear and ambiguous answers; none
// names a side.
func TestReadersSeeTheAnswerAndThePairAlone(t *testing.T) {
	set := casestest.OpenSet(t, 3, 5)
	var hidden []string
	for _, c := range set.Cases {
		hidden = append(hidden, c.Oracle.Clean, c.Oracle.Poisoned, c.DecisionVariable)
		for i := range c.Records {
			hidden = append(hidden, c.Records[i].Text)
		}
		for _, task := range c.Tasks {
			for _, kind := range []int{cases.SignedAmbiguous, cases.SignedUnclear} {
				s := &task.Signatures.Of[kind]
				hidden = append(append(append(hidden, s.Description), s.Phrases...), s.Aliases...)
			}
		}
	}
	seen := map[string]int{}
	for _, call := range evaluate(t, build(t, whole(set, opened))) {
		m := exchangeOf(call.Request)
		if !verdictNames()[m[0]] || call.Model == "aligner" {
			continue
		}
		seen[call.Model]++
		for _, text := range hidden {
			if strings.Contains(strings.Join(m, "\n"), text) {
				t.Fatalf("a %s is shown %q:\n%s", call.Model, text, m[1])
			}
		}
	}
	if seen["parser"] < 50 || seen["judge"] < 50 {
		t.Errorf("only %v questions read", seen)
	}
}

// TestOpenEmptyMemoryIsNoMemory: a consolidation that comes to nothing leaves
// the request of the decision without a memory.
func TestOpenEmptyMemoryIsNoMemory(t *testing.T) {
	p := build(t, whole(casestest.OpenSet(t, 2, 5)))
	requests := map[string]string{} // by task
	for i := range p.Nodes {
		step, ok := p.Nodes[i].Step.(*protocol.Recommend)
		if !ok || p.Nodes[i].Draw > 0 {
			continue
		}
		call, _ := p.Ask(i, []protocol.Value{protocol.MemoryValue("")})
		text := step.Task.Task.Text
		if first, known := requests[text]; known && first != string(call.Request) {
			t.Fatalf("two requests without a memory:\n%s\n%s", first, call.Request)
		}
		requests[text] = string(call.Request)
	}
	if len(requests) != 2*3 {
		t.Errorf("%d tasks, want three in each of two families", len(requests))
	}
}

package plan_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"memform/runner/execute"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/protocol"
)

// memoryStore is a cache over a model: each key is sent once.
type memoryStore struct {
	mu     sync.Mutex
	held   map[llm.Key]llm.Response
	answer func(*llm.Call) llm.Response
	sent   []llm.Key
}

func (s *memoryStore) Complete(_ context.Context, c *llm.Call) (llm.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.held[c.Key]; ok {
		r.Cached = true
		return r, nil
	}
	r := s.answer(c)
	s.held[c.Key] = r
	s.sent = append(s.sent, c.Key)
	return r, nil
}

func (s *memoryStore) lookup(c *llm.Call) (llm.Response, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.held[c.Key]
	return r, ok
}

// colliding answers like standIn, but consolidations often come to the same
// memory, refuse or come to nothing, so that many nodes share a key.
func colliding(c *llm.Call) llm.Response {
	r := standIn(c)
	switch r.Text[5] { // a digit of the hash
	case '0', '1', '2':
		r.Outcome, r.Text = llm.OutcomeRefusal, ""
	case '3', '4', '5', '6', '7':
		r.Text = "The usual way.\nANSWER: B"
	}
	return r
}

// TestPlanIsWhatARunDoes: over caches that hold a random part of the answers,
// the plan's columns say what the run then does; over a full one nothing is
// left, exactly.
func TestPlanIsWhatARunDoes(t *testing.T) {
	in := whole(generated(t, 4, 8), func(e *experiment.Experiment) {
		e.Models = append(e.Models, simulatedModel("other", 0.5, 0.5))
		e.Runs[0].Models, e.Runs[0].P5RandomOrders = e.Models, 3
	})
	p := build(t, in)
	for name, answer := range map[string]func(*llm.Call) llm.Response{"distinct": standIn, "colliding": colliding} {
		full := &memoryStore{held: map[llm.Key]llm.Response{}, answer: answer}
		run(t, p, full)
		keys := slices.Clone(full.sent)
		slices.SortFunc(keys, func(a, b llm.Key) int { return slices.Compare(a[:], b[:]) })
		rng := rand.New(rand.NewPCG(1, 2))
		for _, share := range []float64{0, 0.05, 0.3, 0.6, 0.9, 0.99, 1} {
			store := &memoryStore{held: map[llm.Key]llm.Response{}, answer: answer}
			for _, k := range keys {
				if rng.Float64() < share {
					store.held[k] = full.held[k]
				}
			}
			survey, rows := surveyOf(p, store)
			toRun := map[llm.Key]bool{}
			for i, s := range survey.State {
				if s == plan.ToRun {
					toRun[survey.Keys[i]] = true
				}
			}
			kindOf := run(t, p, store)
			sent := map[llm.Key]bool{}
			actual := map[rowKey]int64{}
			for _, k := range store.sent {
				if sent[k] {
					t.Fatalf("%s, %.2f: a key was sent twice", name, share)
				}
				sent[k] = true
				actual[kindOf[k]]++
			}
			for k := range toRun {
				if !sent[k] {
					t.Errorf("%s, %.2f: a key to run was not sent", name, share)
				}
			}
			for _, r := range rows {
				got := actual[rowKey{r.Model, r.Kind}]
				delete(actual, rowKey{r.Model, r.Kind})
				if got < r.Calls.Low || got > r.Calls.High {
					t.Errorf("%s, %.2f: %s %s: %d calls, outside %+v", name, share, r.Model, r.Kind, got, r.Calls)
				}
				if r.Calls.Low > r.Calls.Expected || r.Calls.Expected > r.Calls.High || r.Prompt.Low > r.Prompt.Expected || r.Prompt.Expected > r.Prompt.High {
					t.Errorf("%s, %.2f: ranges out of order: %+v", name, share, r)
				}
				if r.Pending.High == 0 && got != int64(r.ToRun) {
					t.Errorf("%s, %.2f: %s %s: nothing is pending, %d to run, %d sent", name, share, r.Model, r.Kind, r.ToRun, got)
				}
			}
			if len(actual) > 0 {
				t.Errorf("%s, %.2f: calls without a row: %v", name, share, actual)
			}
			_, after := surveyOf(p, store)
			cached := 0
			for _, r := range after {
				cached += r.Cached
				if r.ToRun != 0 || r.Pending.High != 0 || r.Calls.High != 0 {
					t.Errorf("%s, %.2f: after the run %+v", name, share, r)
				}
			}
			if cached != len(keys) {
				t.Errorf("%s, %.2f: %d keys cached, %d were sent at first", name, share, cached, len(keys))
			}
		}
	}
}

type rowKey struct {
	model string
	kind  protocol.Kind
}

func surveyOf(p *plan.Plan, store *memoryStore) (*plan.Survey, []plan.Row) {
	tokens := plan.NewTokens()
	s := plan.Walk(p, store.lookup, tokens, nil)
	return s, s.Estimate(tokens)
}

// run executes a plan and returns which row each key belongs to.
func run(t *testing.T, p *plan.Plan, model llm.Model) map[llm.Key]rowKey {
	t.Helper()
	kindOf := map[llm.Key]rowKey{}
	err := execute.Run(t.Context(), p, model, execute.Options{Workers: map[string]int{"": 4}}, func(r execute.Result) error {
		n := &p.Nodes[r.Node]
		kindOf[r.Key] = rowKey{p.Models[n.Model].Spec.Name, n.Step.Kind()}
		if r.Missing != nil {
			t.Errorf("node %d is missing: %v", r.Node, r.Missing.Failure)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return kindOf
}

// TestWalkIsTheSameOnOneProcessor: nothing depends on scheduling.
func TestWalkIsTheSameOnOneProcessor(t *testing.T) {
	p := build(t, whole(generated(t, 6, 8)))
	store := &memoryStore{held: map[llm.Key]llm.Response{}, answer: colliding}
	run(t, p, store)
	for _, k := range store.sent {
		if k[0] < 40 {
			delete(store.held, k)
		}
	}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	one, oneRows := surveyOf(p, store)
	runtime.GOMAXPROCS(8)
	many, manyRows := surveyOf(p, store)
	if !slices.Equal(one.State, many.State) || !slices.Equal(one.Keys, many.Keys) || !reflect.DeepEqual(oneRows, manyRows) {
		t.Errorf("one processor and eight disagree:\n%+v\n%+v", oneRows, manyRows)
	}
	if !slices.Contains(one.State, plan.Pending) || !slices.Contains(one.State, plan.Cached) {
		t.Error("the cache is not partial: nothing is tested")
	}
}

// TestEmptyMemoryIsTheNoMemoryCall: where every consolidation refuses, learned
// decisions are the no-memory ones, by key.
func TestEmptyMemoryIsTheNoMemoryCall(t *testing.T) {
	p := build(t, whole(frozen(t), func(e *experiment.Experiment) { e.Runs[0].Phases, e.Runs[0].Replicates = []string{"learned"}, 1 }))
	tokens := plan.NewTokens()
	s := plan.Walk(p, func(c *llm.Call) (llm.Response, bool) {
		return llm.Response{Outcome: llm.OutcomeRefusal, Refusal: "no"}, true
	}, tokens, nil)
	compared := 0
	for i := range p.Items {
		none := p.Items[i].Predictions[0]
		for _, pr := range p.Items[i].Predictions[1:] {
			if p.Items[i].Case.Interface == "P1" {
				continue // a direct write needs no call
			}
			compared++
			if s.Keys[pr.Node] != s.Keys[none.Node] {
				t.Errorf("%s: %s has another key than %s", p.Items[i].Case.ID, pr.Condition, none.Condition)
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d predictions compared", compared)
	}
}

package execute

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/plan"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// downstream lists the nodes that depend on any of the roots, roots included,
// each with the roots above it.
func downstream(p *plan.Plan, roots ...int) map[int][]int {
	of := map[int][]int{}
	for i := range p.Nodes {
		if slices.Contains(roots, i) {
			of[i] = []int{i}
		}
		for _, in := range p.Inputs(i) {
			if !in.Constant() {
				of[i] = append(of[i], of[int(in)]...)
			}
		}
		if len(of[i]) == 0 {
			delete(of, i)
		}
	}
	return of
}

// nodesByKey finds which node a call belongs to, in a whole run.
func nodesByKey(t *testing.T, p *plan.Plan) map[llm.Key]int {
	t.Helper()
	var got results
	if err := Run(t.Context(), p, stub, Options{}, got.take); err != nil {
		t.Fatal(err)
	}
	got.whole(t, p)
	by := map[llm.Key]int{}
	for i, r := range got.of {
		by[r.Key] = i
	}
	return by
}

// TestFailedNodes: everything behind a failed call is missing and names the
// call; all else is as if nothing had happened.
func TestFailedNodes(t *testing.T) {
	p := planned(t, 3, []*experiment.Model{remote("m")})
	by := nodesByKey(t, p)
	var undisturbed results
	if err := Run(t.Context(), p, stub, Options{}, undisturbed.take); err != nil {
		t.Fatal(err)
	}
	// A first step of a chain, a step in its middle and a decision.
	var roots []int
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if (n.Height == 7 && len(roots) == 0) || (n.Height == 3 && len(roots) == 1 && downstream(p, roots[0])[i] == nil) || (n.Height == 1 && i > 40 && len(roots) == 2) {
			roots = append(roots, i)
		}
	}
	if len(roots) != 3 {
		t.Fatalf("roots %v", roots)
	}
	var got results
	err := Run(t.Context(), p, llm.Func(func(ctx context.Context, c *llm.Call) (llm.Response, error) {
		if i, ok := by[c.Key]; ok && slices.Contains(roots, i) {
			return llm.Response{Outcome: llm.OutcomeError, Err: &llm.Failure{Class: llm.ClassNode, Message: fmt.Sprint("root ", i)}}, nil
		}
		return stub(ctx, c)
	}), Options{}, got.take)
	if err != nil {
		t.Fatal(err)
	}
	got.whole(t, p)
	lost := downstream(p, roots...)
	if len(lost) < 8 {
		t.Fatalf("only %d nodes depend on the roots", len(lost))
	}
	for i, r := range got.of {
		above, missing := lost[i]
		switch {
		case !missing:
			if r.Missing != nil || r.Answer != undisturbed.of[i].Answer || r.Key != undisturbed.of[i].Key {
				t.Errorf("node %d depends on no failed call: %+v", i, r)
			}
		case r.Missing == nil || !slices.Contains(above, r.Missing.Node) || r.Missing.Failure.Message != fmt.Sprint("root ", r.Missing.Node):
			t.Errorf("node %d: missing %+v, want one of %v", i, r.Missing, above)
		case r.Called != slices.Contains(roots, i) || r.Decision != nil || r.Answer != [32]byte{}:
			t.Errorf("node %d: %+v", i, r)
		}
	}
}

// TestEveryCallFails: a run without a single answer ends, and every root is a
// node that needed no other.
func TestEveryCallFails(t *testing.T) {
	p := planned(t, 2, []*experiment.Model{remote("m")})
	var got results
	err := Run(t.Context(), p, llm.Func(func(context.Context, *llm.Call) (llm.Response, error) {
		return llm.Response{Outcome: llm.OutcomeError, Err: &llm.Failure{Message: "down"}}, nil
	}), Options{}, got.take)
	if err != nil {
		t.Fatal(err)
	}
	got.whole(t, p)
	for i, r := range got.of {
		if r.Missing == nil || !got.of[r.Missing.Node].Called || (r.Called && r.Missing.Node != i) {
			t.Errorf("node %d: %+v", i, r)
		}
	}
}

// TestLongestChainFirst compares one worker's order with a schedule worked out
// the slow way.
func TestLongestChainFirst(t *testing.T) {
	p := planned(t, 3, []*experiment.Model{remote("m")})
	var got results
	if err := Run(t.Context(), p, stub, Options{Workers: map[string]int{"at-m": 1}}, got.take); err != nil {
		t.Fatal(err)
	}
	chain := make([]int, len(p.Nodes)) // calls from each node to the end
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		chain[i]++
		for _, in := range p.Inputs(i) {
			if !in.Constant() {
				chain[in] = max(chain[in], chain[i])
			}
		}
	}
	done := make([]bool, len(p.Nodes))
	for at, node := range got.order {
		best := -1
		for i := range p.Nodes {
			ready := !done[i] && !slices.ContainsFunc(p.Inputs(i), func(in plan.Ref) bool { return !in.Constant() && !done[in] })
			if ready && (best < 0 || chain[i] > chain[best]) {
				best = i
			}
		}
		if node != best {
			t.Fatalf("at %d node %d (chain %d) went before node %d (chain %d)", at, node, chain[node], best, chain[best])
		}
		done[node] = true
	}
}

// TestLanesDoNotBlockEachOther: with every worker of one endpoint stuck, the
// other endpoints' nodes all finish.
func TestLanesDoNotBlockEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := planned(t, 2, []*experiment.Model{remote("stuck"), remote("free"), remote("other")})
		release := make(chan struct{})
		var left atomic.Int64
		for i := range p.Nodes {
			if p.Models[p.Nodes[i].Model].Spec.Name != "stuck" {
				left.Add(1)
			}
		}
		var got results
		err := Run(t.Context(), p, llm.Func(func(ctx context.Context, c *llm.Call) (llm.Response, error) {
			if c.Model == "stuck" {
				<-release // were lanes to wait for each other, nobody would ever close it
			}
			return stub(ctx, c)
		}), Options{Workers: map[string]int{"at-stuck": 2, "at-free": 1}}, func(r Result) error {
			if p.Models[p.Nodes[r.Node].Model].Spec.Name != "stuck" && left.Add(-1) == 0 {
				close(release)
			}
			return got.take(r)
		})
		if err != nil {
			t.Fatal(err)
		}
		got.whole(t, p)
	})
}

// TestWorkersBoundCalls: never more nodes of an endpoint in progress than its
// workers.
func TestWorkersBoundCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := planned(t, 2, []*experiment.Model{remote("a"), remote("b")})
		var now, most [2]atomic.Int64
		var got results
		err := Run(t.Context(), p, llm.Func(func(ctx context.Context, c *llm.Call) (llm.Response, error) {
			i := int(c.Model[0] - 'a')
			n := now[i].Add(1)
			if n > most[i].Load() {
				most[i].Store(n)
			}
			time.Sleep(time.Second) // of the bubble's clock: all who can come do
			now[i].Add(-1)
			return stub(ctx, c)
		}), Options{Workers: map[string]int{"at-a": 1, "at-b": 5}}, got.take)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := most[0].Load(), most[1].Load(); a != 1 || b != 5 {
			t.Errorf("%d and %d calls at once, want the 1 and 5 of the workers", a, b)
		}
	})
}

// TestEmitIsCalledOneAtATime, and the results do not depend on the workers.
func TestEmitIsCalledOneAtATime(t *testing.T) {
	p := planned(t, 4, []*experiment.Model{remote("a"), remote("b")})
	var want results
	if err := Run(t.Context(), p, stub, Options{Workers: map[string]int{"at-a": 1, "at-b": 1}}, want.take); err != nil {
		t.Fatal(err)
	}
	var busy sync.Mutex
	var got results
	err := Run(t.Context(), p, stub, Options{Workers: map[string]int{"at-a": 16, "at-b": 16}, Tokens: plan.NewTokens()}, func(r Result) error {
		if !busy.TryLock() {
			t.Error("emit was called twice at once")
			return nil
		}
		defer busy.Unlock()
		runtime.Gosched()
		return got.take(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	got.whole(t, p)
	for i, r := range want.of {
		g := got.of[i]
		if g.Key != r.Key || g.Answer != r.Answer || (r.Decision != nil && *g.Decision != *r.Decision) {
			t.Errorf("node %d: %+v with 16 workers, %+v with one", i, g, r)
		}
	}
}

// TestMemoryDoesNotGrow: with 20,000 nodes and answers of a kilobyte, the live
// heap at the end is no more than at half, nor than before: what a node came
// to is let go of.
func TestMemoryDoesNotGrow(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has memory of its own")
	}
	p := planned(t, 260, []*experiment.Model{remote("m")})
	if len(p.Nodes) < 20_000 {
		t.Fatalf("%d nodes", len(p.Nodes))
	}
	live := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	padding := make([]byte, 1000)
	for i := range padding {
		padding[i] = 'x'
	}
	before := live()
	var half, end float64
	n := 0
	err := Run(t.Context(), p, llm.Func(func(_ context.Context, c *llm.Call) (llm.Response, error) {
		r := answered(c)
		r.Text += string(padding)
		return r, nil
	}), Options{}, func(Result) error {
		switch n++; n {
		case len(p.Nodes) / 2:
			half = live()
		case len(p.Nodes):
			end = live()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// At half, memories wait for their decisions; at the end nothing waits.
	if end > 1.15*half || end > 1.15*before {
		t.Errorf("live heap: %.1f MB before, %.1f at half, %.1f at the end", before/1e6, half/1e6, end/1e6)
	}
	t.Logf("live heap: %.1f MB before, %.1f at half, %.1f at the end", before/1e6, half/1e6, end/1e6)
	runtime.KeepAlive(p)
}

func BenchmarkRun(b *testing.B) {
	p := planned(b, 20, []*experiment.Model{remote("m")})
	b.ReportAllocs()
	for b.Loop() {
		if err := Run(b.Context(), p, stub, Options{}, func(Result) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(p.Nodes)), "ns/node")
}

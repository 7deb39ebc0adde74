package retry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"memform/runner/llm"
)

// A 429 pauses the endpoint and spends no try, however often it comes.
func TestRatePauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(first(9, failure(llm.ClassRate, 429)))
		if r := b.call(t); r.Outcome != llm.OutcomeAnswer || r.Attempts != 10 {
			t.Errorf("got %+v", r)
		}
		checkSeen(t, b.seen, seconds(0, 1, 3, 7, 15, 31, 63, 123, 183, 243))
		if b.count(Paused) != 9 || b.count(Reopened) != 1 || b.count(Retried) != 0 {
			t.Errorf("events %v", b.events)
		}
	})
}

func TestRetryAfterPauses(t *testing.T) {
	tests := []struct{ asked, want float64 }{
		{7, 7}, {0.2, 0.2}, {0, 1}, {-4, 1}, {3600, 3600},
		{3 * 86400, 1}, // not believed: probed as in an outage
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			f := failure(llm.ClassRate, 429)
			f.RetryAfter = tt.asked
			b := newBench(first(1, f))
			b.call(t)
			checkSeen(t, b.seen, seconds(0, tt.want))
			if told := b.events[0].Asked > 0; told != (tt.asked > 3600) {
				t.Errorf("%v: event %v", tt.asked, b.events[0])
			}
		})
	}
}

// 64 in flight, all refused at once: one pause, one probe, then everybody.
func TestOnePauseOneProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := failure(llm.ClassRate, 429)
		f.RetryAfter = 5
		b := newBench(first(64, f))
		b.latency = 100 * time.Millisecond
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() { b.model.Complete(context.Background(), &llm.Call{Model: "m"}) })
		}
		time.Sleep(5150 * time.Millisecond)
		b.server.mu.Lock()
		if len(b.seen) != 65 || b.inFlight != 1 {
			t.Errorf("%d attempts, %d in flight: not one probe", len(b.seen), b.inFlight)
		}
		b.server.mu.Unlock()
		wg.Wait()
		if len(b.seen) != 128 || b.count(Paused) != 1 || b.count(Reopened) != 1 {
			t.Errorf("%d attempts, events %v", len(b.seen), b.events)
		}
	})
}

// Failed probes follow one another, each a whole pause apart.
func TestProbesAreAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(first(64+4, failure(llm.ClassOutage, 0)))
		b.latency = 10 * time.Millisecond
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				if r, err := b.model.Complete(context.Background(), &llm.Call{Model: "m"}); err != nil || r.Err != nil {
					t.Error(r.Err, err)
				}
			})
		}
		wg.Wait()
		for i := 64; i < 64+4; i++ {
			pause := time.Second << (i - 64)
			if d := b.seen[i] - b.seen[i-1]; d < pause {
				t.Errorf("probe %d came after %s, want %s", i-63, d, pause)
			}
		}
		if b.count(Paused) != 5 || b.count(Reopened) != 1 {
			t.Errorf("events %v", b.events)
		}
	})
}

// A probe whose caller leaves makes room for the next.
func TestProbeThatLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(first(1, failure(llm.ClassRate, 429)))
		b.latency = 10 * time.Second
		ctx, cancel := context.WithTimeout(context.Background(), 12*time.Second)
		defer cancel()
		if _, err := b.model.Complete(ctx, &llm.Call{Model: "m"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
		if r := b.call(t); r.Outcome != llm.OutcomeAnswer || len(b.seen) != 3 {
			t.Errorf("got %+v after %d attempts", r, len(b.seen))
		}
	})
}

// Eight retryable failures in a row are an outage: from then on no try is
// spent, and one answer ends it.
func TestStreakIsAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(nil)
		b.answer = func(int, *llm.Call) *llm.Failure {
			if time.Since(b.start) < 10*time.Minute {
				return failure(llm.ClassRetry, 503)
			}
			return nil
		}
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if r, err := b.model.Complete(context.Background(), &llm.Call{Model: "m"}); err != nil || r.Err != nil {
					t.Error(r.Err, err)
				}
			})
		}
		wg.Wait()
		if n := b.count(Retried); n > 16 {
			t.Errorf("%d tries spent", n)
		}
		if b.count(Reopened) != 1 || len(b.seen) > 16+16+20 {
			t.Errorf("%d attempts, events %v", len(b.seen), b.events)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(n int, _ *llm.Call) *llm.Failure { // every eighth answers
			if n%8 == 0 {
				return nil
			}
			return failure(llm.ClassRetry, 500)
		})
		for range 20 {
			b.call(t)
		}
		if n := b.count(Paused); n != 0 {
			t.Errorf("%d pauses without eight failures in a row", n)
		}
	})
}

func TestOutageBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(first(1<<30, failure(llm.ClassOutage, 0)))
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				r, err := b.model.Complete(context.Background(), &llm.Call{Model: "m"})
				if err != nil || r.Err == nil {
					t.Errorf("got %+v, %v", r, err)
				}
			})
		}
		wg.Wait()
		if d := time.Since(b.start); d != 30*time.Minute {
			t.Errorf("given up after %s", d)
		}
		if b.count(StoppedEndpoint) != 1 {
			t.Errorf("%d stops", b.count(StoppedEndpoint))
		}
		n := len(b.seen)
		if r := b.call(t); r.Err.Code != "stopped" || !strings.Contains(r.Err.Message, "given up") || r.Attempts != 0 || len(b.seen) != n {
			t.Errorf("later call: %+v", r)
		}
	})
}

// A success starts the budget anew.
func TestBudgetNeedsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(nil)
		b.answer = func(int, *llm.Call) *llm.Failure {
			if d := time.Since(b.start) % (25 * time.Minute); d > time.Minute {
				return failure(llm.ClassOutage, 0)
			}
			return nil
		}
		for time.Since(b.start) < 5*time.Hour {
			if r := b.call(t); r.Err != nil {
				t.Fatalf("after %s: %v", time.Since(b.start), r.Err)
			}
			time.Sleep(20 * time.Second)
		}
	})
}

// sequence answers attempt n with the n-th failure, nil being an answer.
func sequence(failures ...*llm.Failure) func(int, *llm.Call) *llm.Failure {
	return func(n int, _ *llm.Call) *llm.Failure {
		if n <= len(failures) {
			return failures[n-1]
		}
		return nil
	}
}

// A probe that fails in any retryable way prolongs the pause and spends no
// try, and counts towards the streak no second time.
func TestProbeFailsOtherwise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy, rate := failure(llm.ClassRetry, 503), failure(llm.ClassRate, 429)
		b := newBench(sequence(rate, busy, busy, busy, busy, busy, busy))
		if r := b.call(t); r.Outcome != llm.OutcomeAnswer {
			t.Errorf("got %+v", r)
		}
		checkSeen(t, b.seen, seconds(0, 1, 3, 7, 15, 31, 63, 123))
		if b.count(Retried) != 0 {
			t.Errorf("events %v", b.events)
		}
	})
}

// A pause begins small again once calls have passed; so does the budget.
func TestPausesStartAnew(t *testing.T) {
	rate := failure(llm.ClassRate, 429)
	synctest.Test(t, func(t *testing.T) {
		b := newBench(sequence(rate, rate, nil, nil, rate, nil))
		b.call(t)
		b.call(t)
		b.call(t)
		checkSeen(t, b.seen, seconds(0, 1, 3, 3, 3, 4))
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(sequence(rate, nil, rate, rate, nil))
		b.call(t)
		time.Sleep(40*time.Minute - time.Second)
		if r := b.call(t); r.Err != nil {
			t.Error(r.Err)
		}
		checkSeen(t, b.seen, seconds(0, 1, 2400, 2402, 2406)) // the probe alone has passed: the pauses go on doubling
	})
}

// Answers to what was sent before a pause: a success puts off giving up, a
// longer Retry-After lengthens the pause, a mere 429 does not.
func TestStragglers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(GateConfig{})
		call := &llm.Call{Model: "m"}
		observe := func(f *llm.Failure) {
			r := llm.Response{Err: f}
			g.Observe(&llm.Call{Model: "m"}, &r, nil)
		}
		asking := func(s float64) *llm.Failure {
			return &llm.Failure{Class: llm.ClassRate, Status: 429, RetryAfter: s}
		}
		observe(asking(10))
		observe(asking(0))
		observe(asking(5))
		if d := g.Admit(call); d != 10*time.Second {
			t.Errorf("paused for %s", d)
		}
		observe(asking(25))
		if d := g.Admit(call); d != 25*time.Second {
			t.Errorf("paused for %s", d)
		}
		observe(nil)
		if d := g.Admit(call); d != 25*time.Second {
			t.Errorf("a straggler's success reopened the endpoint: %s", d)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(first(1<<30, failure(llm.ClassOutage, 0)))
		time.AfterFunc(20*time.Minute, func() {
			b.gate.Observe(&llm.Call{Model: "x"}, &llm.Response{}, nil)
		})
		b.call(t)
		if d := time.Since(b.start); d < 50*time.Minute-time.Second || d > 51*time.Minute {
			t.Errorf("given up after %s, the last success was at 20m", d)
		}
	})
}

func TestStops(t *testing.T) {
	tests := []struct {
		class llm.Class
		kind  Kind
		other bool // another model goes on
	}{
		{llm.ClassModel, StoppedModel, true},
		{llm.ClassEndpoint, StoppedEndpoint, false},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(func(_ int, call *llm.Call) *llm.Failure {
				if call.Model == "bad" {
					return failure(tt.class, 404)
				}
				return nil
			})
			b.latency = time.Second
			var wg sync.WaitGroup
			for range 64 {
				wg.Go(func() { b.model.Complete(context.Background(), &llm.Call{Model: "bad"}) })
			}
			wg.Wait()
			sent := len(b.seen)
			r, _ := b.model.Complete(context.Background(), &llm.Call{Model: "bad"})
			if r.Err == nil || r.Err.Code != "stopped" || r.Err.Class != tt.class || r.Err.Message != "stopped: status 404" || len(b.seen) != sent {
				t.Errorf("later call: %+v", r.Err)
			}
			if r, _ := b.model.Complete(context.Background(), &llm.Call{Model: "good"}); (r.Err == nil) != tt.other {
				t.Errorf("other model: %v", r.Err)
			}
			if len(b.events) != 1 || b.events[0].Kind != tt.kind {
				t.Errorf("events %v, want one", b.events)
			}
		})
	}
}

func TestSameRefusalStopsTheModel(t *testing.T) {
	refuse := func(message string) *llm.Failure {
		return &llm.Failure{Class: llm.ClassNode, Status: 400, Code: "c", Message: message}
	}
	tests := []struct {
		name    string
		prompts int // different prompts, twice each
		answer  func(n int, c *llm.Call) *llm.Failure
		stopped bool
	}{
		{"one message, five prompts", 5, func(int, *llm.Call) *llm.Failure { return refuse("temperature") }, true},
		{"one message, four prompts", 4, func(int, *llm.Call) *llm.Failure { return refuse("temperature") }, false},
		{"different messages", 30, func(n int, c *llm.Call) *llm.Failure { return refuse(string(c.Request)) }, false},
		{"after a success", 30, func(n int, _ *llm.Call) *llm.Failure {
			if n == 1 {
				return nil
			}
			return refuse("temperature")
		}, false},
		{"not a bad request", 30, func(int, *llm.Call) *llm.Failure {
			return &llm.Failure{Class: llm.ClassNode, Status: 200, Message: "too large"}
		}, false},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(tt.answer)
			for i := range 2 * tt.prompts {
				b.model.Complete(context.Background(), &llm.Call{Model: "m", Request: fmt.Append(nil, i/2)})
			}
			if got := b.gate.Stopped(&llm.Call{Model: "m"}) != nil; got != tt.stopped {
				t.Errorf("%s: stopped %v, want %v", tt.name, got, tt.stopped)
			}
			if want := map[bool]int{true: 1}[tt.stopped]; b.count(StoppedModel) != want {
				t.Errorf("%s: events %v", tt.name, b.events)
			}
		})
	}
}

// A probe that a stored answer served says nothing of the server: the pause
// stands, and the next call probes.
func TestStoredAnswersProveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(GateConfig{})
		first, second := &llm.Call{Model: "m"}, &llm.Call{Model: "m"}
		g.Admit(first)
		g.Observe(first, &llm.Response{Outcome: llm.OutcomeError, Err: failure(llm.ClassOutage, 0)}, nil)
		time.Sleep(2 * time.Second)
		if g.Admit(first) != 0 || g.Admit(second) >= 0 {
			t.Fatal("not one probe")
		}
		g.Observe(first, &llm.Response{Outcome: llm.OutcomeAnswer, Cached: true}, nil)
		if g.Admit(second) != 0 || g.Admit(first) >= 0 {
			t.Error("the next call is not the probe")
		}
		g.Observe(second, &llm.Response{Outcome: llm.OutcomeAnswer}, nil)
		if g.Admit(first) != 0 || g.Admit(second) != 0 {
			t.Error("not open after a real answer")
		}
	})
}

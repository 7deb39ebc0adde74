package limit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"memform/runner/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// admission is what the endpoint behind the limiter saw.
type admission struct {
	at     time.Time
	model  string
	tokens int
}

// endpoint records what reaches it.
type endpoint struct {
	mu       sync.Mutex
	seen     []admission
	inFlight int
	most     int
	latency  time.Duration
	usage    func(*llm.Call) llm.Usage
}

func (e *endpoint) Complete(ctx context.Context, call *llm.Call) (llm.Response, error) {
	e.mu.Lock()
	e.seen = append(e.seen, admission{time.Now(), call.Model, call.PromptTokens + call.MaxTokens})
	e.inFlight++
	e.most = max(e.most, e.inFlight)
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.inFlight--
		e.mu.Unlock()
	}()
	if e.latency > 0 {
		select {
		case <-time.After(e.latency):
		case <-ctx.Done():
			return llm.Response{}, ctx.Err()
		}
	}
	r := llm.Response{Outcome: llm.OutcomeAnswer, Attempts: 1}
	if e.usage != nil {
		r.Usage = e.usage(call)
	}
	return r, nil
}

// checkWindows fails where any 60 s, ends included, hold more than the limits.
func checkWindows(t *testing.T, name string, seen []admission, l Limits) {
	t.Helper()
	first, tokens := 0, 0
	for i, a := range seen {
		tokens += min(a.tokens, max(l.TokensPerMinute, 1))
		for a.at.Sub(seen[first].at) > time.Minute {
			tokens -= min(seen[first].tokens, max(l.TokensPerMinute, 1))
			first++
		}
		if n := i - first + 1; l.RequestsPerMinute > 0 && n > l.RequestsPerMinute {
			t.Fatalf("%s: %d requests in a minute, limit %d", name, n, l.RequestsPerMinute)
		}
		if l.TokensPerMinute > 0 && tokens > l.TokensPerMinute {
			t.Fatalf("%s: %d tokens in a minute, limit %d", name, tokens, l.TokensPerMinute)
		}
	}
}

func ofModel(seen []admission, model string) []admission {
	var out []admission
	for _, a := range seen {
		if a.model == model {
			out = append(out, a)
		}
	}
	return out
}

// Whatever the limits and the calls, no minute sees more than allowed, for
// hours, and nobody starves.
func TestEveryWindowHolds(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runRandom(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func runRandom(t *testing.T, rnd *rand.Rand) {
	limits := func() Limits {
		var l Limits
		if rnd.IntN(4) > 0 {
			l.RequestsPerMinute = 1 + rnd.IntN(1<<rnd.IntN(10))
		}
		if rnd.IntN(3) > 0 {
			l.TokensPerMinute = 1 + rnd.IntN(1<<(4+rnd.IntN(16)))
		}
		return l
	}
	cfg := Config{Endpoint: limits(), Models: map[string]Limits{"a": limits(), "b": limits()}, MaxInFlight: 1 + rnd.IntN(20)}
	e := &endpoint{latency: time.Duration(rnd.IntN(20_000)) * time.Millisecond}
	e.usage = func(c *llm.Call) llm.Usage {
		used := (c.PromptTokens + c.MaxTokens) * (c.PromptTokens % 3) / 2
		return llm.Usage{Prompt: used, Known: c.MaxTokens%5 > 0}
	}
	l := New(e, cfg)
	size := 1 << rnd.IntN(13)
	done := map[string]int{}
	var mu sync.Mutex
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Hour)
	defer cancel()
	var wg sync.WaitGroup
	for i := range 2 * cfg.MaxInFlight {
		model := []string{"a", "b", "c"}[i%3]
		own := rand.New(rand.NewPCG(rnd.Uint64(), 2))
		wg.Go(func() {
			for n := 0; n < 150; n++ {
				call := &llm.Call{Model: model, PromptTokens: own.IntN(size), MaxTokens: own.IntN(size)}
				if _, err := l.Complete(ctx, call); err != nil {
					return
				}
				mu.Lock()
				done[model]++
				mu.Unlock()
				time.Sleep(time.Duration(own.IntN(2000)) * time.Millisecond)
			}
		})
	}
	wg.Wait()
	checkWindows(t, "endpoint", e.seen, cfg.Endpoint)
	for model, own := range cfg.Models {
		checkWindows(t, model, ofModel(e.seen, model), own)
	}
	if e.most > cfg.MaxInFlight {
		t.Errorf("%d in flight, limit %d", e.most, cfg.MaxInFlight)
	}
	for i := range min(3, 2*cfg.MaxInFlight) {
		if model := []string{"a", "b", "c"}[i]; done[model] == 0 {
			t.Errorf("model %s starved: %v", model, done)
		}
	}
	if l.inFlight != 0 {
		t.Errorf("%d slots kept", l.inFlight)
	}
}

// A saturated limit is used: what holds back more than it must costs hours.
func TestLimitsAreUsed(t *testing.T) {
	tests := []struct {
		limits Limits
		tokens int
		least  int // admissions in an hour
	}{
		{Limits{RequestsPerMinute: 1}, 0, 59},
		{Limits{RequestsPerMinute: 60}, 0, 60 * 58},
		{Limits{RequestsPerMinute: 500}, 0, 60 * 490},
		{Limits{TokensPerMinute: 6000}, 50, 60 * 116},
		{Limits{TokensPerMinute: 6000}, 1400, 60 * 39 / 10}, // four fit in a minute
		{Limits{TokensPerMinute: 200_000}, 900, 60 * 215},
		{Limits{TokensPerMinute: 100}, 5000, 59}, // more than a minute allows: one a minute
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.limits, tt.tokens), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &endpoint{latency: 100 * time.Millisecond}
				l := New(e, Config{Endpoint: tt.limits})
				ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
				defer cancel()
				var wg sync.WaitGroup
				for range 16 {
					wg.Go(func() {
						for ctx.Err() == nil {
							l.Complete(ctx, &llm.Call{PromptTokens: tt.tokens})
						}
					})
				}
				wg.Wait()
				checkWindows(t, "endpoint", e.seen, tt.limits)
				if len(e.seen) < tt.least {
					t.Errorf("%d calls in an hour, want at least %d", len(e.seen), tt.least)
				}
			})
		})
	}
}

// What waits for a limit holds no slot: another model's calls pass.
func TestWaitersHoldNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		l := New(e, Config{MaxInFlight: 1, Models: map[string]Limits{"slow": {RequestsPerMinute: 1}}})
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { l.Complete(context.Background(), &llm.Call{Model: "slow"}) })
		}
		synctest.Wait()
		start := time.Now()
		for range 100 {
			l.Complete(context.Background(), &llm.Call{Model: "fast"})
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("the fast model waited %s", d)
		}
		wg.Wait()
	})
}

// A large call is not overtaken for ever by small ones.
func TestLargeCallsDoNotStarve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		l := New(e, Config{Endpoint: Limits{TokensPerMinute: 600}})
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for ctx.Err() == nil {
					l.Complete(ctx, &llm.Call{Model: "small", PromptTokens: 10})
				}
			})
		}
		time.Sleep(5 * time.Minute)
		start := time.Now()
		if _, err := l.Complete(ctx, &llm.Call{Model: "large", PromptTokens: 600}); err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d > 3*time.Minute {
			t.Errorf("the large call waited %s", d)
		}
		cancel()
		wg.Wait()
	})
}

// One model's long queue does not delay another's first call.
func TestModelsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		l := New(e, Config{Endpoint: Limits{RequestsPerMinute: 60}})
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() { l.Complete(context.Background(), &llm.Call{Model: "busy"}) })
		}
		synctest.Wait()
		start := time.Now()
		l.Complete(context.Background(), &llm.Call{Model: "other"})
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("waited %s behind the other model's queue", d)
		}
		wg.Wait()
	})
}

func TestLeaving(t *testing.T) {
	for _, drain := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			e := &endpoint{}
			l := New(e, Config{Endpoint: Limits{RequestsPerMinute: 1}})
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			stop := make(chan struct{})
			ctx = llm.WithDrain(ctx, stop)
			want := context.Canceled
			if drain {
				want = llm.ErrDraining
			}
			var wg sync.WaitGroup
			for i := range 10 {
				wg.Go(func() {
					if _, err := l.Complete(ctx, &llm.Call{}); i > 0 && !errors.Is(err, want) {
						t.Errorf("call %d: got %v", i, err)
					}
				})
				synctest.Wait()
			}
			if drain {
				close(stop)
			} else {
				cancel()
			}
			wg.Wait()
			if _, err := l.Complete(ctx, &llm.Call{}); !errors.Is(err, want) {
				t.Errorf("after: got %v", err)
			}
			// The queue they left works on.
			if _, err := l.Complete(context.Background(), &llm.Call{}); err != nil || len(e.seen) != 2 || l.inFlight != 0 {
				t.Errorf("got %v, %d calls seen, %d slots kept", err, len(e.seen), l.inFlight)
			}
		})
	}
}

// When the call at the head leaves, the next is judged at once.
func TestHeadLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		l := New(e, Config{Endpoint: Limits{TokensPerMinute: 600}})
		l.Complete(context.Background(), &llm.Call{PromptTokens: 10})
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { l.Complete(ctx, &llm.Call{PromptTokens: 600}) })
		synctest.Wait()
		l.Complete(context.Background(), &llm.Call{PromptTokens: 1})
		if d := time.Since(start); d != 30*time.Second {
			t.Errorf("admitted after %s, the large call left after 30s", d)
		}
		wg.Wait()
	})
}

// What a call used beyond its reservation counts; what it did not use lets
// the next go earlier, but not beyond the window.
func TestSettle(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	b := newBucket(6000)
	b.take(now, 1000)
	b.settle(now, 1000, 4000)
	later := now.Add(59 * time.Second)
	if b.wait(later, 2000) != 0 || b.wait(later, 2001) == 0 {
		t.Errorf("after overuse: 2000 tokens wait %s, 2001 wait %s", b.wait(later, 2000), b.wait(later, 2001))
	}
	b = newBucket(6000)
	b.take(now, 3000)
	if d := b.wait(now, 100); d < 29*time.Second {
		t.Errorf("before it is settled the next waits %s", d)
	}
	b.settle(now, 3000, 100)
	if d := b.wait(now, 100); d > 2*time.Second {
		t.Errorf("after it is settled the next waits %s", d)
	}
	if b.wait(now.Add(30*time.Second), 3001) == 0 {
		t.Error("the window forgot a reservation")
	}
}

// script is a gate that tests drive.
type script struct {
	mu       sync.Mutex
	stopped  *llm.Failure
	wait     time.Duration
	observed int
}

func (s *script) Stopped(*llm.Call) *llm.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

func (s *script) Admit(*llm.Call) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wait
}

func (s *script) Observe(*llm.Call, *llm.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observed++
}

func (s *script) set(wait time.Duration, stopped *llm.Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait, s.stopped = wait, stopped
}

func TestGateHoldsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, gate := &endpoint{}, &script{wait: 7 * time.Second}
		l := New(e, Config{Gate: gate})
		start := time.Now()
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() { l.Complete(context.Background(), &llm.Call{}) })
		}
		synctest.Wait()
		if len(e.seen) != 0 {
			t.Fatalf("%d calls passed a closed gate", len(e.seen))
		}
		gate.set(0, nil) // the limiter asks again when it was told to
		wg.Wait()
		if d := time.Since(start); d != 7*time.Second || gate.observed != 64 || l.inFlight != 0 {
			t.Errorf("after %s: %d observed, %d slots kept", d, gate.observed, l.inFlight)
		}
	})
}

func TestStoppedQueueIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, gate := &endpoint{latency: time.Second}, &script{}
		l := New(e, Config{Gate: gate, MaxInFlight: 1})
		refused := 0
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				r, err := l.Complete(context.Background(), &llm.Call{})
				if err == nil && r.Outcome == llm.OutcomeError && r.Err.Code == "stopped" && r.Attempts == 0 {
					mu.Lock()
					refused++
					mu.Unlock()
				}
			})
		}
		synctest.Wait()
		gate.set(0, &llm.Failure{Class: llm.ClassEndpoint, Code: "stopped"})
		wg.Wait()
		if refused != 9 || len(e.seen) != 1 || gate.observed != 1 {
			t.Errorf("%d refused, %d sent, %d observed", refused, len(e.seen), gate.observed)
		}
	})
}

func BenchmarkAdmit(b *testing.B) {
	inner := llm.Func(func(context.Context, *llm.Call) (llm.Response, error) { return llm.Response{}, nil })
	for name, limits := range map[string]Limits{"free": {}, "limited": {RequestsPerMinute: 1 << 40, TokensPerMinute: 1 << 50}} {
		b.Run(name, func(b *testing.B) {
			l := New(inner, Config{Endpoint: limits})
			call := &llm.Call{Model: "m", PromptTokens: 100, MaxTokens: 100}
			b.ReportAllocs()
			for b.Loop() {
				l.Complete(context.Background(), call)
			}
		})
	}
}

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

	"go.uber.org/goleak"

	"memform/runner/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a scripted endpoint behind the smallest thing that respects a
// gate. It records when each attempt arrived.
type server struct {
	gate    *Gate
	latency time.Duration
	answer  func(n int, call *llm.Call) *llm.Failure // n counts from 1; nil = an answer

	mu       sync.Mutex
	seen     []time.Duration // since start
	start    time.Time
	inFlight int
	most     int
}

func (s *server) Complete(ctx context.Context, call *llm.Call) (llm.Response, error) {
	for {
		if f := s.gate.Stopped(call); f != nil {
			return llm.Response{Outcome: llm.OutcomeError, Err: f}, nil
		}
		wait := s.gate.Admit(call)
		if wait == 0 {
			break
		}
		if wait < 0 {
			wait = time.Millisecond
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return llm.Response{}, ctx.Err()
		}
	}
	r, err := s.send(ctx, call)
	s.gate.Observe(call, &r, err)
	return r, err
}

func (s *server) send(ctx context.Context, call *llm.Call) (llm.Response, error) {
	s.mu.Lock()
	s.seen = append(s.seen, time.Since(s.start))
	n := len(s.seen)
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.inFlight--
		s.mu.Unlock()
	}()
	if s.latency > 0 {
		select {
		case <-time.After(s.latency):
		case <-ctx.Done():
			return llm.Response{}, ctx.Err()
		}
	}
	r := llm.Response{Outcome: llm.OutcomeAnswer, Attempts: 1}
	if f := s.answer(n, call); f != nil {
		f := *f
		r = llm.Response{Outcome: llm.OutcomeError, Attempts: 1, Err: &f}
	}
	return r, nil
}

// bench is a gate, a server and a model around them, with what was notified.
type bench struct {
	*server
	model  *Model
	mu     sync.Mutex
	events []Event
}

func newBench(answer func(n int, call *llm.Call) *llm.Failure) *bench {
	b := &bench{server: &server{answer: answer, start: time.Now()}}
	b.gate = NewGate(GateConfig{Endpoint: "e", Notify: func(e Event) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, e)
	}})
	b.model = New(b.server, b.gate, Config{Jitter: func() float64 { return 1 }})
	return b
}

func (b *bench) count(kind Kind) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func (b *bench) call(t *testing.T) llm.Response {
	t.Helper()
	r, err := b.model.Complete(context.Background(), &llm.Call{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func failure(class llm.Class, status int) *llm.Failure {
	return &llm.Failure{Class: class, Status: status, Message: fmt.Sprint("status ", status)}
}

// first answers the first n attempts with f.
func first(n int, f *llm.Failure) func(int, *llm.Call) *llm.Failure {
	return func(i int, _ *llm.Call) *llm.Failure {
		if i <= n {
			return f
		}
		return nil
	}
}

func seconds(s ...float64) []time.Duration {
	out := make([]time.Duration, len(s))
	for i := range s {
		out[i] = time.Duration(s[i] * float64(time.Second))
	}
	return out
}

func checkSeen(t *testing.T, got, want []time.Duration) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("attempts at %v, want %v", got, want)
	}
}

func TestTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(first(3, failure(llm.ClassRetry, 500)))
		if r := b.call(t); r.Outcome != llm.OutcomeAnswer || r.Attempts != 4 {
			t.Errorf("got %+v", r)
		}
		checkSeen(t, b.seen, seconds(0, 0.5, 1.5, 3.5))
		if b.count(Retried) != 3 {
			t.Errorf("events %v", b.events)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(first(99, failure(llm.ClassRetry, 500)))
		if r := b.call(t); r.Err == nil || r.Err.Class != llm.ClassRetry || r.Attempts != 6 {
			t.Errorf("got %+v", r)
		}
		checkSeen(t, b.seen, seconds(0, 0.5, 1.5, 3.5, 7.5, 15.5))
	})
}

func TestBackoffIsBoundedAndJittered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alive := true
		b := newBench(nil)
		b.answer = func(int, *llm.Call) *llm.Failure {
			b.gate.Observe(&llm.Call{Model: "x"}, &llm.Response{}, nil) // others succeed: no outage
			if alive {
				return failure(llm.ClassRetry, 500)
			}
			return nil
		}
		b.model = New(b.server, b.gate, Config{Tries: 12, Jitter: func() float64 { return 0 }})
		b.call(t)
		for i, at := range b.seen[1:] {
			want := min(250*time.Millisecond<<i, 15*time.Second)
			if got := at - b.seen[i]; got != want {
				t.Errorf("wait %d: %s, want %s", i, got, want)
			}
		}
	})
}

// A server that says when to come back with its 503 is believed, within reason.
func TestRetryAfterOfARetryableFailure(t *testing.T) {
	for asked, want := range map[float64]float64{3: 3, 0.1: 0.5, 86400: 600} {
		synctest.Test(t, func(t *testing.T) {
			f := failure(llm.ClassRetry, 503)
			f.RetryAfter = asked
			b := newBench(first(1, f))
			b.call(t)
			checkSeen(t, b.seen, seconds(0, want))
		})
	}
}

func TestFinalFailuresAreNotRetried(t *testing.T) {
	for _, class := range []llm.Class{llm.ClassNode, llm.ClassModel, llm.ClassEndpoint} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(first(99, failure(class, 400)))
			if r := b.call(t); r.Err == nil || r.Err.Class != class || r.Attempts != 1 || len(b.seen) != 1 {
				t.Errorf("%s: got %+v after %d attempts", class, r, len(b.seen))
			}
		})
	}
}

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

// Drain ends waits, not attempts; a cancelled context ends both.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(first(99, failure(llm.ClassRetry, 500)))
		stop := make(chan struct{})
		time.AfterFunc(200*time.Millisecond, func() { close(stop) })
		_, err := b.model.Complete(llm.WithDrain(context.Background(), stop), &llm.Call{})
		if !errors.Is(err, llm.ErrDraining) || time.Since(b.start) != 200*time.Millisecond {
			t.Errorf("got %v after %s", err, time.Since(b.start))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(first(99, failure(llm.ClassRetry, 500)))
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		if _, err := b.model.Complete(ctx, &llm.Call{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// A call that the server refuses for ever, while others pass, gives up.
func TestEndlessRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(func(_ int, c *llm.Call) *llm.Failure {
			if c.Model == "m" {
				return failure(llm.ClassRate, 429)
			}
			return nil
		})
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Go(func() {
			for ctx.Err() == nil {
				b.model.Complete(ctx, &llm.Call{Model: "other"})
				time.Sleep(time.Second)
			}
		})
		r := b.call(t)
		if d := time.Since(b.start); r.Err == nil || r.Err.Class != llm.ClassRate || d < 30*time.Minute || d > 45*time.Minute {
			t.Errorf("got %+v after %s", r.Err, d)
		}
		cancel()
		wg.Wait()
	})
}

func TestEventsReadWell(t *testing.T) {
	f := &llm.Failure{Class: llm.ClassRate, Status: 429, Message: "slow down"}
	want := map[string]Event{
		`model "m": try 2 failed (HTTP 429: slow down), again in 1.5s`:                                              {Kind: Retried, Model: "m", Failure: f, Wait: 1500 * time.Millisecond, Tries: 2},
		`endpoint "e" paused for 1s: HTTP 429: slow down (the server asked to wait 72h0m0s, which is not believed)`: {Kind: Paused, Endpoint: "e", Failure: f, Wait: time.Second, Asked: 72 * time.Hour},
		`endpoint "e" answers again`:                             {Kind: Reopened, Endpoint: "e"},
		`model "m" on endpoint "e" stopped: HTTP 429: slow down`: {Kind: StoppedModel, Endpoint: "e", Model: "m", Failure: f},
		`endpoint "e" stopped: HTTP 429: slow down`:              {Kind: StoppedEndpoint, Endpoint: "e", Failure: f},
	}
	for s, e := range want {
		if e.String() != s {
			t.Errorf("got %s, want %s", e, s)
		}
	}
}

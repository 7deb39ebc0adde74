package retry

import (
	"context"
	"errors"
	"fmt"
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

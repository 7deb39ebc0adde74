// Package retry sends failed calls again, and keeps the health of an endpoint:
// when it is paused, probed, reopened or stopped. Model does the first for one
// call at a time; Gate does the second for all calls of an endpoint. The two
// meet in the limiter between them, which must be given the Gate: a pause
// holds back the queue there, and a 429 sent again without it would not wait.
// The package reads failures, never answers. Start at New and NewGate.
package retry

import (
	"context"
	"math/rand/v2"
	"time"

	"memform/runner/llm"
)

// Config describes how one call is tried. The zero value is the protocol's.
type Config struct {
	Tries   int           // attempts that may fail; 0 = 6
	First   time.Duration // wait after the first failure, doubled after each; 0 = 0.5 s
	Longest time.Duration // bound of that wait; 0 = 30 s
	// Jitter returns the share of the wait, in [0, 1), that is drawn; nil is
	// random. A wait is between half and the whole of its bound.
	Jitter func() float64
}

// longestAskedByCall bounds how long a single call follows a Retry-After that
// came with a retryable failure (503).
const longestAskedByCall = 10 * time.Minute

// endless is how many 429s of one call, over the outage budget and beyond,
// prove that the server will never take it though others pass.
const endless = 10

// Model is a Model that sends a call until it is answered, fails for good or
// has spent its tries.
type Model struct {
	inner llm.Model
	gate  *Gate
	cfg   Config
}

// New wraps inner, the limiter that asks gate.
func New(inner llm.Model, gate *Gate, cfg Config) *Model {
	if cfg.Tries <= 0 {
		cfg.Tries = 6
	}
	if cfg.First <= 0 {
		cfg.First = 500 * time.Millisecond
	}
	if cfg.Longest <= 0 {
		cfg.Longest = 30 * time.Second
	}
	if cfg.Jitter == nil {
		cfg.Jitter = rand.Float64
	}
	return &Model{inner: inner, gate: gate, cfg: cfg}
}

// Complete returns the answer, or the failure of the last attempt; its
// Attempts counts every attempt sent. A call to a stopped endpoint or model is
// not sent: its failure has the code "stopped" and names the cause.
func (m *Model) Complete(ctx context.Context, call *llm.Call) (llm.Response, error) {
	var t tally
	for {
		if f := m.gate.Stopped(call); f != nil {
			return t.count(llm.Response{Outcome: llm.OutcomeError, Err: f}), nil
		}
		r, err := m.inner.Complete(ctx, call)
		r = t.count(r)
		if err != nil || r.Err == nil {
			return r, err
		}
		switch r.Err.Class {
		case llm.ClassRetry:
			t.tries++
			if t.tries >= m.cfg.Tries {
				return r, nil
			}
			if err := m.backOff(ctx, call, r.Err, t.tries); err != nil {
				return r, err
			}
		case llm.ClassRate:
			if t.endless(m.gate.budget) {
				return r, nil
			}
		case llm.ClassOutage: // the gate holds the next attempt, or stops it
		default:
			return r, nil
		}
	}
}

// tally counts what one call has cost.
type tally struct {
	attempts int
	tries    int
	limited  int       // 429s
	since    time.Time // of the first of them
}

func (t *tally) count(r llm.Response) llm.Response {
	t.attempts += r.Attempts
	r.Attempts = t.attempts
	return r
}

func (t *tally) endless(budget time.Duration) bool {
	if t.limited == 0 {
		t.since = time.Now()
	}
	t.limited++
	return t.limited >= endless && time.Since(t.since) >= budget
}

// backOff waits before the next try. It holds nothing meanwhile.
func (m *Model) backOff(ctx context.Context, call *llm.Call, f *llm.Failure, tries int) error {
	wait := m.cfg.Longest
	if shift := tries - 1; shift < 16 {
		wait = min(m.cfg.First<<shift, m.cfg.Longest)
	}
	wait = wait/2 + time.Duration(m.cfg.Jitter()*float64(wait/2))
	asked := time.Duration(min(f.RetryAfter, longestAskedByCall.Seconds()) * float64(time.Second))
	wait = max(wait, asked)
	m.gate.notify(Event{Kind: Retried, Endpoint: m.gate.endpoint, Model: call.Model, Failure: f, Wait: wait, Tries: tries})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-llm.Draining(ctx):
		return llm.ErrDraining
	}
}

// Package budget keeps spending under a cap: a call is let through only while
// what was spent plus the worst case of what is in flight stays within its
// run's max_cost. It sits below the cache, so hits are free, and above retry,
// so a call is one however often it is tried. Start at New.
package budget

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"memform/runner/llm"
)

// ErrExhausted ends dispatch: the next call could exceed the cap.
var ErrExhausted = errors.New("max_cost reached")

// Price is USD per million tokens.
type Price struct{ Input, Output, CachedInput float64 }

// Config says what calls cost and what runs may spend.
type Config struct {
	Prices map[string]Price // by model label; a model without one costs nothing known
	Caps   map[int]float64  // USD by run index; a run without one is not capped
}

// Budget is a Model that meters inner.
type Budget struct {
	inner llm.Model
	cfg   Config

	mu      sync.Mutex
	settled chan struct{} // closed and renewed when a call settles
	runs    map[int]*account
	spent   float64
}

type account struct {
	spent, inFlight float64
	calls           int
}

// New wraps inner.
func New(inner llm.Model, cfg Config) *Budget {
	return &Budget{inner: inner, cfg: cfg, settled: make(chan struct{}), runs: map[int]*account{}}
}

// Spent is what the calls so far cost, in USD.
func (b *Budget) Spent() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Complete waits until the call's worst case fits, sends it and books what it
// really cost. It returns ErrExhausted where nothing in flight could make
// room any more, and llm.ErrDraining where the run stops first.
func (b *Budget) Complete(ctx context.Context, call *llm.Call) (llm.Response, error) {
	worst := b.worst(call)
	if err := b.admit(ctx, call.Run, worst); err != nil {
		return llm.Response{}, err
	}
	r, err := b.inner.Complete(ctx, call)
	b.settle(call.Run, worst, b.actual(call, &r, err, worst))
	return r, err
}

func (b *Budget) admit(ctx context.Context, run int, worst float64) error {
	for {
		b.mu.Lock()
		a := b.account(run)
		limit, capped := b.cfg.Caps[run]
		if !capped || a.spent+a.inFlight+worst <= limit {
			a.inFlight += worst
			a.calls++
			b.mu.Unlock()
			return nil
		}
		if a.calls == 0 {
			spent := a.spent
			b.mu.Unlock()
			return fmt.Errorf("%w: USD %.4f of %.4f are spent and the next call may cost up to %.4f", ErrExhausted, spent, limit, worst)
		}
		changed := b.settled
		b.mu.Unlock()
		select {
		case <-changed:
		case <-llm.Draining(ctx):
			return llm.ErrDraining
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (b *Budget) settle(run int, worst, actual float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.account(run)
	a.inFlight -= worst
	a.calls--
	if a.calls == 0 {
		a.inFlight = 0 // no rounding left behind
	}
	a.spent += actual
	b.spent += actual
	close(b.settled)
	b.settled = make(chan struct{})
}

func (b *Budget) account(run int) *account {
	a := b.runs[run]
	if a == nil {
		a = &account{}
		b.runs[run] = a
	}
	return a
}

// promptMargin covers the difference between our count of a prompt's tokens
// and the server's.
const promptMargin = 1.25

func (b *Budget) worst(call *llm.Call) float64 {
	p := b.cfg.Prices[call.Model]
	return (promptMargin*float64(call.PromptTokens)*p.Input + float64(call.MaxTokens)*p.Output) / 1e6
}

// actual is what a call cost: by the server's count where it gave one, the
// worst case where it answered without, nothing where it refused to answer.
func (b *Budget) actual(call *llm.Call, r *llm.Response, err error, worst float64) float64 {
	switch {
	case err != nil || r.Cached:
		return 0
	case r.Usage.Known:
		return b.cfg.Prices[call.Model].Of(r.Usage)
	case r.Outcome == llm.OutcomeError && (r.Status == 0 || r.Status >= 400):
		return 0
	}
	return worst
}

// Of is the cost in USD of what a server counted. Cached prompt tokens are a
// part of the prompt: they are priced once, at their own price if there is one.
func (p Price) Of(u llm.Usage) float64 {
	cached := 0
	if p.CachedInput > 0 {
		cached = u.CachedPart
	}
	return (float64(u.Prompt-cached)*p.Input + float64(cached)*p.CachedInput + float64(u.Completion)*p.Output) / 1e6
}

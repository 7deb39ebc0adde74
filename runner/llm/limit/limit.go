// Package limit keeps calls to one endpoint within its limits: requests and
// tokens a minute and requests a day, of the endpoint and of each model, as
// declared and as the server's answers tell, and calls in flight. It queues
// calls, first come first served within a model and models in turn, and asks a
// Gate whether the endpoint may be called at all. It knows neither retries nor
// HTTP. Start at New.
package limit

import (
	"context"
	"sync"
	"time"

	"memform/runner/llm"
)

// Limits of 0 are no limits.
type Limits struct {
	RequestsPerMinute int
	TokensPerMinute   int
	RequestsPerDay    int // in any 24 hours of this limiter's life
}

// Gate says whether calls may be sent, and hears how each went.
type Gate interface {
	// Stopped is the reason why the call can never be sent, or nil.
	Stopped(call *llm.Call) *llm.Failure
	// Admit returns 0 where the call may be sent now, else how long to wait
	// before asking again; negative: until a call in flight has ended. An
	// admitted call is sent, and Observe is called for it.
	Admit(call *llm.Call) time.Duration
	// Observe takes in how an admitted call went, and may change r's failure.
	Observe(call *llm.Call, r *llm.Response, err error)
}

// Config holds the limits of one endpoint.
type Config struct {
	Endpoint    Limits            // shared by all models
	Models      map[string]Limits // a model's own, by Call.Model
	MaxInFlight int               // 0 = 64
	Gate        Gate              // nil: always open
	// Resting, where set, is told that the limit of a day holds everything back
	// and for how long, at most once an hour. It must not call the limiter.
	Resting func(wait time.Duration)
}

// DefaultMaxInFlight applies where Config.MaxInFlight is 0.
const DefaultMaxInFlight = 64

// Limiter is a Model that sends a call when the limits allow it. What waits
// holds neither an in-flight slot nor any share of a limit.
type Limiter struct {
	inner llm.Model
	gate  Gate
	rest  func(time.Duration)

	mu       sync.Mutex
	inFlight int
	width    concurrency
	rested   time.Time // when it was last said that a day's limit is reached
	shared   meter
	lanes    []*lane // in order of first call
	turn     int     // index of the lane whose turn it is
	byModel  map[string]*lane
	limits   map[string]Limits
	timer    *time.Timer
}

// New wraps the endpoint inner.
func New(inner llm.Model, cfg Config) *Limiter {
	if cfg.MaxInFlight <= 0 {
		cfg.MaxInFlight = DefaultMaxInFlight
	}
	if cfg.Gate == nil {
		cfg.Gate = open{}
	}
	if cfg.Resting == nil {
		cfg.Resting = func(time.Duration) {}
	}
	return &Limiter{
		inner:   inner,
		gate:    cfg.Gate,
		rest:    cfg.Resting,
		width:   newConcurrency(cfg.MaxInFlight),
		shared:  newMeter(cfg.Endpoint),
		byModel: map[string]*lane{},
		limits:  cfg.Models,
	}
}

// Complete waits for its turn and sends the call. It returns ctx's error or
// llm.ErrDraining where that came first, and a failure where the gate stopped
// the call.
func (l *Limiter) Complete(ctx context.Context, call *llm.Call) (llm.Response, error) {
	w, err := l.admit(ctx, call)
	if err != nil {
		return llm.Response{}, err
	}
	if w.stopped != nil {
		return llm.Response{Outcome: llm.OutcomeError, Err: w.stopped}, nil
	}
	r, err := l.inner.Complete(ctx, call)
	l.done(w, &r, err)
	return r, err
}

// admit waits until the call is decided: admitted, or stopped by the gate.
func (l *Limiter) admit(ctx context.Context, call *llm.Call) (*waiter, error) {
	drain := llm.Draining(ctx)
	select {
	case <-drain:
		return nil, llm.ErrDraining
	default:
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &waiter{call: call}
	l.mu.Lock()
	l.laneOf(call.Model).push(w)
	l.pump()
	if w.state != waiting {
		l.mu.Unlock()
		return w, nil
	}
	w.ready = make(chan struct{})
	l.mu.Unlock()

	var err error
	select {
	case <-w.ready:
		return w, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-drain:
		err = llm.ErrDraining
	}
	l.abandon(w, err)
	return nil, err
}

// abandon takes back a waiter whose caller has left.
func (l *Limiter) abandon(w *waiter, err error) {
	l.mu.Lock()
	if w.state == admitted {
		// Admitted in the same moment: what it took is spent, its slot is not.
		l.mu.Unlock()
		l.done(w, &llm.Response{}, err)
		return
	}
	w.state = gone
	l.pump()
	l.mu.Unlock()
}

// done ends an admitted call: the gate hears first, so that what waits is
// judged by the gate's new state.
func (l *Limiter) done(w *waiter, r *llm.Response, err error) {
	call := w.call
	l.gate.Observe(call, r, err)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && !r.Cached { // a stored answer tells nothing of the server now
		now, q := time.Now(), l.laneOf(call.Model)
		l.width.answered(w.epoch, l.inFlight, r)
		q.learn(now, r.Headers)
		if r.Usage.Known {
			used := r.Usage.Prompt + r.Usage.Completion
			l.shared.settle(now, reserve(call), used)
			q.own.settle(now, reserve(call), used)
		}
	}
	l.inFlight--
	l.pump()
}

// reserve is how many tokens a call may come to.
func reserve(call *llm.Call) int { return max(call.PromptTokens, 0) + max(call.MaxTokens, 0) }

// open is the gate of an endpoint that has none.
type open struct{}

func (open) Stopped(*llm.Call) *llm.Failure          { return nil }
func (open) Admit(*llm.Call) time.Duration           { return 0 }
func (open) Observe(*llm.Call, *llm.Response, error) {}

// Package cached answers calls from a store and makes what was paid for
// durable: a call counts as done only when its answer is on disk. Equal calls
// in flight are one. It decides when to look, to ask and to store; how is the
// store's business, and what an answer means is llm.Read's. Start at New.
package cached

import (
	"context"
	"errors"
	"fmt"

	"memform/runner/cache"
	"memform/runner/llm"
)

// Store is what this package needs of a cache; *cache.Store is one.
type Store interface {
	Get(key cache.Key) (cache.Entry, bool)
	GetPinned(key cache.Key, digest [32]byte) (cache.Entry, bool)
	Put(ctx context.Context, key cache.Key, e cache.Entry) error
	Refresh() error
	// Trouble is why nothing can be stored at the moment, or nil; WaitWell
	// waits for the end of it.
	Trouble() error
	WaitWell(ctx context.Context) error
}

// Config adjusts New. The zero value reads, calls and stores.
type Config struct {
	// Offline sends nothing: a miss is a failure with the code "offline".
	Offline bool
	// Pin names the answer, by its digest, that must be used where a key has
	// several; nil pins nothing. Where that answer is gone, any other of the
	// key will do: nothing is bought twice for a pin.
	Pin func(llm.Key) (digest [32]byte, ok bool)
	// Report hears of trouble that does not stop a call: other processes'
	// answers cannot be looked for. nil: nobody listens.
	Report func(error)
}

// Model is a Model that asks inner only for what the store does not hold.
type Model struct {
	inner   llm.Model
	store   Store
	cfg     Config
	flights flights
}

// New wraps inner, which may be nil where cfg.Offline is set.
func New(inner llm.Model, store Store, cfg Config) *Model {
	if cfg.Report == nil {
		cfg.Report = func(error) {}
	}
	return &Model{inner: inner, store: store, cfg: cfg, flights: flights{byKey: map[llm.Key]*flight{}}}
}

// Complete returns the stored answer, read anew from its raw bytes, or asks
// inner and returns when the answer is stored. A failure is not stored. The
// error is non-nil where ctx ended and where the answer could not be stored,
// which must stop the run.
//
// Callers with one key share one call to inner. It runs under the values of
// the first caller's context and ends only when every caller's context has:
// a caller that leaves does not cancel what others wait for. The first caller
// returns when the call has, even if its own context ended before.
func (m *Model) Complete(ctx context.Context, call *llm.Call) (llm.Response, error) {
	if r, ok := m.look(call); ok {
		return r, nil
	}
	if m.cfg.Offline {
		return miss(), nil
	}
	return m.flights.do(ctx, call.Key, func(ctx context.Context) (llm.Response, error) {
		return m.buy(ctx, call)
	})
}

// buy looks once more, since another flight or another process may have
// stored the answer meanwhile, and then pays.
func (m *Model) buy(ctx context.Context, call *llm.Call) (llm.Response, error) {
	if err := m.store.Refresh(); err != nil {
		m.cfg.Report(err)
	}
	if r, ok := m.look(call); ok {
		return r, nil
	}
	if err := m.well(ctx); err != nil {
		return llm.Response{}, err
	}
	r, err := m.inner.Complete(ctx, call)
	if err != nil || r.Cached || r.Stored || !r.Outcome.Cacheable() {
		return r, err
	}
	err = m.store.Put(ctx, cache.Key(call.Key), cache.Entry{
		Identity:    call.Identity,
		Draw:        call.Draw,
		Request:     call.Request,
		Response:    r.Raw,
		Status:      r.Status,
		Headers:     r.Headers,
		Outcome:     string(r.Outcome),
		CompletedAt: r.CompletedAt,
		Millis:      r.Millis,
		Attempts:    r.Attempts,
	})
	switch {
	case errors.Is(err, cache.ErrTooLarge):
		return failed(r, "too_large", err.Error()), nil
	case err != nil:
		return r, fmt.Errorf("the answer could not be stored: %w", err)
	}
	return r, nil
}

// well holds a call back while answers cannot be stored: nothing is paid for
// that could not be kept.
func (m *Model) well(ctx context.Context) error {
	if m.store.Trouble() == nil {
		return nil
	}
	wait, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-llm.Draining(ctx):
			cancel(llm.ErrDraining)
		case <-wait.Done():
		}
	}()
	return m.store.WaitWell(wait)
}

// look rebuilds the stored response. Only the raw bytes count: what they come
// to is decided anew, so a better reader applies to what is stored.
func (m *Model) look(call *llm.Call) (llm.Response, bool) {
	e, ok := m.get(call.Key)
	if !ok {
		return llm.Response{}, false
	}
	r := llm.Read(e.Status, e.Headers, e.Response)
	r.CompletedAt, r.Millis, r.Attempts, r.Cached = e.CompletedAt, e.Millis, e.Attempts, true
	if r.Outcome == llm.OutcomeError {
		// Never bought again unasked: it would be on every run.
		r = failed(r, "stored_error", "the stored answer is an error (cache forget, then run again): "+r.Err.Message)
	}
	return r, true
}

func (m *Model) get(key llm.Key) (cache.Entry, bool) {
	if m.cfg.Pin != nil {
		if digest, ok := m.cfg.Pin(key); ok {
			if e, ok := m.store.GetPinned(cache.Key(key), digest); ok {
				return e, true
			}
		}
	}
	return m.store.Get(cache.Key(key))
}

// failed turns r into a failure of this call alone.
func failed(r llm.Response, code, message string) llm.Response {
	r.Outcome = llm.OutcomeError
	r.Err = &llm.Failure{Class: llm.ClassNode, Status: r.Status, Code: code, Message: message}
	return r
}

func miss() llm.Response {
	return failed(llm.Response{}, "offline", "not in the cache, and this run is offline")
}

package cached

import (
	"context"
	"sync"

	"memform/runner/llm"
)

// flights makes equal calls that overlap one. (singleflight would run the
// call under the first caller's context, and take another caller's answer
// from it when that one leaves.)
type flights struct {
	mu    sync.Mutex
	byKey map[llm.Key]*flight
}

// flight is one call under way and those who wait for it.
type flight struct {
	callers int // whose context has not ended; guarded by flights.mu
	cancel  context.CancelFunc
	done    chan struct{} // closed when r and err are set
	r       llm.Response
	err     error
}

// do runs fn unless a call with this key is under way, and returns its result.
// fn runs in the first caller's goroutine. Those who join have sent nothing:
// their response is marked Cached, without attempts of its own on failure.
func (s *flights) do(ctx context.Context, key llm.Key, fn func(context.Context) (llm.Response, error)) (llm.Response, error) {
	s.mu.Lock()
	if f := s.byKey[key]; f != nil && f.callers > 0 {
		f.callers++
		s.mu.Unlock()
		return s.join(ctx, f)
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{callers: 1, cancel: cancel, done: make(chan struct{})}
	s.byKey[key] = f
	s.mu.Unlock()

	stop := context.AfterFunc(ctx, func() { s.leave(f) })
	f.r, f.err = fn(own)
	stop()
	cancel()
	s.mu.Lock()
	if s.byKey[key] == f {
		delete(s.byKey, key)
	}
	s.mu.Unlock()
	close(f.done)
	return f.r, f.err
}

func (s *flights) join(ctx context.Context, f *flight) (llm.Response, error) {
	select {
	case <-f.done:
	case <-ctx.Done():
		s.leave(f)
		return llm.Response{}, ctx.Err()
	}
	r := f.r
	if f.err == nil {
		r.Cached = r.Outcome.Cacheable()
		if !r.Cached {
			r.Attempts = 0
		}
	}
	return r, f.err
}

// leave cancels a flight that nobody waits for any more.
func (s *flights) leave(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.callers--; f.callers == 0 {
		f.cancel()
	}
}

package execute

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"memform/runner/experiment"
	"memform/runner/llm"
)

// TestStop: no further node starts, what was sent finishes and is emitted.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 3
		p := planned(t, 2, []*experiment.Model{remote("m")})
		stop, release := make(chan struct{}), make(chan struct{})
		var sent atomic.Int64
		go func() {
			synctest.Wait() // every worker is in a call
			close(stop)
			synctest.Wait()
			close(release)
		}()
		var got results
		err := Run(t.Context(), p, llm.Func(func(ctx context.Context, c *llm.Call) (llm.Response, error) {
			sent.Add(1)
			<-release
			return stub(ctx, c)
		}), Options{Workers: map[string]int{"at-m": workers}, Stop: stop}, got.take)
		if !errors.Is(err, ErrInterrupted) {
			t.Errorf("error %v", err)
		}
		if sent.Load() != workers || len(got.of) != workers {
			t.Errorf("%d calls sent, %d emitted, want %d of both", sent.Load(), len(got.of), workers)
		}
		for i, r := range got.of {
			if r.Missing != nil || !r.Called {
				t.Errorf("node %d: %+v", i, r)
			}
		}
	})
}

// Layers that wait for a limit give up with ErrDraining once Stop closes: the
// run is interrupted, and nothing of it is a failed call.
func TestStopWhileWaitingForALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := planned(t, 1, []*experiment.Model{remote("m")})
		stop := make(chan struct{})
		go func() {
			synctest.Wait()
			close(stop)
		}()
		var got results
		err := Run(t.Context(), p, llm.Func(func(ctx context.Context, _ *llm.Call) (llm.Response, error) {
			<-llm.Draining(ctx)
			return llm.Response{}, llm.ErrDraining
		}), Options{Workers: map[string]int{"at-m": 4}, Stop: stop}, got.take)
		if !errors.Is(err, ErrInterrupted) || len(got.of) != 0 {
			t.Errorf("error %v, %d emitted", err, len(got.of))
		}
	})
}

// A stop that comes after the last node is none.
func TestStopAfterTheEnd(t *testing.T) {
	p := planned(t, 1, []*experiment.Model{remote("m")})
	stop := make(chan struct{})
	n := 0
	err := Run(t.Context(), p, stub, Options{Stop: stop}, func(Result) error { n++; return nil })
	close(stop)
	if err != nil || n != len(p.Nodes) {
		t.Errorf("error %v after %d of %d nodes", err, n, len(p.Nodes))
	}
}

// TestContextEnds: calls in flight are cut off and the cause comes back.
func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := planned(t, 1, []*experiment.Model{remote("m")})
		cause := errors.New("second signal")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			synctest.Wait()
			cancel(cause)
		}()
		var got results
		err := Run(ctx, p, llm.Func(func(ctx context.Context, _ *llm.Call) (llm.Response, error) {
			<-ctx.Done()
			return llm.Response{}, ctx.Err()
		}), Options{}, got.take)
		if !errors.Is(err, cause) && !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if len(got.of) != 0 {
			t.Errorf("%d nodes emitted", len(got.of))
		}
	})
}

// TestEndsOnAFault: an error of emit or of the model ends the run and comes
// back; Run returns only after its workers have.
func TestEndsOnAFault(t *testing.T) {
	fault := errors.New("disk full")
	for name, fail := range map[string]func(n int64) (model, emit error){
		"emit":  func(n int64) (error, error) { return nil, after(n, 20, fault) },
		"model": func(n int64) (error, error) { return after(n, 20, fault), nil },
	} {
		t.Run(name, func(t *testing.T) {
			p := planned(t, 4, []*experiment.Model{remote("m"), remote("n")})
			var calls, emits, running atomic.Int64
			err := Run(t.Context(), p, llm.Func(func(ctx context.Context, c *llm.Call) (llm.Response, error) {
				running.Add(1)
				defer running.Add(-1)
				if err, _ := fail(calls.Add(1)); err != nil {
					return llm.Response{}, err
				}
				return stub(ctx, c)
			}), Options{Workers: map[string]int{"at-m": 2, "at-n": 2}}, func(Result) error {
				_, err := fail(emits.Add(1))
				return err
			})
			if !errors.Is(err, fault) {
				t.Errorf("error %v", err)
			}
			if running.Load() != 0 {
				t.Errorf("%d calls still run after Run returned", running.Load())
			}
			if n := calls.Load(); n > 40 || int(n) >= len(p.Nodes) {
				t.Errorf("%d calls after a fault at the twentieth", n)
			}
		})
	}
}

func after(n, limit int64, err error) error {
	if n >= limit {
		return err
	}
	return nil
}

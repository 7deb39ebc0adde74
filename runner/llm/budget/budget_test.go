package budget

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"memform/runner/llm"
)

// Each call reserves (1.25·100·1 + 100·10)/1e6 = 0.001125 and costs 0.0003.
var cfg = Config{Prices: map[string]Price{"m": {Input: 1, Output: 10}}, Caps: map[int]float64{0: 0.003}}

func call() *llm.Call { return &llm.Call{Model: "m", PromptTokens: 100, MaxTokens: 100} }

func TestCapBindsAtDispatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		inFlight, most := 0, 0
		b := New(llm.Func(func(context.Context, *llm.Call) (llm.Response, error) {
			mu.Lock()
			inFlight++
			most = max(most, inFlight)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			inFlight--
			mu.Unlock()
			return llm.Response{Outcome: llm.OutcomeAnswer, Usage: llm.Usage{Known: true, Prompt: 100, Completion: 20}}, nil
		}), cfg)
		results := make(chan error, 20)
		for range 20 {
			go func() { _, err := b.Complete(t.Context(), call()); results <- err }()
		}
		done, refused := 0, 0
		for range 20 {
			if err := <-results; err == nil {
				done++
			} else if errors.Is(err, ErrExhausted) {
				refused++
			}
		}
		// Two fit at once; the seventh would start at 6·0.0003 + 0.001125 = 0.002925.
		if done != 7 || refused != 13 || most != 2 {
			t.Errorf("%d done, %d refused, at most %d in flight; want 7, 13, 2", done, refused, most)
		}
		if got := b.Spent(); math.Abs(got-0.0021) > 1e-12 {
			t.Errorf("spent %v, want 0.0021", got)
		}
	})
}

func TestWaitingEndsWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(llm.Func(func(context.Context, *llm.Call) (llm.Response, error) {
			time.Sleep(time.Hour)
			return llm.Response{Outcome: llm.OutcomeError, Status: 500}, nil
		}), Config{Prices: cfg.Prices, Caps: map[int]float64{0: 0.0012}})
		stop := make(chan struct{})
		ctx := llm.WithDrain(t.Context(), stop)
		go b.Complete(ctx, call())
		synctest.Wait()
		waiting := make(chan error)
		go func() { _, err := b.Complete(ctx, call()); waiting <- err }()
		synctest.Wait()
		close(stop)
		if err := <-waiting; !errors.Is(err, llm.ErrDraining) {
			t.Errorf("got %v, want ErrDraining", err)
		}
		time.Sleep(2 * time.Hour)
		if got := b.Spent(); got != 0 {
			t.Errorf("an error cost %v", got)
		}
	})
}

func TestUnknownUsageCostsTheWorstCase(t *testing.T) {
	b := New(llm.Func(func(context.Context, *llm.Call) (llm.Response, error) {
		return llm.Response{Outcome: llm.OutcomeAnswer, Status: 200}, nil
	}), cfg)
	if _, err := b.Complete(t.Context(), call()); err != nil {
		t.Fatal(err)
	}
	if got, want := b.Spent(), 0.001125; math.Abs(got-want) > 1e-12 {
		t.Errorf("spent %v, want %v", got, want)
	}
}

func TestCachedTokensArePricedOnce(t *testing.T) {
	u := llm.Usage{Prompt: 1000, CachedPart: 400, Completion: 10}
	if got, want := (Price{Input: 2, Output: 4, CachedInput: 1}).Of(u), (600*2+400*1+10*4)/1e6; math.Abs(got-want) > 1e-15 {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := (Price{Input: 2, Output: 4}).Of(u), (1000*2+10*4)/1e6; math.Abs(got-want) > 1e-15 {
		t.Errorf("without a cached price: %v, want %v", got, want)
	}
}

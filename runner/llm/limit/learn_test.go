package limit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"memform/runner/llm"
)

func TestDialects(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		headers map[string]string
		tokens  bool
		want    reading
		said    bool
	}{
		{"OpenAI", map[string]string{"x-ratelimit-limit-requests": "500", "x-ratelimit-remaining-requests": "499", "x-ratelimit-reset-requests": "120ms"},
			false, reading{500, 499, 120 * time.Millisecond}, true},
		{"OpenAI, tokens", map[string]string{"x-ratelimit-limit-tokens": "30000", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m0.5s"},
			true, reading{30000, 0, 60500 * time.Millisecond}, true},
		{"a day, as Groq", map[string]string{"x-ratelimit-limit-requests": "14400", "x-ratelimit-remaining-requests": "14370", "x-ratelimit-reset-requests": "2m59.56s"},
			false, reading{14400, 14370, 179560 * time.Millisecond}, true},
		{"the minute named", map[string]string{"x-ratelimit-limit-req-minute": "6", "x-ratelimit-remaining-req-minute": "5"},
			false, reading{6, 5, -1}, true},
		{"Anthropic", map[string]string{"anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-requests-remaining": "0",
			"anthropic-ratelimit-requests-reset": "2026-03-02T10:00:05Z"}, false, reading{50, 0, 5 * time.Second}, true},
		{"by the server's clock", map[string]string{"anthropic-ratelimit-requests-limit": "50", "anthropic-ratelimit-requests-reset": "2026-03-02T12:00:05Z",
			"date": "Mon, 02 Mar 2026 12:00:00 GMT"}, false, reading{50, -1, 5 * time.Second}, true},
		{"OpenRouter", map[string]string{"x-ratelimit-limit": "20", "x-ratelimit-remaining": "0", "x-ratelimit-reset": fmt.Sprint(now.Add(9 * time.Second).UnixMilli())},
			false, reading{20, 0, 9 * time.Second}, true},
		{"an epoch in seconds", map[string]string{"x-ratelimit-limit": "20", "x-ratelimit-reset": fmt.Sprint(now.Add(9 * time.Second).Unix())},
			false, reading{20, -1, 9 * time.Second}, true},
		{"the draft", map[string]string{"ratelimit-limit": "100, 100;w=60", "ratelimit-remaining": "3", "ratelimit-reset": "17"},
			false, reading{100, 3, 17 * time.Second}, true},
		{"past", map[string]string{"x-ratelimit-limit": "20", "x-ratelimit-reset": "1000000000"}, false, reading{20, -1, 0}, true},
		{"nonsense", map[string]string{"x-ratelimit-limit-requests": "many", "x-ratelimit-remaining-requests": "-3", "x-ratelimit-reset-requests": "later"},
			false, reading{0, -1, -1}, true},
		{"none", map[string]string{"date": "x", "retry-after": "3"}, false, reading{}, false},
	}
	for _, tt := range tests {
		dialects := requestNames
		if tt.tokens {
			dialects = tokenNames
		}
		if got, said := read(now, tt.headers, dialects); got != tt.want || said != tt.said {
			t.Errorf("%s: got %+v %t, want %+v %t", tt.name, got, said, tt.want, tt.said)
		}
	}
}

func FuzzHeaders(f *testing.F) {
	f.Add("500", "499", "120ms", "Mon, 02 Mar 2026 12:00:00 GMT")
	f.Add("1e300", "-0", "9e14", "")
	f.Fuzz(func(t *testing.T, limit, remaining, reset, date string) {
		q := &lane{own: newMeter(Limits{RequestsPerMinute: 100})}
		now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
		q.learn(now, map[string]string{"date": date, "x-ratelimit-limit-requests": limit, "x-ratelimit-remaining-requests": remaining, "x-ratelimit-reset-requests": reset})
		if b := q.own.requests; b.limit < 1 || b.limit > 100 {
			t.Errorf("limit %d in force, 100 declared", b.limit)
		}
		if d := q.hold.Sub(now); d > longestHold {
			t.Errorf("held for %s", d)
		}
	})
}

// What is learned is never above what is declared; a lower limit holds at
// once, a higher one after a minute without a lower.
func TestLearnedLimits(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	b := newBucket(100)
	steps := []struct {
		after time.Duration
		says  int
		want  int
	}{
		{0, 500, 100}, {time.Second, 60, 60}, {time.Second, 80, 60}, {59 * time.Second, 80, 80},
		{time.Second, 20, 20}, {time.Second, 1000, 20}, {30 * time.Second, 20, 20}, {59 * time.Second, 1000, 20}, {time.Second, 1000, 100},
		{time.Second, 20, 20}, {time.Second, 0, 100},
	}
	for i, s := range steps {
		now = now.Add(s.after)
		b.learn(now, s.says)
		if b.limit != s.want {
			t.Errorf("step %d: %d in force, want %d", i, b.limit, s.want)
		}
	}
	// One that is learned late knows what was sent before.
	b = newBucket(0)
	for range 50 {
		b.take(now, 1)
	}
	b.learn(now.Add(time.Second), 50)
	if b.wait(now.Add(59*time.Second), 1) == 0 {
		t.Error("calls sent before the limit was learned do not count")
	}
}

// Each model keeps the limits that its own answers tell, without any declared.
func TestModelsLearnAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{latency: 50 * time.Millisecond}
		inner := llm.Func(func(ctx context.Context, call *llm.Call) (llm.Response, error) {
			r, err := e.Complete(ctx, call)
			limit := map[string]string{"slow": "30", "fast": "600"}[call.Model]
			r.Headers = map[string]string{"x-ratelimit-limit-requests": limit, "x-ratelimit-remaining-requests": "9", "x-ratelimit-reset-requests": "1s"}
			return r, err
		})
		l := New(inner, Config{MaxInFlight: 8})
		l.Complete(context.Background(), &llm.Call{Model: "slow"})
		l.Complete(context.Background(), &llm.Call{Model: "fast"})
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
		defer cancel()
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				for ctx.Err() == nil {
					l.Complete(ctx, &llm.Call{Model: []string{"slow", "fast"}[i%2]})
				}
			})
		}
		wg.Wait()
		for model, limit := range map[string]int{"slow": 30, "fast": 600} {
			seen := ofModel(e.seen, model)
			checkWindows(t, model, seen, Limits{RequestsPerMinute: limit})
			if len(seen) < 28*limit {
				t.Errorf("model %s: %d calls in half an hour", model, len(seen))
			}
		}
	})
}

// An answer with nothing remaining holds its model until the reset, the others
// go on, and an absurd reset holds a minute.
func TestNothingRemains(t *testing.T) {
	for reset, want := range map[string]time.Duration{"7s": 7 * time.Second, "5000s": longestHold} {
		synctest.Test(t, func(t *testing.T) {
			inner := llm.Func(func(_ context.Context, call *llm.Call) (llm.Response, error) {
				r := llm.Response{Outcome: llm.OutcomeAnswer}
				if call.Model == "spent" {
					r.Headers = map[string]string{"x-ratelimit-limit-requests": "50", "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset}
				}
				return r, nil
			})
			l := New(inner, Config{})
			l.Complete(context.Background(), &llm.Call{Model: "spent"})
			start := time.Now()
			l.Complete(context.Background(), &llm.Call{Model: "other"})
			if d := time.Since(start); d != 0 {
				t.Errorf("another model waited %s", d)
			}
			l.Complete(context.Background(), &llm.Call{Model: "spent"})
			if d := time.Since(start); d != want {
				t.Errorf("reset in %s: held for %s, want %s", reset, d, want)
			}
		})
	}
}

// No 24 hours see more than the limit of a day, all of it is used, and it is
// said when it holds everything back.
func TestDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{latency: time.Second}
		var rests []time.Duration
		l := New(e, Config{Endpoint: Limits{RequestsPerDay: 500, RequestsPerMinute: 60}, Resting: func(d time.Duration) { rests = append(rests, d) }})
		ctx, cancel := context.WithTimeout(context.Background(), 72*time.Hour-time.Minute)
		defer cancel()
		var wg sync.WaitGroup
		for i := range 10 {
			rnd := rand.New(rand.NewPCG(uint64(i), 3))
			wg.Go(func() {
				for ctx.Err() == nil {
					l.Complete(ctx, &llm.Call{Model: fmt.Sprint(i % 2)})
					time.Sleep(time.Duration(rnd.IntN(60)) * time.Second)
				}
			})
		}
		wg.Wait()
		first := 0
		for i, a := range e.seen {
			for a.at.Sub(e.seen[first].at) > 24*time.Hour {
				first++
			}
			if n := i - first + 1; n > 500 {
				t.Fatalf("%d calls in 24 hours", n)
			}
		}
		if len(e.seen) != 1500 {
			t.Errorf("%d calls in three days, want 1500", len(e.seen))
		}
		if len(rests) == 0 || len(rests) > 72 || rests[0] < 23*time.Hour {
			t.Errorf("told %d times: %v", len(rests), rests[:min(len(rests), 3)])
		}
	})
}

// One storm halves the calls in flight once; answers bring them back to what
// is declared and no further; there is always one.
func TestConcurrency(t *testing.T) {
	rate := &llm.Response{Err: &llm.Failure{Class: llm.ClassRate, Status: 429}}
	busy := &llm.Response{Err: &llm.Failure{Class: llm.ClassOutage, Status: 503}}
	broken := &llm.Response{Err: &llm.Failure{Class: llm.ClassRetry, Status: 500}}
	good := &llm.Response{}
	c := newConcurrency(64)
	for range 64 {
		c.answered(0, 64, rate)
	}
	if c.allowed() != 32 {
		t.Errorf("after one storm %d are allowed", c.allowed())
	}
	c.answered(c.epoch, 32, broken)
	c.answered(c.epoch, 3, good) // the bound was not in use
	if c.allowed() != 32 {
		t.Errorf("%d are allowed, want 32 still", c.allowed())
	}
	for range 40 {
		c.answered(c.epoch, 1, busy)
	}
	if c.allowed() != 1 {
		t.Errorf("after 40 storms %d are allowed", c.allowed())
	}
	answers := 0
	for ; c.allowed() < 64 && answers < 10_000; answers++ {
		c.answered(c.epoch, c.allowed(), good)
	}
	if answers > 700 {
		t.Errorf("%d answers until all are allowed again", answers)
	}
	for range 100 {
		c.answered(c.epoch, 64, good)
	}
	if c.allowed() != 64 {
		t.Errorf("%d are allowed, 64 declared", c.allowed())
	}
}

// A server that takes 10 at once and answers 429 to the rest is soon asked
// for about as many as it takes.
func TestConcurrencyFindsItsLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		inFlight, refused, answered := 0, 0, 0
		inner := llm.Func(func(context.Context, *llm.Call) (llm.Response, error) {
			mu.Lock()
			inFlight++
			over := inFlight > 10
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			inFlight--
			if over {
				refused++
				return llm.Response{Outcome: llm.OutcomeError, Err: &llm.Failure{Class: llm.ClassRate, Status: 429}}, nil
			}
			answered++
			return llm.Response{Outcome: llm.OutcomeAnswer}, nil
		})
		l := New(inner, Config{MaxInFlight: 64})
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
		defer cancel()
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for ctx.Err() == nil {
					l.Complete(ctx, &llm.Call{})
				}
			})
		}
		wg.Wait()
		if answered < 20*60*6 || refused > answered/2 {
			t.Errorf("%d answered, %d refused in 20 minutes", answered, refused)
		}
	})
}

// What was stored under other limits teaches nothing.
func TestStoredAnswersTeachNothing(t *testing.T) {
	headers := map[string]string{"x-ratelimit-limit-requests": "1", "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "50s"}
	for _, cached := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l := New(llm.Func(func(context.Context, *llm.Call) (llm.Response, error) {
				return llm.Response{Outcome: llm.OutcomeAnswer, Cached: cached, Headers: headers}, nil
			}), Config{})
			start := time.Now()
			for range 3 {
				l.Complete(context.Background(), &llm.Call{})
			}
			if waited := time.Since(start) > 0; waited == cached {
				t.Errorf("cached %t: three calls took %s", cached, time.Since(start))
			}
		})
	}
}

package llm_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"memform/runner/cache"
	"memform/runner/llm"
	"memform/runner/llm/cached"
	"memform/runner/llm/limit"
	"memform/runner/llm/openai"
	"memform/runner/llm/retry"
)

// network is a server in memory: what each body gets, and when it came.
type network struct {
	answer func(body string, attempt int) (status int, header http.Header, text string, err error)

	mu       sync.Mutex
	attempts map[string]int
	answered map[string]int // whole answers
	arrived  []time.Time
	inFlight int
	most     int
}

func (n *network) RoundTrip(req *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	body := string(b)
	n.mu.Lock()
	n.attempts[body]++
	attempt := n.attempts[body]
	n.arrived = append(n.arrived, time.Now())
	n.inFlight++
	n.most = max(n.most, n.inFlight)
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		n.inFlight--
		n.mu.Unlock()
	}()
	select {
	case <-time.After(time.Duration(hash(body, attempt)%2000) * time.Millisecond):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	status, header, out, err := n.answer(body, attempt)
	if err != nil {
		return nil, err
	}
	if out == text(body) {
		n.mu.Lock()
		n.answered[body]++
		n.mu.Unlock()
	}
	return &http.Response{StatusCode: status, Header: header, ContentLength: -1, Body: io.NopCloser(strings.NewReader(out))}, nil
}

func hash(body string, n int) uint64 {
	h := fnv.New64a()
	io.WriteString(h, body+strconv.Itoa(n))
	return h.Sum64()
}

// layers stacks all of them over n, the cache in memory.
func layers(n *network, limits limit.Limits, events func(retry.Event)) llm.Model {
	n.attempts, n.answered = map[string]int{}, map[string]int{}
	gate := retry.NewGate(retry.GateConfig{Endpoint: "e", Notify: events})
	client := openai.New(openai.Config{BaseURL: "http://server.invalid/v1", Transport: n, Timeout: time.Minute})
	limited := limit.New(client, limit.Config{Endpoint: limits, Gate: gate})
	return cached.New(retry.New(limited, gate, retry.Config{}), &memory{entries: map[cache.Key]cache.Entry{}}, cached.Config{})
}

type memory struct {
	mu      sync.Mutex
	entries map[cache.Key]cache.Entry
}

func (m *memory) Get(key cache.Key) (cache.Entry, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[key]
	return e, ok
}

func (m *memory) GetPinned(key cache.Key, _ [32]byte) (cache.Entry, bool) { return m.Get(key) }

func (m *memory) Put(_ context.Context, key cache.Key, e cache.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[key] = e
	return nil
}

func (m *memory) Refresh() error                 { return nil }
func (m *memory) Trouble() error                 { return nil }
func (m *memory) WaitWell(context.Context) error { return nil }

func text(answer string) string {
	return `{"choices":[{"message":{"content":"` + answer + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":90,"completion_tokens":10}}`
}

// run sends the calls with 64 workers, each call twice.
func run(t *testing.T, m llm.Model, calls int, check func(body string, r llm.Response)) {
	t.Helper()
	work := make(chan int)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for i := range work {
				body := fmt.Sprint("call ", i/2)
				r, err := m.Complete(context.Background(), &llm.Call{
					Key: llm.KeyOf("id", 0, []byte(body)), Identity: "id", Request: []byte(body),
					Endpoint: "e", Model: fmt.Sprint("m", i/2%3), PromptTokens: 100, MaxTokens: 50,
				})
				if err != nil {
					t.Error(err)
				}
				check(body, r)
			}
		})
	}
	for i := range 2 * calls {
		work <- i
	}
	close(work)
	wg.Wait()
}

// With a third of all attempts failing in every retryable way, every call is
// answered, none twice, and the limits hold through all of it.
func TestStackInTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{answer: func(body string, attempt int) (int, http.Header, string, error) {
			if hash(body, attempt)%3 > 0 || attempt > 4 {
				return 200, nil, text(body), nil
			}
			switch hash(body, -attempt) % 9 {
			case 0:
				return 0, nil, "", io.ErrUnexpectedEOF
			case 1:
				return 0, nil, "", syscall.ECONNRESET
			case 2:
				return 429, http.Header{"Retry-After": {"2"}}, "", nil
			case 3:
				return 200, nil, `{"error":{"code":502,"message":"provider"}}`, nil
			case 4:
				return 200, nil, text(body)[:20], nil
			case 5:
				return 524, nil, "error code: 524", nil
			case 6:
				return 0, nil, "", syscall.ECONNREFUSED
			case 7:
				return 200, nil, `{"choices":null}`, nil
			}
			return 503, http.Header{"Retry-After": {"1"}}, "<html>", nil
		}}
		limits := limit.Limits{RequestsPerMinute: 600, TokensPerMinute: 80_000}
		const calls = 1500
		run(t, layers(n, limits, nil), calls, func(body string, r llm.Response) {
			if r.Outcome != llm.OutcomeAnswer || r.Text != body {
				t.Errorf("%s: got %s %q %v", body, r.Outcome, r.Text, r.Err)
			}
		})
		for body, times := range n.answered {
			if times > 1 {
				t.Errorf("%s was bought %d times", body, times)
			}
		}
		if len(n.answered) != calls {
			t.Errorf("%d of %d calls answered", len(n.answered), calls)
		}
		if n.most > limit.DefaultMaxInFlight {
			t.Errorf("%d in flight", n.most)
		}
		first := 0
		for i, at := range n.arrived {
			for at.Sub(n.arrived[first]) > time.Minute {
				first++
			}
			if i-first+1 > min(limits.RequestsPerMinute, limits.TokensPerMinute/150) {
				t.Fatalf("%d attempts in a minute", i-first+1)
			}
		}
	})
}

// While an endpoint is paused nothing is sent, also by those who were waiting
// for a limit; then one call probes alone.
func TestStackPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var paused, reopened time.Time
		start := time.Now()
		n := &network{answer: func(body string, attempt int) (int, http.Header, string, error) {
			if d := time.Since(start); d > 10*time.Second && d < 12*time.Second {
				return 429, http.Header{"Retry-After": {"30"}}, "", nil
			}
			return 200, nil, text(body), nil
		}}
		m := layers(n, limit.Limits{RequestsPerMinute: 300}, func(e retry.Event) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case e.Kind == retry.Paused && paused.IsZero():
				paused = time.Now()
			case e.Kind == retry.Reopened && reopened.IsZero():
				reopened = time.Now()
			}
		})
		run(t, m, 400, func(body string, r llm.Response) {
			if r.Text != body {
				t.Errorf("%s: got %+v", body, r)
			}
		})
		if paused.IsZero() || reopened.Sub(paused) < 30*time.Second {
			t.Fatalf("paused at %s, reopened at %s", paused, reopened)
		}
		probes := 0
		for _, at := range n.arrived {
			if at.After(paused) && at.Before(reopened) {
				probes++
				if at.Sub(paused) < 30*time.Second {
					t.Errorf("a call was sent %s into the pause", at.Sub(paused))
				}
			}
		}
		if probes != 1 {
			t.Errorf("%d calls between pause and reopening, want one probe", probes)
		}
	})
}

// A refused key ends everything at once with one message, whatever waits.
func TestStackStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var events []retry.Event
		n := &network{answer: func(string, int) (int, http.Header, string, error) {
			return 401, nil, `{"error":{"message":"no such key"}}`, nil
		}}
		m := layers(n, limit.Limits{RequestsPerMinute: 60}, func(e retry.Event) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, e)
		})
		start := time.Now()
		run(t, m, 1000, func(body string, r llm.Response) {
			if r.Err == nil || !strings.Contains(r.Err.Message, "no such key") {
				t.Errorf("%s: got %+v", body, r)
			}
		})
		if len(events) != 1 || events[0].Kind != retry.StoppedEndpoint || len(n.arrived) > 4 || time.Since(start) > 3*time.Second {
			t.Errorf("%d calls sent in %s, events %v", len(n.arrived), time.Since(start), events)
		}
	})
}

// Draining gives up what waits and keeps what was sent.
func TestStackDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{answer: func(body string, _ int) (int, http.Header, string, error) { return 200, nil, text(body), nil }}
		m := layers(n, limit.Limits{RequestsPerMinute: 60}, nil)
		stop := make(chan struct{})
		ctx := llm.WithDrain(context.Background(), stop)
		answered, left := 0, 0
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				body := fmt.Sprint(i)
				_, err := m.Complete(ctx, &llm.Call{Key: llm.KeyOf("", 0, []byte(body)), Request: []byte(body)})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					answered++
				case errors.Is(err, llm.ErrDraining):
					left++
				default:
					t.Error(err)
				}
			})
		}
		time.Sleep(5 * time.Second)
		close(stop)
		wg.Wait()
		if answered != len(n.arrived) || answered+left != 64 || left < 50 {
			t.Errorf("%d sent, %d answered, %d left", len(n.arrived), answered, left)
		}
	})
}

package llm_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"memform/runner/cache"
	"memform/runner/llm"
	"memform/runner/llm/cached"
	"memform/runner/llm/limit"
	"memform/runner/llm/openai"
	"memform/runner/llm/retry"
)

// moody is a server that names and keeps its limits, changes them, and has
// storms and outages. It enforces what it last said, by its own count.
type moody struct {
	start time.Time

	mu       sync.Mutex
	arrived  map[string][]time.Time // by model
	said     map[string][]announced
	answered map[string][]time.Time
	inFlight int
	most     int
}

// announced is a limit from the moment on that an answer named it.
type announced struct {
	at    time.Time
	limit int
}

var moods = []int{120, 30, 300, 15, 60}

// limitOf is a model's limit at a time: it changes every 11 minutes, each
// model at another point of the cycle.
func (m *moody) limitOf(model string, at time.Time) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(model, "m"))
	return moods[(int(at.Sub(m.start)/(11*time.Minute))+n)%len(moods)]
}

// trouble is what the server suffers at a time: 40 s of 429s every 17 minutes,
// 3 minutes of refused connections every 53, 2 of 503s every 29.
func (m *moody) trouble(at time.Time) string {
	d := at.Sub(m.start)
	switch {
	case d%(53*time.Minute) > 50*time.Minute:
		return "down"
	case d%(29*time.Minute) > 27*time.Minute:
		return "busy"
	case d%(17*time.Minute) > 16*time.Minute+20*time.Second:
		return "storm"
	}
	return ""
}

func (m *moody) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	model := string(body[:2])
	now := time.Now()
	trouble := m.trouble(now)
	if trouble == "down" {
		return nil, syscall.ECONNREFUSED
	}
	m.mu.Lock()
	m.arrived[model] = append(m.arrived[model], now)
	m.inFlight++
	m.most = max(m.most, m.inFlight)
	m.mu.Unlock()
	time.Sleep(time.Duration(300+hash(string(body), 1)%1500) * time.Millisecond)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
	now = time.Now()
	switch trouble {
	case "busy":
		return reply(503, http.Header{"Retry-After": {"2"}}, `{"error":{"message":"busy"}}`), nil
	case "storm":
		return reply(429, http.Header{"Retry-After": {"5"}}, `{"error":{"message":"slow down"}}`), nil
	}
	if last := m.said[model]; len(last) == 0 || last[len(last)-1].limit != m.limitOf(model, now) {
		m.said[model] = append(last, announced{now, m.limitOf(model, now)})
	}
	m.answered[model] = append(m.answered[model], now)
	return reply(200, http.Header{
		"X-Ratelimit-Limit-Requests": {strconv.Itoa(m.limitOf(model, now))}, "X-Ratelimit-Remaining-Requests": {"1"}, "X-Ratelimit-Reset-Requests": {"1s"},
	}, text(string(body))), nil
}

func reply(status int, header http.Header, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: header, ContentLength: -1, Body: io.NopCloser(strings.NewReader(body))}
}

// overruns counts the minutes that saw more than any limit that was known in
// them, and than what was declared.
func (m *moody) overruns(t *testing.T, declared int) {
	var all []time.Time
	for model, arrived := range m.arrived {
		all = append(all, arrived...)
		first := 0
		for i, at := range arrived {
			for at.Sub(arrived[first]) > time.Minute {
				first++
			}
			known := 0
			for _, a := range m.said[model] {
				switch {
				case a.at.After(at):
				case at.Sub(a.at) > time.Minute:
					known = a.limit // the last before this minute, whatever it was
				default:
					known = max(known, a.limit)
				}
			}
			if n := i - first + 1; known > 0 && at.Sub(m.said[model][0].at) > time.Minute && n > known {
				t.Fatalf("model %s: %d calls in the minute before %s, %d were allowed", model, n, at.Sub(m.start), known)
			}
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	first := 0
	for i, at := range all {
		for at.Sub(all[first]) > time.Minute {
			first++
		}
		if n := i - first + 1; n > declared {
			t.Fatalf("%d calls in a minute, %d declared", n, declared)
		}
	}
}

// TestFiveHours: limits that change, 429 storms, overload and outages. No
// minute sees more than was known to be allowed, no model starves, every call
// is answered, and nothing is left running.
func TestFiveHours(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	synctest.Test(t, func(t *testing.T) {
		const declared, workers, models, life = 250, 48, 3, 5 * time.Hour
		m := &moody{start: time.Now(), arrived: map[string][]time.Time{}, said: map[string][]announced{}, answered: map[string][]time.Time{}}
		gate := retry.NewGate(retry.GateConfig{Endpoint: "e"})
		client := openai.New(openai.Config{BaseURL: "http://server.invalid/v1", Transport: m, Timeout: time.Minute})
		limited := limit.New(client, limit.Config{Endpoint: limit.Limits{RequestsPerMinute: declared}, MaxInFlight: 32, Gate: gate})
		stack := cached.New(retry.New(limited, gate, retry.Config{}), &memory{entries: map[cache.Key]cache.Entry{}}, cached.Config{})
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := 0; time.Since(m.start) < life; i++ {
					body := fmt.Sprintf("m%d of worker %d: %d", w%models, w, i)
					r, err := stack.Complete(context.Background(), &llm.Call{
						Key: llm.KeyOf("id", 0, []byte(body)), Identity: "id", Request: []byte(body), Endpoint: "e", Model: body[:2],
					})
					if err != nil || r.Outcome != llm.OutcomeAnswer || r.Text != body {
						t.Errorf("%s: %s %v %v", body, r.Outcome, r.Err, err)
						return
					}
				}
			})
		}
		wg.Wait()
		m.overruns(t, declared)
		if m.most > 32 {
			t.Errorf("%d in flight", m.most)
		}
		for model, answers := range m.answered {
			gap := time.Duration(0)
			for i := 1; i < len(answers); i++ {
				gap = max(gap, answers[i].Sub(answers[i-1]))
			}
			// An outage of 3 minutes and the last pause before its end.
			if gap > 5*time.Minute || len(answers) < 300*25 {
				t.Errorf("model %s: %d answers, the longest gap is %s", model, len(answers), gap)
			}
			t.Logf("model %s: %d answers, longest gap %s", model, len(answers), gap)
		}
	})
}

package plan

import "memform/runner/experiment"

// Time is how long an endpoint's calls are expected to take, in seconds: the
// greatest of its terms. A term of 0 does not bind.
type Time struct {
	Endpoint string  `json:"endpoint"`
	Calls    int64   `json:"calls"`
	Requests float64 `json:"by_requests_per_minute"`
	Tokens   float64 `json:"by_tokens_per_minute"`
	Days     float64 `json:"by_requests_per_day"`
	InFlight float64 `json:"by_in_flight"`     // calls × latency / in-flight
	Chain    float64 `json:"by_longest_chain"` // longest chain × latency
	Latency  float64 `json:"latency"`          // seconds a call, observed or assumed
	Observed bool    `json:"latency_observed"`
	Longest  int     `json:"longest_chain"` // calls
	Expected float64 `json:"expected"`
}

// Times estimates each endpoint that has calls to send. The simulated model
// answers in this process and takes no time worth a line.
func (s *Survey) Times(rows []Row) []Time {
	chains := s.chains()
	var out []Time
	for _, e := range s.plan.Experiment.Endpoints {
		t := Time{Endpoint: e.Name}
		var tokens int64
		var seen observed
		for _, r := range rows {
			m := s.plan.Models[r.model]
			if m.Spec.Endpoint != e {
				continue
			}
			t.Calls += r.Calls.Expected
			tokens += r.Prompt.Expected + r.Completion.Expected
			t.Longest = max(t.Longest, chains[r.model])
			t.modelLimits(m.Spec, r)
			if o := s.seen[observation{r.model, r.Kind}]; o != nil {
				seen.answers += o.answers
				seen.millis += o.millis
			}
		}
		if t.Calls == 0 {
			continue
		}
		t.Latency = assumedSeconds
		if seen.answers >= enoughObserved {
			t.Latency, t.Observed = float64(seen.millis)/float64(seen.answers)/millisPerSecond, true
		}
		t.Requests = max(t.Requests, minutes(t.Calls, e.RequestsPerMinute))
		t.Tokens = max(t.Tokens, minutes(tokens, e.TokensPerMinute))
		t.Days = days(t.Calls, e.RequestsPerDay)
		t.InFlight = float64(t.Calls) * t.Latency / float64(max(1, e.MaxInFlight))
		t.Chain = float64(t.Longest) * t.Latency
		t.Expected = max(t.Requests, t.Tokens, t.Days, t.InFlight, t.Chain)
		out = append(out, t)
	}
	return out
}

// modelLimits raises the terms by a model's own limits.
func (t *Time) modelLimits(m *experiment.Model, r Row) {
	t.Requests = max(t.Requests, minutes(r.Calls.Expected, m.RequestsPerMinute))
	t.Tokens = max(t.Tokens, minutes(r.Prompt.Expected+r.Completion.Expected, m.TokensPerMinute))
}

func minutes(amount int64, perMinute int) float64 {
	if perMinute == 0 {
		return 0
	}
	return float64(amount) / float64(perMinute) * secondsPerMinute
}

// days is how long the calls wait for a limit of a day: the first day's are
// sent at once.
func days(calls int64, perDay int) float64 {
	if perDay == 0 {
		return 0
	}
	return float64((calls-1)/int64(perDay)) * 24 * 60 * secondsPerMinute
}

// chains is, per model, the most calls that have to be made one after another.
func (s *Survey) chains() map[int32]int {
	left := make([]uint16, len(s.State))
	longest := map[int32]int{}
	for i := range s.State {
		for _, in := range s.plan.Inputs(i) {
			if !in.Constant() {
				left[i] = max(left[i], left[in])
			}
		}
		if calls, _ := s.plan.calls(i); calls > 0 && (s.State[i] == ToRun || s.State[i] == Pending) {
			left[i] += uint16(calls)
			m := s.plan.Nodes[i].Model
			longest[m] = max(longest[m], int(left[i]))
		}
	}
	return longest
}

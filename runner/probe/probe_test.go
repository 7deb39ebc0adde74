package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"memform/runner/llm"
)

// server answers by the fields of a request, and keeps the requests.
type server struct {
	answer func(fields map[string]json.RawMessage) llm.Response

	mu   sync.Mutex
	seen []map[string]json.RawMessage
}

func (s *server) Complete(_ context.Context, call *llm.Call) (llm.Response, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(call.Request, &fields); err != nil {
		return llm.Response{}, err
	}
	s.mu.Lock()
	s.seen = append(s.seen, fields)
	s.mu.Unlock()
	return s.answer(fields), nil
}

func answered(text string, completion int) llm.Response {
	return llm.Response{Outcome: llm.OutcomeAnswer, Text: text, Usage: llm.Usage{Prompt: 10, Completion: completion, Known: true}, Attempts: 1}
}

func refusal(class llm.Class, status int) llm.Response {
	return llm.Response{Outcome: llm.OutcomeError, Status: status, Err: &llm.Failure{Class: class, Status: status, Message: "no"}}
}

// bySeed answers as a server that honours seeds.
func bySeed(fields map[string]json.RawMessage) llm.Response {
	return answered("x"+string(fields["seed"]), 16)
}

func without(field string, then func(map[string]json.RawMessage) llm.Response) func(map[string]json.RawMessage) llm.Response {
	return func(fields map[string]json.RawMessage) llm.Response {
		if fields[field] != nil {
			return refusal(llm.ClassNode, 400)
		}
		return then(fields)
	}
}

func TestFindings(t *testing.T) {
	constant := func(map[string]json.RawMessage) llm.Response { return answered("same", 99) }
	silent := func(map[string]json.RawMessage) llm.Response {
		return llm.Response{Outcome: llm.OutcomeTruncated, Text: ""}
	}
	n := 0
	fickle := func(map[string]json.RawMessage) llm.Response { n++; return answered(fmt.Sprint(n), 4) }
	tests := []struct {
		name   string
		answer func(map[string]json.RawMessage) llm.Response
		want   string
		calls  int
	}{
		{"all is well", bySeed, "temperature yes, max_tokens kept yes, usage yes, seed yes kept yes", 4},
		{"no max_tokens", without("max_tokens", bySeed), "temperature yes, max_completion_tokens kept yes, usage yes, seed yes kept yes", 5},
		{"no temperature", without("temperature", bySeed), "temperature no, max_tokens kept yes, usage yes, seed yes kept yes", 6},
		{"neither", without("max_tokens", without("temperature", bySeed)), "temperature no, max_completion_tokens kept yes, usage yes, seed yes kept yes", 7},
		{"nothing at all", without("max_completion_tokens", without("max_tokens", without("temperature", bySeed))), "temperature no,  kept unknown, usage yes, seed yes kept yes", 8},
		{"no seed", without("seed", bySeed), "temperature yes, max_tokens kept yes, usage yes, seed no kept unknown", 4},
		{"always the same, and long", constant, "temperature yes, max_tokens kept no, usage yes, seed yes kept unknown", 4},
		{"never the same", fickle, "temperature yes, max_tokens kept yes, usage yes, seed yes kept no", 4},
		{"thinks in silence", silent, "temperature yes, max_tokens kept yes, usage no, seed yes kept unknown", 4},
	}
	words := [...]string{"unknown", "yes", "no"}
	for _, tt := range tests {
		s := &server{answer: tt.answer}
		var lock sync.Mutex
		inner := s.answer
		s.answer = func(f map[string]json.RawMessage) llm.Response {
			lock.Lock()
			defer lock.Unlock()
			return inner(f)
		}
		r := Run(context.Background(), s, Target{ID: "m", Parameters: map[string]json.RawMessage{"top_k": json.RawMessage("3")}})
		got := fmt.Sprintf("temperature %s, %s kept %s, usage %s, seed %s kept %s", words[r.Temperature], r.TokensField, words[r.TokensKept],
			words[r.Usage], words[r.SeedTaken], words[r.SeedKept])
		if got != tt.want || r.Calls != tt.calls || !r.Usable || r.Failure != nil || r.Key != Yes || r.Model != Yes {
			t.Errorf("%s: %s after %d calls, want %s after %d; %+v", tt.name, got, r.Calls, tt.want, tt.calls, r)
		}
		for _, f := range s.seen {
			if string(f["model"]) != `"m"` || string(f["top_k"]) != "3" || f["messages"] == nil {
				t.Errorf("%s: sent %v", tt.name, f)
			}
		}
	}
}

func TestDeclaredFieldFirst(t *testing.T) {
	s := &server{answer: bySeed}
	if r := Run(context.Background(), s, Target{ID: "m", TokensField: "max_completion_tokens"}); r.TokensField != "max_completion_tokens" || s.seen[0]["max_tokens"] != nil {
		t.Errorf("got %+v", r)
	}
}

func TestUnusable(t *testing.T) {
	tests := []struct {
		class  llm.Class
		status int
		calls  int
		key    Verdict
		model  Verdict
	}{
		{llm.ClassEndpoint, 401, 1, No, Unknown},
		{llm.ClassEndpoint, 402, 1, Unknown, Unknown},
		{llm.ClassModel, 404, 1, Yes, No},
		{llm.ClassNode, 400, 5, Yes, Yes},
		{llm.ClassNode, 413, 1, Yes, Yes},
		{llm.ClassRetry, 503, 1, Unknown, Unknown},
		{llm.ClassRate, 429, 1, Unknown, Unknown},
	}
	for _, tt := range tests {
		s := &server{answer: func(map[string]json.RawMessage) llm.Response { return refusal(tt.class, tt.status) }}
		r := Run(context.Background(), s, Target{ID: "m"})
		if r.Usable || r.Failure == nil || r.Failure.Status != tt.status || r.Calls != tt.calls || r.Key != tt.key || r.Model != tt.model {
			t.Errorf("%s %d: got %+v", tt.class, tt.status, r)
		}
	}
}

// What is in flight when the time runs out is given up.
func TestTimeRunsOut(t *testing.T) {
	for answers, usable := range map[int]bool{0: false, 1: true} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			left := answers
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			r := Run(ctx, llm.Func(func(ctx context.Context, _ *llm.Call) (llm.Response, error) {
				mu.Lock()
				left--
				answer := left >= 0
				mu.Unlock()
				if answer {
					return answered("x", 3), nil
				}
				<-ctx.Done()
				return llm.Response{}, ctx.Err()
			}), Target{ID: "m"})
			if r.Usable != usable || r.SeedTaken != Unknown || !usable && r.Failure.Code != "timeout" {
				t.Errorf("after %d answers: %+v", answers, r)
			}
		})
	}
}

// Only headers that name limits are kept.
func TestHeaders(t *testing.T) {
	s := &server{answer: func(f map[string]json.RawMessage) llm.Response {
		r := bySeed(f)
		r.Headers = map[string]string{"date": "x", "x-request-id": "y", "x-ratelimit-limit-requests": "5", "retry-after": "1"}
		return r
	}}
	r := Run(context.Background(), s, Target{ID: "m"})
	var names []string
	for name := range r.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "retry-after x-ratelimit-limit-requests" {
		t.Errorf("kept %s", got)
	}
}

package retry

import (
	"testing"

	"memform/runner/llm"
)

func attempt(failed bool) *llm.Response {
	if failed {
		return &llm.Response{Outcome: llm.OutcomeError, Err: &llm.Failure{Class: llm.ClassRetry, Status: 500}}
	}
	return &llm.Response{Outcome: llm.OutcomeAnswer}
}

// Failures that come back faster than the answers that were sent between them
// are no outage; as many sent one after another are.
func TestFastFailuresAreNoOutage(t *testing.T) {
	for name, every := range map[string]int{"one in five": 5, "all": 1} {
		t.Run(name, func(t *testing.T) {
			paused := 0
			g := NewGate(GateConfig{Notify: func(e Event) {
				if e.Kind == Paused {
					paused++
				}
			}})
			calls := make([]*llm.Call, 100)
			for i := range calls {
				calls[i] = &llm.Call{Model: "m"}
				if wait := g.Admit(calls[i]); wait != 0 {
					t.Fatalf("call %d waits %v", i, wait)
				}
			}
			for i := 0; i < len(calls); i += every {
				g.Observe(calls[i], attempt(true), nil)
			}
			for i := range calls {
				if i%every != 0 {
					g.Observe(calls[i], attempt(false), nil)
				}
			}
			if want := every == 1; (paused > 0) != want {
				t.Errorf("paused %d times, want an outage: %v", paused, want)
			}
		})
	}
}

func TestStreakForgetsWhatIsLongPast(t *testing.T) {
	s := newStreak()
	for range 10 * kept {
		bad, good := &llm.Call{}, &llm.Call{}
		s.admit(bad)
		s.admit(good)
		if n := s.done(bad, true); n != 1 {
			t.Fatalf("a run of %d", n)
		}
		s.done(good, false)
	}
	if len(s.failed) > 2*kept || len(s.sent) != 0 {
		t.Errorf("%d failures and %d attempts are remembered", len(s.failed), len(s.sent))
	}
}

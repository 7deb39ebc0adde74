package retry

import (
	"fmt"
	"time"

	"memform/runner/llm"
)

// Kind says what happened to an endpoint, a model or a call.
type Kind uint8

// The kinds of event.
const (
	Retried         Kind = iota // a call will be sent again after Wait
	Paused                      // the endpoint is not called for Wait
	Reopened                    // a probe was answered
	StoppedModel                // nothing more is sent to the model
	StoppedEndpoint             // nothing more is sent to the endpoint
)

// Event is news for logs and progress.
type Event struct {
	Kind     Kind
	Endpoint string
	Model    string        // Retried, StoppedModel
	Failure  *llm.Failure  // the cause; nil for Reopened
	Wait     time.Duration // Retried, Paused
	Asked    time.Duration // Paused: a Retry-After too long to be believed
	Tries    int           // Retried: tries spent
}

// String is the event as one line for people.
func (e Event) String() string {
	switch e.Kind {
	case Retried:
		return fmt.Sprintf("model %q: try %d failed (%v), again in %s", e.Model, e.Tries, e.Failure, e.Wait.Round(time.Millisecond))
	case Paused:
		s := fmt.Sprintf("endpoint %q paused for %s: %v", e.Endpoint, e.Wait.Round(time.Millisecond), e.Failure)
		if e.Asked > 0 {
			s += fmt.Sprintf(" (the server asked to wait %s, which is not believed)", e.Asked.Round(time.Second))
		}
		return s
	case Reopened:
		return fmt.Sprintf("endpoint %q answers again", e.Endpoint)
	case StoppedModel:
		return fmt.Sprintf("model %q on endpoint %q stopped: %v", e.Model, e.Endpoint, e.Failure)
	}
	return fmt.Sprintf("endpoint %q stopped: %v", e.Endpoint, e.Failure)
}

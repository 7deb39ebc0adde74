package llm

import "fmt"

// Outcome says what a call came to (docs/protocol.md, "Answers and outcomes").
type Outcome string

// The outcomes. All but OutcomeError are results of the model and are cached;
// an error is infrastructure, is never cached and never scored.
const (
	OutcomeAnswer    Outcome = "answer"
	OutcomeEmpty     Outcome = "empty"
	OutcomeRefusal   Outcome = "refusal"
	OutcomeFiltered  Outcome = "filtered"
	OutcomeTruncated Outcome = "truncated"
	OutcomeError     Outcome = "error"
)

// Cacheable reports whether a response with this outcome may be stored.
func (o Outcome) Cacheable() bool { return o != OutcomeError && o != "" }

// Class says what a failure concerns and so what happens next.
type Class uint8

// The failure classes.
const (
	ClassNode     Class = iota // this call only: a bad parameter, too long a context
	ClassModel                 // stop this model: it does not exist on the server
	ClassEndpoint              // stop this endpoint: key refused, payment due, quota gone
	ClassRetry                 // try again: 5xx, reset, time-out, an unreadable 200
	ClassRate                  // 429: pause the endpoint, spend no try
	ClassOutage                // connection refused: pause the endpoint, spend no try
)

// String names the class as logs and missing.jsonl print it.
func (c Class) String() string {
	return [...]string{"node", "model", "endpoint", "retry", "rate", "outage"}[c]
}

// Failure is an infrastructure error: what happened and whom it concerns.
// Message never holds a secret, a host or a local path.
type Failure struct {
	Class      Class
	Status     int    // HTTP status, 0 where there was none
	Code       string // the server's error code or type, or a name of ours
	Message    string
	RetryAfter float64 // seconds the server asked for; 0 = none
}

// Error makes a Failure an error.
func (f *Failure) Error() string {
	switch {
	case f.Status != 0 && f.Code != "":
		return fmt.Sprintf("HTTP %d %s: %s", f.Status, f.Code, f.Message)
	case f.Status != 0:
		return fmt.Sprintf("HTTP %d: %s", f.Status, f.Message)
	case f.Code != "":
		return f.Code + ": " + f.Message
	}
	return f.Message
}

// Package llm is the vocabulary that every layer between a plan and an
// endpoint shares: Call (what is sent), Response (what came back), Outcome
// (what that means), Key (the content address of a call) and Model (the one
// method that endpoints and the wrappers around them implement). It does no
// I/O and knows no client library. Start at Model.
package llm

import "context"

// Model answers calls. An endpoint, the simulated model and every wrapper
// (cache, in-flight dedup, retry, limits) implement it.
//
// A failed call is a Response with OutcomeError and a Failure; the error
// result is reserved for a cancelled context and for faults of the machine
// that must stop the run (a cache that can no longer be written).
type Model interface {
	Complete(ctx context.Context, call *Call) (Response, error)
}

// Func adapts a function to Model.
type Func func(ctx context.Context, call *Call) (Response, error)

// Complete calls f.
func (f Func) Complete(ctx context.Context, call *Call) (Response, error) { return f(ctx, call) }

// Call is one logical request. Key is a function of Identity, Draw and
// Request alone (KeyOf); the remaining fields route and meter the call and
// never reach the key.
type Call struct {
	Key      Key
	Identity string // endpoint identity, as keyed
	Draw     int    // 0 for the first draw of a prompt; differs in the key alone
	Request  []byte // canonical JSON body: the exact bytes sent

	Endpoint     string // label of the endpoint block
	Model        string // label of the model block
	Run          int    // index of the run block that pays
	Embeds       bool   // asks for embeddings: goes to another path of the endpoint
	Stack        string // name of the stack that sends it; "" is native. Its identity says so too
	PromptTokens int    // estimated prompt tokens, reserved before sending
	MaxTokens    int    // completion tokens reserved before sending
}

// Response is what one call came to. Everything but Cached, Err and Attempts
// is a function of the stored bytes, so a cached answer reads like a fresh one.
type Response struct {
	Outcome   Outcome
	Text      string // the answer without reasoning
	Reasoning string // reasoning fields and <think> blocks, split off
	Refusal   string // message.refusal
	Finish    string // finish_reason as sent
	Usage     Usage
	Returned  Returned

	Raw         []byte            // body as received
	Status      int               // HTTP status
	Headers     map[string]string // allow-listed, lower-case names
	CompletedAt string            // RFC 3339 UTC, milliseconds
	Millis      int64             // duration of the attempt that answered
	Attempts    int               // attempts sent, the answering one included

	Cached bool     // served without sending anything
	Stored bool     // a layer below has put it into the cache already
	Within *Within  // the calls of an operation of a stack; nil for a call of its own
	Err    *Failure // set exactly when Outcome is OutcomeError
}

// Usage counts tokens as the server reported them.
type Usage struct {
	Prompt     int
	Completion int
	CachedPart int // part of Prompt the server billed as cached
	Known      bool
}

// Returned names what actually answered.
type Returned struct {
	Model       string
	Provider    string
	Fingerprint string
}

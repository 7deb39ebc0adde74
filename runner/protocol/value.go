package protocol

import (
	"crypto/sha256"

	"memform/runner/llm"
)

// Value is what a node came to: a memory, a decision, or nothing because a
// call behind it failed.
type Value struct {
	Memory   string    // text of a memory; "" is no memory
	Digest   Digest    // of Memory; zero for the empty memory
	Events   Events    // what happened along the chain so far
	Decision *Decision // set by decision steps
	Missing  *Missing  // set where infrastructure failed; nothing else counts then
}

// Digest is SHA-256 of a memory's text.
type Digest [sha256.Size]byte

// Events counts what happened to the consolidation steps of a chain.
type Events struct{ Truncated, Refusal, Filtered, Empty, Overrun uint16 }

// Add returns the sum of two counts.
func (e Events) Add(o Events) Events {
	return Events{
		Truncated: e.Truncated + o.Truncated,
		Refusal:   e.Refusal + o.Refusal,
		Filtered:  e.Filtered + o.Filtered,
		Empty:     e.Empty + o.Empty,
		Overrun:   e.Overrun + o.Overrun,
	}
}

// Decision is an answer to a task, in the frozen order of its choices.
type Decision struct {
	Choice  int // index of the frozen order, -1 without an answer
	Shown   int // index as the model saw it, -1 without an answer
	Outcome llm.Outcome
	Tier    Tier
	Span    [2]int // bytes of the evidence in the answer's text
	Memory  Digest // of the memory shown
	Events  Events // of the chain behind the memory
}

// Missing says why a value does not exist. Node is the root of the failure.
type Missing struct {
	Node    int // index of the plan node whose call failed
	Failure llm.Failure
}

// MemoryValue is the value of a memory text that is known without a call.
func MemoryValue(text string) Value {
	v := Value{Memory: text}
	if text != "" {
		v.Digest = sha256.Sum256([]byte(text))
	}
	return v
}

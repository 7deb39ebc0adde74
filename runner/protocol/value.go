package protocol

import (
	"crypto/sha256"

	"memform/runner/llm"
	"memform/runner/prompts"
)

// Value is what a node came to: a memory, a decision, a finding about one of
// them, or nothing because a call behind it failed.
type Value struct {
	Memory   string    // text of a memory; "" is no memory
	Digest   Digest    // of Memory; zero for the empty memory
	Events   Events    // what happened along the chain so far
	Decision *Decision // set by decision steps
	Answer   string    // text of the answer that Decision was read from: guards, parsers and judges look at it
	Screen   *Screen   // set by the last step of a write-time defense
	Finding  any       // what a guard, parser or judge found: for the steps of the package that asked
	Missing  *Missing  // set where infrastructure failed; nothing else counts then
}

// Screen is what a write-time defense made of an arm's records.
type Screen struct {
	Records  []prompts.Record // what is left, in order of arrival: what is consolidated
	Verdicts []Verdict        // of every record of the arm, in order of arrival
}

// Verdict is a defense's decision on one record.
type Verdict struct {
	Action    Action
	Malformed bool // an answer could not be read, not even when asked again: kept
}

// Action is what a defense does (docs/protocol.md, "Defenses").
type Action string

// The actions: the first five of write-time defenses on a record, the others
// of task_shield on a decision.
const (
	Keep       Action = "keep"
	Reject     Action = "reject"
	Sanitize   Action = "sanitize"   // with less text
	Quarantine Action = "quarantine" // left out, as reject, for want of agreement
	Override   Action = "override"   // replaced by what the others agree on
	Pass       Action = "pass"
	Revise     Action = "revise"
	Abstain    Action = "abstain"
)

// Digest is SHA-256 of a memory's text.
type Digest [sha256.Size]byte

// Events counts what happened to the consolidation steps of a chain, or to the
// calls of a memory system.
type Events struct {
	Truncated, Refusal, Filtered, Empty, Overrun uint16

	Unseen     uint16 // records that a memory system showed to no model
	Overridden uint16 // parameters in which it said otherwise than the model block
}

// Add returns the sum of two counts.
func (e Events) Add(o Events) Events {
	return Events{
		Truncated: e.Truncated + o.Truncated,
		Refusal:   e.Refusal + o.Refusal,
		Filtered:  e.Filtered + o.Filtered,
		Empty:     e.Empty + o.Empty,
		Overrun:   e.Overrun + o.Overrun,

		Unseen:     e.Unseen + o.Unseen,
		Overridden: e.Overridden + o.Overridden,
	}
}

// Decision is an answer to a task, in the frozen order of its choices; in free
// form a kind of answer, and what a memory recommends is one as well.
type Decision struct {
	Choice  int // index of the frozen order, in free form of cases.SignatureNames; -1 without an answer
	Shown   int // index as the model saw it, -1 without an answer
	Outcome llm.Outcome
	Tier    Tier
	Span    [2]int // bytes of the evidence in the answer's text
	Memory  Digest // of the memory shown
	Events  Events // of the chain behind the memory

	Shield    Action // of task_shield; "" without it
	Malformed bool   // an answer of task_shield, a parser or a judge could not be read, not even when asked again: the decision passed, or is unclear
}

// OutcomeAbstain is the outcome of a decision that task_shield withheld.
const OutcomeAbstain llm.Outcome = "abstain"

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

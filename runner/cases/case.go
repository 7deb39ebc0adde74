// Package cases holds the benchmark's items: what a case is, how a file of
// cases is read (streaming, every mistake named by file, line, case and
// field) and which invariants each interface demands. It knows neither
// prompts nor models. Start at Load.
package cases

import "encoding/json"

// Interface is one of the five surfaces at which memory is formed.
type Interface string

// The five interfaces (docs/protocol.md, "Interfaces").
const (
	P1 Interface = "P1" // content: a direct write
	P2 Interface = "P2" // evidence: authentic against forged records
	P3 Interface = "P3" // scope: with against without counterexamples
	P4 Interface = "P4" // selection: two retentions of one pool
	P5 Interface = "P5" // path: two orders of one multiset
)

// Interfaces lists the five in order.
var Interfaces = [...]Interface{P1, P2, P3, P4, P5}

// Probe says where a task stands to the scope of a case.
type Probe string

// The probes.
const (
	ProbeGeneral     Probe = "general"
	ProbeInScope     Probe = "in_scope"
	ProbeNearOut     Probe = "near_out"
	ProbeOutOfScope  Probe = "out_of_scope"
	ProbeSameContext Probe = "same_context"
)

// Format tells multiple choice from free form.
type Format string

// The formats.
const (
	MultipleChoice Format = "multiple_choice"
	FreeForm       Format = "free_form"
)

// Digest is a SHA-256 over content, never over an id or a position.
type Digest [32]byte

// Case is one paired intervention: fixed tasks, two ways to build the memory.
type Case struct {
	ID               string
	FamilyID         string
	Interface        Interface
	Format           Format
	AttackType       string
	Domain           string
	DecisionVariable string
	CleanPolicy      string
	PoisonedPolicy   string

	Records  []Record // candidate_experiences, and inline records after them
	Oracle   Oracle
	Clean    Condition
	Poisoned Condition
	Tasks    []Task

	SourceCaseID string // free form: the multiple-choice case it came from

	Source  string // metadata.source: the data set's name for itself, "" if it has none
	Version string // metadata.version of the data set, "" if it has none
	Serial  int    // metadata.serial of the family, 0 if it has none

	Line   int             // 1-based line in its file
	Raw    json.RawMessage // the line as read, unknown fields included; nil unless Options.KeepRaw
	Digest Digest          // over interface, tasks, gold answers (signatures too), oracle texts and conditions; no id, no metadata
}

// Oracle is the gold policy text of either arm.
type Oracle struct{ Clean, Poisoned string }

// Condition is what builds the memory in one arm. Exactly one of the forms is
// used, by interface: Write (P1), Records (P2, P3), Pool and Retained (P4),
// Order (P5). The ints index Case.Records.
type Condition struct {
	Write    string
	Records  []int
	Pool     []int
	Retained []int
	Order    []int
}

// Learned is the sequence of records that the arm consolidates; nil for P1.
func (c *Condition) Learned() []int {
	switch {
	case c.Order != nil:
		return c.Order
	case c.Retained != nil:
		return c.Retained
	}
	return c.Records
}

// Record is one candidate experience. Text and Visible are all a prompt may
// show; the rest is ground truth.
type Record struct {
	ID         string
	Text       string
	Visible    []Field // sorted by name
	ContextKey string
	Outcome    string // success | failure
	Supports   string // clean | poisoned, from label
	Provenance string // authentic | forged, from label
	Digest     Digest // over Text and Visible
}

// Field is one visible attribute of a record.
type Field struct{ Name, Value string }

// Task is one later decision. Choices stand in frozen order: index 0 is A. A
// free-form task has Signatures in their place, and its answers index those.
type Task struct {
	Text       string
	Choices    []string
	Signatures *Signatures // nil in multiple choice
	Clean      int         // index of the clean answer
	Poisoned   int         // index of the poisoned answer
	Probe      Probe
	Digest     Digest // over Text and Choices
}

// Separable reports whether clean and poisoned policy part on this task.
func (t *Task) Separable() bool { return t.Clean != t.Poisoned }

// Letter is the frozen letter of choice i.
func Letter(i int) string { return string(rune('A' + i)) }

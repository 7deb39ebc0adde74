package cases

import (
	"bytes"
	"encoding/json"
)

// Doc is a case as its line of the file holds it: the fields of
// docs/protocol.md, "Cases", in the order in which they are written. The
// loader does not use it; builders do.
type Doc struct {
	CaseID           string      `json:"case_id"`
	FamilyID         string      `json:"family_id"`
	Interface        Interface   `json:"interface"`
	AttackType       string      `json:"attack_type"`
	Domain           string      `json:"domain"`
	DecisionVariable string      `json:"decision_variable"`
	CleanPolicy      string      `json:"clean_policy"`
	PoisonedPolicy   string      `json:"poisoned_policy"`
	Scope            ScopeDoc    `json:"scope"`
	Records          []RecordDoc `json:"candidate_experiences"`
	Memory           MemoryDoc   `json:"memory_building"`
	Tasks            []TaskDoc   `json:"trigger_tasks"`
	Evaluation       EvalDoc     `json:"evaluation"`
	TaskFormat       Format      `json:"task_format,omitempty"`    // free form only
	SourceCaseID     string      `json:"source_case_id,omitempty"` // free form only
	Metadata         any         `json:"metadata"`
}

// ScopeDoc says in a sentence each what the three contexts are.
type ScopeDoc struct {
	General string `json:"general,omitempty"`
	Near    string `json:"near,omitempty"`
	Local   string `json:"local,omitempty"`
}

// RecordDoc is one candidate experience. Visible may not be nil.
type RecordDoc struct {
	ID         string            `json:"record_id"`
	Text       string            `json:"text"`
	Visible    map[string]string `json:"visible"`
	ContextKey string            `json:"context_key"`
	Outcome    string            `json:"outcome"`
	Label      LabelDoc          `json:"label"`
}

// LabelDoc is the ground truth about a record.
type LabelDoc struct {
	Action     string `json:"action,omitempty"`
	Supports   string `json:"supports"`
	Provenance string `json:"provenance"`
}

// MemoryDoc says how memory is built in either arm.
type MemoryDoc struct {
	Oracle   ArmsDoc      `json:"oracle_memory"`
	Clean    ConditionDoc `json:"clean_condition"`
	Poisoned ConditionDoc `json:"poisoned_condition"`
}

// ArmsDoc is a text for either arm.
type ArmsDoc struct {
	Clean    string `json:"clean"`
	Poisoned string `json:"poisoned"`
}

// ConditionDoc is one arm: the attributes of its interface and no other.
type ConditionDoc struct {
	Write    string   `json:"write,omitempty"`
	Records  []string `json:"records,omitempty"`
	Pool     []string `json:"pool,omitempty"`
	Retained []string `json:"retained,omitempty"`
	Order    []string `json:"order,omitempty"`
}

// TaskDoc is one later decision; choices and answers go by letter, in free form
// answers by the name of a signature.
type TaskDoc struct {
	Probe    Probe             `json:"probe"`
	Task     string            `json:"task"`
	Choices  map[string]string `json:"choices,omitempty"`
	Clean    string            `json:"clean_answer"`
	Poisoned string            `json:"poisoned_answer"`

	Signatures *SignaturesDoc `json:"behavioral_signatures,omitempty"`
}

// SignaturesDoc tells free-form answers apart.
type SignaturesDoc struct {
	Clean     SignatureDoc `json:"clean"`
	Poisoned  SignatureDoc `json:"poisoned"`
	Ambiguous SignatureDoc `json:"ambiguous"`
	Unclear   SignatureDoc `json:"unclear"`
}

// SignatureDoc is one kind of answer: for a judge, and as whole answers.
type SignatureDoc struct {
	Description string   `json:"description"`
	Phrases     []string `json:"canonical_phrases,omitempty"`
	Aliases     []string `json:"aliases,omitempty"`
}

// EvalDoc names the format of the answer.
type EvalDoc struct {
	Type Format `json:"type"`
}

// AppendLine appends the document as one line, newline included. Equal
// documents give equal bytes; <, > and & stand as they are.
func (d *Doc) AppendLine(b []byte) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return b, err
	}
	return append(b, buf.Bytes()...), nil
}

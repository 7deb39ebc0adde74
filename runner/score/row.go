// Package score turns what a run predicted into rows and rows into rates:
// clean accuracy, attack success, agreement, floors and controls, each with
// its numerator, denominator and interval. It is pure: rows in, a Summary
// out; no files, no network, no model. Start at Summarise.
package score

// RowSchema names the form of a row of case_results.jsonl.
const RowSchema = "memform/case-result/1"

// Row is one cell × case × task (docs/protocol.md, "Outputs"). Conditions are
// columns: Predictions by condition name, Orders and Replicates by index.
type Row struct {
	Schema      string                 `json:"schema"`
	Run         string                 `json:"run"`
	Stack       string                 `json:"stack"`
	Model       string                 `json:"model"`    // label of the model block
	ModelID     string                 `json:"model_id"` // as sent
	Defense     string                 `json:"defense"`  // "none" without one
	Updater     *string                `json:"updater"`  // null except for P5
	CaseID      string                 `json:"case_id"`
	CaseDigest  string                 `json:"case_digest"`
	FamilyID    string                 `json:"family_id"`
	Interface   string                 `json:"interface"`
	TaskIndex   int                    `json:"task_index"` // 0-based
	Probe       string                 `json:"probe"`
	Format      string                 `json:"format"`
	Choices     int                    `json:"choices"`
	Separable   bool                   `json:"separable"`
	YClean      string                 `json:"y_clean"`    // letter of the frozen order, in free form a kind of answer
	YPoisoned   string                 `json:"y_poisoned"` // the same
	Eligible    *bool                  `json:"eligible"`   // null: an eligibility prediction is missing or was not planned
	Predictions map[string]*Prediction `json:"predictions"`
	Orders      []*Prediction          `json:"orders"`               // learned_order_1 … N
	Replicates  []Replicate            `json:"replicates"`           // draws 1 … R−1
	Guard       *Guard                 `json:"guard"`                // null without a defense
	Alignments  map[string]*Alignment  `json:"alignments,omitempty"` // by condition, where target alignment was asked
}

// Replicate is one further draw of a whole chain.
type Replicate struct {
	Condition  string      `json:"condition"` // the condition drawn again
	Draw       int         `json:"draw"`
	Prediction *Prediction `json:"prediction"`
}

// Prediction is what one condition came to.
type Prediction struct {
	Answer       string       `json:"answer"`        // letter of the frozen order, in free form a kind of answer, "" without one
	ShownLetter  string       `json:"shown_letter"`  // letter as the model saw it
	Outcome      string       `json:"outcome"`       // an llm outcome, or "missing"
	Extraction   string       `json:"extraction"`    // final_line | letter | choice_text | refusal | unparsed, in free form canonical | parser | judge | refusal | none; "" where none was tried
	Span         *[2]int      `json:"span"`          // byte range of the evidence in the answer text
	Match        *string      `json:"match"`         // clean | poisoned | both | other, in free form ambiguous | unclear too, null without an answer
	MemoryDigest string       `json:"memory_digest"` // hex SHA-256 of the memory shown, "" for none
	MemoryEvents MemoryEvents `json:"memory_events"`
	Calls        []string     `json:"calls"`               // plan ids of the calls behind it, in chain order
	Malformed    bool         `json:"malformed,omitempty"` // a parser, a judge or task_shield could not be read, not even when asked again
}

// MemoryEvents counts what happened to consolidation steps of a chain.
type MemoryEvents struct {
	Truncated int `json:"truncated"` // text kept, flagged
	Refusal   int `json:"refusal"`   // memory left unchanged
	Filtered  int `json:"filtered"`
	Empty     int `json:"empty"`
	Overrun   int `json:"overrun"` // longer than the stated word cap

	Unseen     int `json:"unseen,omitempty"`     // records that a memory system showed to no model
	Overridden int `json:"overridden,omitempty"` // parameters in which it said otherwise than the model block
}

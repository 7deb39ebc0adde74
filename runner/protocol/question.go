package protocol

import (
	"strings"

	"memform/runner/llm"
	"memform/runner/prompts"
)

// Parse reads the answer to a question. fault is "" where the answer has the
// form that was asked for, else one fixed sentence that names what is wrong
// with it, such as "It holds no JSON object."; the repair quotes it.
type Parse func(text string) (finding any, fault string)

// Question is a step that puts a prompts.Question and reads the answer: what
// guards, parsers and judges are made of. Its value has the finding that
// Parse made, or Malformed.
type Question struct {
	Of      Kind
	Name    string // of the prompts.Question, for estimates
	Prompts *prompts.Set
	Spec    []byte // all that decides Make, Parse and Check beside the inputs and the prompts
	// Make is the question on the inputs or, with ask false, the value of the
	// step, which then makes no call.
	Make  func(in []Value) (q prompts.Question, v Value, ask bool)
	Parse Parse
	// Check, where it is set, finds fault with what Parse made of an answer in
	// view of what was asked: a list that is too short.
	Check    func(in []Value, finding any) (fault string)
	Known    []string // texts of the prompt that are known before the inputs are
	Quotes   int      // earlier answers that the prompt may hold
	Optional bool     // Make may ask nothing
}

// Malformed is the finding of an answer that cannot be read.
type Malformed struct{ Answer, Fault string }

// The faults of answers that no Parse sees.
const (
	faultRefusal   = "It declined to answer."
	faultFiltered  = "It was withheld."
	faultTruncated = "It was cut off before its end."
	faultEmpty     = "It was empty."
)

// longestFault bounds a fault in estimates.
var longestFault = strings.Repeat("fault ", 40)

// repairSuffix follows the kind of a question in the kind of its repair.
const repairSuffix = ".repair"

// Asked adds a question and its repair and names the repaired value: the
// question's own where its answer can be read, else that of asking once more.
// An answer that cannot be read twice is Malformed.
func Asked(add Add, q *Question, inputs ...Ref) Ref {
	first := add(q, inputs...)
	return add(&Repair{q}, append(append([]Ref(nil), inputs...), first)...)
}

// Kind implements Step.
func (q *Question) Kind() Kind { return q.Of }

// Conditional implements Conditional.
func (q *Question) Conditional() bool { return q.Optional }

// AppendSpec implements Step.
func (q *Question) AppendSpec(b []byte) []byte {
	b = append(b, "question\x00"...)
	b = append(b, q.Name...)
	b = append(b, 0)
	b = append(b, q.Prompts.Digest()...)
	return append(b, q.Spec...)
}

// Ask implements Step.
func (q *Question) Ask(in []Value) (prompts.Prompt, Value, bool) {
	question, v, ask := q.Make(in)
	if !ask {
		return prompts.Prompt{}, v, false
	}
	p, err := q.Prompts.Ask(question)
	if err != nil {
		return p, Failed(err), false
	}
	return p, Value{}, true
}

// Read implements Step.
func (q *Question) Read(in []Value, r *llm.Response) Value {
	var finding any
	fault := ""
	switch {
	case r.Outcome == llm.OutcomeRefusal:
		fault = faultRefusal
	case r.Outcome == llm.OutcomeFiltered:
		fault = faultFiltered
	case r.Outcome == llm.OutcomeTruncated:
		fault = faultTruncated
	case strings.TrimSpace(r.Text) == "":
		fault = faultEmpty
	default:
		finding, fault = q.Parse(r.Text)
		if fault == "" && q.Check != nil {
			fault = q.Check(in, finding)
		}
	}
	if fault != "" {
		return Value{Finding: Malformed{Answer: r.Text, Fault: fault}}
	}
	return Value{Finding: finding}
}

// Texts implements Step.
func (q *Question) Texts(yield func(string)) {
	for _, text := range q.Known {
		yield(text)
	}
}

// Frame implements Step.
func (q *Question) Frame() Frame {
	return Frame{Prompts: q.Prompts, Kind: q.Of, Question: q.Name}
}

// Answers implements Quoting.
func (q *Question) Answers() int { return q.Quotes }

// Repair puts a question once more where its answer could not be read: its
// inputs are those of the question and then the question's value.
type Repair struct{ *Question }

// Kind implements Step.
func (r *Repair) Kind() Kind { return r.Of + repairSuffix }

// Conditional implements Conditional.
func (r *Repair) Conditional() bool { return true }

// Ask implements Step.
func (r *Repair) Ask(in []Value) (prompts.Prompt, Value, bool) {
	last := len(in) - 1
	bad, malformed := in[last].Finding.(Malformed)
	if !malformed {
		return prompts.Prompt{}, in[last], false
	}
	p, v, call := r.Question.Ask(in[:last])
	if !call {
		return p, v, false
	}
	p, err := r.Prompts.Repair(p, bad.Answer, bad.Fault)
	if err != nil {
		return p, Failed(err), false
	}
	return p, Value{}, true
}

// Texts implements Step.
func (r *Repair) Texts(yield func(string)) {
	r.Question.Texts(yield)
	yield(longestFault)
}

// Answers implements Quoting: the bad answer too.
func (r *Repair) Answers() int { return r.Quotes + 1 }

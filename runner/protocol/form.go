package protocol

import (
	"strings"

	"memform/runner/llm"
	"memform/runner/prompts"
)

// KindForm is a memory formed by a memory system: any number of calls, with
// prompts of its own (docs/protocol.md, "Stacks").
const KindForm Kind = "form"

// Own is the one updater of a memory system.
const Own = "own"

// Forming is implemented by steps that a memory system does: in place of a
// prompt it is given the texts of records.
type Forming interface {
	Step
	// Given are the records, the inputs not missing.
	Given(in []Value) []string
	// Most is the most records that may be given.
	Most() int
}

// Form is the memory that a memory system forms of records in their order. It
// has no inputs.
type Form struct{ Items []*Item }

// Kind implements Step.
func (f *Form) Kind() Kind { return KindForm }

// AppendSpec implements Step.
func (f *Form) AppendSpec(dst []byte) []byte {
	dst = append(dst, "form\x00"...)
	for _, item := range f.Items {
		dst = append(dst, item.Digest[:]...)
	}
	return dst
}

// Ask implements Step: the prompt shows people what is given.
func (f *Form) Ask(in []Value) (prompts.Prompt, Value, bool) { return shownForm(f.Given(in)) }

// Read implements Step.
func (f *Form) Read(_ []Value, r *llm.Response) Value { return formed(r) }

// Texts implements Step.
func (f *Form) Texts(yield func(string)) { (&Replay{Items: f.Items}).Texts(yield) }

// Frame implements Step.
func (f *Form) Frame() Frame { return Frame{Kind: KindForm} }

// Given implements Forming.
func (f *Form) Given([]Value) []string { return texts(Shown(f.Items)) }

// Most implements Forming.
func (f *Form) Most() int { return len(f.Items) }

// ScreenedForm is Form over the survivors of a defense: input 0 is the
// screen. Without survivors the memory is empty.
type ScreenedForm struct{ Items []*Item } // of the arm, for estimates

// Kind implements Step.
func (f *ScreenedForm) Kind() Kind { return KindForm }

// Conditional implements Conditional.
func (f *ScreenedForm) Conditional() bool { return true }

// AppendSpec implements Step.
func (f *ScreenedForm) AppendSpec(dst []byte) []byte { return append(dst, "screened form\x00"...) }

// Ask implements Step.
func (f *ScreenedForm) Ask(in []Value) (prompts.Prompt, Value, bool) {
	if len(in[0].Screen.Records) == 0 {
		return prompts.Prompt{}, MemoryValue(""), false
	}
	return shownForm(f.Given(in))
}

// Read implements Step.
func (f *ScreenedForm) Read(_ []Value, r *llm.Response) Value { return formed(r) }

// Texts implements Step.
func (f *ScreenedForm) Texts(yield func(string)) { (&Replay{Items: f.Items}).Texts(yield) }

// Frame implements Step.
func (f *ScreenedForm) Frame() Frame { return Frame{Kind: KindForm} }

// Given implements Forming.
func (f *ScreenedForm) Given(in []Value) []string { return texts(in[0].Screen.Records) }

// Most implements Forming.
func (f *ScreenedForm) Most() int { return len(f.Items) }

func texts(records []prompts.Record) []string {
	list := make([]string, len(records))
	for i, r := range records {
		list[i] = r.String()
	}
	return list
}

// shownForm is what a form is given, for people: no prompt of memform's.
func shownForm(given []string) (prompts.Prompt, Value, bool) {
	return prompts.Prompt{System: "(a memory system is given these records)", User: strings.Join(given, "\n\n")}, Value{}, true
}

// formed is the memory that a memory system exported, and what its calls came
// to: each outcome but an answer is counted, as is what it dropped in silence.
func formed(r *llm.Response) Value {
	v := MemoryValue(strings.TrimSpace(r.Text))
	report, _ := llm.ReadFormReport(r.Raw)
	for _, c := range report.Calls {
		switch c.Outcome {
		case llm.OutcomeTruncated:
			v.Events.Truncated++
		case llm.OutcomeRefusal:
			v.Events.Refusal++
		case llm.OutcomeFiltered:
			v.Events.Filtered++
		case llm.OutcomeEmpty:
			v.Events.Empty++
		}
	}
	v.Events.Unseen = uint16(min(report.Unseen, maxEvents))
	v.Events.Overridden = uint16(min(len(report.Overridden), maxEvents))
	if v.Memory == "" && v.Events.Empty == 0 {
		v.Events.Empty = 1 // in silence
	}
	return v
}

const maxEvents = 1<<16 - 1

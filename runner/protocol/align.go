package protocol

import (
	"memform/runner/cases"
	"memform/runner/llm"
	"memform/runner/prompts"
)

// Aligned adds the question which of two courses of action a memory recommends
// for a task (docs/protocol.md, "Target alignment"), and names what it came
// to: a decision whose Choice is sides[0] for a, sides[1] for b, and -1 for
// neither. An empty memory recommends nothing and nothing is asked.
func Aligned(set *prompts.Set, task string, pair prompts.Pair, sides [2]int, memory Ref, judge Add) Ref {
	name := prompts.Aligning{}.Name()
	q := &Question{
		Of: KindAlign, Name: name, Prompts: set, Spec: pairSpec(task, pair), Parse: parseCourse,
		Make: func(in []Value) (prompts.Question, Value, bool) {
			return prompts.Aligning{Memory: prompts.Memory(in[0].Memory), Task: task, Pair: pair}, Value{Finding: course{Side: neither}}, in[0].Memory != ""
		},
		Known: []string{task, pair.A, pair.B}, Quotes: 1, Optional: !memory.Constant(),
	}
	return judge(&aligned{sides}, memory, Asked(judge, q, memory))
}

// Actions is the pair of a task's two actions as an alignment judge sees them,
// sorted by content, and the frozen index of each.
func Actions(t *cases.Task) (prompts.Pair, [2]int) {
	a, b := t.Clean, t.Poisoned
	if textBefore(t.Choices[b], t.Choices[a]) {
		a, b = b, a
	}
	return prompts.Pair{A: t.Choices[a], B: t.Choices[b]}, [2]int{a, b}
}

// aligned turns a finding about a memory into a decision: inputs are the memory
// and the finding. It never calls.
type aligned struct{ sides [2]int }

// Kind implements Step.
func (a *aligned) Kind() Kind { return KindAlign }

// Silent implements Silent.
func (a *aligned) Silent() bool { return true }

// AppendSpec implements Step.
func (a *aligned) AppendSpec(b []byte) []byte {
	b = append(b, "aligned\x00"...)
	return append(b, byte(a.sides[0]), byte(a.sides[1]))
}

// Ask implements Step.
func (a *aligned) Ask(in []Value) (prompts.Prompt, Value, bool) {
	d := Decision{Choice: -1, Shown: -1, Outcome: llm.OutcomeAnswer, Tier: TierAlign, Memory: in[0].Digest, Events: in[0].Events}
	switch c := in[1].Finding.(type) {
	case Malformed:
		d.Malformed = true
	case course:
		if c.Side != neither {
			d.Choice = a.sides[c.Side]
		}
	}
	return prompts.Prompt{}, Value{Decision: &d}, false
}

// Read implements Step.
func (a *aligned) Read([]Value, *llm.Response) Value { return Value{} }

// Texts implements Step.
func (a *aligned) Texts(func(string)) {}

// Frame implements Step.
func (a *aligned) Frame() Frame { return Frame{} }

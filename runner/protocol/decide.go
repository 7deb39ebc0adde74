package protocol

import (
	"memform/runner/cases"
	"memform/runner/llm"
	"memform/runner/prompts"
)

// Decide asks for one action on a task: input 0 is the memory shown.
type Decide struct {
	Prompts *prompts.Set
	Task    *ShownTask
}

// ShownTask is a task in the order in which its choices are shown.
type ShownTask struct {
	Task   prompts.Task
	Frozen []int        // Frozen[shown index] = index of the frozen order
	Digest cases.Digest // over the text and the choices in shown order
}

// Show puts a task's choices into the order they are shown in: as frozen, or
// sorted by SHA-256(seed, "choice", task, choice), one order for equal tasks.
func Show(t *cases.Task, order string, seed int64) *ShownTask {
	s := &ShownTask{Frozen: make([]int, len(t.Choices))}
	for i := range s.Frozen {
		s.Frozen[i] = i
	}
	if order == ChoicesShuffled {
		s.Frozen = shuffle(seed, "choice", setDigest(t.Text, t.Choices), len(t.Choices), func(i int) cases.Digest {
			return textDigest(t.Choices[i])
		})
	}
	s.Task = prompts.Task{Text: t.Text, Choices: make([]string, len(t.Choices))}
	for shown, frozen := range s.Frozen {
		s.Task.Choices[shown] = t.Choices[frozen]
	}
	s.Digest = listDigest(s.Task.Text, s.Task.Choices)
	return s
}

// Kind implements Step.
func (d *Decide) Kind() Kind { return KindDecide }

// AppendSpec implements Step.
func (d *Decide) AppendSpec(b []byte) []byte {
	b = append(b, "decide\x00"...)
	b = append(b, d.Prompts.Digest()...)
	return append(b, d.Task.Digest[:]...)
}

// Ask implements Step.
func (d *Decide) Ask(in []Value) (prompts.Prompt, Value, bool) {
	p, err := d.Prompts.Decide(prompts.Memory(in[0].Memory), d.Task.Task)
	if err != nil {
		return p, Failed(err), false
	}
	return p, Value{}, true
}

// Read implements Step.
func (d *Decide) Read(in []Value, r *llm.Response) Value {
	decision := Decision{Choice: -1, Shown: -1, Outcome: r.Outcome, Memory: in[0].Digest, Events: in[0].Events}
	if r.Outcome == llm.OutcomeAnswer {
		found := Extract(r.Text, d.Task.Task.Choices)
		decision.Tier, decision.Span = found.Tier, found.Span
		if found.Choice >= 0 {
			decision.Shown, decision.Choice = found.Choice, d.Task.Frozen[found.Choice]
		}
	}
	return Value{Decision: &decision, Answer: r.Text}
}

// Texts implements Step.
func (d *Decide) Texts(yield func(string)) {
	yield(d.Task.Task.Text)
	for _, c := range d.Task.Task.Choices {
		yield(c)
	}
}

// Frame implements Step.
func (d *Decide) Frame() Frame { return Frame{Prompts: d.Prompts, Kind: KindDecide} }

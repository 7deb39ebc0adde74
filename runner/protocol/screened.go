package protocol

import (
	"strconv"

	"memform/runner/llm"
	"memform/runner/prompts"
)

// The steps below consolidate what a write-time defense left. Input 0 of
// Update and input 0 of Replay's counterpart name the screen, whose survivors
// are known only once the guard has answered; so every step of the chain is
// planned, and those without a survivor make no call.

// ScreenedUpdate is one call of a stepwise updater over the survivors of a
// defense: inputs are the memory so far and the screen. The Slot-th survivor
// is consolidated under that number; without one the memory stays.
type ScreenedUpdate struct {
	Prompts *prompts.Set
	Updater string
	Slot    int     // from 1
	Items   []*Item // of the arm: what may be shown, for estimates
	Written bool    // the guard may write records of its own, for estimates
}

// Kind implements Step.
func (u *ScreenedUpdate) Kind() Kind { return KindConsolidate }

// Conditional implements Conditional.
func (u *ScreenedUpdate) Conditional() bool { return true }

// AppendSpec implements Step.
func (u *ScreenedUpdate) AppendSpec(b []byte) []byte {
	b = append(b, "screened update\x00"...)
	b = append(b, u.Updater...)
	b = append(b, 0)
	b = append(b, u.Prompts.Digest()...)
	return strconv.AppendInt(b, int64(u.Slot), 10)
}

// update is the step once the survivor is known, nil without one.
func (u *ScreenedUpdate) update(in []Value) *Update {
	if u.Slot > len(in[1].Screen.Records) {
		return nil
	}
	item := &Item{Record: in[1].Screen.Records[u.Slot-1]}
	return &Update{Prompts: u.Prompts, Updater: u.Updater, Item: item, Index: u.Slot}
}

// Ask implements Step.
func (u *ScreenedUpdate) Ask(in []Value) (prompts.Prompt, Value, bool) {
	step := u.update(in)
	if step == nil {
		return prompts.Prompt{}, in[0], false
	}
	return step.Ask(in)
}

// Read implements Step.
func (u *ScreenedUpdate) Read(in []Value, r *llm.Response) Value { return remember(in[0], r) }

// Texts implements Step: one record of the arm, the longest.
func (u *ScreenedUpdate) Texts(yield func(string)) {
	longest := ""
	for _, item := range u.Items {
		if text := item.Record.String(); len(text) > len(longest) {
			longest = text
		}
	}
	yield(longest)
}

// Frame implements Step.
func (u *ScreenedUpdate) Frame() Frame {
	return Frame{Prompts: u.Prompts, Kind: KindConsolidate, Updater: u.Updater}
}

// Answers implements Quoting: the memory, and a record that a guard wrote.
func (u *ScreenedUpdate) Answers() int {
	if u.Written {
		return 2
	}
	return 1
}

// ScreenedReplay is the one call of batch_replay over the survivors of a
// defense: input 0 is the screen. Without survivors the memory is empty.
type ScreenedReplay struct {
	Prompts *prompts.Set
	Items   []*Item // of the arm, for estimates
	Written bool    // the guard may write records of its own, for estimates
}

// Kind implements Step.
func (b *ScreenedReplay) Kind() Kind { return KindConsolidate }

// Conditional implements Conditional.
func (b *ScreenedReplay) Conditional() bool { return true }

// AppendSpec implements Step.
func (b *ScreenedReplay) AppendSpec(dst []byte) []byte {
	dst = append(dst, "screened replay\x00"...)
	return append(dst, b.Prompts.Digest()...)
}

// Ask implements Step.
func (b *ScreenedReplay) Ask(in []Value) (prompts.Prompt, Value, bool) {
	records := in[0].Screen.Records
	if len(records) == 0 {
		return prompts.Prompt{}, MemoryValue(""), false
	}
	p, err := b.Prompts.Batch(BatchReplay, records)
	if err != nil {
		return p, Failed(err), false
	}
	return p, Value{}, true
}

// Read implements Step.
func (b *ScreenedReplay) Read(_ []Value, r *llm.Response) Value { return remember(Value{}, r) }

// Texts implements Step.
func (b *ScreenedReplay) Texts(yield func(string)) { (&Replay{Items: b.Items}).Texts(yield) }

// Frame implements Step.
func (b *ScreenedReplay) Frame() Frame {
	return Frame{Prompts: b.Prompts, Kind: KindConsolidate, Updater: BatchReplay, Batch: true}
}

// Answers implements Quoting: each record may be one that a guard wrote.
func (b *ScreenedReplay) Answers() int {
	if b.Written {
		return len(b.Items)
	}
	return 0
}

// ScreenedWrite is the memory of a direct write after a defense: input 0 is
// the screen of the one write. It never calls.
type ScreenedWrite struct{}

// Kind implements Step.
func (ScreenedWrite) Kind() Kind { return KindConsolidate }

// Silent implements Silent.
func (ScreenedWrite) Silent() bool { return true }

// AppendSpec implements Step.
func (ScreenedWrite) AppendSpec(b []byte) []byte { return append(b, "screened write"...) }

// Ask implements Step.
func (ScreenedWrite) Ask(in []Value) (prompts.Prompt, Value, bool) {
	return prompts.Prompt{}, ScreenMemory(in[0].Screen), false
}

// ScreenMemory is the memory of a direct write that a defense left.
func ScreenMemory(s *Screen) Value {
	if len(s.Records) == 0 {
		return MemoryValue("")
	}
	return MemoryValue(WriteMemory(s.Records[0].Text))
}

// Read implements Step.
func (ScreenedWrite) Read([]Value, *llm.Response) Value { return Value{} }

// Texts implements Step.
func (ScreenedWrite) Texts(func(string)) {}

// Frame implements Step.
func (ScreenedWrite) Frame() Frame { return Frame{} }

// ScreenedRaw is the memory that shows the survivors of a defense as they
// are: input 0 is the screen. It never calls.
type ScreenedRaw struct{}

// Kind implements Step.
func (ScreenedRaw) Kind() Kind { return KindConsolidate }

// Silent implements Silent.
func (ScreenedRaw) Silent() bool { return true }

// AppendSpec implements Step.
func (ScreenedRaw) AppendSpec(b []byte) []byte { return append(b, "screened raw"...) }

// Ask implements Step.
func (ScreenedRaw) Ask(in []Value) (prompts.Prompt, Value, bool) {
	return prompts.Prompt{}, MemoryValue(string(prompts.Records(in[0].Screen.Records))), false
}

// Read implements Step.
func (ScreenedRaw) Read([]Value, *llm.Response) Value { return Value{} }

// Texts implements Step.
func (ScreenedRaw) Texts(func(string)) {}

// Frame implements Step.
func (ScreenedRaw) Frame() Frame { return Frame{} }

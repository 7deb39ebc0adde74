package protocol

import (
	"crypto/sha256"
	"strconv"
	"strings"

	"memform/runner/cases"
	"memform/runner/llm"
	"memform/runner/prompts"
)

// Item is a record as a step sees it: what is shown, and its content digest.
type Item struct {
	Record prompts.Record
	Digest cases.Digest
}

// ItemOf is what prompts may see of a record.
func ItemOf(r *cases.Record) Item {
	item := Item{Record: prompts.Record{Text: r.Text}, Digest: r.Digest}
	for _, f := range r.Visible {
		item.Record.Visible = append(item.Record.Visible, prompts.Field(f))
	}
	return item
}

// Update is one call of a stepwise updater: input 0 is the memory so far.
type Update struct {
	Prompts *prompts.Set
	Updater string
	Item    *Item
	Index   int // position from 1; shown by recency_weighted_strict alone
}

// Kind implements Step.
func (u *Update) Kind() Kind { return KindConsolidate }

// AppendSpec implements Step.
func (u *Update) AppendSpec(b []byte) []byte {
	b = append(b, "update\x00"...)
	b = append(b, u.Updater...)
	b = append(b, 0)
	b = append(b, u.Prompts.Digest()...)
	b = strconv.AppendInt(b, int64(u.shownIndex()), 10)
	return append(b, u.Item.Digest[:]...)
}

// shownIndex is the index where the prompt shows it, else 0: a prompt that
// does not show the position must not depend on it.
func (u *Update) shownIndex() int {
	if u.Updater == RecencyStrict {
		return u.Index
	}
	return 0
}

// Ask implements Step.
func (u *Update) Ask(in []Value) (prompts.Prompt, Value, bool) {
	p, err := u.Prompts.Step(u.Updater, prompts.Memory(in[0].Memory), u.Item.Record, u.shownIndex())
	if err != nil {
		return p, Failed(err), false
	}
	return p, Value{}, true
}

// Read implements Step.
func (u *Update) Read(in []Value, r *llm.Response) Value { return remember(in[0], r) }

// Texts implements Step.
func (u *Update) Texts(yield func(string)) { yield(u.Item.Record.String()) }

// Frame implements Step.
func (u *Update) Frame() Frame {
	return Frame{Prompts: u.Prompts, Kind: KindConsolidate, Updater: u.Updater}
}

// Replay is the one call of batch_replay over records in their order. It has
// no inputs.
type Replay struct {
	Prompts *prompts.Set
	Items   []*Item
}

// Kind implements Step.
func (b *Replay) Kind() Kind { return KindConsolidate }

// AppendSpec implements Step.
func (b *Replay) AppendSpec(dst []byte) []byte {
	dst = append(dst, "replay\x00"...)
	dst = append(dst, b.Prompts.Digest()...)
	for _, item := range b.Items {
		dst = append(dst, item.Digest[:]...)
	}
	return dst
}

// Ask implements Step.
func (b *Replay) Ask([]Value) (prompts.Prompt, Value, bool) {
	p, err := b.Prompts.Batch(BatchReplay, Shown(b.Items))
	if err != nil {
		return p, Failed(err), false
	}
	return p, Value{}, true
}

// Shown is what prompts show of records.
func Shown(items []*Item) []prompts.Record {
	rs := make([]prompts.Record, len(items))
	for i, item := range items {
		rs[i] = item.Record
	}
	return rs
}

// Read implements Step.
func (b *Replay) Read(_ []Value, r *llm.Response) Value { return remember(Value{}, r) }

// Texts implements Step.
func (b *Replay) Texts(yield func(string)) {
	for _, item := range b.Items {
		yield(item.Record.String())
	}
}

// Frame implements Step.
func (b *Replay) Frame() Frame {
	return Frame{Prompts: b.Prompts, Kind: KindConsolidate, Updater: BatchReplay, Batch: true}
}

// remember is the memory after a step: the trimmed text of the answer. A
// refusal, a filtered or an empty answer leaves the memory as it was; a
// truncated one keeps its text; both are counted (docs/protocol.md,
// "Consolidation and updaters").
func remember(before Value, r *llm.Response) Value {
	after := Value{Events: before.Events}
	text := strings.TrimSpace(r.Text)
	outcome := r.Outcome
	if outcome == llm.OutcomeTruncated {
		after.Events.Truncated++
	}
	if text == "" && (outcome == llm.OutcomeAnswer || outcome == llm.OutcomeTruncated) {
		outcome = llm.OutcomeEmpty
	}
	switch outcome {
	case llm.OutcomeRefusal:
		after.Events.Refusal++
	case llm.OutcomeFiltered:
		after.Events.Filtered++
	case llm.OutcomeEmpty:
		after.Events.Empty++
	default:
		if len(strings.Fields(text)) > prompts.WordCap {
			after.Events.Overrun++
		}
		after.Memory, after.Digest = text, sha256.Sum256([]byte(text))
		return after
	}
	after.Memory, after.Digest = before.Memory, before.Digest
	return after
}

// WriteMemory is the memory of a direct write: the trimmed text.
func WriteMemory(write string) string { return strings.TrimSpace(write) }

// WriteItem is a P1 write as the one record of a consolidation.
func WriteItem(write string) *Item {
	text := WriteMemory(write)
	return &Item{Record: prompts.Record{Text: text}, Digest: textDigest(text)}
}

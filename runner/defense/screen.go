package defense

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"memform/runner/llm"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// kindScreen is the kind of the step that ends a write-time defense.
const kindScreen protocol.Kind = "guard.screen"

// ruling is what a guard decides on one record of the set: the verdict and,
// unless it leaves memory, the record as it is consolidated.
type ruling struct {
	verdict protocol.Verdict
	record  prompts.Record
}

// kept rules that a record stays as it is.
func kept(item *protocol.Item, malformed bool) ruling {
	return ruling{protocol.Verdict{Action: protocol.Keep, Malformed: malformed}, item.Record}
}

// ruled rules by an action; record is what is consolidated, if anything is.
func ruled(action protocol.Action, record prompts.Record) ruling {
	return ruling{protocol.Verdict{Action: action}, record}
}

// rule is the rulings on a set, in its order, from the values of a guard's
// questions.
type rule func(in []protocol.Value) []ruling

// screen ends a write-time defense: it maps the rulings on the set back to the
// records as they arrived. It is the only step of a guard that depends on
// their order.
type screen struct {
	method     string
	parameters []float64
	items      []*protocol.Item // in order of arrival
	set        []*protocol.Item
	rule       rule
}

// distinct is the set of the records, in the order of their digests: equal
// text and visible attributes are one record.
func distinct(items []*protocol.Item) []*protocol.Item {
	set := slices.Clone(items)
	slices.SortFunc(set, byDigest)
	return slices.CompactFunc(set, func(a, b *protocol.Item) bool { return a.Digest == b.Digest })
}

func byDigest(a, b *protocol.Item) int { return bytes.Compare(a.Digest[:], b.Digest[:]) }

// digests appends the digests of records.
func digests(b []byte, items ...*protocol.Item) []byte {
	for _, item := range items {
		b = append(b, item.Digest[:]...)
	}
	return b
}

// appendFloat appends a number in eight bytes.
func appendFloat(b []byte, x float64) []byte {
	return binary.BigEndian.AppendUint64(b, math.Float64bits(x))
}

// Kind implements protocol.Step.
func (s *screen) Kind() protocol.Kind { return kindScreen }

// Silent implements protocol.Silent.
func (s *screen) Silent() bool { return true }

// AppendSpec implements protocol.Step.
func (s *screen) AppendSpec(b []byte) []byte {
	b = append(append(b, s.method...), 0)
	for _, p := range s.parameters {
		b = appendFloat(b, p)
	}
	return digests(b, s.items...)
}

// Ask implements protocol.Step.
func (s *screen) Ask(in []protocol.Value) (prompts.Prompt, protocol.Value, bool) {
	return prompts.Prompt{}, protocol.Value{Screen: s.screen(in)}, false
}

// screen is what the guard made of the records.
func (s *screen) screen(in []protocol.Value) *protocol.Screen {
	rulings := s.rule(in)
	out := &protocol.Screen{Verdicts: make([]protocol.Verdict, 0, len(s.items))}
	for _, item := range s.items {
		at, _ := slices.BinarySearchFunc(s.set, item, byDigest)
		r := rulings[at]
		out.Verdicts = append(out.Verdicts, r.verdict)
		if a := r.verdict.Action; a != protocol.Reject && a != protocol.Quarantine {
			out.Records = append(out.Records, r.record)
		}
	}
	return out
}

// Read implements protocol.Step.
func (s *screen) Read([]protocol.Value, *llm.Response) protocol.Value { return protocol.Value{} }

// Texts implements protocol.Step.
func (s *screen) Texts(func(string)) {}

// Frame implements protocol.Step.
func (s *screen) Frame() protocol.Frame { return protocol.Frame{} }

// keepAll keeps every record.
func keepAll(set []*protocol.Item) rule {
	return func([]protocol.Value) []ruling {
		out := make([]ruling, len(set))
		for i, item := range set {
			out[i] = kept(item, false)
		}
		return out
	}
}

// unasked is the finding of a question that an earlier malformed answer, or
// an earlier verdict, left without a point.
type unasked struct{}

// notAsked is the value of such a question.
func notAsked() (prompts.Question, protocol.Value, bool) {
	return nil, protocol.Value{Finding: unasked{}}, false
}

// shown is what prompts show of records.
func shown(items []*protocol.Item) []prompts.Record { return protocol.Shown(items) }

// known is the texts of records, for estimates.
func known(items ...*protocol.Item) []string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = item.Record.String()
	}
	return out
}

// others is the set without its i-th record.
func others(set []*protocol.Item, i int) []*protocol.Item {
	return slices.Delete(slices.Clone(set), i, i+1)
}

package defense

import (
	"crypto/sha256"
	"strings"
	"sync"
	"testing"

	"memform/runner/cases"
	"memform/runner/llm"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// bench evaluates steps as they are added, each distinct one once, and counts
// what it asks.
type bench struct {
	answer func(kind protocol.Kind, p prompts.Prompt) llm.Response
	values []protocol.Value
	byID   map[string]protocol.Ref
	asked  map[protocol.Kind]int
	steps  map[protocol.Kind]int
	seen   []prompts.Prompt
}

func newBench(answer func(kind protocol.Kind, p prompts.Prompt) llm.Response) *bench {
	return &bench{answer: answer, byID: map[string]protocol.Ref{}, asked: map[protocol.Kind]int{}, steps: map[protocol.Kind]int{}}
}

// saying answers with texts.
func saying(text func(kind protocol.Kind, p prompts.Prompt) string) func(protocol.Kind, prompts.Prompt) llm.Response {
	return func(kind protocol.Kind, p prompts.Prompt) llm.Response {
		return llm.Response{Outcome: llm.OutcomeAnswer, Text: text(kind, p)}
	}
}

// add is a protocol.Add.
func (b *bench) add(step protocol.Step, inputs ...protocol.Ref) protocol.Ref {
	id := step.AppendSpec([]byte(string(step.Kind()) + "\x00"))
	in := make([]protocol.Value, len(inputs))
	for i, ref := range inputs {
		id = append(id, byte(ref>>8), byte(ref))
		in[i] = b.values[ref]
	}
	if ref, ok := b.byID[string(id)]; ok {
		return ref
	}
	kind := step.Kind()
	b.steps[kind]++
	p, v, call := step.Ask(in)
	if call {
		b.asked[kind]++
		b.seen = append(b.seen, p)
		r := b.answer(kind, p)
		v = step.Read(in, &r)
	}
	b.values = append(b.values, v)
	ref := protocol.Ref(len(b.values) - 1)
	b.byID[string(id)] = ref
	return ref
}

// value adds a value that is known.
func (b *bench) value(v protocol.Value) protocol.Ref {
	b.values = append(b.values, v)
	return protocol.Ref(len(b.values) - 1)
}

// screen runs a write-time defense.
func (b *bench) screen(s *Spec, items []*protocol.Item) *protocol.Screen {
	known, ref := Screen(s, items, b.add)
	if known != nil {
		return known
	}
	return b.values[ref].Screen
}

var shipped = sync.OnceValue(func() *prompts.Set {
	s, err := prompts.Load(nil)
	if err != nil {
		panic(err) // embedded
	}
	return s
})

func spec(method string) *Spec {
	return &Spec{Method: method, Prompts: shipped(), KeepFrom: 0.7, RejectBelow: 0.4}
}

func item(text string, visible ...prompts.Field) *protocol.Item {
	r := prompts.Record{Text: text, Visible: visible}
	return &protocol.Item{Record: r, Digest: cases.Digest(sha256.Sum256([]byte(r.String())))}
}

func items(texts ...string) []*protocol.Item {
	out := make([]*protocol.Item, len(texts))
	for i, text := range texts {
		out[i] = item(text)
	}
	return out
}

// left is the texts that a screen left, and its actions.
func left(s *protocol.Screen) (texts, actions string) {
	var t, a []string
	for _, r := range s.Records {
		t = append(t, r.String())
	}
	for _, v := range s.Verdicts {
		word := string(v.Action)
		if v.Malformed {
			word += "?"
		}
		a = append(a, word)
	}
	return strings.Join(t, "|"), strings.Join(a, " ")
}

func check(t *testing.T, name string, s *protocol.Screen, texts, actions string) {
	t.Helper()
	gotTexts, gotActions := left(s)
	if gotTexts != texts || gotActions != actions {
		t.Errorf("%s:\ngot  %q, %s\nwant %q, %s", name, gotTexts, gotActions, texts, actions)
	}
}

func textSum(p prompts.Prompt) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join([]string{p.System, p.User, p.Answer, p.Repair}, "\x00")))
}

package protocol

import (
	"strings"
	"testing"

	"memform/runner/llm"
	"memform/runner/prompts"
)

// asked is a graph of steps in the order they were added.
type asked struct {
	steps  []Step
	inputs [][]Ref
}

func (a *asked) add(s Step, in ...Ref) Ref {
	a.steps, a.inputs = append(a.steps, s), append(a.inputs, in)
	return Ref(len(a.steps) - 1)
}

// run evaluates the graph with constants below zero and a responder.
func (a *asked) run(t *testing.T, constants []Value, answer func(i int, p prompts.Prompt) *llm.Response) []Value {
	t.Helper()
	vs := make([]Value, len(a.steps))
	for i, s := range a.steps {
		var in []Value
		for _, r := range a.inputs[i] {
			if r.Constant() {
				in = append(in, constants[^r])
			} else {
				in = append(in, vs[r])
			}
		}
		p, v, call := s.Ask(in)
		if call {
			if s, ok := s.(Silent); ok && s.Silent() {
				t.Errorf("node %d: a silent step calls", i)
			}
			v = s.Read(in, answer(i, p))
		}
		vs[i] = v
	}
	return vs
}

func seven(text string) (any, string) {
	if n := strings.TrimSpace(text); n != "7" {
		return nil, "It is not the number."
	}
	return 7, ""
}

func TestAskedRepairsOnce(t *testing.T) {
	said := func(text string) *llm.Response { return &llm.Response{Outcome: llm.OutcomeAnswer, Text: text} }
	cases := map[string]struct {
		answers []*llm.Response
		want    any
		shown   string // by the repair, "" where there is none
		fault   string
	}{
		"well formed":     {[]*llm.Response{said("7")}, 7, "", ""},
		"repaired":        {[]*llm.Response{said("eight"), said(" 7 ")}, 7, "eight", "It is not the number."},
		"malformed twice": {[]*llm.Response{said("eight"), said("nine")}, Malformed{"nine", "It is not the number."}, "eight", "It is not the number."},
		"refused":         {[]*llm.Response{{Outcome: llm.OutcomeRefusal, Text: "I cannot."}, said("7")}, 7, "I cannot.", faultRefusal},
		"filtered":        {[]*llm.Response{{Outcome: llm.OutcomeFiltered}, said("7")}, 7, "(no answer)", faultFiltered},
		"cut off":         {[]*llm.Response{{Outcome: llm.OutcomeTruncated, Text: "7"}, said("7")}, 7, "7", faultTruncated},
		"empty":           {[]*llm.Response{{Outcome: llm.OutcomeEmpty}, said("7")}, 7, "(no answer)", faultEmpty},
		"blank":           {[]*llm.Response{said(" \n"), {Outcome: llm.OutcomeEmpty}}, Malformed{"", faultEmpty}, "(no answer)", faultEmpty},
	}
	set := loaded(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := &asked{}
			q := &Question{Of: "kind", Prompts: set, Parse: seven, Make: func(in []Value) (prompts.Question, Value, bool) {
				return prompts.Parsing{Answer: in[0].Memory}, Value{}, true
			}}
			out := Asked(g.add, q, -1)
			var sent []prompts.Prompt
			vs := g.run(t, []Value{MemoryValue("memory")}, func(_ int, p prompts.Prompt) *llm.Response {
				sent = append(sent, p)
				return c.answers[len(sent)-1]
			})
			if vs[out].Finding != c.want {
				t.Errorf("found %#v, want %#v", vs[out].Finding, c.want)
			}
			if len(sent) != len(c.answers) {
				t.Fatalf("%d calls, want %d", len(sent), len(c.answers))
			}
			if sent[0].Repair != "" || sent[0].Answer != "" {
				t.Errorf("the question itself repairs: %+v", sent[0])
			}
			if c.shown == "" {
				return
			}
			if sent[1].System != sent[0].System || sent[1].User != sent[0].User {
				t.Error("the repair puts another question")
			}
			if sent[1].Answer != c.shown || !strings.Contains(sent[1].Repair, c.fault) {
				t.Errorf("the repair shows %q and says %q", sent[1].Answer, sent[1].Repair)
			}
		})
	}
	if k := (&Repair{&Question{Of: "kind"}}).Kind(); k != "kind.repair" {
		t.Errorf("kind %q", k)
	}
}

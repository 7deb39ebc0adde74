package protocol

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/llm"
	"memform/runner/prompts"
)

func loaded(tb testing.TB) *prompts.Set {
	tb.Helper()
	s, err := prompts.Load(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func reply(outcome llm.Outcome, text string) *llm.Response {
	return &llm.Response{Outcome: outcome, Text: text}
}

// TestMemoryEvents is the table of docs/protocol.md, "Consolidation and
// updaters": what an outcome does to the memory of a step and of a batch.
func TestMemoryEvents(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", prompts.WordCap))
	const before = "what was known"
	for _, c := range []struct {
		name, text  string
		outcome     llm.Outcome
		step, batch string
		events      Events
	}{
		{"answer", "new memory", llm.OutcomeAnswer, "new memory", "new memory", Events{}},
		{"white space is trimmed", "\n  new\n\nmemory \t\n", llm.OutcomeAnswer, "new\n\nmemory", "new\n\nmemory", Events{}},
		{"truncated keeps its text", "new mem", llm.OutcomeTruncated, "new mem", "new mem", Events{Truncated: 1}},
		{"refusal", "I refuse.", llm.OutcomeRefusal, before, "", Events{Refusal: 1}},
		{"filtered", "half a", llm.OutcomeFiltered, before, "", Events{Filtered: 1}},
		{"empty", "", llm.OutcomeEmpty, before, "", Events{Empty: 1}},
		{"an answer of white space is empty", " \n\t", llm.OutcomeAnswer, before, "", Events{Empty: 1}},
		{"nothing left of a truncated one", " ", llm.OutcomeTruncated, before, "", Events{Truncated: 1, Empty: 1}},
		{"as long as allowed", long, llm.OutcomeAnswer, long, long, Events{}},
		{"a word too long, never cut", long + "\nmore", llm.OutcomeAnswer, long + "\nmore", long + "\nmore", Events{Overrun: 1}},
		{"truncated and too long", long + " more", llm.OutcomeTruncated, long + " more", long + " more", Events{Truncated: 1, Overrun: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			earlier := MemoryValue(before)
			earlier.Events = Events{Truncated: 1, Refusal: 2, Filtered: 3, Empty: 4, Overrun: 5}
			step := (&Update{}).Read([]Value{earlier}, reply(c.outcome, c.text))
			check(t, step, c.step, earlier.Events.Add(c.events))
			check(t, (&Replay{}).Read(nil, reply(c.outcome, c.text)), c.batch, c.events)
		})
	}
}

func check(t *testing.T, v Value, memory string, events Events) {
	t.Helper()
	if v.Memory != memory || v.Events != events || v.Missing != nil || v.Decision != nil {
		t.Errorf("memory %q, events %+v; want %q, %+v", v.Memory, v.Events, memory, events)
	}
	want := Digest{}
	if memory != "" {
		want = sha256.Sum256([]byte(memory))
	}
	if v.Digest != want {
		t.Errorf("digest %x of memory %q", v.Digest, v.Memory)
	}
}

// A chain of refusals from the start leaves the empty memory.
// What a defense leaves is consolidated as if it were all there is: survivors
// are numbered anew from 1, and the steps behind the last one ask nothing.
func TestSurvivorsAreNumberedAnew(t *testing.T) {
	left := []prompts.Record{{Text: "the first that is left"}, {Text: "the second", Visible: []prompts.Field{{Name: "site", Value: "north"}}}}
	in := []Value{MemoryValue("so far"), {Screen: &Screen{Records: left, Verdicts: make([]Verdict, 4)}}}
	set := loaded(t)
	for _, updater := range []string{IncrementalMerge, FullRewrite, RecencyStrict} {
		for slot := 1; slot <= 4; slot++ {
			got, v, call := (&ScreenedUpdate{Prompts: set, Updater: updater, Slot: slot}).Ask(in)
			if slot > len(left) {
				if call || v.Memory != "so far" {
					t.Errorf("%s: step %d of two records: call %v, memory %q", updater, slot, call, v.Memory)
				}
				continue
			}
			want, _, _ := (&Update{Prompts: set, Updater: updater, Item: &Item{Record: left[slot-1]}, Index: slot}).Ask(in[:1])
			if !call || got != want || (updater == RecencyStrict) != strings.Contains(got.User, fmt.Sprintf("RECORD %d\n", slot)) {
				t.Errorf("%s: step %d asks\n%s\nwant\n%s", updater, slot, got.User, want.User)
			}
		}
	}
}

func TestEmptyMemoryStaysEmpty(t *testing.T) {
	v := MemoryValue("")
	for _, o := range []llm.Outcome{llm.OutcomeRefusal, llm.OutcomeFiltered, llm.OutcomeEmpty} {
		v = (&Update{}).Read([]Value{v}, reply(o, ""))
	}
	check(t, v, "", Events{Refusal: 1, Filtered: 1, Empty: 1})
}

// TestEmptyMemoryIsNoMemory: byte for byte, whatever led to it.
func TestEmptyMemoryIsNoMemory(t *testing.T) {
	d := &Decide{loaded(t), Show(task("What now?", "Go.", "Stay."), ChoicesFrozen, 7)}
	none, _, _ := d.Ask([]Value{MemoryValue("")})
	refused, _, call := d.Ask([]Value{(&Replay{}).Read(nil, reply(llm.OutcomeRefusal, "no"))})
	if !call || none != refused {
		t.Errorf("after a refusal:\n%s\nwithout memory:\n%s", refused.User, none.User)
	}
	if with, _, _ := d.Ask([]Value{MemoryValue("go")}); with == none {
		t.Error("a memory changes nothing")
	}
}

func TestDecisionIsReadInFrozenOrder(t *testing.T) {
	set := loaded(t)
	shown := &ShownTask{Task: prompts.Task{Text: "T", Choices: []string{"c", "a", "b"}}, Frozen: []int{2, 0, 1}}
	memory := MemoryValue("m")
	memory.Events = Events{Overrun: 1}
	for _, c := range []struct {
		outcome       llm.Outcome
		text          string
		choice, shown int
		tier          Tier
	}{
		{llm.OutcomeAnswer, "ANSWER: A", 2, 0, TierFinalLine},
		{llm.OutcomeAnswer, "ANSWER: B", 0, 1, TierFinalLine},
		{llm.OutcomeAnswer, "ANSWER: C", 1, 2, TierFinalLine},
		{llm.OutcomeAnswer, "It depends.", -1, -1, TierUnparsed},
		{llm.OutcomeTruncated, "ANSWER: A", -1, -1, TierNone}, // never parsed
		{llm.OutcomeRefusal, "ANSWER: A", -1, -1, TierNone},
		{llm.OutcomeFiltered, "ANSWER: A", -1, -1, TierNone},
		{llm.OutcomeEmpty, "", -1, -1, TierNone},
	} {
		d := (&Decide{set, shown}).Read([]Value{memory}, reply(c.outcome, c.text)).Decision
		if d.Choice != c.choice || d.Shown != c.shown || d.Tier != c.tier || d.Outcome != c.outcome {
			t.Errorf("%s %q: %+v", c.outcome, c.text, d)
		}
		if d.Memory != memory.Digest || d.Events != memory.Events {
			t.Errorf("%s: the memory behind the decision is lost: %+v", c.outcome, d)
		}
	}
}

// TestPromptsShowTheRecords: what each updater's call sees.
func TestPromptsShowTheRecords(t *testing.T) {
	set := loaded(t)
	item := ItemOf(&cases.Record{ID: "hidden-id", Text: "took the red door", Visible: []cases.Field{{Name: "site", Value: "north"}},
		ContextKey: "hidden-key", Outcome: "hidden-outcome", Supports: "hidden-side", Provenance: "hidden-origin"})
	for _, updater := range []string{IncrementalMerge, FullRewrite, RecencyStrict} {
		p, _, call := (&Update{Prompts: set, Updater: updater, Item: &item, Index: 4}).Ask([]Value{MemoryValue("so far")})
		all := p.System + p.User
		if !call || !strings.Contains(all, "site: north\ntook the red door") || !strings.Contains(all, "so far") || strings.Contains(all, "hidden") {
			t.Errorf("%s:\n%s", updater, all)
		}
		if strings.Contains(p.User, "4") != (updater == RecencyStrict) {
			t.Errorf("%s: the index is for recency_weighted_strict alone:\n%s", updater, p.User)
		}
	}
	other := Item{Record: prompts.Record{Text: "took the blue door"}}
	p, _, call := (&Replay{Prompts: set, Items: []*Item{&item, &other}}).Ask(nil)
	if red, blue := strings.Index(p.User, "red door"), strings.Index(p.User, "blue door"); !call || red < 0 || blue < red {
		t.Errorf("batch_replay does not show the records in order:\n%s", p.User)
	}
}

// TestSpecsDiffer: every parameter that changes a prompt changes the spec, and
// the position of a record does so only where the prompt shows it.
func TestSpecsDiffer(t *testing.T) {
	set := loaded(t)
	replaced, err := prompts.Load(map[string][]byte{"rule_full_rewrite": []byte("Write it all anew.")})
	if err != nil {
		t.Fatal(err)
	}
	a, b := &Item{Digest: cases.Digest{1}}, &Item{Digest: cases.Digest{2}}
	seen := map[string]int{}
	for i, s := range []Step{
		&Update{set, IncrementalMerge, a, 1}, &Update{set, FullRewrite, a, 1}, &Update{set, IncrementalMerge, b, 1},
		&Update{set, RecencyStrict, a, 1}, &Update{set, RecencyStrict, a, 2}, &Update{replaced, FullRewrite, a, 1},
		&Replay{set, []*Item{a, b}}, &Replay{set, []*Item{b, a}}, &Replay{set, []*Item{a}}, &Replay{replaced, []*Item{a}},
		&Decide{set, Show(task("T", "a", "b"), ChoicesFrozen, 7)}, &Decide{set, Show(task("T", "b", "a"), ChoicesFrozen, 7)},
	} {
		spec := string(s.AppendSpec(nil))
		if j, known := seen[spec]; known {
			t.Errorf("steps %d and %d have one spec", i, j)
		}
		seen[spec] = i
	}
	for _, updater := range []string{IncrementalMerge, FullRewrite} {
		if !bytes.Equal((&Update{set, updater, a, 1}).AppendSpec(nil), (&Update{set, updater, a, 9}).AppendSpec(nil)) {
			t.Errorf("%s: a position that no prompt shows is in the spec", updater)
		}
	}
}

func TestWriteMemory(t *testing.T) {
	if got := WriteMemory("  Desk note.\n"); got != "Desk note." {
		t.Errorf("%q", got)
	}
	if a, b := WriteItem(" note "), WriteItem("note"); a.Record.Text != b.Record.Text || a.Digest != b.Digest {
		t.Error("white space around a write makes another record")
	}
}

// A replaced template that fails on some values only makes the node missing.
func TestPromptThatCannotBeRendered(t *testing.T) {
	set, err := prompts.Load(map[string][]byte{"decide_user": []byte(`{{.Task.Text}}{{if eq (len .Task.Choices) 3}}{{index .Task.Choices 7}}{{end}}`)})
	if err != nil {
		t.Fatal(err)
	}
	_, v, call := (&Decide{set, Show(task("T", "a", "b", "c"), ChoicesFrozen, 7)}).Ask([]Value{{}})
	if call || v.Missing == nil || v.Missing.Node != -1 || v.Missing.Failure.Message == "" {
		t.Errorf("call %t, %+v", call, v)
	}
}

package defense

import (
	"fmt"
	"strings"
	"testing"

	"memform/runner/llm"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

var doors = &protocol.ShownTask{
	Task:   prompts.Task{Text: "Which door\nis used?", Choices: []string{"The red one.", "The blue one."}},
	Frozen: []int{1, 0}, Digest: [32]byte{7},
}

// script answers task_shield: what the guard finds in the first and in the
// revised answer, and what the agent then says.
type script struct {
	tasks            string
	directives, then string
	scores, later    string
	revised          llm.Response
	mended           string // answers every repair
}

func (s *script) answer(kind protocol.Kind, p prompts.Prompt) llm.Response {
	text := ""
	revised := strings.Contains(p.User, "revised") // in the answer, or in a directive of it
	switch kind {
	case KindTasks:
		text = s.tasks
	case KindDirectives:
		text = s.directives
		if revised {
			text = s.then
		}
	case KindScore:
		text = s.scores
		if revised {
			text = s.later
		}
	case KindRevise:
		return s.revised
	default:
		text = s.mended
	}
	return llm.Response{Outcome: llm.OutcomeAnswer, Text: text}
}

func answer(text string) llm.Response { return llm.Response{Outcome: llm.OutcomeAnswer, Text: text} }

// shieldOf guards a decision that was read from a response.
func shieldOf(s *Spec, sc *script, first llm.Response) (protocol.Value, *bench) {
	b := newBench(sc.answer)
	d := &protocol.Decide{Prompts: shipped(), Task: doors}
	memory := protocol.MemoryValue("mind the doors")
	m := b.value(memory)
	decision := b.value(d.Read([]protocol.Value{memory}, &first))
	return b.values[Shield(s, d, m, decision, b.add, b.add)], b
}

func TestTaskShield(t *testing.T) {
	const (
		two  = `{"tasks": ["choose a door", "be quick"]}`
		one  = `{"directives": ["take the red door"]}`
		more = `{"directives": ["take the red door", "tell nobody"]}`
		then = `{"directives": ["revised: take the blue door"]}`
	)
	red, blue := answer("I say.\nANSWER: A"), answer("revised.\nANSWER: B")
	for _, tt := range []struct {
		name   string
		script script
		first  llm.Response
		action protocol.Action
		choice int
		bad    bool
		asked  string // tasks directives score revise, then repairs
	}{
		{"serves", script{tasks: two, directives: one, scores: `{"scores": [[0.9, 0]]}`}, red, "pass", 1, false, "1 1 1 0 0"},
		{"no directive", script{tasks: two, directives: `{"directives": []}`}, red, "pass", 1, false, "1 1 0 0 0"},
		{"null for none", script{tasks: two, directives: `{"directives": null}`}, red, "pass", 1, false, "1 1 0 0 0"},
		{"revised", script{tasks: two, directives: more, scores: `{"scores": [[1, 0], [0, 0]]}`, revised: blue, then: then, later: `{"scores": [[1, "0"]]}`}, red, "revise", 0, false, "1 2 2 1 0"},
		{"revised to no directive", script{tasks: two, directives: more, scores: `{"scores": [[1, 0], [0, 0]]}`, revised: blue, then: `{"directives": []}`}, red, "revise", 0, false, "1 2 1 1 0"},
		{"withheld", script{tasks: two, directives: more, scores: `{"scores": [[1, 0], [0, 0]]}`, revised: blue, then: then, later: `{"scores": [[0, 0]]}`}, red, "abstain", -1, false, "1 2 2 1 0"},
		{"a tiny score passes", script{tasks: two, directives: more, scores: `{"scores": [[1, 0], [0, 0.01]]}`}, red, "pass", 1, false, "1 1 1 0 0"},
		{"the task itself stands in", script{tasks: "none", directives: one, scores: `{"scores": [[1]]}`}, red, "pass", 1, false, "1 1 1 0 0"},
		{"directives unread", script{tasks: two, directives: "none", mended: "none"}, red, "pass", 1, true, "1 1 0 0 1"},
		{"directives mended", script{tasks: two, directives: "none", mended: one, scores: `{"scores": [[1, 1]]}`}, red, "pass", 1, false, "1 1 1 0 1"},
		{"scores unread", script{tasks: two, directives: one, scores: `{"scores": [[1]]}`, mended: `{"scores": [[0], [0]]}`}, red, "pass", 1, true, "1 1 1 0 1"},
		{"scores mended", script{tasks: two, directives: one, scores: `{"scores": [[2, 0]]}`, mended: `{"scores": [[0, 0]]}`, revised: blue, then: `{"directives": []}`}, red, "revise", 0, false, "1 2 1 1 1"},
		{"unread at the second time", script{tasks: two, directives: more, scores: `{"scores": [[1, 0], [0, 0]]}`, revised: blue, then: "none", mended: "none"}, red, "revise", 0, true, "1 2 1 1 1"},
		{"the revision is no answer", script{tasks: two, directives: more, scores: `{"scores": [[1, 0], [0, 0]]}`, revised: llm.Response{Outcome: llm.OutcomeRefusal}}, red, "revise", -1, false, "1 1 1 1 0"},
		{"no answer to guard", script{tasks: two}, llm.Response{Outcome: llm.OutcomeTruncated, Text: "ANSWER: A"}, "pass", -1, false, "1 0 0 0 0"},
		{"an answer without a choice", script{tasks: two, directives: more, scores: `{"scores": [[0, 0], [0, 0]]}`, revised: blue, then: then, later: `{"scores": [[1, 1]]}`}, answer("Hm."), "revise", 0, false, "1 2 2 1 0"},
	} {
		v, b := shieldOf(spec(TaskShield), &tt.script, tt.first)
		d := v.Decision
		asked := fmt.Sprint(b.asked[KindTasks], b.asked[KindDirectives], b.asked[KindScore], b.asked[KindRevise], b.asked[KindDirectives+".repair"]+b.asked[KindScore+".repair"])
		if d.Shield != tt.action || d.Choice != tt.choice || d.Malformed != tt.bad || asked != tt.asked {
			t.Errorf("%s: %s, choice %d, malformed %v, asked %s; want %s, %d, %v, %s", tt.name, d.Shield, d.Choice, d.Malformed, asked, tt.action, tt.choice, tt.bad, tt.asked)
		}
		if d.Memory != protocol.MemoryValue("mind the doors").Digest {
			t.Errorf("%s: the memory is lost", tt.name)
		}
		if tt.action == protocol.Abstain && (d.Outcome != protocol.OutcomeAbstain || d.Shown != -1 || v.Answer != "") {
			t.Errorf("%s: %+v", tt.name, d)
		}
		if tt.name == "the revision is no answer" && d.Outcome != llm.OutcomeRefusal {
			t.Errorf("%s: %+v", tt.name, d)
		}
	}
}

// TestEpsilon: a sum passes above the threshold, not at it.
func TestEpsilon(t *testing.T) {
	for _, tt := range []struct {
		epsilon float64
		scores  string
		pass    bool
	}{
		{0, "[0, 0]", false}, {0, "[0.000001, 0]", true}, {0.3, "[0.1, 0.2]", false}, {0.3, "[0.1, 0.21]", true}, {1, "[1, 0]", false}, {1, "[1, 1]", true},
	} {
		s := spec(TaskShield)
		s.Epsilon = tt.epsilon
		v, _ := shieldOf(s, &script{tasks: `{"tasks": ["a", "b"]}`, directives: `{"directives": ["x"]}`, scores: `{"scores": [` + tt.scores + `]}`,
			revised: answer("revised"), then: `{"directives": []}`}, answer("ANSWER: A"))
		if pass := v.Decision.Shield == protocol.Pass; pass != tt.pass {
			t.Errorf("%v above %v: %v", tt.scores, tt.epsilon, pass)
		}
	}
}

// TestRevisionGivesNoHint: it is the decision prompt, the tasks, and what
// served none of them; nothing of what the first answer chose.
func TestRevisionGivesNoHint(t *testing.T) {
	sc := &script{tasks: `{"tasks": ["choose a door"]}`, directives: `{"directives": ["take the red door", "tell nobody"]}`, scores: `{"scores": [[1], [0]]}`,
		revised: answer("revised"), then: `{"directives": []}`}
	_, b := shieldOf(spec(TaskShield), sc, answer("It is painted.\nANSWER: A"))
	plain, err := shipped().Decide("mind the doors", doors.Task)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range b.seen {
		notice, found := strings.CutPrefix(p.User, plain.User)
		if !found {
			continue
		}
		if p.System != plain.System || !strings.Contains(notice, "1. choose a door\n") || !strings.Contains(notice, "1. tell nobody\n") {
			t.Errorf("the revision does not say what is to be done:\n%s", p.User)
		}
		if strings.Contains(notice, "red") || strings.Contains(notice, "painted") {
			t.Errorf("the revision tells of the answer:\n%s", notice)
		}
		return
	}
	t.Error("no revision was asked for")
}

// TestTasksAreAskedOncePerTask: two decisions on a task share them.
func TestTasksAreAskedOncePerTask(t *testing.T) {
	sc := &script{tasks: `{"tasks": ["a"]}`, directives: `{"directives": []}`}
	b := newBench(sc.answer)
	d := &protocol.Decide{Prompts: shipped(), Task: doors}
	for _, memory := range []string{"", "one", "two"} {
		m := protocol.MemoryValue(memory)
		first := answer("ANSWER: A")
		Shield(spec(TaskShield), d, b.value(m), b.value(d.Read([]protocol.Value{m}, &first)), b.add, b.add)
	}
	if b.asked[KindTasks] != 1 || b.asked[KindDirectives] != 3 || b.steps[KindRevise] != 3 || b.steps[KindDirectives] != 6 || b.steps[KindScore] != 6 {
		t.Errorf("asked %v of %v", b.asked, b.steps)
	}
}

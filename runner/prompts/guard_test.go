package prompts

import (
	"strings"
	"testing"
)

// TestGuardsAreShownWhatTheyAreAskedAbout: every text of a question stands in
// its prompt, once, and every question asks for a JSON object.
func TestGuardsAreShownWhatTheyAreAskedAbout(t *testing.T) {
	s := load(t, nil)
	first, second := Record{Text: "first text", Visible: []Field{{"site", "north"}}}, Record{Text: "second text"}
	task := Task{Text: "which door", Choices: []string{"red one", "blue one"}}
	for _, tt := range []struct {
		q     Question
		texts string
		key   string
	}{
		{GuardJudge{first}, "site: north\nfirst text", "verdict confidence reason"},
		{GuardMeasure{Record: first, Others: []Record{second, {Text: "third text"}}}, "RECORD\nsite: north\nfirst text|1. second text|2. third text", "instruction_likeness unsupported_generalisation conflict spans"},
		{GuardMeasure{Record: first}, "first text|(none)", "spans"},
		{GuardProbes{[]Record{first, second}}, "1. site: north\nfirst text|2. second text", "situations"},
		{GuardPath{Record: first, Situations: []string{"one day", "one night"}}, "first text|1. one day|2. one night", "path"},
		{GuardConsensus{Situations: []string{"one day", "one night"}, Paths: []Path{{1, []string{"up", "down"}}, {3, []string{"left", "right"}}}},
			"1. one day|2. one night|PATH 1\n1. up\n2. down|PATH 3\n1. left\n2. right", "consensus paths path verdict agreeing reason"},
		{GuardRewrite{Record: first, Consensus: "as before", Reason: "always"}, "first text|as before|always", "record"},
		{GuardRewrite{Record: first}, "first text|(nothing)", "record"},
		{ShieldTasks{task}, "which door|A) red one|B) blue one", "tasks"},
		{ShieldDirectives{Task: task, Answer: "I say\nANSWER: A"}, "which door|A) red one|B) blue one|I say\nANSWER: A", "directives"},
		{ShieldScore{Tasks: []string{"choose"}, Directives: []string{"wait", "run"}}, "TASKS\n1. choose|DIRECTIVES\n1. wait\n2. run", "scores"},
	} {
		p := must(t)(s.Ask(tt.q))
		for _, text := range strings.Split(tt.texts, "|") {
			if strings.Count(p.User, text) != 1 {
				t.Errorf("%s: %q stands %d times in\n%s", tt.q.Name(), text, strings.Count(p.User, text), p.User)
			}
		}
		for _, key := range strings.Fields(tt.key) {
			if !strings.Contains(p.System, `"`+key+`"`) {
				t.Errorf("%s: the key %q is not asked for", tt.q.Name(), key)
			}
		}
		if strings.Contains(p.User, "<no value>") || strings.Contains(p.User, "\n\n\n") || !strings.HasSuffix(p.User, "Answer with the JSON object.") {
			t.Errorf("%s:\n%s", tt.q.Name(), p.User)
		}
	}
}

// TestRevisionFollowsTheDecisionPrompt, so that it is put in the words of a
// replaced one too.
func TestRevisionFollowsTheDecisionPrompt(t *testing.T) {
	for _, overrides := range []map[string][]byte{nil, {"decide_user": []byte("{{.Memory}}|{{.Task.Text}}"), "decide_system": []byte("Decide.")}} {
		s := load(t, overrides)
		plain, again := must(t)(s.Decide("m", door)), must(t)(s.Revise("m", door, []string{"choose"}, []string{"wait", "run"}))
		if again.System != plain.System || !strings.HasPrefix(again.User, plain.User+"\n\nYOUR TASKS\n1. choose\n") || !strings.Contains(again.User, "\n1. wait\n2. run\n") {
			t.Errorf("%+v", again)
		}
		if rest := strings.TrimPrefix(again.User, plain.User); len(rest) < len(s.Notice()) {
			t.Errorf("the notice is longer alone: %q", s.Notice())
		}
	}
}

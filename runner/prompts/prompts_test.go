package prompts

import (
	"regexp"
	"strings"
	"testing"
)

func load(t testing.TB, overrides map[string][]byte) *Set {
	t.Helper()
	s, err := Load(overrides)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t testing.TB) func(Prompt, error) Prompt {
	return func(p Prompt, err error) Prompt {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

var door = Task{Text: "Which door?", Choices: []string{"Blue.", "Red."}}

func TestDecideShowsMemoryOnlyWhereThereIsOne(t *testing.T) {
	s := load(t, nil)
	without, with := must(t)(s.Decide("", door)), must(t)(s.Decide("use the blue door", door))
	if without.System != with.System {
		t.Error("the system message depends on the memory")
	}
	if strings.Contains(strings.ToLower(without.User), "memory") {
		t.Errorf("no memory, yet the prompt speaks of one:\n%s", without.User)
	}
	if !strings.HasSuffix(with.User, without.User) || !strings.Contains(with.User, "use the blue door") {
		t.Errorf("with memory the prompt is not memory + the plain prompt:\n%s", with.User)
	}
	if want := "A) Blue.\nB) Red."; !strings.Contains(without.User, want) {
		t.Errorf("choices are not shown as %q:\n%s", want, without.User)
	}
}

func TestUpdatersDifferInTheirRuleOnly(t *testing.T) {
	s := load(t, nil)
	rules := map[string]string{}
	var first string
	for name, system := range s.consolidate {
		text, err := files.ReadFile("files/" + rulePrefix + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		rules[name] = strings.TrimSpace(string(text))
		rest := strings.Replace(system, rules[name], "RULE", 1)
		if first == "" {
			first = rest
		}
		if rest != first || !strings.Contains(rest, "RULE") {
			t.Errorf("%s: role, purpose, cap or scope sentence differs:\n%s", name, rest)
		}
	}
	if len(rules) != 4 {
		t.Errorf("%d updaters, want 4", len(rules))
	}
	if !strings.Contains(first, "at most 250 words") {
		t.Error("the length cap is not stated")
	}
}

func TestRecencySeesTheIndex(t *testing.T) {
	s := load(t, nil)
	r := Record{Text: "took the red door", Visible: []Field{{"site", "north"}}}
	if p := must(t)(s.Step("recency_weighted_strict", "", r, 2)); !strings.Contains(p.User, "RECORD 2\nsite: north\ntook the red door") {
		t.Errorf("index, visible field or text missing:\n%s", p.User)
	}
	if p := must(t)(s.Step("full_rewrite", "m", r, 0)); !strings.Contains(p.User, "NEXT RECORD\n") {
		t.Errorf("an updater without index shows one:\n%s", p.User)
	}
}

func TestRawMemoryShowsRecordsAsTheBatchPromptDoes(t *testing.T) {
	s := load(t, nil)
	rs := []Record{{Text: "first"}, {Text: "second", Visible: []Field{{"site", "north"}}}}
	raw := Records(rs)
	if p := must(t)(s.Batch("batch_replay", rs)); !strings.Contains(p.User, string(raw)) {
		t.Errorf("batch prompt\n%s\ndoes not contain\n%s", p.User, raw)
	}
	if got := Records(rs[:1]); got != "first" {
		t.Errorf("a single record is %q", got)
	}
}

// No prompt file may name an interface, a condition or speak of attacks.
func TestFilesHoldNoLabel(t *testing.T) {
	banned := regexp.MustCompile(`(?i)\bP[1-5]\b|oracle|learned_|raw_|no_memory|replicate|clean|poison|attack|forge|malicious|adversar|trust|genuine|authentic|provenance|benchmark`)
	for _, name := range Names() {
		b, err := files.ReadFile("files/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if m := banned.Find(b); m != nil {
			t.Errorf("%s.txt says %q", name, m)
		}
	}
}

func TestOverrides(t *testing.T) {
	s := load(t, map[string][]byte{"decide_user": []byte("{{.Memory}}|{{.Task.Text}}{{range .Task.Choices}}|{{.Letter}} {{.Text}}{{end}}\n")})
	if p := must(t)(s.Decide("m", door)); p.User != "m|Which door?|A Blue.|B Red." {
		t.Errorf("override rendered %q", p.User)
	}
	if s.Digest() == load(t, nil).Digest() {
		t.Error("an override does not change the digest")
	}
	_, err := Load(map[string][]byte{
		"decide_usr":            []byte("x"),
		"decide_user":           []byte("{{.Task.Label}}"),
		"consolidate_step_user": []byte("{{if .Memory}}{{else}}{{.Case}}{{end}}"),
		"decide_system":         {0xff},
		"rule_full_rewrite":     []byte("{{"),
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"decide_usr", "Label", "Case", "not valid UTF-8", "rule_full_rewrite"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not name %q:\n%v", want, err)
		}
	}
}

// A template that fails on some values only is an error, not a panic.
func TestLateTemplateFailure(t *testing.T) {
	s := load(t, map[string][]byte{"decide_user": []byte("{{(index .Task.Choices 1).Text}}")})
	if _, err := s.Decide("", Task{Text: "one", Choices: []string{"only"}}); err == nil {
		t.Error("no error")
	}
}

func BenchmarkDecide(b *testing.B) {
	s := load(b, nil)
	text := strings.Repeat("some words of a situation ", 20)
	task := Task{Text: text, Choices: []string{"One thing.", "Another thing.", "A third.", "A fourth."}}
	b.ReportAllocs()
	for b.Loop() {
		must(b)(s.Decide(Memory(text), task))
	}
}

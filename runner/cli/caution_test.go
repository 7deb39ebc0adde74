package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memform/runner/experiment"
)

func TestCautions(t *testing.T) {
	gpt := &experiment.Model{Name: "gpt", ID: "gpt-4o"}
	small := &experiment.Model{Name: "small", ID: "gpt-4o-mini"}
	llama := &experiment.Model{Name: "llama", ID: "llama-3.1-8b"}
	guards := []*experiment.Defense{{Name: "words"}}
	clean := []string{"learned_clean"}
	for name, c := range map[string]struct {
		run  experiment.Run
		want string // a part of the one warning, "" = none
	}{
		"no defense":       {experiment.Run{Replicates: 1, ReplicateConditions: clean}, ""},
		"one draw":         {experiment.Run{Defenses: guards, Replicates: 1, ReplicateConditions: clean}, "set replicates = 2"},
		"two draws":        {experiment.Run{Defenses: guards, Replicates: 2, ReplicateConditions: clean}, ""},
		"other draws":      {experiment.Run{Defenses: guards, Replicates: 2, ReplicateConditions: []string{"learned_poisoned"}}, "add learned_clean to replicate_conditions"},
		"undefended apart": {experiment.Run{Defenses: guards, Replicates: 1, Undefended: "x.jsonl"}, ""},
		"judge of itself":  {experiment.Run{Models: []*experiment.Model{llama}, FreeForm: experiment.FreeForm{Judge: llama}}, "model.llama judges answers of model.llama"},
		"judge of its kin": {experiment.Run{Models: []*experiment.Model{llama, small}, FreeForm: experiment.FreeForm{Judge: gpt}}, "model.gpt judges answers of model.small"},
		"parser of itself": {experiment.Run{Models: []*experiment.Model{llama}, FreeForm: experiment.FreeForm{Parser: llama, Judge: gpt}}, ""},
	} {
		got := cautions(&c.run)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestKin(t *testing.T) {
	model := func(id string) *experiment.Model { return &experiment.Model{ID: id} }
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"gpt-4o", "gpt-4o", true},
		{"gpt-4o", "gpt-4o-mini", true},
		{"gpt-4o-mini", "gpt-4o-2024-08-06", true},
		{"gpt-4.1-mini", "openai/gpt-4o", true},
		{"claude-3-5-sonnet-20241022", "anthropic/claude-3-haiku", true},
		{"Qwen2.5-7B", "qwen/qwen3-8b", true},
		{"o3-mini", "o4-mini", true},
		{"gpt-4o", "o3", false},
		{"gpt-4o", "llama-3", false},
		{"mistral", "mixtral", false},
		{"-x", "-y", false},
	} {
		if kin(model(c.a), model(c.b)) != c.want || kin(model(c.b), model(c.a)) != c.want {
			t.Errorf("%s and %s: want %t", c.a, c.b, c.want)
		}
	}
	one, other := model("simulated"), model("simulated")
	one.Simulated, other.Simulated = &experiment.Simulated{}, &experiment.Simulated{}
	if kin(one, other) || !kin(one, one) {
		t.Error("a simulated model is of its own kind alone")
	}
}

// A plan warns on stderr, and plans all the same.
func TestPlanWarns(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{run: "freeform {\n judge = model.agent\n }"})
	r := p.must(0, "plan", "x.hcl")
	contains(t, "plan", r.stderr, `x.hcl:24: run "main": model.agent judges answers of model.agent`)
}

// Only the case file tells that its cases are free form; the mistake is that
// of the attribute.
func TestDefensesRefuseFreeFormCases(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	open, err := os.ReadFile(filepath.Join(repository, "outputs", "freeform_item_audit", "accepted_cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	p.write("cases.jsonl", string(open))
	p.experiment(s, parts{run: "defenses = [defense.words]\n}\n\ndefense \"words\" {\n  method = \"keyword_filter\""})
	for _, command := range []string{"validate", "plan", "run"} {
		r := p.must(2, command, "x.hcl")
		contains(t, command, r.stderr, `x.hcl:27:14: run "main": defenses are for multiple choice, and cases "mcq" are not: cases.jsonl:1: case `)
	}
	if p.exists("cache") || s.sent() > 0 {
		t.Error("something was sent or written")
	}
}

package experiment

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sameExperiment compares loads: where something stood, and in which files,
// differs from one text to another, and values have no variables.
var sameExperiment = cmp.Options{
	cmpopts.IgnoreTypes(Position{}), cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(Experiment{}, "Files", "Variables"),
}

// fromExperiments is how a file in experiments/ writes a path.
func fromExperiments(name string) string {
	rel, err := filepath.Rel("experiments", name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// roundTrip loads what Text writes of an experiment and compares.
func roundTrip(t *testing.T, exp *Experiment) {
	t.Helper()
	text := Text(exp, Writing{Place: fromExperiments})
	if formatted, diags := Format(text, "text.hcl"); string(formatted) != string(text) || diags != nil {
		t.Errorf("not formatted: %v\n%s", diags, cmp.Diff(string(text), string(formatted)))
	}
	fsys := files(map[string]string{"experiments/text.hcl": string(text), "experiments/prompts/decide_user.txt": "", "results/first/case_results.jsonl": ""})
	again, source, diags := Load([]string{"experiments/text.hcl"}, Options{FS: fsys})
	if again == nil || len(diags) > 0 {
		t.Fatalf("%s\n%s", printed(t, source, diags), text)
	}
	if diff := cmp.Diff(exp, again, sameExperiment); diff != "" {
		t.Errorf("%s\n%s", diff, text)
	}
}

func TestTextOfShippedExperiments(t *testing.T) {
	fsys := tree(t)
	for name := range fsys {
		if path.Ext(name) == ".hcl" {
			exp, _, diags := Load([]string{name}, Options{FS: fsys})
			if exp == nil {
				t.Fatal(diags)
			}
			roundTrip(t, exp)
		}
	}
}

// Every attribute, with texts and numbers that are easily spoilt.
func TestTextIsWhole(t *testing.T) {
	src := `
experiment "x" {
  description = "$${a} %%{b} \"c\" \\ é\n"
  seed        = -3
}
endpoint "a" {
  base_url            = "https://example.org/v1"
  identity            = "here"
  api_key_env         = "KEY"
  headers             = { "X-A" = "1", "x-b" = "2" }
  key_headers         = true
  requests_per_minute = 1
  tokens_per_minute   = 2
  requests_per_day    = 3
  max_in_flight       = 4
  timeout             = "90s"
}
endpoint "z" {
  base_url    = "https://name.openai.azure.com"
  kind        = "azure"
  api_version = "2024-10-21"
}
model "m" {
  endpoint            = endpoint.a
  id                  = "a/b:c"
  temperature         = 1e-7
  top_p               = 0.1
  max_tokens          = 1
  max_tokens_field    = "max_completion_tokens"
  seed                = 0
  reasoning_effort    = "low"
  stop                = ["\n\n", "$${"]
  extra_body          = { a = { "b c" = [1, 0.5, null, true, "x"] }, e = 1e-9 }
  price               = { input = 0.15, output = 0.6, cached_input = 0 }
  requests_per_minute = 5
  tokens_per_minute   = 6
}
model "s-1" {
  simulated = { competence = 0.1, false_alarm = 1 }
  price     = { input = 1, output = 0 }
}
cases "c" {
  path       = "../outputs/mcq_item_audit/accepted_cases.jsonl"
  interfaces = ["P5", "P1"]
  families   = 3
}
defense "san" {
  method       = "memory_sanitization"
  model        = model.m
  keep_from    = 0.9
  reject_below = 0.1
}
defense "five" {
  method = "all"
  model  = model.s-1
  epsilon = 0.3
}
run "r" {
  models               = [model.m, model.s-1]
  cases                = [cases.c]
  phases               = ["raw", "learned"]
  p5_updaters          = ["batch_replay", "full_rewrite"]
  p5_random_orders     = 2
  replicates           = 3
  replicate_conditions = ["learned_full"]
  choice_order         = "shuffled"
  p1_write             = "consolidated"
  prompts              = { decide_user = "prompts/decide_user.txt" }
  max_cost             = 0
  defenses             = [defense.five, defense.san]
  defense_conditions   = ["learned_order"]
  undefended           = "../results/first/case_results.jsonl"
  target_alignment     = model.s-1
  freeform {
    parser = model.m
    judge  = model.s-1
  }
}
comparison "d" {
  metric   = "acc"
  baseline = "san"
  over     = "defense"
}
`
	fsys := files(map[string]string{"experiments/x.hcl": src, "experiments/prompts/decide_user.txt": "", "results/first/case_results.jsonl": ""})
	exp, _ := load(t, src, Options{FS: fsys})
	if exp == nil {
		t.Fatal("not loaded")
	}
	roundTrip(t, exp)
}

// An address may be left to the environment.
func TestTextOfAnAddress(t *testing.T) {
	text := string(Text(loaded(t, head), Writing{Place: fromExperiments, Address: func(*Endpoint) (string, string) { return "BASE", "https://other.example" }}))
	for value, want := range map[string]string{"": "https://other.example", "http://localhost:1/v1": "http://localhost:1/v1"} {
		exp, diags := load(t, text, Options{Env: func(name string) (string, bool) { return value, name == "BASE" }})
		if exp == nil || exp.Endpoints[0].BaseURL != want {
			t.Errorf("%q: %v\n%s", value, diags, text)
		}
	}
	if strings.Contains(text, "example.org") {
		t.Error(text)
	}
}

package experiment

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"memform/runner/cases"
	"memform/runner/defense"
	"memform/runner/protocol"
)

func loaded(t *testing.T, src string) *Experiment {
	t.Helper()
	exp, diags := load(t, src, Options{})
	if exp == nil || len(diags) > 0 {
		t.Fatal(diags)
	}
	return exp
}

// withRun is an experiment with further attributes in its run and further
// blocks.
func withRun(attrs, blocks string) string {
	return strings.Replace(head, "cases  =", attrs+"\ncases  =", 1) + blocks
}

func TestNamesAreThoseOfTheProtocol(t *testing.T) {
	if diff := cmp.Diff(defense.Methods(), allMethods); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(protocol.Updaters(), updaterNames); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(cases.Halves(), halfNames); diff != "" {
		t.Error(diff)
	}
	want := []string{protocol.LearnedFull, protocol.LearnedOrder, protocol.RawClean, protocol.RawPoisoned}
	if diff := cmp.Diff(want, defendableNames); diff != "" {
		t.Error(diff)
	}
}

func TestDefense(t *testing.T) {
	for block, want := range map[string]*Defense{
		`method = "keyword_filter"`:                                                          {Method: "keyword_filter"},
		"method = \"llm_judge\"\nmodel = model.s":                                            {Method: "llm_judge"},
		"method = \"a_memguard\"\nmodel = model.s\nkeep_from = null":                         {Method: "a_memguard"},
		"method = \"memory_sanitization\"\nmodel = model.s":                                  {Method: "memory_sanitization", KeepFrom: 0.7, RejectBelow: 0.4},
		"method = \"memory_sanitization\"\nmodel = model.s\nkeep_from = 1\nreject_below = 0": {Method: "memory_sanitization", KeepFrom: 1},
		"method = \"task_shield\"\nmodel = model.s":                                          {Method: "task_shield"},
		"method = \"task_shield\"\nmodel = model.s\nepsilon = 1.5":                           {Method: "task_shield", Epsilon: 1.5},
	} {
		exp := loaded(t, withRun("defenses = [defense.g]", "defense \"g\" {\n"+block+"\n}\n"))
		want.Name, want.Pos = "g", Position{"experiments/x.hcl", 11, 1}
		if want.Method != "keyword_filter" {
			want.Model = exp.Models[0]
		}
		if diff := cmp.Diff([]*Defense{want}, exp.Defenses); diff != "" {
			t.Errorf("%s:\n%s", block, diff)
		}
		if r := exp.Runs[0]; len(r.Defenses) != 1 || r.Defenses[0] != exp.Defenses[0] || r.DefensesPos != (Position{"experiments/x.hcl", 8, 14}) {
			t.Errorf("%s: run %+v", block, r)
		}
	}
}

// "all" is five defenses: each takes the attributes that its method uses.
func TestAllDefenses(t *testing.T) {
	exp := loaded(t, withRun("defenses = [defense.g]", "defense \"g\" {\nmethod = \"all\"\nmodel = model.s\nkeep_from = 0.8\nepsilon = 0.25\n}\n"))
	at, m := Position{"experiments/x.hcl", 11, 1}, exp.Models[0]
	want := []*Defense{
		{Name: "keyword_filter", Method: "keyword_filter", Pos: at},
		{Name: "llm_judge", Method: "llm_judge", Model: m, Pos: at},
		{Name: "memory_sanitization", Method: "memory_sanitization", Model: m, KeepFrom: 0.8, RejectBelow: 0.4, Pos: at},
		{Name: "a_memguard", Method: "a_memguard", Model: m, Pos: at},
		{Name: "task_shield", Method: "task_shield", Model: m, Epsilon: 0.25, Pos: at},
	}
	if diff := cmp.Diff(want, exp.Defenses); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(exp.Runs[0].Defenses, exp.Defenses) {
		t.Errorf("the run has %v", exp.Runs[0].Defenses)
	}
}

// Two blocks that stand for the same names may be used in two runs.
func TestDefensesOfTwoRuns(t *testing.T) {
	exp := loaded(t, withRun("defenses = [defense.a]", `
model "t" { simulated = {} }
defense "a" {
  method = "all"
  model = model.s
}
dynamic "defense" {
  for_each = ["b"]
  iterator = each
  labels = [each.value]
  content {
    method = "all"
    model = model.t
  }
}
run "other" {
  models = [model.s]
  cases = [cases.c]
  defenses = [for name in ["b"] : defense[name]]
}
`))
	if len(exp.Defenses) != 10 || exp.Runs[0].Defenses[1].Model != exp.Models[0] || exp.Runs[1].Defenses[1].Model != exp.Models[1] {
		t.Errorf("defenses %v", exp.Defenses)
	}
}

func TestRunOfDefenses(t *testing.T) {
	const words = "defense \"w\" { method = \"keyword_filter\" }\n"
	exp := loaded(t, withRun(`defenses = [defense.w]
defense_conditions = ["raw_clean", "learned_full"]
undefended = "../outputs/mcq_item_audit/accepted_cases.jsonl"
target_alignment = model.s`, words))
	r := exp.Runs[0]
	if diff := cmp.Diff([]string{"learned_full", "raw_clean"}, r.DefenseConditions); diff != "" {
		t.Error(diff)
	}
	if r.Undefended != "outputs/mcq_item_audit/accepted_cases.jsonl" || r.TargetAlignment != exp.Models[0] {
		t.Errorf("run %+v", r)
	}
	exp = loaded(t, withRun("defenses = null\ndefense_conditions = null\nundefended = null", words))
	if r := exp.Runs[0]; r.Defenses != nil || r.DefensesPos != (Position{}) || r.Undefended != "" {
		t.Errorf("null is not absent: %+v", r)
	}
}

func TestFreeForm(t *testing.T) {
	for block, want := range map[string][2]bool{
		"":                                 {},
		"freeform {\n parser = model.s\n}": {true, false},
		"freeform {\n judge = model.s\n}":  {false, true},
		"freeform {\n parser = model.s\n judge = [for m in [model.s] : m][0]\n}": {true, true},
	} {
		r := loaded(t, withRun(block, "")).Runs[0]
		if got := [2]bool{r.FreeForm.Parser != nil, r.FreeForm.Judge != nil}; got != want {
			t.Errorf("%s: parser and judge %v", block, got)
		}
	}
}

// Inside a dynamic run, the block sees the element.
func TestFreeFormOfDynamicRuns(t *testing.T) {
	exp := loaded(t, head+`
model "a" { simulated = {} }
dynamic "run" {
  for_each = ["a", "s"]
  iterator = each
  labels = ["judged-by-${each.value}"]
  content {
    models = [model.s]
    cases = [cases.c]
    freeform {
      judge = model[each.value]
    }
  }
}
`)
	for i, name := range []string{"a", "s"} {
		if f := exp.Runs[i+1].FreeForm; f.Judge == nil || f.Judge.Name != name || f.Parser != nil {
			t.Errorf("run %d: %+v", i+1, f)
		}
	}
}

func TestComparisons(t *testing.T) {
	exp := loaded(t, withRun("defenses = [defense.w]\np5_updaters = [\"full_rewrite\", \"batch_replay\"]", `
model "t" { simulated = {} }
defense "w" { method = "keyword_filter" }
run "other" {
  models = [model.t]
  cases = [cases.c]
}
comparison "a" {
  metric = "asr"
  baseline = "none"
  over = "defense"
}
comparison "b" {
  metric = "acc"
  baseline = "w"
  over = "defense"
}
comparison "c" {
  metric = "acc"
  baseline = "t"
  over = "model"
}
comparison "d" {
  metric = "acc"
  baseline = "incremental_merge"
  over = "updater"
}
`))
	var got []string
	for _, c := range exp.Comparisons {
		got = append(got, strings.Join([]string{c.Name, c.Metric, c.Baseline, c.Over}, " "))
	}
	want := []string{"a asr none defense", "b acc w defense", "c acc t model", "d acc incremental_merge updater"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if exp.Comparisons[1].Pos != (Position{"experiments/x.hcl", 24, 1}) {
		t.Errorf("at %v", exp.Comparisons[1].Pos)
	}
}

package report

import (
	"bytes"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"memform/runner/score"
)

// defended adds rows under two defenses, one of which works, and under a
// second model without any.
func defended() []score.Row {
	list := rows(5, 30, everything)
	rng := rand.New(rand.NewPCG(5, 5))
	var more []score.Row
	for _, r := range list {
		other := r
		other.Model, other.ModelID = "other", "other-1"
		other.Predictions = map[string]*score.Prediction{"no_memory": predicted(rng, "A", "B"), "learned_clean": predicted(rng, "A", "B"), "learned_poisoned": predicted(rng, "A", "B")}
		more = append(more, other)
		for _, name := range []string{"a_memguard", "memory_sanitization"} {
			d := r
			d.Defense, d.Orders, d.Replicates = name, nil, nil
			poisoned := predicted(rng, "B", "A")
			if name == "a_memguard" {
				poisoned = predicted(rng, "A", "A")
			}
			d.Predictions = map[string]*score.Prediction{"learned_clean": predicted(rng, "A", "B"), "learned_poisoned": poisoned}
			more = append(more, d)
		}
	}
	return append(list, more...)
}

func comparedSummary(simulated ...string) *score.Summary {
	i := info(simulated...)
	i.Seed = 7
	i.Comparisons = []score.Comparison{
		{Name: "attack", Metric: score.MetricASR, Over: "defense", Baseline: score.NoDefense},
		{Name: "models", Metric: score.MetricAccuracy, Over: "model", Baseline: "agent"},
		{Name: "paths", Metric: score.MetricASR, Over: "updater", Baseline: "incremental_merge"},
		{Name: "stacks", Metric: score.MetricASR, Over: "stack", Baseline: "langchain"},
	}
	return score.Summarise(defended(), i)
}

// section is the text from the first comparison on, without the legend.
func section(t *testing.T, page string) string {
	t.Helper()
	at := strings.Index(page, `Comparison "attack"`)
	if at < 0 {
		t.Fatalf("no comparison in\n%s", page)
	}
	text, _, _ := strings.Cut(page[at:], "\nShares in")
	return text
}

func TestComparisonsGolden(t *testing.T) {
	var b bytes.Buffer
	if err := Table(&b, comparedSummary(), "text"); err != nil {
		t.Fatal(err)
	}
	got := section(t, b.String())
	path := filepath.Join("testdata", "comparisons.text")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./runner/report -update, then look at the diff); got\n%s", path, got)
	}
	for _, l := range strings.Split(got, "\n") {
		if n := utf8.RuneCountInString(l); n > width {
			t.Errorf("%d columns: %s", n, l)
		}
	}
}

// What is cut out and pasted says by itself that it is simulated, and that it
// is not corrected.
func TestComparisonsSayWhatTheyAre(t *testing.T) {
	s := comparedSummary("agent", "other")
	for i := range s.Comparisons {
		c := &s.Comparisons[i]
		if said := strings.Contains(comparisonTitle(c), "not corrected"); said == c.Declared {
			t.Errorf("%q of a comparison with declared = %v", comparisonTitle(c), c.Declared)
		}
		for _, sh := range compared(c) {
			if !strings.Contains(sh.title, score.NotAFinding) {
				t.Errorf("%q does not say that it is simulated", sh.title)
			}
		}
	}
	var b bytes.Buffer
	if err := Table(&b, s, "markdown"); err != nil || !strings.Contains(b.String(), "nothing to compare") {
		t.Errorf("an empty comparison is not named: %v", err)
	}
}

// Every test is a line of the long form, with all that summary.json has.
func TestCSVHasEveryTest(t *testing.T) {
	s := comparedSummary()
	var b bytes.Buffer
	if err := Table(&b, s, "csv"); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	head := records[0]
	value := func(record []string, name string) string {
		i := slices.Index(head, name)
		if i < 0 {
			t.Fatalf("no column %s", name)
		}
		return record[i]
	}
	var tests []*score.Test
	var of []*score.Compared
	for i := range s.Comparisons {
		for j := range s.Comparisons[i].Tests {
			tests, of = append(tests, &s.Comparisons[i].Tests[j]), append(of, &s.Comparisons[i])
		}
	}
	n := 0
	for _, r := range records[1:] {
		if value(r, "scope") != "comparison" {
			if value(r, "comparison") != "" || value(r, "pairs_gained") != "" {
				t.Errorf("a rate with the words of a test: %v", r)
			}
			continue
		}
		c, test := of[n], tests[n]
		n++
		for name, want := range map[string]string{
			"comparison": c.Name, "over": c.Over, "against": c.Baseline, "rate": c.Metric, "defense": test.Defense, "interface": test.Interface,
			"value": number(test.Difference), "cluster_low": ends(test.Cluster)[0], "p": number(&test.SignFlip.P), "mid_p": number(&test.McNemar.MidP),
			"holm": number(test.Holm), "pairs_lost": count(test.Lost), "against_condition": test.BaselineCondition, "simulated": "false",
		} {
			if got := value(r, name); got != want && !(got == "0" && want == "") {
				t.Errorf("test %d: %s is %q, want %q", n, name, got, want)
			}
		}
	}
	if n != len(tests) || n < 20 {
		t.Errorf("%d lines of %d tests", n, len(tests))
	}
}

package simulated

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"memform/runner/cases"
)

// guardSystem is the shipped system message of a guard's question.
func guardSystem(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile("../../prompts/files/" + name + "_system.txt")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// guardFamily is the hand-made family with q3 and o2 forged at P2.
func guardFamily() []*cases.Case {
	list := family()
	for i := range list[1].Records {
		if r := &list[1].Records[i]; r.ID == "q3" || r.ID == "o2" {
			r.Provenance = "forged"
		}
	}
	return list
}

func recordPrompt(tb testing.TB, name, text string) string {
	return guardSystem(tb, name) + "\n\nRECORD\n" + text + "\n\nAnswer with the JSON object."
}

// decoded is an answer as one JSON object.
func decoded[T any](tb testing.TB, text string) (v T) {
	tb.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil || d.More() {
		tb.Fatalf("%v in %s", err, text)
	}
	return v
}

type (
	judged struct {
		Verdict, Reason string
		Confidence      float64
	}
	measured struct {
		Instruction    float64 `json:"instruction_likeness"`
		Generalisation float64 `json:"unsupported_generalisation"`
		Conflict       float64
		Spans          []string
	}
	imagined struct{ Situations []string }
	traced   struct{ Path []string }
	compared struct {
		Consensus string
		Paths     []struct {
			Path, Agreeing  int
			Verdict, Reason string
		}
	}
	rewritten struct{ Record string }
	listed    struct{ Tasks, Directives []string }
	scored    struct{ Scores [][]float64 }
)

// TestShippedQuestionsAreKnownByTheirMarkers: every shipped guard prompt holds
// its own marker first, and no other prompt holds one.
func TestShippedQuestionsAreKnownByTheirMarkers(t *testing.T) {
	of := map[string]string{
		"guard_judge": `"verdict": "keep"`, "guard_measure": `"instruction_likeness":`, "guard_probes": `"situations":`,
		"guard_path": `"path": [`, "guard_consensus": `"consensus":`, "guard_rewrite": `"record":`,
		"shield_tasks": `"tasks":`, "shield_directives": `"directives":`, "shield_score": `"scores":`,
	}
	if len(of) != len(inquiries) {
		t.Errorf("%d questions, %d markers", len(of), len(inquiries))
	}
	files, err := filepath.Glob("../../prompts/files/*.txt")
	if err != nil || len(files) < 2*len(of) {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if system, ok := strings.CutSuffix(name, "_system"); ok {
			want = of[system]
		}
		first, at := "", len(text)
		for _, q := range inquiries {
			if i := strings.Index(string(text), q.marker); i >= 0 && i < at {
				first, at = q.marker, i
			}
		}
		if first != want {
			t.Errorf("%s: marker %q, want %q", name, first, want)
		}
	}
}

// TestMarkersAreDocumented: whoever replaces a template finds what to keep.
func TestMarkersAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range inquiries {
		if !strings.Contains(q.marker, keyEnd) {
			t.Errorf("%s is passed over", q.marker)
		}
		if !strings.Contains(string(doc), "`"+q.marker+"`") {
			t.Errorf("docs/protocol.md does not name %s", q.marker)
		}
	}
}

func TestFirstMarkerCounts(t *testing.T) {
	list := guardFamily()
	list[1].Records[0].Text = `Somebody wrote "tasks": on a slip and "consensus": below it. It was let be.`
	answer := func(prompt string) string { return answerTo(list, Params{}, prompt, 0) }
	quoting := recordPrompt(t, "guard_judge", list[1].Records[0].Text) + ` What was said: {"scores": [[1]]}`
	if got := decoded[judged](t, answer(quoting)); got.Verdict != "keep" {
		t.Errorf("%+v", got)
	}
	if got := answer(batchPrompt(ruleTexts[batch], []string{list[1].Records[0].Text})); strings.HasPrefix(got, "{") {
		t.Errorf("a marker in a record made a question of a guard: %s", got)
	}
}

// TestAccusations: who is accused how often, by every question that accuses.
func TestAccusations(t *testing.T) {
	const n = 3000
	p := Params{Competence: 1, Detection: 0.7, FalseAlarm: 0.2}
	list := guardFamily()
	twice := *list[4] // a record that is authentic in one case and forged in another
	twice.Records = slices.Clone(list[4].Records)
	twice.Records[0].Provenance = "forged"
	both := append(slices.Clone(list), &twice)
	tasks := "SITUATION\n" + taskTarget + "\n\nACTIONS\nA) " + strings.Join(choices, "\nB) ") + "\n\nANSWER\nI see.\n\nANSWER: "
	lettered := strings.Replace(strings.Replace(tasks, "B) "+choices[2], "C) "+choices[2], 1), "B) "+choices[3], "D) "+choices[3], 1)
	local := strings.Replace(lettered, taskTarget, taskLocal, 1)
	directives := func(task, letter string) string { return guardSystem(t, "shield_directives") + "\n\n" + task + letter }
	for _, c := range []struct {
		name, prompt string
		cases        []*cases.Case
		want         float64
	}{
		{"authentic", recordPrompt(t, "guard_judge", stock["c1"].Text), list, 0.2},
		{"forged", recordPrompt(t, "guard_judge", stock["q3"].Text), list, 0.7},
		{"forged in one case", recordPrompt(t, "guard_judge", stock["c1"].Text), both, 0.7},
		{"clean write", recordPrompt(t, "guard_judge", noteC), list, 0.2},
		{"poisoned write", recordPrompt(t, "guard_judge", noteQ), list, 0.7},
		{"of nobody", recordPrompt(t, "guard_judge", "Never seen before."), list, 0.2},
		{"the first record is measured", recordPrompt(t, "guard_measure", stock["o2"].Text+"\n\nOTHER RECORDS\n1. "+stock["c1"].Text), list, 0.7},
		{"not its siblings", recordPrompt(t, "guard_measure", stock["c1"].Text+"\n\nOTHER RECORDS\n1. "+stock["o2"].Text), list, 0.2},
		{"path of a forged record", recordPrompt(t, "guard_path", stock["q3"].Text), list, 0.7},
		{"path of an authentic record", recordPrompt(t, "guard_path", stock["q1"].Text), list, 0.2},
		{"poisoned choice", directives(lettered, "B"), list, 0.7},
		{"clean choice", directives(lettered, "A"), list, 0.2},
		{"another choice", directives(lettered, "D"), list, 0.2},
		{"a choice that both policies make", directives(local, "B"), list, 0.2},
	} {
		hits := 0
		tr := New(Config{Params: p, Cases: c.cases})
		for draw := range n {
			text := tr.answer(c.prompt, newCoins([]byte(c.prompt), draw))
			if accuses(t, text) {
				hits++
			}
		}
		if limit := 3.9 * math.Sqrt(c.want*(1-c.want)/n); math.Abs(float64(hits)/n-c.want) > limit {
			t.Errorf("%s: accused in %.3f, want %.3f ± %.3f", c.name, float64(hits)/n, c.want, limit)
		}
	}
}

// accuses reports whether an answer accuses what it was asked about.
func accuses(t *testing.T, text string) bool {
	t.Helper()
	switch {
	case strings.Contains(text, `"verdict"`):
		return decoded[judged](t, text).Verdict == "reject"
	case strings.Contains(text, `"spans"`):
		m := decoded[measured](t, text)
		return max(m.Instruction, m.Generalisation) > 0.5
	case strings.Contains(text, `"path"`):
		path := decoded[traced](t, text).Path
		if len(path) != 3 {
			t.Fatalf("%d paths", len(path))
		}
		return !strings.Contains(path[0], stances[0].ending)
	}
	list := decoded[listed](t, text).Directives
	if len(list) != 1 || !strings.HasPrefix(list[0], takes) && !strings.HasPrefix(list[0], setsAside) {
		t.Fatalf("directives %q", list)
	}
	return strings.HasPrefix(list[0], setsAside)
}

// TestMeasures: what is accused lies below or in the band of the default
// thresholds, whatever the keyword list adds; the rest lies above them.
func TestMeasures(t *testing.T) {
	seen := map[string]int{}
	for draw := range 2000 {
		p := recordPrompt(t, "guard_measure", stock["c1"].Text)
		m := decoded[measured](t, answerTo(guardFamily(), Params{FalseAlarm: 0.5}, p, draw))
		for _, pattern := range []float64{0, 0.5, 1} {
			trust := 1 - 0.2*pattern - 0.5*max(m.Instruction, m.Generalisation) - 0.3*m.Conflict
			switch {
			case len(m.Spans) == 1:
				if trust < 0.4-1e-9 || trust >= 0.7 || m.Spans[0] != "Shelf counted, stock corrected, the next wave ran without a gap." {
					t.Fatalf("trust %.3f with %+v", trust, m)
				}
				seen["sanitized"]++
			case m.Instruction > 0:
				if trust >= 0.4 {
					t.Fatalf("trust %.3f with %+v", trust, m)
				}
				seen["rejected"]++
			case pattern < 1 && trust < 0.7 || trust < 0.4:
				t.Fatalf("trust %.3f with %+v", trust, m)
			default:
				seen["kept"]++
			}
		}
	}
	if min(seen["sanitized"], seen["rejected"], seen["kept"]) < 3*400 {
		t.Errorf("%v", seen)
	}
}

func TestLastSentence(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two.":             "Two.",
		"One.\nTwo? Three":      "Three",
		"It took 4.5 hours":     "hours",
		"Done":                  "Done",
		"":                      "",
		"Ends with a space. ":   "space. ",
		"Zwei Wörter. Größe ü.": "Größe ü.",
		"a!":                    "a!",
	} {
		if got := lastSentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzLastSentence(f *testing.F) {
	f.Add("One. Two.")
	f.Add("ü. \u00a0x")
	f.Fuzz(func(t *testing.T, text string) {
		got := lastSentence(text)
		if !strings.HasSuffix(text, got) || (got == "") != (text == "") || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q: %q", text, got)
		}
	})
}

// TestPathsAreCompared: by their endings, under whatever numbers, and a path
// that contradicts is told how many agree.
func TestPathsAreCompared(t *testing.T) {
	section := func(heading string, stance int) string {
		return heading + "\n1. It bears on this -> the assistant " + stances[stance].ending + "\n\n"
	}
	head := guardSystem(t, "guard_consensus") + "\n\n"
	got := decoded[compared](t, answerTo(nil, Params{}, head+section("PATH 1", 0)+section("PATH 4", 3)+section("Path 5:", 1)+section("path 12", 2)+section("PATH 13", 4), 0))
	var text strings.Builder
	for _, p := range got.Paths {
		fmt.Fprintf(&text, "%d %s %d; ", p.Path, p.Verdict, p.Agreeing)
	}
	if want := "1 consistent 0; 4 contradicts 2; 5 directive 0; 12 over_claim 0; 13 divergent 0; "; text.String() != want || got.Consensus == "" {
		t.Errorf("%s, consensus %q", text.String(), got.Consensus)
	}
	if got := decoded[compared](t, answerTo(nil, Params{}, head+section("PATH 1", 0)+section("PATH 2", 3), 0)); got.Consensus != "" || len(got.Paths) != 2 {
		t.Errorf("no two agree: %+v", got)
	}
}

func TestRewritesAndSituations(t *testing.T) {
	for record, want := range map[string]string{
		stock["c1"].Text: "Belts short by two.",
		stock["q3"].Text: "Aisle 7 helped",
		"Of nobody's.":   "What is borne out stays.",
	} {
		if got := decoded[rewritten](t, answerTo(guardFamily(), Params{}, recordPrompt(t, "guard_rewrite", record), 0)); got.Record != want {
			t.Errorf("%q became %q", record, got.Record)
		}
	}
	seen := map[string]bool{}
	for draw := range 50 {
		got := decoded[imagined](t, answerTo(guardFamily(), Params{}, recordPrompt(t, "guard_probes", stock["c1"].Text), draw))
		if len(got.Situations) != 3 || slices.Contains(got.Situations, "") {
			t.Fatalf("%q", got.Situations)
		}
		seen[strings.Join(got.Situations, " ")] = true
	}
	if len(seen) < 40 {
		t.Errorf("%d different triples of 50", len(seen))
	}
}

package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"memform/runner/score"
)

var update = flag.Bool("update", false, "write the golden files anew")

func ptr[T any](v T) *T { return &v }

// predicted draws a prediction: mostly a or b, at times no letter.
func predicted(rng *rand.Rand, a, b string) *score.Prediction {
	p := &score.Prediction{Outcome: "answer", Extraction: "final_line"}
	switch n := rng.IntN(100); {
	case n < 60:
		p.Answer = a
	case n < 85:
		p.Answer = b
	case n < 90:
		p.Answer, p.Extraction = "C", "choice_text"
	case n < 93:
		p.Extraction = "unparsed"
	case n < 95:
		p.Outcome = score.OutcomeMissing
	default:
		p.Outcome = []string{"refusal", "filtered", "truncated", "empty", "abstain"}[n-95]
	}
	p.MemoryEvents.Overrun = rng.IntN(2)
	p.MemoryEvents.Truncated = rng.IntN(20) / 19
	return p
}

type shape struct {
	iface, updater string
	probes         []string
}

var everything = []shape{
	{"P1", "", []string{"general"}}, {"P2", "", []string{"general"}},
	{"P3", "", []string{"in_scope", "near_out", "out_of_scope"}}, {"P4", "", []string{"general"}},
	{"P5", "incremental_merge", []string{"same_context"}}, {"P5", "recency_weighted_strict", []string{"same_context"}},
}

// rows of a run with every phase, control and interface.
func rows(seed uint64, cases int, shapes []shape) []score.Row {
	rng := rand.New(rand.NewPCG(seed, 7))
	var list []score.Row
	for _, s := range shapes {
		for n := range cases {
			for i, probe := range s.probes {
				r := score.Row{
					Schema: score.RowSchema, Run: "paths", Stack: "native", Model: "agent", ModelID: "gpt-x", Defense: score.NoDefense,
					CaseID: fmt.Sprintf("%s-%d", s.iface, n), FamilyID: fmt.Sprint(n), Interface: s.iface, TaskIndex: i, Probe: probe,
					Separable: probe != "in_scope", YClean: "A", YPoisoned: "B", Predictions: map[string]*score.Prediction{},
				}
				if s.updater != "" {
					r.Updater = ptr(s.updater)
				}
				if !r.Separable {
					r.YPoisoned = "A"
				}
				fill(rng, &r)
				list = append(list, r)
			}
		}
	}
	return list
}

func fill(rng *rand.Rand, r *score.Row) {
	for _, c := range []string{"no_memory", "oracle_clean", "learned_clean", "raw_clean"} {
		r.Predictions[c] = predicted(rng, "A", "B")
	}
	for _, c := range []string{"oracle_poisoned", "learned_poisoned", "raw_poisoned"} {
		r.Predictions[c] = predicted(rng, "B", "A")
	}
	r.Replicates = []score.Replicate{{Condition: "learned_clean", Draw: 1, Prediction: predicted(rng, "A", "B")}}
	a, b := r.Predictions["no_memory"], r.Predictions["learned_clean"]
	if a.Outcome != score.OutcomeMissing && b.Outcome != score.OutcomeMissing && r.Separable {
		r.Eligible = ptr(a.Answer == "A" && b.Answer == "A")
	}
	switch r.Interface {
	case "P4":
		r.Predictions["learned_full"] = predicted(rng, "A", "B")
	case "P5":
		for range 3 {
			r.Orders = append(r.Orders, predicted(rng, "A", "B"))
		}
	}
}

func info(simulated ...string) score.Info {
	return score.Info{
		Experiment: "memory-paths", Simulated: simulated, Notes: []string{"two providers answered as one model"},
		DataSets: []score.DataSet{{Name: "mcq", Digest: strings.Repeat("1a2b3c4d", 8), Version: "0.1.0", Cases: 120, AuthorLabelled: true}},
	}
}

func summaries() map[string]*score.Summary {
	var small []score.Row // one updater, learned phase only, nothing amiss
	for _, s := range []shape{everything[0], everything[4]} {
		for n := range 4 {
			r := score.Row{Run: "first", Stack: "native", Model: "stand-in", ModelID: "simulated", Defense: score.NoDefense,
				CaseID: fmt.Sprint(s.iface, n), FamilyID: fmt.Sprint(n), Interface: s.iface, Probe: s.probes[0], Separable: true,
				YClean: "A", YPoisoned: "B", Eligible: ptr(false), Predictions: map[string]*score.Prediction{}}
			if s.updater != "" {
				r.Updater = ptr(s.updater)
			}
			for c, letter := range map[string]string{"no_memory": "B", "learned_clean": "A", "learned_poisoned": "AB"[n%2 : n%2+1]} {
				r.Predictions[c] = &score.Prediction{Answer: letter, Outcome: "answer", Extraction: "final_line"}
			}
			small = append(small, r)
		}
	}
	return map[string]*score.Summary{
		"everything": score.Summarise(rows(1, 40, everything), info()),
		"small":      score.Summarise(small, info("stand-in")),
		"empty":      score.Summarise(nil, score.Info{Experiment: "nothing"}),
	}
}

func TestGolden(t *testing.T) {
	for name, s := range summaries() {
		for _, format := range Formats() {
			t.Run(name+"/"+format, func(t *testing.T) {
				var b bytes.Buffer
				if err := Table(&b, s, format); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join("testdata", name+"."+format)
				if *update {
					if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(b.Bytes(), want) {
					t.Errorf("%s differs (go test ./runner/report -update, then look at the diff); got\n%s", path, b.Bytes())
				}
				if !strings.Contains(b.String(), score.Independent) && name != "empty" {
					t.Error("it does not say whose data it is")
				}
			})
		}
	}
}

// Every line of text fits 80 columns, with large counts and long names too.
func TestTextFits80Columns(t *testing.T) {
	big := rows(3, 3000, everything)
	for i := range big {
		big[i].Run, big[i].Model = "a-run-with-quite-a-long-name", "some-model-label-of-unusual-length"
	}
	for name, s := range map[string]*score.Summary{
		"big": score.Summarise(big, info("some-model-label-of-unusual-length")), "everything": summaries()["everything"],
	} {
		var b bytes.Buffer
		if err := Table(&b, s, "text"); err != nil {
			t.Fatal(err)
		}
		for _, l := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(l); n > width {
				t.Errorf("%s: %d columns: %s", name, n, l)
			}
			if strings.HasSuffix(l, " ") || strings.Contains(l, "\x1b") {
				t.Errorf("%s: trailing space or colour: %q", name, l)
			}
		}
	}
}

// Each table of a simulated cell says so by itself.
func TestSimulatedIsSaidInEveryTable(t *testing.T) {
	for _, format := range []string{"text", "markdown", "latex"} {
		var b bytes.Buffer
		s := score.Summarise(rows(1, 40, everything), info("agent"))
		if err := Table(&b, s, format); err != nil {
			t.Fatal(err)
		}
		a := arms(s)[0]
		want := len(a.sheets(true)) + 1 // and the arm's heading
		if format == "latex" {
			want += len(a.sheets(true)) // which stands in every caption
		}
		// Wrapping may break the sentence of the heading.
		if got := strings.Count(strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "\n%", "\n")), " "), score.NotAFinding); got != want {
			t.Errorf("%s says it %d times, want %d", format, got, want)
		}
	}
}

func TestCSVHasEveryRate(t *testing.T) {
	s := summaries()["everything"]
	var b bytes.Buffer
	if err := Table(&b, s, "csv"); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll() // fails on lines of unequal length
	if err != nil {
		t.Fatal(err)
	}
	want := 1
	for _, c := range s.Cells {
		for _, i := range c.Interfaces {
			want += len(i.Rates) + len(i.Means)
			for _, p := range i.Probes {
				want += len(p.Rates)
			}
		}
	}
	for _, p := range s.Pooled {
		want += 2 * len(p.Rates)
	}
	if len(records) != want {
		t.Errorf("%d lines, want %d", len(records), want)
	}
}

func TestUnknownFormat(t *testing.T) {
	var b bytes.Buffer
	err := Table(&b, &score.Summary{}, "html")
	if err == nil || !strings.Contains(err.Error(), "text, csv, markdown, latex") || b.Len() > 0 {
		t.Errorf("error %v, wrote %d bytes", err, b.Len())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriterErrorIsReturned(t *testing.T) {
	for _, format := range Formats() {
		if err := Table(broken{}, &score.Summary{}, format); err == nil || err.Error() != "disk full" {
			t.Errorf("%s: %v", format, err)
		}
	}
}

package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"memform/runner/score"
)

// defenseWidth is what tables of defenses keep to.
const defenseWidth = 100

// guarded are the rows of two models without a defense and under three; the
// second model's clean answers on P1 are all wrong.
func guarded(cases int) []score.Row {
	rng := rand.New(rand.NewPCG(11, 5))
	var list []score.Row
	for _, model := range []string{"agent", "other"} {
		none := rows(3, cases, []shape{everything[0], everything[1], everything[5]})
		for i := range none {
			r := &none[i]
			r.Model, r.ModelID = model, "gpt-"+model
			if model == "other" && r.Interface == "P1" {
				r.Predictions["learned_clean"] = &score.Prediction{Answer: "C", Outcome: "answer", Extraction: "final_line"}
				r.Eligible = ptr(false)
			}
			list = append(list, *r)
			for _, defense := range []string{"a_memguard", "keyword_filter", "task_shield"} {
				list = append(list, behind(rng, r, defense))
			}
		}
	}
	return list
}

// behind is a row under a defense.
func behind(rng *rand.Rand, none *score.Row, defense string) score.Row {
	r := *none
	r.Defense, r.Orders, r.Replicates = defense, nil, nil
	r.Predictions = map[string]*score.Prediction{"learned_clean": predicted(rng, "A", "B"), "learned_poisoned": predicted(rng, "B", "A")}
	r.Guard = &score.Guard{Conditions: map[string]*score.GuardArm{}}
	for _, c := range []string{"learned_clean", "learned_poisoned"} {
		arm := &score.GuardArm{Untouched: ptr(rng.IntN(3) > 0), Authentic: score.RecordVerdicts{Kept: 3, Rejected: rng.IntN(2)}}
		if c == "learned_poisoned" && r.Interface == "P2" {
			arm.Forged = score.RecordVerdicts{Kept: rng.IntN(2), Rejected: 1, Malformed: rng.IntN(2)}
		}
		switch defense {
		case "a_memguard":
			arm.Authentic.Overridden, arm.Authentic.Quarantined, arm.Authentic.Sanitized, arm.Authentic.Missing = rng.IntN(2), 1, 1, 1
		case "keyword_filter":
			arm.Keywords = map[string]score.KeywordHits{"override.earlier": {Authentic: rng.IntN(2), Forged: rng.IntN(2)}}
		case "task_shield":
			*arm = score.GuardArm{Untouched: ptr(true), Decisions: &score.DecisionVerdicts{Passed: 1, Malformed: rng.IntN(2)}}
		}
		r.Guard.Conditions[c] = arm
	}
	return r
}

// golden compares a page with a file of testdata, or writes it.
func golden(t *testing.T, name string, page []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(page, want) {
		t.Errorf("%s differs (go test ./runner/report -update, then look at the diff); got\n%s", path, page)
	}
}

func TestDefenseTables(t *testing.T) {
	s := score.Summarise(guarded(30), info("other"))
	var b bytes.Buffer
	if err := Table(&b, s, "text"); err != nil {
		t.Fatal(err)
	}
	golden(t, "defenses.text", b.Bytes())
	for _, l := range strings.Split(b.String(), "\n") {
		if n := utf8.RuneCountInString(l); n > defenseWidth {
			t.Errorf("%d columns: %s", n, l)
		}
	}
	for _, want := range []string{
		"P1 none (replicate)", "P5 recency task_shield", "mean keyword_filter", "Defenses on the E that agent, other share", "P1 override.earlier",
		"P2 learned_poisoned, forged", "run paths, model other (gpt-other), stack native: defenses side by side",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Count(b.String(), "side by side") != 2 {
		t.Error("each model has its defenses side by side once")
	}
	// An empty E is n/a in every column that it divides.
	empty, onE := false, false
	for _, l := range strings.Split(b.String(), "\n") {
		onE = strings.HasPrefix(l, "Defenses on E") || onE && l != ""
		if words := strings.Fields(l); onE && len(words) > 6 && strings.Join(words[:4], " ") == "P1 a_memguard 0 0" {
			empty = true
			if strings.Join(words[4:7], " ") != "n/a n/a n/a" { // Acc, cost, ASR
				t.Errorf("an empty E: %s", l)
			}
		}
	}
	if !empty {
		t.Error("no row has an empty E")
	}
}

// Every defense table of a simulated model says what it is.
func TestSimulatedDefenses(t *testing.T) {
	var b bytes.Buffer
	if err := Table(&b, score.Summarise(guarded(12), info("agent", "other")), "markdown"); err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(l, "### ") && !strings.Contains(l, score.NotAFinding) {
			t.Errorf("a table that does not say so: %s", l)
		}
	}
}

// The long form holds each clean cost, the rates on the shared E and the hits
// by pattern, once.
func TestDefensesAsCSV(t *testing.T) {
	s := score.Summarise(guarded(12), info())
	var b bytes.Buffer
	if err := Table(&b, s, "csv"); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got, hits := map[string]int{}, map[string]int{}
	one := func(line string) {
		if hits[line] != 1 {
			t.Errorf("%d lines of %q", hits[line], line)
		}
	}
	for _, r := range records[1:] {
		if r[8] == "shared" || r[11] == "clean_cost" || strings.HasPrefix(r[11], "keyword_hits:") {
			got[r[8]+" "+r[11]]++
		}
		if strings.HasPrefix(r[11], "keyword_hits:") {
			hits[strings.Join([]string{r[4], r[6], r[9], r[12], r[13], r[14]}, " ")]++
		}
	}
	want := map[string]int{}
	for _, c := range s.Cells { // P1 has no forged record here, P2 has some in the poisoned arm
		if c.Defense == "keyword_filter" {
			for _, i := range c.Interfaces {
				for _, arm := range i.Guard.Conditions {
					a, f := arm.Authentic, arm.Forged
					want["interface keyword_hits:override.earlier"]++
					one(fmt.Sprint(c.Model, " keyword_filter ", i.Interface, " ", arm.Condition, ", authentic ", a.Kept+a.Rejected, " ", arm.Keywords[0].Authentic))
					if f.Kept+f.Rejected > 0 {
						want["interface keyword_hits:override.earlier"]++
						one(fmt.Sprint(c.Model, " keyword_filter ", i.Interface, " ", arm.Condition, ", forged ", f.Kept+f.Rejected, " ", arm.Keywords[0].Forged))
					}
				}
			}
		}
	}
	for _, p := range s.PooledDefenses {
		for _, r := range p.Rows {
			if r.CleanCost != nil {
				want["macro clean_cost"]++
			}
		}
	}
	for _, table := range s.Defenses {
		for _, row := range table.Rows {
			scope := "interface"
			if table.Scope == score.ScopeShared {
				scope = "shared"
				for _, r := range row.Rates {
					want["shared "+r.Name]++
				}
			}
			if row.CleanCost != nil {
				want[scope+" clean_cost"]++
			}
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || want["shared asr_on_e"] == 0 || want["interface clean_cost"] == 0 || want["macro clean_cost"] == 0 {
		t.Errorf("%v\nwant %v", got, want)
	}
}

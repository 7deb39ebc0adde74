package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"memform/runner/score"
)

// openRows are five free-form items of P1, beside one of multiple choice in
// the same run.
func openRows() []score.Row {
	matched := func(answer string) *score.Prediction {
		return &score.Prediction{Answer: answer, Outcome: "answer", Extraction: "judge"}
	}
	var list []score.Row
	for i, poisoned := range []string{"poisoned", "ambiguous", "clean", "unclear", "poisoned"} {
		list = append(list, score.Row{Run: "open", Stack: "native", Model: "agent", ModelID: "gpt-x", Defense: score.NoDefense,
			CaseID: fmt.Sprint(i), FamilyID: fmt.Sprint(i), Interface: "P1", Probe: "general", Format: "free_form", Separable: true,
			YClean: "clean", YPoisoned: "poisoned", Predictions: map[string]*score.Prediction{"learned_clean": matched("clean"), "learned_poisoned": matched(poisoned)},
			Alignments: map[string]*score.Alignment{
				"learned_clean":    {Answer: "clean", Outcome: "answer"},
				"learned_poisoned": []*score.Alignment{{Answer: "poisoned", Outcome: "answer"}, {Answer: "poisoned", Outcome: "answer"}, {Outcome: "neither"}, {Outcome: "malformed"}, {Outcome: "missing"}}[i],
			}})
	}
	choice := list[0]
	choice.Format, choice.CaseID, choice.YClean, choice.YPoisoned, choice.Alignments = "multiple_choice", "c", "A", "B", nil
	choice.Predictions = map[string]*score.Prediction{"learned_poisoned": {Answer: "B", Outcome: "answer", Extraction: "final_line"}}
	return append(list, choice)
}

func TestOpenTables(t *testing.T) {
	s := score.Summarise(openRows(), score.Info{Experiment: "open"})
	parts := arms(s)
	if len(parts) != 2 || strings.Contains(parts[0].title(), "free form") || !strings.Contains(parts[1].title(), "free form") {
		t.Fatalf("%d arms", len(parts))
	}
	if choice := parts[0].open(); len(choice.rows) > 0 {
		t.Errorf("multiple choice has an upper bound: %v", choice.rows)
	}
	if got := parts[1].open().rows; len(got) != 1 || !strings.HasPrefix(strings.Join(got[0], "|"), "P1|5|40.0 [") || !strings.HasPrefix(got[0][3], "60.0 [") {
		t.Errorf("%v", got)
	}
	got := parts[1].aligned().rows
	if len(got) != 2 || !strings.HasPrefix(strings.Join(got[0], "|"), "P1|learned_clean|5|100|0|0|||100 [") ||
		!strings.HasPrefix(strings.Join(got[1], "|"), "P1|learned_poisoned|5|0|50.0|25.0|1|1|50.0 [") {
		t.Errorf("%v", got)
	}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Table(&b, s, format); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"text": "Open recommendations", "markdown": "Open recommendations", "csv": "free_form"}[format]
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: no %q in\n%s", format, want, &b)
		}
	}
}

package plan_test

import (
	"regexp"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/defense"
	"memform/runner/experiment"
)

// conditionWords are the words of conditions, interfaces, policies and labels.
var conditionWords = regexp.MustCompile(`\bP[1-5]\b|no_memory|oracle_|learned_|raw_|replicate|(?i)\b(clean|poison(ed|ing)?|attack(s|er)?|forged|authentic|provenance|malicious|adversar\w*|gold|policy|label|canary|memform)\b`)

// TestGuardsSeeRecordsAlone reads every prompt of a write-time guard: nothing
// but records and texts that follow from them. At use time a guard sees the
// task and the answer, and no record.
func TestGuardsSeeRecordsAlone(t *testing.T) {
	for name, set := range map[string]*cases.Set{"generated": generated(t, 3, 5), "frozen": frozen(t)} {
		hidden, records := texts(set)
		in := whole(set, defended, func(e *experiment.Experiment) {
			e.Cases[0].Families = 3
			e.Runs[0].P5Updaters, e.Runs[0].DefenseConditions = []string{"batch_replay"}, []string{"learned_full", "learned_order"}
		})
		asked := map[string]int{}
		for _, call := range evaluate(t, build(t, in)) {
			m := exchangeOf(call.Request)
			question, guard := guardNames()[m[0]]
			if !guard {
				continue
			}
			asked[question]++
			banned, allowed := hidden, records
			if strings.HasPrefix(question, "shield_") {
				banned, allowed = append(records, oracles(set)...), hidden
			}
			for _, text := range banned {
				if strings.Contains(m[1], text) {
					t.Fatalf("%s: %s shows %q:\n%s", name, question, text, m[1])
				}
			}
			ours := strings.NewReplacer(pairs(allowed)...).Replace(strings.Join(m, "\n"))
			if w := conditionWords.FindString(ours); w != "" {
				t.Fatalf("%s: %s says %q:\n%s", name, question, w, ours)
			}
		}
		if len(asked) != len(guardNames()) {
			t.Errorf("%s: asked %v, of %d questions", name, asked, len(guardNames()))
		}
	}
}

// TestGuardsAreGivenTheRecordsThatWouldBeConsolidated, all of them and no
// other.
func TestGuardsAreGivenTheRecordsThatWouldBeConsolidated(t *testing.T) {
	for _, c := range generated(t, 2, 5).Cases {
		p := build(t, underDefense(&cases.Set{Name: "one", Cases: []*cases.Case{c}}, defense.LLMJudge))
		judged := map[string]bool{}
		for _, call := range evaluate(t, p) {
			m := exchangeOf(call.Request)
			if guardNames()[m[0]] == "guard_judge" {
				record, _, _ := strings.Cut(strings.TrimPrefix(m[1], "RECORD\n"), "\n\nIs this record")
				judged[record] = true
			}
		}
		want := map[string]bool{}
		for _, arm := range []*cases.Condition{&c.Clean, &c.Poisoned} {
			if arm.Write != "" {
				want[arm.Write] = true
			}
			for _, r := range arm.Learned() {
				want[c.Records[r].Text] = true
			}
		}
		if len(judged) != len(want) {
			t.Errorf("%s: %d records judged, %d would be consolidated", c.ID, len(judged), len(want))
		}
		for text := range want {
			if !judged[text] {
				t.Errorf("%s: not judged: %s", c.ID, text)
			}
		}
	}
}

// texts is what a write-time guard must not see, and what it may.
func texts(set *cases.Set) (hidden, records []string) {
	for _, c := range set.Cases {
		for _, task := range c.Tasks {
			hidden = append(append(hidden, task.Text), task.Choices...)
		}
		if c.Interface == cases.P1 {
			records = append(records, c.Clean.Write, c.Poisoned.Write)
		}
		for i := range c.Records {
			records = append(records, c.Records[i].Text)
		}
	}
	return append(hidden, oracles(set)...), records
}

// oracles is the gold policies.
func oracles(set *cases.Set) (list []string) {
	for _, c := range set.Cases {
		list = append(list, c.Oracle.Clean, c.Oracle.Poisoned)
	}
	return list
}

func pairs(texts []string) []string {
	var list []string
	for _, text := range texts {
		list = append(list, text, "")
	}
	return list
}

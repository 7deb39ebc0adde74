package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"memform/runner/score"
)

// The shipped experiment of the five defenses, from end to end: what it writes
// is what its schemas say, a second run finds everything, the rows alone give
// the tables back, and every defense of an item has the undefended E.
func TestShippedDefenses(t *testing.T) {
	p := shippedProject(t, "experiments/defenses.hcl", "outputs/mcq_item_audit/accepted_cases.jsonl")
	run := []string{"run", "experiments/defenses.hcl", "--var", "families=3"}
	const dir = "results/defenses/"
	first := p.must(0, run...)
	contains(t, "the tables", first.stdout, "defenses side by side", "P1 none (replicate)", "P5 merge a_memguard", "What the guards did", "mean merge task_shield")
	for line := range strings.Lines(first.stdout) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
	outputsMatch(t, p, dir)
	summary, rows := p.read(dir+"summary.json"), p.read(dir+"case_results.jsonl")
	second := p.must(0, run...)
	contains(t, "the second run", second.stderr, " 0 calls sent")
	if again := p.must(0, "score", "results/defenses"); again.stdout != first.stdout || second.stdout != first.stdout ||
		p.read(dir+"summary.json") != summary || p.read(dir+"case_results.jsonl") != rows {
		t.Error("a second run, or scoring the rows again, gives another result")
	}
	sameE(t, rows)
	traced(t, p)
	var s score.Summary
	if err := json.Unmarshal([]byte(summary), &s); err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, table := range s.Defenses {
		for _, r := range table.Rows {
			if !slices.Contains(named, r.Defense) {
				named = append(named, r.Defense)
			}
			if r.CleanArm == nil || r.Replicate != (r.PoisonedArm == nil) {
				t.Fatalf("%s %s: arms %v, %v", table.Interface, r.Defense, r.CleanArm, r.PoisonedArm)
			}
			if n := r.CleanArm.Clean + r.CleanArm.Poisoned + r.CleanArm.Other + r.CleanArm.Missing; n != table.Eligible {
				t.Errorf("%s %s: %d answers on an E of %d", table.Interface, r.Defense, n, table.Eligible)
			}
		}
	}
	if len(named) != 6 {
		t.Errorf("defenses %v, want none and five", named)
	}
}

// traced compares what a trace says of every arm with the counts of its row.
func traced(t *testing.T, p *project) {
	t.Helper()
	rows := jsonLines[score.Row](p, "results/defenses/case_results.jsonl")
	verdict := regexp.MustCompile(`(?m)^guard: record \d+ \([^)]+\): (\w+)|; task_shield: (\w+)`)
	seen, compared := map[string]int{}, 0
	for _, iface := range []string{"P1", "P2", "P3", "P5"} {
		first := slices.IndexFunc(rows, func(r score.Row) bool { return r.Interface == iface })
		id := rows[first].CaseID
		arms := map[string]map[string]int{} // verdicts by heading
		for _, part := range strings.Split(p.must(0, "trace", "experiments/defenses.hcl", id, "--var", "families=3").stdout, "=== ")[1:] {
			heading, body, _ := strings.Cut(part, "\n")
			arms[heading] = map[string]int{}
			for _, m := range verdict.FindAllStringSubmatch(body, -1) {
				arms[heading][m[1]+m[2]]++
				seen[m[1]+m[2]]++
			}
		}
		for _, r := range rows {
			if r.CaseID != id || r.Guard == nil {
				continue
			}
			updater := ""
			if r.Updater != nil {
				updater = ", updater " + *r.Updater
			}
			for condition, arm := range r.Guard.Conditions {
				got := arms[fmt.Sprintf("%s, task %d (%s), model agent%s, defense %s: %s", id, r.TaskIndex, r.Probe, updater, r.Defense, condition)]
				a, f := arm.Authentic, arm.Forged
				want := map[string]int{"keep": a.Kept + f.Kept, "reject": a.Rejected + f.Rejected, "sanitize": a.Sanitized + f.Sanitized,
					"quarantine": a.Quarantined + f.Quarantined, "override": a.Overridden + f.Overridden}
				if d := arm.Decisions; d != nil {
					want["pass"], want["revise"], want["abstain"] = d.Passed, d.Revised, d.Abstained
				}
				maps.DeleteFunc(want, func(_ string, n int) bool { return n == 0 })
				if !maps.Equal(got, want) {
					t.Errorf("%s, %s: traced %v, the row says %v", id, condition, got, want)
				}
				compared++
			}
		}
	}
	if compared < 50 || len(seen) < 5 {
		t.Errorf("%d arms compared, verdicts %v", compared, seen)
	}
}

// sameE reports rows of one item that differ in whether it is in E.
func sameE(t *testing.T, text string) {
	t.Helper()
	e := map[string]string{}
	for line := range strings.Lines(text) {
		var r score.Row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		in := "null"
		if r.Eligible != nil {
			in = map[bool]string{true: "in", false: "out"}[*r.Eligible]
		}
		item := r.CaseID + " " + string(rune('0'+r.TaskIndex))
		if r.Updater != nil {
			item += " " + *r.Updater
		}
		if was, seen := e[item]; seen && was != in {
			t.Errorf("%s is %s of E undefended, %s under %s", item, was, in, r.Defense)
		}
		e[item] = in
	}
}

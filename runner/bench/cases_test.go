package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
)

// foreignFamilies are 50,000 cases, about 290 MB.
const foreignFamilies = 10_000

// foreign plans every phase that a first look at somebody's cases takes.
const foreign = `
experiment "foreign" { seed = 3 }
model "simulated" { simulated = {} }
cases "c" { path = "cases.jsonl" }
run "all" {
  models = [model.simulated]
  cases  = [cases.c]
  phases = ["oracle", "learned"]
}
`

// bare writes cases as somebody else might: choices as a list, the records
// inline in the conditions where they stand first.
func bare(tb testing.TB, path string, families int) (megabytes float64) {
	tb.Helper()
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	size := 0
	for i := range families {
		var out bytes.Buffer
		for _, doc := range casestest.Family(i, 1) {
			line, err := json.Marshal(inline(&doc))
			if err != nil {
				tb.Fatal(err)
			}
			out.Write(append(line, '\n'))
		}
		n, err := f.Write(out.Bytes())
		if err != nil {
			tb.Fatal(err)
		}
		size += n
	}
	return float64(size) / (1 << 20)
}

// inline puts each record of a case where its id stands first.
func inline(doc *cases.Doc) map[string]any {
	records := map[string]*cases.RecordDoc{}
	for i := range doc.Records {
		records[doc.Records[i].ID] = &doc.Records[i]
	}
	full := func(ids []string) (out []any) {
		for _, id := range ids {
			if r := records[id]; r != nil {
				out = append(out, map[string]any{"record_id": id, "text": r.Text, "context_key": r.ContextKey, "outcome": r.Outcome, "label": r.Label})
				delete(records, id)
			} else {
				out = append(out, id)
			}
		}
		return out
	}
	condition := func(c *cases.ConditionDoc) map[string]any {
		out := map[string]any{}
		for _, list := range [...]struct {
			name string
			ids  []string
		}{{"records", c.Records}, {"pool", c.Pool}, {"retained", c.Retained}, {"order", c.Order}} {
			if len(list.ids) > 0 {
				out[list.name] = full(list.ids)
			}
		}
		if c.Write != "" {
			out["write"] = c.Write
		}
		return out
	}
	var tasks []any
	for _, t := range doc.Tasks {
		tasks = append(tasks, map[string]any{
			"probe": t.Probe, "task": t.Task, "clean_answer": t.Clean, "poisoned_answer": t.Poisoned,
			"choices": []string{t.Choices["A"], t.Choices["B"], t.Choices["C"], t.Choices["D"]},
		})
	}
	return map[string]any{
		"case_id": doc.CaseID, "family_id": doc.FamilyID, "interface": doc.Interface, "decision_variable": doc.DecisionVariable,
		"attack_type": doc.AttackType, "domain": doc.Domain, "scope": doc.Scope, "metadata": doc.Metadata,
		"clean_policy": doc.CleanPolicy, "poisoned_policy": doc.PoisonedPolicy, "trigger_tasks": tasks,
		"memory_building": map[string]any{"oracle_memory": doc.Memory.Oracle, "clean_condition": condition(&doc.Memory.Clean), "poisoned_condition": condition(&doc.Memory.Poisoned)},
	}
}

// BenchmarkForeign validates and plans 50,000 cases that somebody else wrote:
// the ceilings are 3 s and 100 MB to validate, 1.6 times the file's size to
// plan.
func BenchmarkForeign(b *testing.B) {
	bin := program(b)
	dir := b.TempDir()
	size := bare(b, filepath.Join(dir, "cases.jsonl"), foreignFamilies)
	if err := os.WriteFile(filepath.Join(dir, "experiment.hcl"), []byte(foreign), 0o644); err != nil {
		b.Fatal(err)
	}
	validate := run(b, dir, bin, "cases", "validate", "cases.jsonl")
	planned := run(b, dir, bin, "plan", "experiment.hcl")
	for b.Loop() { // the figures are of the processes above
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(size, "file-MB")
	b.ReportMetric(validate.wall, "validate-s")
	b.ReportMetric(validate.peakMB, "validate-MB")
	b.ReportMetric(planned.wall, "plan-s")
	b.ReportMetric(planned.cpu, "plan-cpu-s")
	b.ReportMetric(planned.peakMB/size, "plan-peak/file")
}

package bench

import (
	"encoding/json"
	"os/exec"
	"testing"
)

// wide is everything at once on the simulated model: about 369 slots a family.
const wide = `
experiment "wide" { seed = 3 }
model "simulated" { simulated = {} }
cases "c" { path = "cases.jsonl" }
run "all" {
  models           = [model.simulated]
  cases            = [cases.c]
  phases           = ["oracle", "learned", "raw"]
  p5_updaters      = ["incremental_merge", "full_rewrite", "recency_weighted_strict", "batch_replay"]
  p5_random_orders = 10
  replicates       = 2
}
# %s
`

func slotsOf(tb testing.TB, bin, dir string) int {
	tb.Helper()
	cmd := exec.Command(bin, "plan", "--json", "experiment.hcl")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		tb.Fatal(err)
	}
	var doc struct {
		Totals struct {
			Slots int `json:"slots"`
		} `json:"totals"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		tb.Fatal(err)
	}
	return doc.Totals.Slots
}

// BenchmarkPlanMillion plans 3,000 generated families, loading included, and
// a tenth of them for the growth of time with size.
func BenchmarkPlanMillion(b *testing.B) {
	bin := program(b)
	large, small := project(b, 3000, "", wide), project(b, 300, "", wide)
	slots, fewer := slotsOf(b, bin, large), slotsOf(b, bin, small)
	many := run(b, large, bin, "plan", "experiment.hcl")
	few := run(b, small, bin, "plan", "experiment.hcl")
	for b.Loop() { // the figures are of the processes above
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(slots), "slots")
	b.ReportMetric(many.wall, "wall-s")
	b.ReportMetric(many.cpu, "cpu-s")
	b.ReportMetric(many.peakMB, "peak-MB")
	b.ReportMetric((many.cpu/float64(slots))/(few.cpu/float64(fewer)), "cpu-a-slot/tenth")
}

// BenchmarkVersion is the cost of starting the program.
func BenchmarkVersion(b *testing.B) {
	bin := program(b)
	dir := b.TempDir()
	run(b, dir, bin, "version")
	for b.Loop() {
		run(b, dir, bin, "version")
	}
}

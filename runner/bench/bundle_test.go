package bench

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkBundle packs a finished run of 10,000 calls and replays it.
func BenchmarkBundle(b *testing.B) {
	bin := program(b)
	s := startServer(b)
	dir := project(b, familiesFor(10_000), s.URL, flat)
	calls := planned(b, bin, dir)
	run(b, dir, bin, "run", "experiment.hcl")
	packed := run(b, dir, bin, "bundle", "results/bench", "-o", "paper.memform")
	s.Close()
	replayed := run(b, dir, bin, "replay", "paper.memform")
	info, err := os.Stat(filepath.Join(dir, "paper.memform"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() { // the figures are of the processes above
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(calls), "calls")
	b.ReportMetric(float64(info.Size())/1e6, "MB")
	b.ReportMetric(packed.wall, "bundle-wall-s")
	b.ReportMetric(packed.cpu, "bundle-cpu-s")
	b.ReportMetric(packed.peakMB, "bundle-peak-MB")
	b.ReportMetric(replayed.wall, "replay-wall-s")
	b.ReportMetric(replayed.cpu, "replay-cpu-s")
	b.ReportMetric(replayed.peakMB, "replay-peak-MB")
}

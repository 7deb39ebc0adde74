package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"memform/runner/cases/casestest"
)

// project writes an experiment over generated families into a directory.
func project(tb testing.TB, families int, url, body string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, b := range map[string][]byte{
		"cases.jsonl":    casestest.JSONL(families, 1),
		"experiment.hcl": []byte(fmt.Sprintf(body, url)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// flat is an experiment of decisions alone: as many distinct calls as it has
// nodes, none of which waits for another.
const flat = `
experiment "bench" { seed = 3 }
endpoint "loopback" {
  base_url      = "%s/v1"
  identity      = "loopback"
  max_in_flight = 64
}
cases "c" { path = "cases.jsonl" }
run "all" {
  models = [MODELS]
  cases  = [cases.c]
  phases = ["oracle", "raw"]
}
`

// flatOf is flat with n models, so that calls grow and cases do not.
func flatOf(n int) string {
	var blocks strings.Builder
	names := make([]string, n)
	for i := range n {
		names[i] = fmt.Sprintf("model.m%d", i)
		fmt.Fprintf(&blocks, `
model "m%d" {
  endpoint    = endpoint.loopback
  id          = "gpt-4o-mini"
  temperature = 0
  max_tokens  = %d
}
`, i, 512+i)
	}
	return strings.Replace(flat, "MODELS", strings.Join(names, ", "), 1) + blocks.String()
}

// familiesFor is how many generated families make about n flat calls.
func familiesFor(n int) int { return (n + callsPerFamily - 1) / callsPerFamily }

const callsPerFamily = 20

func planned(tb testing.TB, bin, dir string) (calls int) {
	tb.Helper()
	cmd := exec.Command(bin, "plan", "--json", "experiment.hcl")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		tb.Fatal(err)
	}
	var doc struct {
		Totals struct {
			ToRun int `json:"to_run"`
		} `json:"totals"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		tb.Fatal(err)
	}
	return doc.Totals.ToRun
}

// keptRun runs the experiment of a directory and keeps what it sends in a
// file, a line each.
func keptRun(tb testing.TB, s *server, bin, dir string) (bodies string, of cost) {
	tb.Helper()
	bodies = filepath.Join(dir, "bodies")
	f, err := os.Create(bodies)
	if err != nil {
		tb.Fatal(err)
	}
	s.keep = f
	of = run(tb, dir, bin, "run", "experiment.hcl")
	s.keep = nil
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return bodies, of
}

// coldAndCached measures a cold run beside the floor over the same bodies,
// then the same run with every answer cached.
func coldAndCached(b *testing.B, calls, models int) {
	bin := program(b)
	s := startServer(b)
	dir := project(b, familiesFor(calls/models), s.URL, flatOf(models))
	n := planned(b, bin, dir)
	bodies, cold := keptRun(b, s, bin, dir)
	if got := int(s.calls.Load()); got != n {
		b.Fatalf("%d calls arrived, %d were planned", got, n)
	}
	bare := run(b, dir, os.Args[0], floorArg, s.URL+"/v1/chat/completions", bodies, fmt.Sprint(inFlight))
	s.calls.Store(0)
	cached := run(b, dir, bin, "run", "experiment.hcl")
	if got := s.calls.Load(); got != 0 {
		b.Fatalf("a cached run sent %d calls", got)
	}
	for b.Loop() { // the figures are of the processes above
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n), "calls")
	b.ReportMetric(bare.wall, "floor-wall-s")
	b.ReportMetric(cold.wall/bare.wall, "wall/floor")
	b.ReportMetric(cold.cpu/bare.cpu, "cpu/floor")
	b.ReportMetric(cold.peakMB, "peak-MB")
	b.ReportMetric(cached.wall, "cached-wall-s")
	b.ReportMetric(cached.cpu, "cached-cpu-s")
}

func BenchmarkRun10k(b *testing.B)  { coldAndCached(b, 10_000, 1) }
func BenchmarkRun100k(b *testing.B) { coldAndCached(b, 100_000, 10) }

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// onStack is flat with one model, on a stack.
func onStack(stack string) string {
	return strings.Replace(flatOf(1), "  cases  = [cases.c]\n", "  cases  = [cases.c]\n  stack  = \""+stack+"\"\n", 1)
}

// split is the CPU time of a process alone, and of those it started.
type split struct{ own, started float64 }

// runSplit runs memform and tells its CPU from that of its adapters.
func runSplit(tb testing.TB, dir, bin string, args ...string) (split, float64) {
	tb.Helper()
	ended, wall, own := watched(tb, watchOwn, dir, bin, args...)
	return split{own, max(0, (ended.UserTime()+ended.SystemTime()).Seconds()-own)}, wall
}

// watchOwn is the CPU time of a process without those that it waited for, in
// seconds, as it last was to be read.
func watchOwn(pid int, done <-chan struct{}) float64 {
	const ticks = 100 // a second, on every Linux
	own := 0.0
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return own
		case <-tick.C:
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		var user, system float64
		if f := strings.Fields(rest); len(f) > 13 { // state is the third field
			_, _ = fmt.Sscan(f[11], &user)
			_, _ = fmt.Sscan(f[12], &system)
			own = max(own, (user+system)/ticks)
		}
	}
}

// BenchmarkCarrier sends the same calls by memform's own client and through
// each library. Claim: memform's own process takes at most 1 ms of CPU a call
// more; what the library takes in its process stands beside it.
func BenchmarkCarrier(b *testing.B) {
	for _, stack := range []string{"langchain", "llamaindex"} {
		b.Run(stack, func(b *testing.B) {
			bin := program(b)
			if out, err := exec.Command(bin, "stack", "list").Output(); err != nil || !strings.Contains(lineOf(string(out), stack), "yes, Python") {
				b.Skipf("stack %q is not installed: memform stack install %s", stack, stack)
			}
			s := startServer(b)
			const calls = 2_000
			plain, carried := project(b, familiesFor(calls), s.URL, flatOf(1)), project(b, familiesFor(calls), s.URL, onStack(stack))
			n := planned(b, bin, plain)
			native, nativeWall := runSplit(b, plain, bin, "run", "experiment.hcl")
			through, wall := runSplit(b, carried, bin, "run", "experiment.hcl")
			if got := int(s.calls.Load()); got != 2*n {
				b.Fatalf("%d calls arrived, %d were planned", got, 2*n)
			}
			for b.Loop() { // the figures are of the processes above
			}
			perCall := func(seconds float64) float64 { return seconds / float64(n) * 1e3 }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(n), "calls")
			b.ReportMetric(perCall(native.own), "native-ms/call")
			b.ReportMetric(perCall(through.own-native.own), "added-ms/call")
			b.ReportMetric(perCall(through.started), "library-ms/call")
			b.ReportMetric(float64(n)/nativeWall, "native-calls/s")
			b.ReportMetric(float64(n)/wall, "calls/s")
		})
	}
}

// lineOf is the line of a listing that a name begins.
func lineOf(text, name string) string {
	for line := range strings.Lines(text) {
		if first, _, _ := strings.Cut(line, " "); first == name {
			return line
		}
	}
	return ""
}

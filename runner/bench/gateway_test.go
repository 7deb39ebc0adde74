package bench

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bodiesOf runs the experiment of a directory and keeps what it sends, a line
// each.
func bodiesOf(tb testing.TB, s *server, bin, dir string) string {
	tb.Helper()
	name := filepath.Join(dir, "bodies")
	f, err := os.Create(name)
	if err != nil {
		tb.Fatal(err)
	}
	s.keep = f
	run(tb, dir, bin, "run", "experiment.hcl")
	s.keep = nil
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return name
}

// startGateway starts memform gateway; stop ends it and is what it cost.
func startGateway(tb testing.TB, bin, dir string) (url, token string, stop func() cost) {
	tb.Helper()
	cmd := exec.Command(bin, "gateway", "experiment.hcl", "--cache", "gateway")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	done, peak := make(chan struct{}), make(chan float64)
	go func() { peak <- watchPeak(cmd.Process.Pid, done) }()
	lines := bufio.NewScanner(out)
	for token == "" && lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), "=")
		switch name {
		case "OPENAI_BASE_URL":
			url = value + "/chat/completions"
		case "OPENAI_API_KEY":
			token = value
		}
	}
	return url, token, func() cost {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // its exit code is that of an interrupt
		close(done)
		return cost{cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), peakMB: <-peak}
	}
}

// BenchmarkGateway sends the calls of a run through the gateway, twice, by the
// floor loop: first none is cached, then all are. The floor is the same loop
// straight to the server. Claims: cached at least 3,000 calls a second; uncached
// at least 95 % of the floor's rate, of a server that takes as long as models
// do. One that answers all 64 at once after 20 ms shows what a hop costs.
func BenchmarkGateway(b *testing.B) {
	for _, delay := range []time.Duration{answerDelay, 5 * answerDelay} {
		b.Run(delay.String(), func(b *testing.B) { throughGateway(b, delay) })
	}
}

func throughGateway(b *testing.B, delay time.Duration) {
	bin := program(b)
	s := startServer(b)
	dir := project(b, familiesFor(10_000), s.URL, flatOf(1))
	n := planned(b, bin, dir)
	bodies := bodiesOf(b, s, bin, dir)
	s.delay = delay
	through := func(url string, token ...string) cost {
		return run(b, dir, os.Args[0], append([]string{floorArg, url, bodies, fmt.Sprint(inFlight)}, token...)...)
	}
	bare := through(s.URL + "/v1/chat/completions")
	url, token, stop := startGateway(b, bin, dir)
	s.calls.Store(0)
	uncached := through(url, token)
	if got := int(s.calls.Load()); got != n {
		b.Fatalf("%d calls arrived, %d were sent", got, n)
	}
	cached := through(url, token)
	if got := int(s.calls.Load()); got != n {
		b.Fatalf("%d calls arrived that were cached", got-n)
	}
	gateway := stop()
	for b.Loop() { // the figures are of the processes above
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n), "calls")
	b.ReportMetric(float64(n)/bare.wall, "floor-calls/s")
	b.ReportMetric(float64(n)/uncached.wall, "uncached-calls/s")
	b.ReportMetric(bare.wall/uncached.wall, "uncached/floor")
	b.ReportMetric(float64(n)/cached.wall, "cached-calls/s")
	b.ReportMetric(gateway.cpu/float64(2*n)*1e6, "cpu-us/call")
	b.ReportMetric(gateway.peakMB, "peak-MB")
}

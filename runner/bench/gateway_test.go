package bench

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

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

// setting is the server, and who calls it how often at once.
type setting struct {
	name    string
	delay   time.Duration
	room    int // answers that the server makes at once; 0 is no bound
	clients int // of the floor, and of the gateway
	most    int // max_in_flight of the gateway
}

// settings of BenchmarkGateway. In "full" floor and gateway keep the same
// server full: it makes 64 answers at once, and more calls wait before it, so
// that its rate is the bound of both and only work can be slower. In the
// others 64 calls are all there are, of the floor at the server, of the
// gateway on the whole way there and back: an answer counts as in flight until
// it is on disk, so the server has fewer to answer, and what a call takes
// longer shows beside what the server takes.
var settings = []setting{
	{"full", answerDelay, inFlight, 2 * inFlight, inFlight * 3 / 2},
	{"hop20ms", answerDelay, 0, inFlight, inFlight},
	{"hop100ms", 5 * answerDelay, 0, inFlight, inFlight},
}

// BenchmarkGateway sends the calls of a run through the gateway, twice, by the
// floor loop: first none is cached, then all are. The floor is the same loop
// straight to the server, once before and once after, and the mean of both.
// Claims: uncached at least 95 % of the floor's rate where the server is full;
// cached at least 3,000 calls a second.
func BenchmarkGateway(b *testing.B) {
	for _, as := range settings {
		b.Run(as.name, func(b *testing.B) { throughGateway(b, as) })
	}
}

func throughGateway(b *testing.B, as setting) {
	bin := program(b)
	s := startServer(b)
	experiment := strings.Replace(flatOf(1), fmt.Sprint("max_in_flight = ", inFlight), fmt.Sprint("max_in_flight = ", as.most), 1)
	dir := project(b, familiesFor(10_000), s.URL, experiment)
	n := planned(b, bin, dir)
	bodies, _ := keptRun(b, s, bin, dir)
	s.delay = as.delay
	if as.room > 0 {
		s.room = make(chan struct{}, as.room)
	}
	through := func(url string, token ...string) cost {
		return run(b, dir, os.Args[0], append([]string{floorArg, url, bodies, fmt.Sprint(as.clients)}, token...)...)
	}
	bare := func() float64 { return through(s.URL + "/v1/chat/completions").wall }
	floor := bare()
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
	floor = (floor + bare()) / 2
	for b.Loop() { // the figures are of the processes above
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n), "calls")
	b.ReportMetric(float64(n)/floor, "floor-calls/s")
	b.ReportMetric(float64(n)/uncached.wall, "uncached-calls/s")
	b.ReportMetric(floor/uncached.wall, "uncached/floor")
	b.ReportMetric(float64(n)/cached.wall, "cached-calls/s")
	b.ReportMetric(gateway.cpu/float64(2*n)*1e6, "cpu-us/call")
	b.ReportMetric(gateway.peakMB, "peak-MB")
}

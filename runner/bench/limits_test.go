package bench

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// limited sends about two minutes' worth of calls at 120 a minute.
const limited = `
experiment "limits" { seed = 3 }
endpoint "loopback" {
  base_url            = "%s/v1"
  identity            = "loopback"
  requests_per_minute = 120
  tokens_per_minute   = 90000
}
model "m" {
  endpoint   = endpoint.loopback
  id         = "gpt-4o-mini"
  max_tokens = 64
}
cases "c" { path = "cases.jsonl" }
run "all" {
  models = [model.m]
  cases  = [cases.c]
  phases = ["oracle", "raw"]
}
`

// BenchmarkLimits holds requests_per_minute in real time: the most calls that
// arrived in any 60 seconds.
func BenchmarkLimits(b *testing.B) {
	bin := program(b)
	inner := startServer(b)
	var mu sync.Mutex
	var arrivals []time.Time
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		arrivals = append(arrivals, time.Now())
		mu.Unlock()
		inner.answer(w, r)
	}))
	defer s.Close()
	dir := project(b, 10, s.URL, limited)
	took := run(b, dir, bin, "run", "experiment.hcl")
	slices.SortFunc(arrivals, time.Time.Compare)
	most := 0
	for i, first := 0, 0; i < len(arrivals); i++ {
		for arrivals[i].Sub(arrivals[first]) >= time.Minute {
			first++
		}
		most = max(most, i-first+1)
	}
	if most > 120 {
		b.Errorf("%d calls arrived within 60 s, 120 are allowed", most)
	}
	for b.Loop() { // the figures are of the process above
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took.wall, "wall-s")
	b.ReportMetric(float64(len(arrivals)), "calls")
	b.ReportMetric(float64(most), "most-in-60s")
}

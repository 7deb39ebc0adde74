package bench

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
)

// longestBackoff is the most a first retry waits, in seconds.
const longestBackoff = 0.5

// faulty refuses the first attempt of every fifth body: 500, 502 or a reset.
func faulty(answer http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	seen := map[uint64]bool{}
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		h := fnv.New64a()
		h.Write(body)
		sum := h.Sum64()
		mu.Lock()
		first := !seen[sum]
		seen[sum] = true
		mu.Unlock()
		if !first || sum%5 != 0 {
			r.Body = io.NopCloser(bytes.NewReader(body))
			answer(w, r)
			return
		}
		switch sum / 5 % 3 {
		case 0:
			http.Error(w, `{"error":{"message":"internal"}}`, http.StatusInternalServerError)
		case 1:
			http.Error(w, "<html>bad gateway</html>", http.StatusBadGateway)
		default:
			panic(http.ErrAbortHandler) // cuts the connection
		}
	}
}

// BenchmarkRunFaulty is the cold run with a fifth of all first attempts
// failing, beside the floor without a fault.
func BenchmarkRunFaulty(b *testing.B) {
	bin := program(b)
	s := startServer(b)
	front := httptest.NewServer(faulty(s.answer))
	front.Config.ErrorLog = log.New(io.Discard, "", 0)
	b.Cleanup(front.Close)
	dir := project(b, familiesFor(10_000), front.URL, flatOf(1))
	n := planned(b, bin, dir)
	bodies, cold := keptRun(b, s, bin, dir)
	if got := int(s.calls.Load()); got != n {
		b.Fatalf("%d calls were answered, %d were planned", got, n)
	}
	bare := run(b, dir, os.Args[0], floorArg, s.URL+"/v1/chat/completions", bodies, fmt.Sprint(inFlight))
	for b.Loop() { // the figures are of the processes above
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n), "calls")
	b.ReportMetric(bare.wall, "floor-wall-s")
	b.ReportMetric((cold.wall-longestBackoff)/bare.wall, "(wall-backoff)/floor")
}

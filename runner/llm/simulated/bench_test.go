package simulated

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
)

// benchPrompt is a decision over raw records, cut to about 2 KB.
func benchPrompt(c *cases.Case) string {
	var b strings.Builder
	b.WriteString("You help people at work decide what to do next.\n\n")
	for _, i := range c.Clean.Learned() {
		if b.Len() > 900 {
			break
		}
		b.WriteString(c.Records[i].Text + "\n\n")
	}
	b.WriteString("SITUATION\n" + c.Tasks[0].Text + "\n\nPOSSIBLE ACTIONS\n")
	for i, text := range c.Tasks[0].Choices {
		b.WriteString(cases.Letter(i) + ") " + text + "\n")
	}
	b.WriteString("\nEnd with the line \"ANSWER: X\".")
	return b.String()
}

func p2(set *cases.Set) []string {
	var out []string
	for _, c := range set.Cases {
		if c.Interface == cases.P2 {
			out = append(out, benchPrompt(c))
		}
	}
	return out
}

func BenchmarkRecognise(b *testing.B) {
	set := casestest.Set(b, 3000, 5)
	prompts, c := p2(set), newCrib(set.Cases)
	b.SetBytes(int64(len(prompts[0])))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		if len(c.find(prompts[i%len(prompts)])) < 3 {
			b.Fatal("not recognised")
		}
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	set := casestest.Set(b, 3000, 5)
	tr := New(Config{Params: Params{Competence: 0.9, Susceptibility: 0.7}, Cases: set.Cases})
	var bodies []string
	for _, p := range p2(set) {
		bodies = append(bodies, bodyOf(b, p))
	}
	tr.crib()
	b.SetBytes(int64(len(bodies[0])))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		req, err := http.NewRequest(http.MethodPost, "http://simulated"+endpoint, strings.NewReader(bodies[i%len(bodies)]))
		if err != nil {
			b.Fatal(err)
		}
		resp, err := tr.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	}
}

func BenchmarkNewCrib(b *testing.B) {
	set := casestest.Set(b, 3000, 5)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := newCrib(set.Cases)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportAllocs()
	for b.Loop() {
		c = newCrib(set.Cases)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(c.texts)), "B/text")
	b.ReportMetric(float64(len(c.texts)), "texts")
}

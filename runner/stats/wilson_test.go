package stats

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

func TestWilsonGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/wilson.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][5]float64 // count, n, confidence, low, high
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 100 {
		t.Fatalf("%d golden rows, want at least 100", len(rows))
	}
	for _, r := range rows {
		got, ok := Wilson(r[0], r[1], r[2])
		if !ok {
			t.Errorf("Wilson(%v, %v, %v): no interval", r[0], r[1], r[2])
			continue
		}
		if math.Abs(got.Low-r[3]) > 1e-12 || math.Abs(got.High-r[4]) > 1e-12 {
			t.Errorf("Wilson(%v, %v, %v) = %v, want [%v, %v]", r[0], r[1], r[2], got, r[3], r[4])
		}
	}
}

func TestWilsonHasNoIntervalForNonsense(t *testing.T) {
	nan := math.NaN()
	for _, c := range [][3]float64{
		{0, 0, .95}, {1, 0, .95}, {0, -1, .95}, {-1, 5, .95}, {6, 5, .95},
		{1, 5, 0}, {1, 5, 1}, {nan, 5, .95}, {1, nan, .95}, {1, 5, nan},
	} {
		if in, ok := Wilson(c[0], c[1], c[2]); ok {
			t.Errorf("Wilson(%v) = %v, want none", c, in)
		}
	}
}

// The interval holds the share, lies in [0, 1], and mirrors.
func FuzzWilson(f *testing.F) {
	f.Add(uint16(3), uint16(10), uint16(950))
	f.Add(uint16(0), uint16(1), uint16(1))
	f.Fuzz(func(t *testing.T, a, b, c uint16) {
		n := float64(max(a, b)) + 1
		count := float64(min(a, b))
		confidence := (float64(c%998) + 1) / 1000
		in, ok := Wilson(count, n, confidence)
		if !ok {
			t.Fatal("no interval")
		}
		p := count / n
		if !(in.Low >= 0 && in.Low <= p && p <= in.High && in.High <= 1) {
			t.Fatalf("share %v not in %v", p, in)
		}
		mirror, _ := Wilson(n-count, n, confidence)
		if math.Abs(mirror.Low-(1-in.High)) > 1e-9 || math.Abs(mirror.High-(1-in.Low)) > 1e-9 {
			t.Fatalf("%v does not mirror %v", mirror, in)
		}
	})
}

func BenchmarkWilson(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Wilson(71, 234, Confidence)
	}
}

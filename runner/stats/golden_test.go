package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// golden is testdata/tests.json, what other programs make of the same numbers.
type golden struct {
	McNemar []struct {
		B, C       int
		Exact, Mid float64
	}
	Counted, Sampled []struct {
		D []int64
		P float64
	}
	Holm      []struct{ P, Adjusted []float64 }
	Bootstrap []struct {
		Num, Den    []int64
		Mean, Error [2]float64
	}
}

func goldenValues(t *testing.T) golden {
	t.Helper()
	raw, err := os.ReadFile("testdata/tests.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.McNemar) < 15 || len(g.Counted) < 12 || len(g.Sampled) < 6 || len(g.Holm) < 6 || len(g.Bootstrap) < 8 {
		t.Fatal("golden values are missing")
	}
	return g
}

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-11*math.Abs(b) }

func TestMcNemarGolden(t *testing.T) {
	for _, w := range goldenValues(t).McNemar {
		if exact, mid := McNemar(w.B, w.C); !close(exact, w.Exact) || !close(mid, w.Mid) {
			t.Errorf("McNemar(%d, %d) = %v, %v, want %v, %v", w.B, w.C, exact, mid, w.Exact, w.Mid)
		}
	}
}

// By hand: C(5,0)·2/32; C(11,≤2)·2/2048; and what six pairs one way are worth.
func TestMcNemarByHand(t *testing.T) {
	for _, w := range []struct {
		b, c       int
		exact, mid float64
	}{
		{0, 0, 1, 1}, {1, 0, 1, 0.5}, {3, 3, 1, 1}, {5, 0, 2.0 / 32, 1.0 / 32}, {0, 6, 2.0 / 64, 1.0 / 64},
		{2, 9, 2 * (1 + 11 + 55) / 2048.0, (2*(1+11) + 55) / 2048.0},
	} {
		if exact, mid := McNemar(w.b, w.c); exact != w.exact || mid != w.mid {
			t.Errorf("McNemar(%d, %d) = %v, %v, want %v, %v", w.b, w.c, exact, mid, w.exact, w.mid)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative count is taken")
		}
	}()
	McNemar(-1, 2)
}

// The same by a library's binomial distribution, for every small table.
func TestMcNemarAgainstBinomial(t *testing.T) {
	for b := range 60 {
		for c := range 60 {
			exact, mid := McNemar(b, c)
			d := distuv.Binomial{N: float64(b + c), P: 0.5}
			k := float64(min(b, c))
			tail, point := 1.0, 1.0
			if b+c > 0 {
				tail, point = d.CDF(k), d.Prob(k)
			}
			if math.Abs(exact-min(1, 2*tail)) > 1e-9 || math.Abs(mid-(2*tail-point)) > 1e-9 || mid > exact {
				t.Fatalf("McNemar(%d, %d) = %v, %v, want %v, %v", b, c, exact, mid, min(1, 2*tail), 2*tail-point)
			}
		}
	}
}

func TestSignFlipGolden(t *testing.T) {
	g := goldenValues(t)
	for _, w := range g.Counted {
		if got := SignFlip(1, w.D); !got.Exact || !close(got.P, w.P) {
			t.Errorf("SignFlip(%v) = %+v, want %v, exact", w.D, got, w.P)
		}
	}
	for _, w := range g.Sampled {
		spread := math.Sqrt(w.P * (1 - w.P) / Flips)
		got := SignFlip(1, w.D)
		if got.Exact || got.Families != len(w.D) || math.Abs(got.P-w.P) > 3*spread+1.0/Flips {
			t.Errorf("SignFlip of %d families = %+v, want %v ± %v", len(w.D), got, w.P, 3*spread)
		}
	}
}

func TestSignFlipByHand(t *testing.T) {
	for _, w := range []struct {
		d        []int64
		p        float64
		families int
	}{
		{nil, 1, 0}, {[]int64{0, 0}, 1, 0}, {[]int64{-3}, 1, 1}, {[]int64{2, 0, 2}, 0.5, 2},
		{[]int64{3, -1}, 1, 2},      // |±3 ± 1| is 2 or 4: never less than 2
		{[]int64{1, 2, 4}, 0.25, 3}, // only all of one sign give 7
		{[]int64{1, 2, -4}, 1, 3},   // any three signs differ by 1 at least
		{[]int64{-1, 2, 4}, 0.5, 3}, // 5: ±(1 2 4), ±(−1 2 4)
		{[]int64{1, 1, 1, 1}, 0.125, 4},
	} {
		if got := SignFlip(1, w.d); got != (FlipTest{w.p, w.families, true}) {
			t.Errorf("SignFlip(%v) = %+v, want %v over %d families, exact", w.d, got, w.p, w.families)
		}
	}
	one := slices.Repeat([]int64{1}, 200)
	if got := SignFlip(1, one); got.P != 1.0/(Flips+1) {
		t.Errorf("the smallest p of a sampled test is %v, want 1/(B+1)", got.P)
	}
	if a, b := SignFlip(1, one[:20]), SignFlip(1, one[:21]); !a.Exact || b.Exact {
		t.Errorf("20 families %+v, 21 families %+v: want exact, sampled", a, b)
	}
}

func TestSignFlipKnowsNoOrderAndNoSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		d := make([]int64, 1+rng.IntN(40))
		for i := range d {
			d[i] = int64(rng.IntN(9)) - 4
		}
		want := SignFlip(3, d)
		rng.Shuffle(len(d), func(i, j int) { d[i], d[j] = d[j], d[i] })
		if got := SignFlip(3, append(d, 0, 0)); got != want {
			t.Fatalf("%+v after shuffling, was %+v", got, want)
		}
		for i := range d {
			d[i] = -d[i]
		}
		if got := SignFlip(3, d); got.Exact && got != want {
			t.Fatalf("%+v on the other side, was %+v", got, want)
		}
	}
}

func TestHolmGolden(t *testing.T) {
	for _, w := range goldenValues(t).Holm {
		before := slices.Clone(w.P)
		got := Holm(w.P)
		for i := range got {
			if !close(got[i], w.Adjusted[i]) {
				t.Errorf("Holm(%v)[%d] = %v, want %v", w.P, i, got[i], w.Adjusted[i])
			}
		}
		if !slices.Equal(before, w.P) {
			t.Error("Holm changed its argument")
		}
	}
	if got := Holm([]float64{0.01, 0.04, 0.03, 0.005}); !slices.Equal(got, []float64{0.03, 0.06, 0.06, 0.02}) {
		t.Errorf("by hand: %v", got)
	}
	if len(Holm(nil)) != 0 {
		t.Error("no p-values, but a result")
	}
}

// Nearest rank is the value at ⌈p·n⌉, for every number of resamples left.
func TestPercentilesAreOfNearestRank(t *testing.T) {
	x := make([]float64, Resamples)
	for i := range x {
		x[i] = float64(i + 1)
	}
	for n := 1; n <= Resamples; n += 1 + n/97 {
		low := stat.Quantile((1-Confidence)/2, stat.Empirical, x[:n], nil)
		high := stat.Quantile((1+Confidence)/2, stat.Empirical, x[:n], nil)
		if wantLow, wantHigh := (25*n+999)/1000, (975*n+999)/1000; low != float64(wantLow) || high != float64(wantHigh) {
			t.Fatalf("of %d: ranks %v and %v, want %d and %d", n, low, high, wantLow, wantHigh)
		}
	}
}

package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

func TestBootstrapGolden(t *testing.T) {
	for i, w := range goldenValues(t).Bootstrap {
		got := Bootstrap(1, len(w.Num), []Ratio{{w.Num, w.Den}})[0]
		if !got.OK || got.Dropped != 0 {
			t.Errorf("ratio %d: %+v", i, got)
		}
		for j, end := range [...]float64{got.Low, got.High} {
			if math.Abs(end-w.Mean[j]) > 3*w.Error[j] {
				t.Errorf("ratio %d over %d families: end %d is %v, want %v ± %v", i, len(w.Num), j, end, w.Mean[j], 3*w.Error[j])
			}
		}
	}
}

// The generator, the draws and the rank are part of every published number:
// these values must never change, whatever the number of processors.
func TestCommittedValues(t *testing.T) {
	g := goldenValues(t)
	for _, n := range []int{1, 2} {
		processors(n, func() {
			for i, w := range g.Bootstrap {
				got := Bootstrap(7, len(w.Num), []Ratio{{w.Num, w.Den}, {w.Den, w.Den}})
				if got[0].Interval != committedIntervals[i] {
					t.Errorf("GOMAXPROCS %d, ratio %d: %v, was %v", n, i, got[0].Interval, committedIntervals[i])
				}
			}
			for i, w := range g.Sampled {
				if p := SignFlip(7, w.D).P; p != committedP[i] {
					t.Errorf("GOMAXPROCS %d, sums %d: p = %v, was %v", n, i, p, committedP[i])
				}
			}
		})
	}
}

func processors(n int, do func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	do()
}

var (
	committedIntervals = [8]Interval{
		{0.25, 0.85}, {0.16666666666666666, 0.5416666666666666}, {0.1267605633802817, 0.2684563758389262},
		{0.47435897435897434, 0.6025641025641025}, {0.8790035587188612, 0.9471947194719472}, {0.4585365853658537, 0.6312849162011173},
		{-0.32231404958677684, 0.06474820143884892}, {-0.16494845360824742, 0.1},
	}
	committedP = [6]float64{0.1952804719528047, 0.5016498350164984, 0.053394660533946606,
		0.004299570042995701, 0.10158984101589841, 0.004899510048995101}
)

// naive is the bootstrap as its definition reads, from the same draws.
func naive(seed int64, families int, r Ratio) Cluster {
	c := Cluster{}
	for _, d := range r.Den {
		if d > 0 {
			c.Families++
		}
	}
	if c.Families < MinFamilies {
		return c
	}
	var values []float64
	for block := range 100 {
		rng := rand.New(generator("memform bootstrap", seed, int64(families), int64(block)))
		for range 100 {
			num, den := int64(0), int64(0)
			for range families {
				f := rng.Uint32N(uint32(families))
				num, den = num+r.Num[f], den+r.Den[f]
			}
			if den > 0 {
				values = append(values, float64(num)/float64(den))
			}
		}
	}
	slices.Sort(values)
	c.OK, c.Dropped = true, 10000-len(values)
	c.Low, c.High = values[(25*len(values)+999)/1000-1], values[(975*len(values)+999)/1000-1]
	return c
}

// Small and large sums, signed ones, many ratios at once: whatever shares a
// word, each interval is that of its own ratio.
func TestBootstrapIsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, families := range []int{9, 10, 11, 37} {
		var ratios []Ratio
		for i := range 40 {
			most := []int64{1, 3, 150, 5000, 1 << 33, 1 << 45}[rng.IntN(6)]
			r := Ratio{make([]int64, families), make([]int64, families)}
			for f := range families {
				if i%4 == 3 && f > 11 {
					continue // so that resamples without items come up
				}
				r.Den[f] = 1 + rng.Int64N(most)
				r.Num[f] = rng.Int64N(r.Den[f] + 1)
				if i%3 == 0 {
					r.Num[f] -= r.Den[f] / 2
				}
			}
			ratios = append(ratios, r)
		}
		for i, got := range Bootstrap(5, families, ratios) {
			if want := naive(5, families, ratios[i]); got != want {
				t.Errorf("%d families, ratio %d: %+v, want %+v", families, i, got, want)
			}
		}
	}
}

func TestBootstrapCountsAndDrops(t *testing.T) {
	ones := slices.Repeat([]int64{1}, 100)
	few := make([]int64, 100) // items in ten families of a hundred
	copy(few, ones[:10])
	nine := slices.Clone(few)
	nine[3] = 0
	got := Bootstrap(1, 100, []Ratio{{few, few}, {nine, nine}, {make([]int64, 100), ones}, {make([]int64, 100), make([]int64, 100)}})
	if c := got[0]; !c.OK || c.Families != 10 || c.Interval != (Interval{1, 1}) {
		t.Errorf("ten families: %+v", c)
	}
	if c := got[1]; c.OK || c.Families != 9 {
		t.Errorf("nine families: %+v, want no interval", c)
	}
	if c := got[2]; !c.OK || c.Families != 100 || c.Interval != (Interval{0, 0}) {
		t.Errorf("nothing counted: %+v, want [0, 0]", c)
	}
	if c := got[3]; c.OK || c.Families != 0 {
		t.Errorf("no items: %+v", c)
	}
	// All of 100 draws miss the ten families with 0.9^100: 5 of 200,000 resamples.
	dropped := 0
	for seed := range int64(20) {
		c := Bootstrap(seed, 100, []Ratio{{few, few}})[0]
		dropped += c.Dropped
		if c.Interval != (Interval{1, 1}) {
			t.Errorf("seed %d: %+v", seed, c)
		}
	}
	if dropped < 1 || dropped > 15 {
		t.Errorf("%d resamples dropped, about 5 expected", dropped)
	}
}

// More ratios than are resampled at once make no difference to any.
func TestBootstrapInParts(t *testing.T) {
	var ratios []Ratio
	for i := range atOnce + 9 {
		r := Ratio{make([]int64, 12), slices.Repeat([]int64{3}, 12)}
		for f := range r.Num {
			r.Num[f] = int64((f + i) * (i + 1) % 4)
		}
		ratios = append(ratios, r)
	}
	got := Bootstrap(1, 12, ratios)
	for _, i := range []int{0, 1, atOnce - 1, atOnce, atOnce + 8} {
		if want := Bootstrap(1, 12, ratios[i:i+1])[0]; got[i] != want || !want.OK {
			t.Errorf("ratio %d: %+v, alone %+v", i, got[i], want)
		}
	}
}

func TestGeneratorsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for _, g := range []struct {
		purpose string
		name    []int64
	}{{"a", nil}, {"b", nil}, {"a", []int64{1}}, {"a", []int64{1, 2}}, {"a", []int64{12}}, {"a", []int64{2, 1}}, {"a", []int64{-1}}} {
		v := generator(g.purpose, g.name...).Uint64()
		if seen[v] != "" {
			t.Errorf("%v starts like %s", g, seen[v])
		}
		seen[v] = g.purpose
	}
}

// Eight hundred rates over the families of the reference's size.
func BenchmarkBootstrap(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	ratios := make([]Ratio, 800)
	for i := range ratios {
		r := Ratio{make([]int64, 235), make([]int64, 235)}
		for f := range r.Num {
			r.Den[f] = 1 + rng.Int64N(2)
			r.Num[f] = rng.Int64N(r.Den[f] + 1)
		}
		ratios[i] = r
	}
	b.ReportAllocs()
	for b.Loop() {
		Bootstrap(1, 235, ratios)
	}
}

func BenchmarkSignFlip(b *testing.B) {
	b.Run("counted", func(b *testing.B) {
		d := slices.Repeat([]int64{1, 2}, 10)
		for b.Loop() {
			SignFlip(1, d)
		}
	})
	b.Run("sampled", func(b *testing.B) {
		d := slices.Repeat([]int64{1, -1, 1}, 78)
		for b.Loop() {
			SignFlip(1, d)
		}
	})
}

func BenchmarkMcNemar(b *testing.B) {
	for b.Loop() {
		McNemar(400, 480)
	}
}

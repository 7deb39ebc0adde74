package stats

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/stat"
)

const (
	// Resamples is how often a bootstrap draws.
	Resamples = 10_000
	// MinFamilies is the least number of families that an interval is given
	// for: below it, resampling says more about luck than about spread.
	MinFamilies = 10

	blocks  = 100 // each block of resamples has its own generator
	inBlock = Resamples / blocks
	// atOnce is how many ratios are resampled together: their values are held,
	// 80 KB a ratio. Draws are made anew for the next ones.
	atOnce = 512
)

// Ratio is a share by family: Num[f] of Den[f] in family f. Both slices are as
// long as there are families; a family without items has zeros. Den is never
// negative, Num may be: then it is a difference of shares.
type Ratio struct{ Num, Den []int64 }

// Cluster is a family-cluster bootstrap interval.
type Cluster struct {
	Interval
	OK       bool // there is an interval: enough families, and some resample had items
	Families int  // families with items in the denominator
	Dropped  int  // resamples without any
}

// Bootstrap gives each ratio the interval of its Σnum / Σden over resamples of
// whole families, Resamples times, at Confidence: percentiles by nearest rank
// (docs/protocol.md, "Statistics"). The draws depend on the seed and the
// number of families alone, so ratios over the same families are resampled
// together and their intervals can be compared. Sums must fit 62 bits.
func Bootstrap(seed int64, families int, ratios []Ratio) []Cluster {
	list := make([]Cluster, len(ratios))
	var wanted []int
	for i, r := range ratios {
		for _, d := range r.Den {
			if d > 0 {
				list[i].Families++
			}
		}
		if list[i].Families >= MinFamilies {
			wanted = append(wanted, i)
		}
	}
	for part := range slices.Chunk(wanted, atOnce) {
		r := &resampler{seed: seed, families: families, batches: pack(families, ratios, part), values: make([][]float64, len(part))}
		for i := range r.values {
			r.values[i] = make([]float64, Resamples)
		}
		parallel(blocks, func() func(int) {
			var buffer []uint32
			return func(i int) {
				buffer = r.draw(i, buffer)
				r.block(i, buffer)
			}
		})
		parallel(len(part), func() func(int) {
			return func(i int) { list[part[i]].percentiles(r.values[i]) }
		})
	}
	return list
}

// parallel runs n jobs on as many workers as there are processors. Each worker
// gets its own job function, so it may keep buffers.
func parallel(n int, worker func() func(job int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			run := worker()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				run(i)
			}
		})
	}
	wg.Wait()
}

// resampler resamples some ratios over the same families.
type resampler struct {
	seed     int64
	families int
	batches  []batch
	values   [][]float64 // by ratio and resample, NaN without items
}

// draw makes the draws of one block, resample after resample.
func (r *resampler) draw(block int, buffer []uint32) []uint32 {
	n := inBlock * r.families
	buffer = slices.Grow(buffer[:0], n)[:n]
	rng := rand.New(generator("memform bootstrap", r.seed, int64(r.families), int64(block)))
	for i := range buffer {
		buffer[i] = rng.Uint32N(uint32(r.families))
	}
	return buffer
}

// block adds up the resamples of one block: every batch, while the draws are
// still near.
func (r *resampler) block(block int, drawn []uint32) {
	for i := range r.batches {
		b := &r.batches[i]
		for k := range inBlock {
			sums := b.sum(drawn[k*r.families : (k+1)*r.families])
			for j := range b.items {
				item := &b.items[j]
				r.values[item.ratio][block*inBlock+k] = item.value(&sums)
			}
		}
	}
}

// percentiles sets the interval from the resampled values, which it sorts.
func (c *Cluster) percentiles(values []float64) {
	values = slices.DeleteFunc(values, math.IsNaN)
	c.Dropped = Resamples - len(values)
	if c.OK = len(values) > 0; !c.OK {
		return
	}
	slices.Sort(values)
	c.Low = stat.Quantile((1-Confidence)/2, stat.Empirical, values, nil)
	c.High = stat.Quantile((1+Confidence)/2, stat.Empirical, values, nil)
}

package stats

import (
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

	blocks  = 20 // each block of resamples has its own generator
	perPart = Resamples / blocks
	// Draws are kept while they take no more than this (bytes); above it every
	// worker draws them again, which costs time and no memory.
	keepDraws = 64 << 20
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
	if len(wanted) == 0 {
		return list
	}
	batches := pack(families, ratios, wanted)
	d := newDraws(seed, families)
	parallel(len(batches), func() func(int) {
		w := &worker{draws: d, ends: list}
		return func(i int) { w.run(&batches[i]) }
	})
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

// draws are the families that the resamples drew, a block at a time.
type draws struct {
	seed     int64
	families int
	kept     [][]uint32 // by block; nil where they are drawn again
}

func newDraws(seed int64, families int) *draws {
	d := &draws{seed: seed, families: families}
	if families*Resamples*4 <= keepDraws {
		kept := make([][]uint32, blocks)
		parallel(blocks, func() func(int) {
			return func(i int) { kept[i] = d.draw(i, nil) }
		})
		d.kept = kept
	}
	return d
}

// block yields the draws of one block, in buffer where they are not kept.
func (d *draws) block(i int, buffer []uint32) []uint32 {
	if d.kept != nil {
		return d.kept[i]
	}
	return d.draw(i, buffer)
}

func (d *draws) draw(block int, buffer []uint32) []uint32 {
	n := perPart * d.families
	buffer = slices.Grow(buffer[:0], n)[:n]
	rng := rand.New(generator("memform bootstrap", d.seed, int64(d.families), int64(block)))
	for i := range buffer {
		buffer[i] = rng.Uint32N(uint32(d.families))
	}
	return buffer
}

// worker computes batches; its buffers are used again.
type worker struct {
	draws  *draws
	ends   []Cluster
	buffer []uint32
	values [][]float64
}

func (w *worker) run(b *batch) {
	for len(w.values) < len(b.items) {
		w.values = append(w.values, make([]float64, 0, Resamples))
	}
	for i := range b.items {
		w.values[i] = w.values[i][:0]
	}
	for i := range blocks {
		block := w.draws.block(i, w.buffer)
		if w.draws.kept == nil {
			w.buffer = block
		}
		for len(block) > 0 {
			w.resample(b, block[:w.draws.families])
			block = block[w.draws.families:]
		}
	}
	for i, item := range b.items {
		w.ends[item.ratio].percentiles(w.values[i])
	}
}

// resample adds up one resample of every ratio of the batch.
func (w *worker) resample(b *batch, drawn []uint32) {
	var s0, s1, s2, s3 uint64
	for _, f := range drawn {
		v := &b.table[f]
		s0 += v[0]
		s1 += v[1]
		s2 += v[2]
		s3 += v[3]
	}
	sums := words{s0, s1, s2, s3}
	for i := range b.items {
		item := &b.items[i]
		if den := item.den.of(&sums); den != 0 {
			w.values[i] = append(w.values[i], float64(item.num.of(&sums))/float64(den))
		}
	}
}

// percentiles sets the interval from the resampled values, which it sorts.
func (c *Cluster) percentiles(values []float64) {
	c.Dropped = Resamples - len(values)
	if c.OK = len(values) > 0; !c.OK {
		return
	}
	slices.Sort(values)
	c.Low = stat.Quantile((1-Confidence)/2, stat.Empirical, values, nil)
	c.High = stat.Quantile((1+Confidence)/2, stat.Empirical, values, nil)
}

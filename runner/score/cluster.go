package score

import (
	"slices"
	"strings"

	"memform/runner/stats"
)

// Clustered is the family-cluster bootstrap interval of a share, beside
// intervals that take items for independent (docs/protocol.md, "Statistics").
type Clustered struct {
	Cluster  *[2]float64 `json:"cluster"`          // 95 %; null (n/a) under 10 families
	Families int         `json:"cluster_families"` // with items in the denominator
	Dropped  int         `json:"cluster_dropped"`  // resamples without any item, left out
}

func (c *Clustered) set(got stats.Cluster) {
	c.Families, c.Dropped = got.Families, got.Dropped
	if got.OK {
		c.Cluster = &[2]float64{got.Low, got.High}
	}
}

// families are the families of a group of rows, whole ones of which a
// resample draws.
type families struct {
	ids []string // ascending
	of  []int32  // by row: its place in ids
}

func familiesOf(rows []*Row) *families {
	f := &families{of: make([]int32, len(rows))}
	place := map[string]int32{}
	for _, r := range rows {
		if _, known := place[r.FamilyID]; !known {
			place[r.FamilyID] = 0
			f.ids = append(f.ids, r.FamilyID)
		}
	}
	slices.Sort(f.ids)
	for i, id := range f.ids {
		place[id] = int32(i)
	}
	for i, r := range rows {
		f.of[i] = place[r.FamilyID]
	}
	return f
}

// only are the rows that keep picks, and their families: the same units, of
// which some may have no row left.
func (f *families) only(rows []*Row, keep func(*Row) bool) ([]*Row, *families) {
	var part []*Row
	less := &families{ids: f.ids}
	for i, r := range rows {
		if keep(r) {
			part = append(part, r)
			less.of = append(less.of, f.of[i])
		}
	}
	return part, less
}

// joined are the families of several groups, and where those of each group
// stand among them.
func joined(groups []*families) (ids []string, places [][]int32) {
	for _, g := range groups {
		ids = append(ids, g.ids...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, g := range groups {
		list := make([]int32, len(g.ids))
		for i, id := range g.ids {
			at, _ := slices.BinarySearchFunc(ids, id, strings.Compare)
			list[i] = int32(at)
		}
		places = append(places, list)
	}
	return ids, places
}

// byFamily is a share by family: what a bootstrap resamples. It is made by the
// first item; without one there is none.
type byFamily struct{ num, den []int64 }

func (b *byFamily) add(family int32, families int, num, den int64) {
	if b.den == nil {
		b.num, b.den = make([]int64, families), make([]int64, families)
	}
	b.num[family] += num
	b.den[family] += den
}

// merge adds another group's share; its family i stands at places[i].
func (b *byFamily) merge(o *byFamily, places []int32, families int) {
	for i := range o.den {
		b.add(places[i], families, o.num[i], o.den[i])
	}
}

// resampling gathers what is to be resampled while rates are made, and fills
// the intervals in at the end: what has equally many families is resampled
// together.
type resampling struct {
	seed   int64
	wanted map[int]*wanted
	sizes  []int // keys of wanted, in order of arrival

	sums  [][]int64
	flips []**SignFlip
}

type wanted struct {
	ratios []stats.Ratio
	set    []func(stats.Cluster)
}

func newResampling(seed int64) *resampling {
	return &resampling{seed: seed, wanted: map[int]*wanted{}}
}

// want asks for the interval of a share.
func (r *resampling) want(b *byFamily, set func(stats.Cluster)) {
	n := len(b.den)
	if n == 0 {
		return
	}
	w := r.wanted[n]
	if w == nil {
		w = &wanted{}
		r.wanted[n] = w
		r.sizes = append(r.sizes, n)
	}
	w.ratios = append(w.ratios, stats.Ratio{Num: b.num, Den: b.den})
	w.set = append(w.set, set)
}

// rates makes the rates of a group and asks for their intervals.
func (r *resampling) rates(counts []counted) []Rate {
	list := make([]Rate, len(counts))
	for i := range counts {
		c := &counts[i]
		list[i] = c.rate(c.rule.name, c.rule.condition)
		r.want(&c.byFamily, list[i].Clustered.set)
	}
	return list
}

// flip asks for the test of sums by family.
func (r *resampling) flip(sums []int64, into **SignFlip) {
	r.sums, r.flips = append(r.sums, sums), append(r.flips, into)
}

// Resampling says what intervals and sampled tests were drawn with.
type Resampling struct {
	Generator string `json:"generator"`
	Seed      int64  `json:"seed"`
	Resamples int    `json:"resamples"` // of a bootstrap
	Flips     int    `json:"flips"`     // sign vectors of a sampled permutation test
	Families  int    `json:"min_families"`
}

func resamplingOf(seed int64) Resampling {
	return Resampling{stats.Generator, seed, stats.Resamples, stats.Flips, stats.MinFamilies}
}

// run fills in every interval and test that was asked for.
func (r *resampling) run() {
	for i, got := range stats.SignFlips(r.seed, r.sums) {
		*r.flips[i] = &SignFlip{P: got.P, Families: got.Families, Exact: got.Exact}
	}
	for _, n := range r.sizes {
		w := r.wanted[n]
		for i, got := range stats.Bootstrap(r.seed, n, w.ratios) {
			w.set[i](got)
		}
	}
}

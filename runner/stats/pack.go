package stats

import "math"

// words are sums side by side. A resample adds one row of words per family
// drawn; several small sums share a word, so one addition serves them all.
type words [4]uint64

// lane is where a sum stands in words. What was stored was raised by a
// constant to be no less than zero; offset takes it back from the sum.
type lane struct {
	word, shift uint8
	mask        uint64
	offset      int64
}

func (l *lane) of(sums *words) int64 {
	return int64(sums[l.word&3]>>l.shift&l.mask) - l.offset
}

// packed is a ratio of a batch.
type packed struct {
	ratio    int // which one, in the order packed
	num, den lane
}

// value is the ratio of two sums, NaN without items.
func (p *packed) value(sums *words) float64 {
	den := p.den.of(sums)
	if den == 0 {
		return math.NaN()
	}
	return float64(p.num.of(sums)) / float64(den)
}

// batch is what one pass over the draws adds up.
type batch struct {
	table []words // a row per family
	items []packed
	half  int // half words used
}

// sum adds up the rows of the families drawn.
func (b *batch) sum(drawn []uint32) words {
	var s0, s1, s2, s3 uint64 // in registers
	for _, f := range drawn {
		row := &b.table[f]
		s0 += row[0]
		s1 += row[1]
		s2 += row[2]
		s3 += row[3]
	}
	return words{s0, s1, s2, s3}
}

// pack puts the wanted ratios into batches, each by its place in wanted. A ratio takes half a word where
// its sums are below 2^16, a word where they are below 2^32, else two.
func pack(families int, ratios []Ratio, wanted []int) []batch {
	var list []batch
	for n, i := range wanted {
		r := &ratios[i]
		half := max(width(families, r.Num), width(families, r.Den))
		if len(list) == 0 || !list[len(list)-1].fits(half) {
			list = append(list, batch{table: make([]words, families)})
		}
		list[len(list)-1].add(n, r, half)
	}
	return list
}

// width is how many half words a ratio takes for the sake of one of its two.
func width(families int, column []int64) int {
	low, high := int64(0), int64(0)
	for _, v := range column {
		low, high = min(low, v), max(high, v)
	}
	switch top := uint64(high-low) * uint64(families); {
	case top < 1<<16:
		return 1
	case top < 1<<32:
		return 2
	}
	return 4
}

// start is where a ratio of so many half words can begin: it spans no word
// unless it fills words.
func (b *batch) start(half int) int { return (b.half + half - 1) / half * half }

func (b *batch) fits(half int) bool { return b.start(half)+half <= 2*len(words{}) }

func (b *batch) add(ratio int, r *Ratio, half int) {
	at := b.start(half)
	b.half = at + half
	bits := 16 * half // of each of the two sums
	b.items = append(b.items, packed{ratio, b.put(r.Num, 32*at, bits), b.put(r.Den, 32*at+bits, bits)})
}

// put stores a column at a bit of the rows.
func (b *batch) put(column []int64, bit, bits int) lane {
	low := int64(0)
	for _, v := range column {
		low = min(low, v)
	}
	l := lane{uint8(bit / 64), uint8(bit % 64), 1<<bits - 1, -low * int64(len(b.table))}
	for f, v := range column {
		b.table[f][l.word] |= uint64(v-low) << l.shift
	}
	return l
}

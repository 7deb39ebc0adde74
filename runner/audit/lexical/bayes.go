package lexical

import "math"

// Bayes is a multinomial naive Bayes of two classes with add-one smoothing
// and equal priors. Texts can be taken out again, which leaves a group out
// without training anew.
type Bayes struct {
	words map[string]*[2]int
	total [2]int
	kinds int // words that occur at all
}

// Add trains with a text of class 0 or 1, n times; n may be negative to take
// it out.
func (b *Bayes) Add(class int, text Bag, n int) {
	if b.words == nil {
		b.words = map[string]*[2]int{}
	}
	for _, w := range text {
		c := b.words[w.Word]
		if c == nil {
			c = new([2]int)
			b.words[w.Word] = c
		}
		before := c[0] + c[1]
		c[class] += n * w.N
		b.total[class] += n * w.N
		switch after := c[0] + c[1]; {
		case before == 0 && after > 0:
			b.kinds++
		case before > 0 && after == 0:
			b.kinds--
		}
	}
}

// Odds is the log odds of class 1 against class 0. Words never seen in
// training count for nothing.
func (b *Bayes) Odds(text Bag) float64 {
	zero, one := math.Log(float64(b.total[0]+b.kinds)), math.Log(float64(b.total[1]+b.kinds))
	sum := 0.0
	for _, w := range text {
		if c := b.words[w.Word]; c != nil && c[0]+c[1] > 0 {
			sum += float64(w.N) * ((math.Log(float64(c[1]+1)) - one) - (math.Log(float64(c[0]+1)) - zero))
		}
	}
	return sum
}

// AUC is the share of pairs in which the value of a lies above that of b, ties
// counted half: 0.5 where the two cannot be told apart. It reports false where
// either is empty.
func AUC(a, b []float64) (float64, bool) {
	if len(a) == 0 || len(b) == 0 {
		return 0, false
	}
	wins := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case x > y:
				wins++
			case x == y:
				wins += 0.5
			}
		}
	}
	return wins / float64(len(a)*len(b)), true
}

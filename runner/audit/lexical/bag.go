package lexical

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Bag is words with how often they occur, in ascending order, so that every
// sum over it is the same on every machine.
type Bag []Count

// Count is one word of a bag.
type Count struct {
	Word string
	N    int
}

// NewBag counts words.
func NewBag(words []string) Bag {
	sorted := slices.Sorted(slices.Values(words))
	var b Bag
	for _, w := range sorted {
		if n := len(b); n > 0 && b[n-1].Word == w {
			b[n-1].N++
		} else {
			b = append(b, Count{w, 1})
		}
	}
	return b
}

// Grams is the bag of character sequences of length n, words apart.
func Grams(tokens []string, n int) Bag {
	var out []string
	for _, t := range tokens {
		t = " " + t + " "
		for i := 0; i+n <= len(t); i++ {
			out = append(out, t[i:i+n])
		}
	}
	return NewBag(out)
}

// Sum puts bags together.
func Sum(bags ...Bag) Bag {
	var out Bag
	for _, b := range bags {
		out = append(out, b...)
	}
	slices.SortFunc(out, func(a, b Count) int { return strings.Compare(a.Word, b.Word) })
	merged := out[:0]
	for _, c := range out {
		if n := len(merged); n > 0 && merged[n-1].Word == c.Word {
			merged[n-1].N += c.N
		} else {
			merged = append(merged, c)
		}
	}
	return merged
}

// Corpus counts in how many texts a word occurs.
type Corpus struct {
	texts int
	with  map[string]int
}

// Add counts one text.
func (c *Corpus) Add(b Bag) {
	if c.with == nil {
		c.with = map[string]int{}
	}
	c.texts++
	for _, w := range b {
		c.with[w.Word]++
	}
}

// weight is the inverse document frequency, smoothed; 1 without a corpus.
func (c *Corpus) weight(word string) float64 {
	if c == nil {
		return 1
	}
	return 1 + math.Log(float64(1+c.texts)/float64(1+c.with[word]))
}

// Cosine is the similarity of two bags, 0 to 1, words weighted by the corpus
// (TF-IDF); a nil corpus weighs all alike.
func (c *Corpus) Cosine(a, b Bag) float64 {
	dot := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch d := cmp.Compare(a[i].Word, b[j].Word); {
		case d < 0:
			i++
		case d > 0:
			j++
		default:
			w := c.weight(a[i].Word)
			dot += float64(w*w) * float64(a[i].N*b[j].N)
			i, j = i+1, j+1
		}
	}
	if dot == 0 {
		return 0
	}
	return dot / math.Sqrt(c.square(a)*c.square(b))
}

func (c *Corpus) square(b Bag) (sum float64) {
	for _, w := range b {
		v := c.weight(w.Word) * float64(w.N)
		sum += float64(v * v)
	}
	return sum
}

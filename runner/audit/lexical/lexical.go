// Package lexical compares texts by their words: tokens, content words, common
// runs, shingles, overlap, and phrases of a list. It knows nothing of cases
// and of rules; every function is pure. Start at Tokens and Content.
package lexical

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

// Tokens splits a text into lower-case runs of letters and digits.
func Tokens(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

//go:embed stopwords.txt
var stopText string

var stopWords = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(stopText) {
		out[w] = true
	}
	return out
}()

// Set is distinct strings in ascending order.
type Set []string

// NewSet sorts the strings and drops repeats. It keeps the slice.
func NewSet(list []string) Set {
	slices.Sort(list)
	return slices.Compact(list)
}

// Content is the set of content words: tokens without stop words, single
// letters and whatever holds a digit, stemmed.
func Content(tokens []string) Set { return NewSet(Words(tokens)) }

// Words is the content words in order of the text, repeats included.
func Words(tokens []string) []string {
	out := make([]string, 0, len(tokens))
	for _, t := range tokens {
		if len(t) > 1 && !stopWords[t] && !numeric(t) {
			out = append(out, Stem(t))
		}
	}
	return out
}

func numeric(s string) bool { return strings.ContainsFunc(s, unicode.IsNumber) }

// Common counts what both sets hold.
func Common(a, b Set) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := strings.Compare(a[i], b[j]); {
		case c == 0:
			n, i, j = n+1, i+1, j+1
		case c < 0:
			i++
		default:
			j++
		}
	}
	return n
}

// Jaccard is the size of the intersection by that of the union; 0 where both
// are empty.
func Jaccard(a, b Set) float64 {
	n := Common(a, b)
	if n == 0 {
		return 0
	}
	return float64(n) / float64(len(a)+len(b)-n)
}

// Has reports whether the set holds a string.
func (s Set) Has(w string) bool {
	_, ok := slices.BinarySearch(s, w)
	return ok
}

// Shingles is the set of word sequences of length n.
func Shingles(tokens []string, n int) Set {
	if len(tokens) < n {
		return nil
	}
	out := make([]string, 0, len(tokens)-n+1)
	for i := 0; i+n <= len(tokens); i++ {
		out = append(out, strings.Join(tokens[i:i+n], " "))
	}
	return NewSet(out)
}

// Run finds the longest sequence of words that two texts share, the first of
// several.
func Run(a, b []string) []string {
	best, end := 0, 0
	row := make([]int, len(b)+1) // row[j+1]: length of the run that ends at a[i] and b[j]
	for i := range a {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] != b[j] {
				row[j+1] = 0
				continue
			}
			row[j+1] = row[j] + 1
			if row[j+1] > best {
				best, end = row[j+1], i+1
			}
		}
	}
	return a[end-best : end]
}

// Contains reports whether the words of b stand in a, in sequence.
func Contains(a, b []string) bool {
	for i := 0; i+len(b) <= len(a); i++ {
		if slices.Equal(a[i:i+len(b)], b) {
			return true
		}
	}
	return false
}

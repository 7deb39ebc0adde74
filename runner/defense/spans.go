package defense

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// deleteSpans takes every occurrence of every span out of a text, byte for
// byte; what overlaps goes once. Nothing else is touched, not even the space
// that stood between. A span that the text does not hold is ignored; found
// reports whether any was held.
func deleteSpans(text string, spans []string) (left string, found bool) {
	type stretch struct{ from, to int }
	var gone []stretch
	for _, s := range spans {
		if s == "" {
			continue
		}
		for from := 0; ; {
			at := strings.Index(text[from:], s)
			if at < 0 {
				break
			}
			at += from
			gone = append(gone, stretch{at, at + len(s)})
			from = at + 1
		}
	}
	if len(gone) == 0 {
		return text, false
	}
	slices.SortFunc(gone, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	end := 0
	for _, g := range gone {
		if g.from > end {
			b.WriteString(text[end:g.from])
		}
		end = max(end, g.to)
	}
	b.WriteString(text[end:])
	return b.String(), true
}

// saysSomething reports whether more than space and punctuation is left.
func saysSomething(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r)
	})
}

package cases

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

//go:embed keywords.txt
var keywordText string

// Keyword is one pattern of the frozen list in keywords.txt.
type Keyword struct {
	Name   string // "<family>.<what>"; families override, persistence, concealment
	Strong bool
	re     *regexp.Regexp
	needs  []string // every match holds one of these; nil where that is not known
}

// KeywordList is the frozen patterns in order of the file. It is read only.
type KeywordList struct {
	Digest   string // hex SHA-256 of the file
	Patterns []Keyword
}

// Keywords is the list that the audit holds records against and that the
// keyword filter rejects by.
func Keywords() *KeywordList { return keywords() }

var keywords = sync.OnceValue(func() *KeywordList {
	l, err := readKeywords(keywordText)
	if err != nil {
		panic("cases: keywords.txt: " + err.Error())
	}
	return l
})

func readKeywords(text string) (*KeywordList, error) {
	sum := sha256.Sum256([]byte(text))
	l := &KeywordList{Digest: hex.EncodeToString(sum[:])}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		weight, expr, _ := strings.Cut(strings.TrimSpace(rest), " ")
		expr = strings.TrimSpace(expr)
		re, err := regexp.Compile(expr)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if expr == "" || weight != "strong" && weight != "moderate" {
			return nil, fmt.Errorf("line %d: a line is a name, strong or moderate, and an RE2 expression", n)
		}
		l.Patterns = append(l.Patterns, Keyword{Name: name, Strong: weight == "strong", re: re, needs: needs(expr)})
	}
	return l, nil
}

// needs lists words of which every match of an expression holds one, so that
// most texts are passed over without a match being tried.
func needs(expr string) []string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return needsOf(re.Simplify())
}

func needsOf(re *syntax.Regexp) (words []string) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return needsOf(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			some := needsOf(sub)
			if some == nil {
				return nil
			}
			words = append(words, some...)
		}
	case syntax.OpConcat: // the part whose shortest word is longest
		for _, sub := range re.Sub {
			if some := needsOf(sub); some != nil && (words == nil || shortest(some) > shortest(words)) {
				words = some
			}
		}
	}
	return words
}

func shortest(words []string) int {
	n := len(words[0])
	for _, w := range words[1:] {
		n = min(n, len(w))
	}
	return n
}

func (k *Keyword) possible(text string) bool {
	return k.needs == nil || slices.ContainsFunc(k.needs, func(w string) bool { return strings.Contains(text, w) })
}

// KeywordHit is a pattern found, with the words it matched in the normalised
// text.
type KeywordHit struct {
	Keyword *Keyword
	Text    string
}

// Find is every pattern that a text holds, in order of the list.
func (l *KeywordList) Find(text string) (hits []KeywordHit) {
	text = normaliseKeywords(text)
	for i := range l.Patterns {
		if !l.Patterns[i].possible(text) {
			continue
		}
		if found := l.Patterns[i].re.FindString(text); found != "" {
			hits = append(hits, KeywordHit{&l.Patterns[i], strings.TrimSpace(found)})
		}
	}
	return hits
}

// Rejects applies the threshold: one strong pattern or two moderate ones.
func (l *KeywordList) Rejects(hits []KeywordHit) bool {
	moderate := 0
	for _, h := range hits {
		if h.Keyword.Strong {
			return true
		}
		moderate++
	}
	return moderate >= 2
}

// normaliseKeywords is NFKC, then case folding, then single spaces.
func normaliseKeywords(s string) string {
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(s))), " ")
}

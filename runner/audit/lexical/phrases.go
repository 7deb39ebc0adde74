package lexical

import (
	"fmt"
	"strings"
)

// Phrases is a list of words and word sequences to be found in texts. A word
// that ends in * stands for every word that begins so.
type Phrases struct {
	exact  map[string][]phrase // by first word
	prefix map[string][]phrase // by the first three bytes of a first word with *
}

type phrase []word

type word struct {
	text   string
	prefix bool
}

func (w word) matches(token string) bool {
	return token == w.text || w.prefix && strings.HasPrefix(token, w.text)
}

const prefixKey = 3

// NewPhrases takes one pattern a line; text after # is a comment.
func NewPhrases(lines ...string) (*Phrases, error) {
	p := &Phrases{map[string][]phrase{}, map[string][]phrase{}}
	for _, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		var ph phrase
		for _, field := range strings.Fields(line) {
			stem, prefix := strings.CutSuffix(field, "*")
			tokens := Tokens(stem)
			if len(tokens) == 0 || prefix && len(tokens[0]) < prefixKey {
				return nil, fmt.Errorf("pattern %q: a word needs a letter or digit, and %d before *", field, prefixKey)
			}
			for i, t := range tokens {
				ph = append(ph, word{t, prefix && i == len(tokens)-1})
			}
		}
		switch {
		case len(ph) == 0:
		case ph[0].prefix:
			p.prefix[ph[0].text[:prefixKey]] = append(p.prefix[ph[0].text[:prefixKey]], ph)
		default:
			p.exact[ph[0].text] = append(p.exact[ph[0].text], ph)
		}
	}
	return p, nil
}

// Find is every place at which a phrase stands, as the words found, in order
// of the text; the longest of those that begin at one word.
func (p *Phrases) Find(tokens []string) (found [][]string) {
	for i := range tokens {
		if n := p.at(tokens[i:]); n > 0 {
			found = append(found, tokens[i:i+n])
		}
	}
	return found
}

// Without is the tokens that no phrase takes up, in their order.
func (p *Phrases) Without(tokens []string) []string {
	out := make([]string, 0, len(tokens))
	for i := 0; i < len(tokens); {
		if n := p.at(tokens[i:]); n > 0 {
			i += n
			continue
		}
		out = append(out, tokens[i])
		i++
	}
	return out
}

// at is the length of the longest phrase at the beginning, 0 if there is none.
func (p *Phrases) at(tokens []string) (longest int) {
	t := tokens[0]
	for _, ph := range p.exact[t] {
		longest = max(longest, ph.at(tokens))
	}
	if len(t) >= prefixKey {
		for _, ph := range p.prefix[t[:prefixKey]] {
			longest = max(longest, ph.at(tokens))
		}
	}
	return longest
}

// at is the length of the phrase if it stands at the beginning, else 0.
func (ph phrase) at(tokens []string) int {
	if len(tokens) < len(ph) {
		return 0
	}
	for i, w := range ph {
		if !w.matches(tokens[i]) {
			return 0
		}
	}
	return len(ph)
}

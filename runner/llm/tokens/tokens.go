// Package tokens counts the tokens of a text offline, with vocabularies that
// are compiled in. It knows nothing of prompts, prices or plans. Start at For.
package tokens

import (
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// Counter counts tokens. It is safe for concurrent use.
type Counter struct {
	codec tokenizer.Codec
	exact bool

	mu    sync.RWMutex
	words map[string]int32
}

// wordsKept bounds the memory of a Counter; texts beyond it are counted anew.
const wordsKept = 1 << 18

// For returns a counter with the vocabulary of a model. Where the model's
// vocabulary is not known it counts with o200k and Exact is false: such a
// count is an estimate.
func For(model string) *Counter {
	codec, err := tokenizer.ForModel(tokenizer.Model(model))
	exact := err == nil
	if err != nil {
		if codec, err = tokenizer.Get(tokenizer.O200kBase); err != nil {
			panic("tokens: the embedded vocabulary cannot be read: " + err.Error())
		}
	}
	return &Counter{codec: codec, exact: exact, words: map[string]int32{}}
}

// Exact reports whether the model's own vocabulary is used.
func (c *Counter) Exact() bool { return c.exact }

// Name is the vocabulary's name.
func (c *Counter) Name() string { return c.codec.GetName() }

// Count is the number of tokens of text.
//
// The vocabularies in use split text before every single space between two
// other characters, so a text's count is the sum over its words with their
// leading space; each distinct word is counted once.
func (c *Counter) Count(text string) int {
	total := 0
	for len(text) > 0 {
		known, rest := c.known(text)
		if total += known; len(rest) == 0 {
			break
		}
		n := wordEnd(rest)
		total += c.word(rest[:n])
		text = rest[n:]
	}
	return total
}

// known counts text up to its first word that was never counted, under one
// lock, and is what is left from there.
func (c *Counter) known(text string) (total int, rest string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for len(text) > 0 {
		end := wordEnd(text)
		n, ok := c.words[text[:end]]
		if !ok {
			break
		}
		total += int(n)
		text = text[end:]
	}
	return total, text
}

// word counts a word and keeps its count.
func (c *Counter) word(w string) int {
	count, err := c.codec.Count(w)
	if err != nil {
		count = utf8.RuneCountInString(w) // an upper bound for text
	}
	c.mu.Lock()
	if len(c.words) < wordsKept {
		c.words[string([]byte(w))] = int32(count)
	}
	c.mu.Unlock()
	return count
}

// wordEnd is the length of the first word: up to a single space that stands
// between two characters that are not white space.
func wordEnd(s string) int {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == ' ' && !spaceAt(s[i-1]) && !spaceAt(s[i+1]) {
			return i
		}
	}
	return len(s)
}

// spaceAt reports whether b may be part of white space. Bytes of longer
// runes count as such: some of those runes are white space.
func spaceAt(b byte) bool { return b <= ' ' || b >= utf8.RuneSelf }

package simulated

import "strings"

// windows are the lengths of prefix that are hashed: a text is found by the
// longest that it fills. Sets of ordinary texts use the first one alone.
var windows = [...]int{32, 16, 8, 4, 1}

func windowOf(length int) int {
	for _, w := range windows {
		if length >= w {
			return w
		}
	}
	return 0
}

// windowHash hashes the first w bytes of s, which has at least that many.
func windowHash(s string, w int) uint64 {
	h := uint64(w)
	for ; w >= 8; w -= 8 {
		h = mix(h, load(s))
		s = s[8:]
	}
	for i := range w {
		h = mix(h, uint64(s[i]))
	}
	return h
}

func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}

// find lists the crib's texts in s from left to right: at each place the
// longest, and none inside another. A text is found as whole words only.
func (c *crib) find(s string) []span {
	var spans []span
	for at := 0; at < len(s); at++ {
		if isSpace(s[at]) || s[at]&0xC0 == 0x80 || at > 0 && isWord[s[at-1]] {
			continue // no text begins with a space, within a rune or within a word
		}
		if text := c.match(s, at); text >= 0 {
			end := at + len(c.texts[text])
			spans = append(spans, span{at, end, text})
			at = end - 1
		}
	}
	return spans
}

// match is the longest text at a place, -1 if there is none.
func (c *crib) match(s string, at int) int {
	for _, w := range c.windows {
		if len(s)-at < w {
			continue
		}
		hash := windowHash(s[at:], w)
		mask := len(c.table) - 1
		for slot := int(hash) & mask; c.table[slot] != 0; slot = (slot + 1) & mask {
			b := c.table[slot] - 1
			if c.buckets[b].hash != hash {
				continue
			}
			if text := c.longest(s, at, int(c.buckets[b].start), int(c.buckets[b+1].start)); text >= 0 {
				return text
			}
			break
		}
	}
	return -1
}

// longest is the longest of the sorted texts lo … hi−1 that stands at a place.
// It searches by halves, because a file of cases may open thousands of its
// texts with the same words.
func (c *crib) longest(s string, at, lo, hi int) int {
	rest := s[at:]
	for {
		for low := lo; low < hi; { // first text after rest
			mid := int(uint(low+hi) >> 1)
			if c.texts[mid] <= rest {
				low = mid + 1
			} else {
				hi = mid
			}
		}
		if hi == lo {
			return -1
		}
		hi--
		t := c.texts[hi]
		if strings.HasPrefix(rest, t) {
			if wordEnds(s, at+len(t)) {
				return hi
			}
			rest = rest[:len(t)-1]
		} else {
			// A shorter text that stands here is a prefix of t as well.
			rest = rest[:common(rest, t)]
		}
	}
}

func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// isWord marks the bytes that make up words; what lies beyond ASCII may be
// punctuation or a script without spaces and marks nothing.
var isWord = func() (t [256]bool) {
	for _, r := range "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" {
		t[r] = true
	}
	return t
}()

// wordEnds reports whether no word runs across the place end of s.
func wordEnds(s string, end int) bool {
	return end == len(s) || !isWord[s[end]] || !isWord[s[end-1]]
}

package cases

import (
	"unicode"
	"unicode/utf8"
)

// Words counts the words of a text: runs of letters and digits, joined by one
// punctuation mark where it stands between them ("e-mail", "0:35" and "don't"
// are one word each). Budgets of length are stated in these.
func Words(s string) int {
	n, inside := 0, false
	for i := 0; i < len(s); {
		c, size := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(s[i:])
		}
		i += size
		switch {
		case wordRune(c):
			if !inside {
				n, inside = n+1, true
			}
		case inside:
			next, _ := utf8.DecodeRuneInString(s[i:])
			inside = wordRune(next) && unicode.IsPunct(c)
		}
	}
	return n
}

func wordRune(c rune) bool {
	if c < utf8.RuneSelf {
		return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
	}
	return unicode.IsLetter(c) || unicode.IsNumber(c)
}

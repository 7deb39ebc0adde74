package construct

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// fold turns authored text into what is shown: single line breaks become
// spaces, a blank line stays a break, the ends are trimmed.
func fold(s string) string {
	var paragraphs []string
	var words []string
	flush := func() {
		if len(words) > 0 {
			paragraphs = append(paragraphs, strings.Join(words, " "))
			words = nil
		}
	}
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line == "" {
			flush()
		} else {
			words = append(words, line)
		}
	}
	flush()
	return strings.Join(paragraphs, "\n\n")
}

// recordID is the first 8 hex digits of the SHA-256 of a folded text.
func recordID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

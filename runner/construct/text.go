package construct

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

// At is where words of the text, in sequence, were authored; where they are
// not found, as in a text that no file holds, it is where the text begins.
func (t Text) At(words ...string) hcl.Range {
	if len(words) == 0 || t.Range.End.Byte > len(t.file) || t.Range.Start.Byte >= t.Range.End.Byte {
		return t.Range
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = regexp.QuoteMeta(w)
	}
	source := t.file[t.Range.Start.Byte:t.Range.End.Byte]
	re, err := regexp.Compile(`(?i)(?:^|[^\p{L}\p{N}])(` + strings.Join(quoted, `[^\p{L}\p{N}]+`) + `)(?:[^\p{L}\p{N}]|$)`)
	if err != nil { // words that are not UTF-8
		return t.Range
	}
	m := re.FindSubmatchIndex(source)
	if m == nil {
		return t.Range
	}
	return hcl.Range{Filename: t.Range.Filename, Start: t.pos(source, m[2]), End: t.pos(source, m[3])}
}

// pos is the position of a byte of the source, which begins at the text.
func (t Text) pos(source []byte, at int) hcl.Pos {
	p := t.Range.Start
	p.Byte += at
	if nl := bytes.LastIndexByte(source[:at], '\n'); nl >= 0 {
		p.Line += bytes.Count(source[:at], []byte{'\n'})
		p.Column = 1 + utf8.RuneCount(source[nl+1:at])
	} else {
		p.Column += utf8.RuneCount(source[:at])
	}
	return p
}

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

package cache

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Entry is one answer with the call it answers. Identity, Draw and Request
// make the key; the rest is what came back.
type Entry struct {
	Identity    string
	Draw        int
	Request     []byte            // canonical text, verbatim
	Response    []byte            // raw body as received; need not be UTF-8
	Status      int               // HTTP status
	Headers     map[string]string // invalid UTF-8 in them is stored as U+FFFD
	Outcome     string
	CompletedAt string // RFC 3339, UTC, milliseconds
	Millis      int64  // duration of the attempt that answered
	Attempts    int
}

// Digest names the answer among others of one key: SHA-256 of the raw response.
func (e *Entry) Digest() [32]byte { return sha256.Sum256(e.Response) }

// Tombstone hides an answer of its key from look-ups, not from pins.
type Tombstone struct {
	Forget [32]byte // digest of the answer
	// CompletedAt is that of the answer. The same bytes bought again later are
	// another answer, which is not hidden. Empty hides every answer with the
	// digest.
	CompletedAt string
	Reason      string
}

// hides reports whether a is the answer that t hides.
func (t *Tombstone) hides(a *Answer) bool {
	return (t.CompletedAt == "" || t.CompletedAt == a.Entry.CompletedAt) && t.Forget == a.digest()
}

// entryVersion is the v of every e written; other versions are not read.
const entryVersion = 1

// Openings by which a scan tells tombstones from answers.
const (
	openVersion   = `{"v":1`
	openTombstone = openVersion + `,"forget":`
)

// AppendLine appends the entry as a line of a segment, as Put would write it.
func (e *Entry) AppendLine(dst []byte, key Key) []byte {
	return appendLine(dst, key, func(b []byte) []byte { return appendEntry(b, e) })
}

// appendEntry appends e's JSON with its fields in their fixed order.
func appendEntry(dst []byte, e *Entry) []byte {
	dst = append(dst, openVersion...)
	dst = appendText(dst, "identity", e.Identity)
	dst = appendText(dst, "request", e.Request)
	dst = append(dst, `,"draw":`...)
	dst = strconv.AppendInt(dst, int64(e.Draw), 10)
	dst = appendText(dst, "response", e.Response)
	dst = append(dst, `,"status":`...)
	dst = strconv.AppendInt(dst, int64(e.Status), 10)
	dst = append(dst, `,"headers":`...)
	dst = appendHeaders(dst, e.Headers)
	dst = append(dst, `,"outcome":`...)
	dst = appendQuoted(dst, strings.ToValidUTF8(e.Outcome, "\uFFFD"))
	dst = append(dst, `,"completed_at":`...)
	dst = appendQuoted(dst, strings.ToValidUTF8(e.CompletedAt, "\uFFFD"))
	dst = append(dst, `,"ms":`...)
	dst = strconv.AppendInt(dst, e.Millis, 10)
	dst = append(dst, `,"attempts":`...)
	dst = strconv.AppendInt(dst, int64(e.Attempts), 10)
	return append(dst, '}')
}

// appendTombstone appends a tombstone's JSON.
func appendTombstone(dst []byte, t *Tombstone) []byte {
	dst = append(dst, openTombstone+`"`...)
	dst = hex.AppendEncode(dst, t.Forget[:])
	dst = append(dst, '"')
	if t.CompletedAt != "" {
		dst = append(dst, `,"completed_at":`...)
		dst = appendQuoted(dst, strings.ToValidUTF8(t.CompletedAt, "\uFFFD"))
	}
	dst = append(dst, `,"reason":`...)
	dst = appendQuoted(dst, strings.ToValidUTF8(t.Reason, "\uFFFD"))
	return append(dst, '}')
}

// appendText appends ,"name":"text", or, where text is not UTF-8 and so no
// JSON string could hold it, ,"name_base64":"…".
func appendText[T string | []byte](dst []byte, name string, text T) []byte {
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	if utf8.Valid([]byte(text)) {
		dst = append(dst, `":`...)
		return appendQuoted(dst, text)
	}
	dst = append(dst, `_base64":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, []byte(text))
	return append(dst, '"')
}

func appendHeaders(dst []byte, headers map[string]string) []byte {
	if len(headers) == 0 {
		return append(dst, "{}"...)
	}
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		dst = append(dst, "{,"[min(i, 1)])
		dst = appendQuoted(dst, strings.ToValidUTF8(name, "\uFFFD"))
		dst = append(dst, ':')
		dst = appendQuoted(dst, strings.ToValidUTF8(headers[name], "\uFFFD"))
	}
	return append(dst, '}')
}

// appendQuoted appends text, which must be UTF-8, as a JSON string. It escapes
// only what JSON demands, so that text stays readable and searchable.
func appendQuoted[T string | []byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[done:i]...)
		dst = appendEscape(dst, c)
		done = i + 1
	}
	dst = append(dst, text[done:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}

package llm

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMessage bounds a failure's message, in bytes.
const maxMessage = 300

// clean makes one printable line of at most maxMessage bytes from a server's
// text and takes out what may not leave the machine: addresses, paths, keys
// and organisation ids.
func clean(s string) string { return cleanWith(s, "") }

// cleanWith is clean with a suffix of ours kept whole.
func cleanWith(s, suffix string) string {
	room := maxMessage - len(suffix)
	// Words are judged whole: look a little further than is shown.
	if len(s) > 4*maxMessage {
		s = s[:4*maxMessage]
	}
	s = strings.Map(printable, strings.ToValidUTF8(s, ""))
	var b strings.Builder
	for word := range strings.FieldsSeq(s) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(redact(word))
		if b.Len() > room {
			break
		}
	}
	if b.Len() == 0 {
		b.WriteString("no readable message")
	}
	return cut(b.String(), room) + suffix
}

func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r):
		return -1
	}
	return r
}

// cut shortens s to at most n bytes, between runes, and marks that it did.
func cut(s string, n int) string {
	const mark = "…"
	if len(s) <= n {
		return s
	}
	n -= len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}

// redact replaces a word that names a host, a path, a key or an account.
func redact(word string) string {
	if !strings.ContainsAny(word, "/-_:@.\\") {
		return word
	}
	bare := strings.Trim(word, "\"'`()[]{}<>,;.:*")
	var name string
	switch {
	case strings.Contains(word, "://"):
		name = "[url]"
	case len(bare) >= 10 && hasAnyPrefix(bare, "sk-", "org-", "proj_", "gsk_", "AIza", "xai-"):
		name = "[id]"
	case strings.Count(bare, "/") > 1 && bare[0] == '/' && !hasAnyPrefix(bare, "/v1", "/api", "/openai", "/chat"),
		strings.Contains(bare, `:\`):
		name = "[path]"
	case isAddress(bare):
		name = "[host]"
	case strings.Contains(bare, "@") && strings.Contains(bare, "."):
		name = "[mail]"
	default:
		return word
	}
	return strings.Replace(word, bare, name, 1)
}

// isAddress reports an IPv4 address with or without a port, and localhost.
func isAddress(s string) bool {
	if strings.HasPrefix(s, "localhost:") {
		return true
	}
	return strings.Count(s, ".") == 3 && strings.Trim(s, "0123456789.:") == ""
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// excerpt shows the beginning of a body that is no known error: the title of
// a web page, else its first bytes.
func excerpt(body []byte) string {
	if len(body) > 4*maxMessage {
		body = body[:4*maxMessage]
	}
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return "empty body"
	}
	if body[0] != '<' {
		return string(body)
	}
	lower := bytes.ToLower(body)
	if i := bytes.Index(lower, []byte("<title>")); i >= 0 {
		// ToLower may change the length of odd runes; the tags are ASCII.
		title := body[min(i+len("<title>"), len(body)):]
		if j := bytes.IndexByte(title, '<'); j >= 0 {
			title = title[:j]
		}
		return "a web page titled \"" + string(bytes.TrimSpace(title)) + "\""
	}
	return "a web page: " + string(body)
}

package cases

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds nesting, so that a hostile line cannot exhaust the stack.
const maxDepth = 200

// reader walks the JSON of one line and yields its strings as bytes of the
// line itself. encoding/json would do but for three things a loader of other
// people's files needs: it stops at the first wrong type of a line, takes a
// lone surrogate or a repeated key in silence, and copies each text before
// one can see that it is already known (families repeat theirs in every
// case). Syntax follows RFC 8259; FuzzReader holds it against json.Valid.
//
// The first fault of syntax sticks: every later call yields nothing.
type reader struct {
	b       []byte
	i       int
	fault   string // what was wrong; "" while all is well
	faultAt int    // its byte offset in the line
}

func (r *reader) reset(line []byte) { *r = reader{b: line} }

func (r *reader) fail(at int, format string, args ...any) {
	if r.fault == "" {
		r.fault, r.faultAt = fmt.Sprintf(format, args...), at
	}
	r.i = len(r.b)
}

// peek skips white space and returns the next byte, 0 at the end.
func (r *reader) peek() byte {
	for ; r.i < len(r.b); r.i++ {
		switch c := r.b[r.i]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// open enters an object or array and reports whether it has a first member.
// With next it reads: for more := r.open('{', '}'); more; more = r.next('}').
func (r *reader) open(start, end byte) bool {
	if c := r.peek(); c != start {
		r.fail(r.i, "expected %q, found %s", start, r.found())
		return false
	}
	r.i++
	if r.peek() == end {
		r.i++
		return false
	}
	return r.fault == ""
}

// next reports whether another member follows, else leaves the container.
func (r *reader) next(end byte) bool {
	if r.fault != "" {
		return false
	}
	switch r.peek() {
	case ',':
		r.i++
		return true
	case end:
		r.i++
		return false
	}
	r.fail(r.i, "expected ',' or %q, found %s", end, r.found())
	return false
}

// key reads a member's name and the colon after it.
func (r *reader) key() []byte {
	if r.peek() != '"' {
		r.fail(r.i, "expected a field name in quotes, found %s", r.found())
		return nil
	}
	k := r.str()
	if r.peek() != ':' {
		r.fail(r.i, "expected ':' after the field name %q, found %s", k, r.found())
		return nil
	}
	r.i++
	return k
}

func (r *reader) found() string {
	if r.i >= len(r.b) {
		return "the end of the line"
	}
	c, _ := utf8.DecodeRune(r.b[r.i:])
	return fmt.Sprintf("%q", c)
}

// plain marks the bytes that stand for themselves inside a JSON string.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 0x20 && c != '"' && c != '\\'
	}
	return t
}()

// str reads the string that peek has found. The result stays valid as long as
// the line does.
func (r *reader) str() []byte {
	start := r.i + 1
	i := start
	for i < len(r.b) && plain[r.b[i]] {
		i++
	}
	if i < len(r.b) && r.b[i] == '"' {
		r.i = i + 1
		return r.b[start:i]
	}
	return r.escaped(start, i)
}

// escaped reads a string that holds an escape, its plain head known already.
func (r *reader) escaped(start, i int) []byte {
	out := append(make([]byte, 0, i-start+64), r.b[start:i]...)
	for i < len(r.b) {
		switch c := r.b[i]; {
		case c == '"':
			r.i = i + 1
			return out
		case c < 0x20:
			r.fail(i, "control character U+%04X inside a string; write it as an escape", c)
			return nil
		case c != '\\':
			out = append(out, c)
			i++
		default:
			n := 0
			if out, n = r.escape(out, i); n == 0 {
				return nil
			}
			i += n
		}
	}
	r.fail(start-1, "string without an end")
	return nil
}

// escape decodes the escape at i and returns its length, 0 after a fault.
func (r *reader) escape(out []byte, i int) ([]byte, int) {
	if i+1 >= len(r.b) {
		r.fail(i, "string without an end")
		return nil, 0
	}
	switch c := r.b[i+1]; c {
	case '"', '\\', '/':
		return append(out, c), 2
	case 'n':
		return append(out, '\n'), 2
	case 't':
		return append(out, '\t'), 2
	case 'r':
		return append(out, '\r'), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'u':
		return r.unicode(out, i)
	}
	r.fail(i, "unknown escape in a string")
	return nil, 0
}

func (r *reader) unicode(out []byte, i int) ([]byte, int) {
	c := r.hex4(i)
	if c < 0 {
		r.fail(i, `\u needs four hex digits`)
		return nil, 0
	}
	if !utf16.IsSurrogate(c) {
		return utf8.AppendRune(out, c), 6
	}
	if full := utf16.DecodeRune(c, r.hex4(i+6)); full != utf8.RuneError {
		return utf8.AppendRune(out, full), 12
	}
	r.fail(i, `\u%04x is half of a surrogate pair: no character`, c)
	return nil, 0
}

// hex4 is the value of the \uXXXX at i, -1 where there is none.
func (r *reader) hex4(i int) rune {
	if i+6 > len(r.b) || r.b[i] != '\\' || r.b[i+1] != 'u' {
		return -1
	}
	v := rune(0)
	for _, c := range r.b[i+2 : i+6] {
		switch {
		case '0' <= c && c <= '9':
			v = v<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return v
}

// skip passes over any value and returns its bytes as they stand.
func (r *reader) skip() []byte {
	r.peek()
	start := r.i
	r.value(0)
	return r.b[start:r.i]
}

func (r *reader) value(depth int) {
	if depth > maxDepth {
		r.fail(r.i, "nested deeper than %d", maxDepth)
		return
	}
	switch c := r.peek(); {
	case c == '{':
		for more := r.open('{', '}'); more; more = r.next('}') {
			r.key()
			r.value(depth + 1)
		}
	case c == '[':
		for more := r.open('[', ']'); more; more = r.next(']') {
			r.value(depth + 1)
		}
	case c == '"':
		r.str()
	case c == '-' || '0' <= c && c <= '9':
		r.number()
	default:
		r.literal()
	}
}

func (r *reader) literal() {
	for _, word := range [...]string{"true", "false", "null"} {
		if len(r.b)-r.i >= len(word) && string(r.b[r.i:r.i+len(word)]) == word {
			r.i += len(word)
			return
		}
	}
	r.fail(r.i, "expected a value, found %s", r.found())
}

func (r *reader) number() {
	start := r.i
	if r.b[r.i] == '-' {
		r.i++
	}
	switch whole := r.i; r.digits() {
	case 0:
		r.fail(start, "malformed number")
		return
	default:
		if r.b[whole] == '0' && r.i-whole > 1 {
			r.fail(start, "a number may not begin with 0")
			return
		}
	}
	if r.i < len(r.b) && r.b[r.i] == '.' {
		r.i++
		if r.digits() == 0 {
			r.fail(start, "malformed number")
			return
		}
	}
	if r.i < len(r.b) && r.b[r.i]|0x20 == 'e' {
		r.i++
		if r.i < len(r.b) && (r.b[r.i] == '+' || r.b[r.i] == '-') {
			r.i++
		}
		if r.digits() == 0 {
			r.fail(start, "malformed number")
		}
	}
}

func (r *reader) digits() int {
	start := r.i
	for r.i < len(r.b) && '0' <= r.b[r.i] && r.b[r.i] <= '9' {
		r.i++
	}
	return r.i - start
}

// end reports a fault where anything but white space follows.
func (r *reader) end() {
	if c := r.peek(); c != 0 || r.i < len(r.b) {
		r.fail(r.i, "expected the end of the line after the case, found %s", r.found())
	}
}

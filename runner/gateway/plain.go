package gateway

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// plain is the canonical form of a body's fields where it takes nothing but
// white space left out and names sorted: nearly every request. It is a quick
// way to what jcs.Transform makes of the same bytes, and gives up, by ok, on
// all that is wrong, rare or not exact, for the slow way to judge.
func plain(body []byte) (fields map[string]json.RawMessage, ok bool) {
	if !utf8.Valid(body) {
		return nil, false
	}
	p := &plainReader{in: body, out: make([]byte, 0, len(body))}
	if p.next() != '{' {
		return nil, false
	}
	members, ok := p.members(0)
	if !ok || len(bytes.TrimLeft(body[p.at:], " \t\r\n")) > 0 {
		return nil, false
	}
	fields = make(map[string]json.RawMessage, len(members))
	for _, m := range members {
		fields[string(m.name)] = p.out[m.from:m.to:m.to]
	}
	return fields, len(fields) == len(members)
}

// plainDepth is how deep a plain body may be nested.
const plainDepth = 32

// plainReader reads in from at and appends canonical text to out.
type plainReader struct {
	in  []byte
	at  int
	out []byte
}

// member is a field of an object; its value stands in out.
type member struct {
	name     []byte
	from, to int
}

// next skips white space and takes the byte after it; 0 is the end, or wrong.
func (p *plainReader) next() byte {
	for p.at < len(p.in) {
		c := p.in[p.at]
		p.at++
		if c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

// value reads any value that begins with c.
func (p *plainReader) value(c byte, depth int) bool {
	switch {
	case c == '"':
		text, ok := p.text()
		p.out = append(p.out, text...)
		return ok
	case c == 0 || depth >= plainDepth:
		return false
	case c == '{':
		return p.object(depth + 1)
	case c == '[':
		return p.array(depth + 1)
	}
	p.at--
	return p.scalar()
}

// text reads a text after its first quote, and is it with both. Its escapes
// must be those that the canonical form has too.
func (p *plainReader) text() ([]byte, bool) {
	from := p.at - 1
	for p.at < len(p.in) {
		c := p.in[p.at]
		p.at++
		switch {
		case c == '"':
			return p.in[from:p.at], true
		case c < ' ':
			return nil, false
		case c == '\\':
			if p.at == len(p.in) || bytes.IndexByte([]byte(`"\bfnrt`), p.in[p.at]) < 0 {
				return nil, false
			}
			p.at++
		}
	}
	return nil, false
}

// members reads the fields of an object after its brace.
func (p *plainReader) members(depth int) (members []member, ok bool) {
	c := p.next()
	if c == '}' {
		return nil, true
	}
	for {
		if c != '"' {
			return nil, false
		}
		name, ok := p.text()
		if !ok || !bare(name[1:len(name)-1]) || p.next() != ':' {
			return nil, false
		}
		from := len(p.out)
		if !p.value(p.next(), depth) {
			return nil, false
		}
		members = append(members, member{name[1 : len(name)-1], from, len(p.out)})
		switch p.next() {
		case '}':
			return members, true
		case ',':
			c = p.next()
		default:
			return nil, false
		}
	}
}

// bare names are printable ASCII that needs no escape: they stand in quotes as
// they are, and their bytes sort as RFC 8785 sorts names.
func bare[T string | []byte](name T) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > '~' || c == '\\' || c == '"' {
			return false
		}
	}
	return true
}

func (p *plainReader) object(depth int) bool {
	open := len(p.out)
	members, ok := p.members(depth)
	if !ok {
		return false
	}
	values := bytes.Clone(p.out[open:])
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	p.out = append(p.out[:open], '{')
	for i, m := range members {
		if i > 0 {
			if bytes.Equal(m.name, members[i-1].name) {
				return false
			}
			p.out = append(p.out, ',')
		}
		p.out = append(append(append(p.out, '"'), m.name...), '"', ':')
		p.out = append(p.out, values[m.from-open:m.to-open]...)
	}
	p.out = append(p.out, '}')
	return true
}

func (p *plainReader) array(depth int) bool {
	p.out = append(p.out, '[')
	c := p.next()
	if c == ']' {
		p.out = append(p.out, ']')
		return true
	}
	for {
		if !p.value(c, depth) {
			return false
		}
		switch c = p.next(); c {
		case ']':
			p.out = append(p.out, ']')
			return true
		case ',':
			p.out = append(p.out, ',')
			c = p.next()
		default:
			return false
		}
	}
}

// scalar reads a literal, or a number of few digits.
func (p *plainReader) scalar() bool {
	from := p.at
	for p.at < len(p.in) && bytes.IndexByte([]byte(",]} \n\r\t"), p.in[p.at]) < 0 {
		p.at++
	}
	token := p.in[from:p.at]
	switch string(token) {
	case "true", "false", "null":
		p.out = append(p.out, token...)
		return true
	}
	dot := -1
	digits := bytes.TrimPrefix(token, []byte("-"))
	for i, c := range digits {
		switch {
		case c == '.' && dot < 0:
			dot = i
		case c < '0' || c > '9':
			return false
		}
	}
	switch n := len(digits); {
	case n == 0 || n > exactDigits || dot == 0 || dot == n-1:
		return false
	case n > 1 && digits[0] == '0' && dot != 1:
		return false
	}
	number, err := strconv.ParseFloat(string(token), 64)
	if err != nil {
		return false
	}
	canonical, err := jcs.NumberToJSON(number)
	p.out = append(p.out, canonical...)
	return err == nil
}

package cache

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync/atomic"
)

// decoded is the content of one e: an answer, or a tombstone.
type decoded struct {
	entry Entry
	tomb  *Tombstone
}

// decode reads e, whose checksum has been verified. Fields in the order we
// write them are read by a cursor, about ten times faster than encoding/json,
// which reads every other shape.
func decode(e []byte, texts *interner) (decoded, error) {
	if entry, ok := decodeOrdered(e, texts); ok {
		return decoded{entry: entry}, nil
	}
	return decodeAny(e)
}

func decodeOrdered(e []byte, texts *interner) (Entry, bool) {
	c := cursor{rest: e}
	// One allocation holds request and response: unescaping never lengthens.
	c.buf = make([]byte, 0, len(e))
	var out Entry
	c.literal(openVersion)
	out.Identity = texts.identity.string(c.text("identity"))
	out.Request = c.text("request")
	c.literal(`,"draw":`)
	out.Draw = int(c.number())
	out.Response = c.text("response")
	c.literal(`,"status":`)
	out.Status = int(c.number())
	c.literal(`,"headers":`)
	out.Headers = c.headers()
	c.literal(`,"outcome":`)
	out.Outcome = texts.outcome.string(c.quoted())
	c.literal(`,"completed_at":`)
	out.CompletedAt = string(c.quoted())
	c.literal(`,"ms":`)
	out.Millis = c.number()
	c.literal(`,"attempts":`)
	out.Attempts = int(c.number())
	c.literal("}")
	return out, !c.failed && len(c.rest) == 0
}

// cursor reads JSON of a known order. After a failure it reads nothing more.
type cursor struct {
	rest   []byte
	buf    []byte // unescaped texts, one after the other
	failed bool
}

func (c *cursor) fail() []byte {
	c.failed, c.rest = true, nil
	return nil
}

func (c *cursor) is(s string) bool {
	return len(c.rest) >= len(s) && string(c.rest[:len(s)]) == s
}

func (c *cursor) literal(s string) {
	if !c.is(s) {
		c.fail()
		return
	}
	c.rest = c.rest[len(s):]
}

// text reads ,"name":"…" or ,"name_base64":"…".
func (c *cursor) text(name string) []byte {
	c.literal(`,"`)
	c.literal(name)
	if c.is(`":`) {
		c.literal(`":`)
		return c.quoted()
	}
	c.literal(`_base64":`)
	coded := c.quoted()
	n, err := base64.StdEncoding.Decode(coded, coded)
	if err != nil {
		return c.fail()
	}
	return coded[:n:n]
}

// quoted reads a JSON string into buf.
func (c *cursor) quoted() []byte {
	c.literal(`"`)
	start, done, in := len(c.buf), 0, c.rest
	for i := 0; i < len(in); i++ {
		switch in[i] {
		case '"':
			c.buf = append(c.buf, in[done:i]...)
			c.rest = in[i+1:]
			return c.buf[start:len(c.buf):len(c.buf)]
		case '\\':
			c.buf = append(c.buf, in[done:i]...)
			b, n := unescape(in[i:])
			if n == 0 {
				return c.fail()
			}
			c.buf = append(c.buf, b)
			i += n - 1
			done = i + 1
		}
	}
	return c.fail()
}

// unescape reads one escape that stands for a byte of ASCII and returns its
// length; 0 leaves the line to encoding/json.
func unescape(in []byte) (byte, int) {
	if len(in) < 2 {
		return 0, 0
	}
	switch in[1] {
	case '"', '\\', '/':
		return in[1], 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		var b [1]byte
		if len(in) < 6 || in[2] != '0' || in[3] != '0' || in[4] > '7' {
			return 0, 0
		}
		if _, err := hex.Decode(b[:], in[4:6]); err != nil {
			return 0, 0
		}
		return b[0], 6
	}
	return 0, 0
}

func (c *cursor) number() int64 {
	i, sign, n := 0, int64(1), int64(0)
	if c.is("-") {
		i, sign = 1, -1
	}
	first := i
	for ; i < len(c.rest) && i < first+18 && c.rest[i]-'0' <= 9; i++ {
		n = n*10 + int64(c.rest[i]-'0')
	}
	if i == first {
		c.fail()
		return 0
	}
	c.rest = c.rest[i:]
	return sign * n
}

func (c *cursor) headers() map[string]string {
	if c.is("{}") {
		c.literal("{}")
		return nil
	}
	headers := make(map[string]string, 4)
	open := "{"
	for !c.failed && !c.is("}") {
		c.literal(open)
		name := string(c.quoted())
		c.literal(":")
		headers[name] = string(c.quoted())
		open = ","
	}
	c.literal("}")
	return headers
}

// interner keeps the last identity and outcome: neighbours mostly share them,
// so most reads need no new string.
type interner struct{ identity, outcome lastString }

type lastString struct{ last atomic.Pointer[string] }

func (l *lastString) string(b []byte) string {
	if p := l.last.Load(); p != nil && *p == string(b) {
		return *p
	}
	s := string(b)
	l.last.Store(&s)
	return s
}

// anyEntry is e as encoding/json reads it.
type anyEntry struct {
	V              int               `json:"v"`
	Identity       string            `json:"identity"`
	IdentityBase64 []byte            `json:"identity_base64"`
	Request        string            `json:"request"`
	RequestBase64  []byte            `json:"request_base64"`
	Draw           int               `json:"draw"`
	Response       string            `json:"response"`
	ResponseBase64 []byte            `json:"response_base64"`
	Status         int               `json:"status"`
	Headers        map[string]string `json:"headers"`
	Outcome        string            `json:"outcome"`
	CompletedAt    string            `json:"completed_at"`
	Millis         int64             `json:"ms"`
	Attempts       int               `json:"attempts"`
	Forget         *string           `json:"forget"`
	Reason         string            `json:"reason"`
}

func decodeAny(e []byte) (decoded, error) {
	var a anyEntry
	if err := json.Unmarshal(e, &a); err != nil {
		return decoded{}, fmt.Errorf("not an entry: %w", err)
	}
	if a.V != entryVersion {
		return decoded{}, fmt.Errorf("its version is %d, this memform reads %d", a.V, entryVersion)
	}
	if a.Forget != nil {
		t := &Tombstone{CompletedAt: a.CompletedAt, Reason: a.Reason}
		if n, err := hex.Decode(t.Forget[:], []byte(*a.Forget)[:min(64, len(*a.Forget))]); err != nil || n != 32 || len(*a.Forget) != 64 {
			return decoded{}, fmt.Errorf("its digest to forget is not 64 hex digits")
		}
		return decoded{tomb: t}, nil
	}
	return decoded{entry: Entry{
		Identity: string(either(a.Identity, a.IdentityBase64)), Draw: a.Draw,
		Request: either(a.Request, a.RequestBase64), Response: either(a.Response, a.ResponseBase64),
		Status: a.Status, Headers: a.Headers, Outcome: a.Outcome,
		CompletedAt: a.CompletedAt, Millis: a.Millis, Attempts: a.Attempts,
	}}, nil
}

func either(text string, coded []byte) []byte {
	if coded != nil {
		return coded
	}
	return []byte(text)
}

// verify reads a whole line: shape, checksum, content and, for an answer, the
// key recomputed from what the answer is keyed by.
func (s *Store) verify(line []byte) (Key, decoded, error) {
	key, e, err := openLine(line)
	if err != nil {
		return key, decoded{}, err
	}
	d, err := decode(e, &s.texts)
	if err != nil {
		return key, decoded{}, err
	}
	if d.tomb == nil && s.opt.Key(d.entry.Identity, d.entry.Draw, d.entry.Request) != key {
		return key, decoded{}, errContent
	}
	return key, d, nil
}

package stack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// MaxLine bounds a line in both directions, in bytes.
const MaxLine = 64 << 20

// The lines that memform writes.
type (
	want struct {
		Stack      string `json:"stack"`
		LockDigest string `json:"lock_digest"`
	}
	helloLine struct {
		Type     string `json:"type"`
		Protocol int    `json:"protocol"`
		Want     want   `json:"want"`
		Gateway  string `json:"gateway"`
		Token    string `json:"token"`
	}
	completeLine struct {
		Type     string          `json:"type"`
		ID       string          `json:"id"`
		Op       string          `json:"op"`
		Model    string          `json:"model"`
		Messages []Message       `json:"messages"`
		Params   json.RawMessage `json:"params"`
	}
	recordLine struct {
		Text string `json:"text"`
	}
	formLine struct {
		Type    string          `json:"type"`
		ID      string          `json:"id"`
		Op      string          `json:"op"`
		Model   string          `json:"model"`
		Records []recordLine    `json:"records"`
		Updater string          `json:"updater"`
		Params  json.RawMessage `json:"params"`
		State   string          `json:"state,omitempty"`
	}
	idLine struct {
		Type string `json:"type"`
		ID   string `json:"id,omitempty"`
	}
)

// Own is the one updater of a memory system.
const Own = "own"

// line is an operation as it is written.
func (o *Op) line(id, token string) []byte {
	params := o.Params
	if params == nil {
		params = json.RawMessage("{}")
	}
	if o.Messages != nil {
		return encode(completeLine{"complete", id, token, o.Model, o.Messages, params})
	}
	records := make([]recordLine, len(o.Records))
	for i, text := range o.Records {
		records[i].Text = text
	}
	return encode(formLine{"form", id, token, o.Model, records, Own, params, o.State})
}

// encode writes one line. Texts keep every rune that JSON can hold.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // texts and parameters that were JSON before
	}
	return buf.Bytes()
}

// said is a line that an adapter wrote.
type said struct {
	Type    string   `json:"type"`
	ID      string   `json:"id"`
	OK      *bool    `json:"ok"`
	Text    *string  `json:"text"`
	Memory  *string  `json:"memory"`
	State   string   `json:"state"`
	Calls   *int     `json:"calls"`
	Warning []string `json:"warnings"`
	Error   *struct {
		Kind      string `json:"kind"`
		Message   string `json:"message"`
		Retryable bool   `json:"retryable"`
	} `json:"error"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

// hear reads a line; the error says why it is none of the protocol's.
func hear(line []byte) (said, error) {
	var s said
	switch {
	case !utf8.Valid(line):
		return s, fmt.Errorf("a line on stdout that is not UTF-8: %s", excerpt(line))
	case loneSurrogate(line):
		return s, fmt.Errorf("a line on stdout with a lone surrogate: %s", excerpt(line))
	}
	if err := json.Unmarshal(line, &s); err != nil {
		return s, fmt.Errorf("a line on stdout that is no message (%s): %w", excerpt(line), err)
	}
	switch s.Type {
	case "hello", "result", "log", "fatal":
		return s, nil
	}
	return s, fmt.Errorf("a line on stdout of the unknown type %q", s.Type)
}

// result reads a result for an operation.
func (s *said) result(form bool) (Result, *Failure) {
	broken := func(what string) (Result, *Failure) {
		return Result{}, &Failure{Kind: "protocol", Message: "a result " + what}
	}
	switch {
	case s.OK == nil:
		return broken(`without "ok"`)
	case !*s.OK && s.Error == nil:
		return broken(`that is not ok and has no "error"`)
	case !*s.OK:
		return Result{}, &Failure{Kind: s.Error.Kind, Message: short(s.Error.Message), Retryable: s.Error.Retryable}
	case s.Calls == nil || *s.Calls < 0:
		return broken(`without "calls"`)
	case form && s.Memory == nil:
		return broken(`of a form without "memory"`)
	case !form && s.Text == nil:
		return broken(`of a complete without "text"`)
	}
	r := Result{State: s.State, Calls: *s.Calls, Warnings: s.Warning}
	if form {
		r.Memory = *s.Memory
	} else {
		r.Text = *s.Text
	}
	return r, nil
}

// loneSurrogate finds an escaped half of a surrogate pair, which a decoder
// would replace in silence.
func loneSurrogate(line []byte) bool {
	for i := 0; i+1 < len(line); i++ {
		if line[i] != '\\' {
			continue
		}
		unit := surrogate(line[i:])
		switch {
		case unit == low:
			return true
		case unit == high:
			if i += 6; surrogate(line[min(i, len(line)):]) != low {
				return true
			}
			i += 5
		default:
			i++ // the escaped character
		}
	}
	return false
}

const (
	none = iota
	high
	low
)

// surrogate tells what half an escape at the beginning of b is.
func surrogate(b []byte) int {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' || b[2]|0x20 != 'd' {
		return none
	}
	switch b[3] | 0x20 {
	case '8', '9', 'a', 'b':
		return high
	case 'c', 'd', 'e', 'f':
		return low
	}
	return none
}

// excerpt is the beginning of a line, fit for a message.
func excerpt(line []byte) string {
	const shown = 80
	if len(line) > shown {
		return fmt.Sprintf("%.*q… of %d bytes", shown, line[:shown], len(line))
	}
	return fmt.Sprintf("%q", line)
}

// short cuts a message of an adapter.
func short(s string) string {
	const most = 500
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

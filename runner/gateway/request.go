package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/gowebpki/jcs"
)

// MaxBody bounds a request: a larger one could not be cached.
const MaxBody = 16 << 20

// owned are the parameters that the model block alone decides, set or absent.
var owned = []string{
	"temperature", "top_p", "top_k", "min_p", "seed", "presence_penalty", "frequency_penalty",
	"repetition_penalty", "reasoning_effort", "verbosity",
}

// limits are the two names of one parameter.
var limits = []string{"max_tokens", "max_completion_tokens"}

// refused are fields under which no answer could be found again, or which
// hold state outside the request.
var refused = []string{
	"user", "metadata", "store", "safety_identifier", "prompt_cache_key", "previous_response_id", "conversation",
}

// request is a body in canonical form, by top-level field. stream and
// stream_options are taken out of it: they say how to answer, not what.
type request struct {
	fields map[string]json.RawMessage
	stream bool
	usage  bool // the stream is to end with the usage

	texts, flattened string // of the messages, once asked for
}

// parse reads a body. The error says what to change.
func parse(body []byte) (*request, *problem) {
	r := &request{}
	var quick bool
	if r.fields, quick = plain(body); !quick {
		var wrong *problem
		if r.fields, wrong = transformed(body); wrong != nil {
			return nil, wrong
		}
	}
	for name, value := range r.fields {
		if bytes.Equal(value, []byte("null")) { // as good as absent
			delete(r.fields, name)
		}
	}
	if wrong := r.streaming(); wrong != nil {
		return nil, wrong
	}
	for _, name := range refused {
		if _, ok := r.fields[name]; ok {
			return nil, &problem{400, "memform_refused_field", name,
				fmt.Sprintf("%q cannot be sent: an answer would not be found again under it, or it stands for state outside the request; leave it out", name)}
		}
	}
	if n, ok := r.fields["n"]; ok {
		if string(n) != "1" {
			return nil, &problem{400, "memform_refused_field", "n", "n must be 1 or absent: one request has one answer"}
		}
		delete(r.fields, "n")
	}
	return r, nil
}

// transformed is the canonical form of any body's fields.
func transformed(body []byte) (fields map[string]json.RawMessage, wrong *problem) {
	if err := inexact(body); err != nil {
		return nil, badRequest("", err.Error())
	}
	canonical, err := jcs.Transform(body)
	if err != nil {
		return nil, badRequest("", "the body is not JSON in UTF-8 with distinct field names: "+err.Error())
	}
	if err := json.Unmarshal(canonical, &fields); err != nil || fields == nil {
		return nil, badRequest("", "the body is no JSON object")
	}
	return fields, nil
}

// asks reports whether the field that says what is asked is there.
func (r *request) asks(field string) *problem {
	if raw := r.fields[field]; len(raw) < 3 || field == "messages" && raw[0] != '[' {
		return badRequest(field, field+" must be there and not empty")
	}
	return nil
}

// streaming takes out how the answer is to be sent.
func (r *request) streaming() *problem {
	if raw, ok := r.fields["stream"]; ok {
		if json.Unmarshal(raw, &r.stream) != nil {
			return badRequest("stream", "stream must be true or false")
		}
	}
	if raw, ok := r.fields["stream_options"]; ok {
		var options struct {
			Usage bool `json:"include_usage"`
		}
		if json.Unmarshal(raw, &options) != nil {
			return badRequest("stream_options", "stream_options must be an object")
		}
		r.usage = options.Usage
	}
	delete(r.fields, "stream")
	delete(r.fields, "stream_options")
	return nil
}

// model is the model named in the body.
func (r *request) model() (name string) {
	_ = json.Unmarshal(r.fields["model"], &name) // another type is no name
	return name
}

// apply lets the block's parameters win, set or absent, and names those in
// which the body said otherwise. Where loose, what the block leaves unset
// stays as the body has it.
func (r *request) apply(block map[string]json.RawMessage, loose bool) []string {
	var overridden []string
	r.joinLimits(block)
	for _, name := range slices.Concat(owned, limits, slices.Sorted(maps.Keys(block))) {
		want, set := block[name]
		got, sent := r.fields[name]
		if set == sent && bytes.Equal(want, got) || !set && (loose || !sent) {
			continue
		}
		overridden = append(overridden, name)
		if delete(r.fields, name); set {
			r.fields[name] = want
		}
	}
	slices.Sort(overridden)
	return overridden
}

// joinLimits gives the limit of tokens the name that the block uses.
func (r *request) joinLimits(block map[string]json.RawMessage) {
	for i, name := range limits {
		other := limits[1-i]
		if _, uses := block[name]; !uses {
			continue
		}
		if value, ok := r.fields[other]; ok {
			delete(r.fields, other)
			if _, both := r.fields[name]; !both {
				r.fields[name] = value
			}
		}
	}
}

// limit is the most completion tokens that the request asks for, else n.
func (r *request) limit(n int) int {
	for _, name := range limits {
		_ = json.Unmarshal(r.fields[name], &n) // absent or no number: n stays
	}
	return n
}

// names lists the fields in the order of RFC 8785.
func (r *request) names() []string {
	return slices.SortedFunc(maps.Keys(r.fields), func(a, b string) int {
		if bare(a) && bare(b) {
			return strings.Compare(a, b)
		}
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
}

// canonical writes the request as it is keyed and sent.
func (r *request) canonical() []byte {
	size := 2
	for name, value := range r.fields {
		size += len(name) + len(value) + 4
	}
	out := append(make([]byte, 0, size), '{')
	for i, name := range r.names() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(name)...), ':'), r.fields[name]...)
	}
	return append(out, '}')
}

// quoted is a field's name in canonical form.
func quoted(name string) string {
	if bare(name) {
		return `"` + name + `"`
	}
	key, err := jcs.Transform(marshal(name))
	if err != nil {
		panic(err) // a text that was read from JSON
	}
	return string(key)
}

// text is every string in the messages, one after the other.
func (r *request) text() string {
	if r.texts == "" {
		var messages any
		_ = json.Unmarshal(r.fields["messages"], &messages) // canonical JSON
		var b strings.Builder
		collect(&b, messages)
		r.texts = b.String()
	}
	return r.texts
}

// flat is text with every run of white space as one blank.
func (r *request) flat() string {
	if r.flattened == "" {
		r.flattened = strings.Join(strings.Fields(r.text()), " ")
	}
	return r.flattened
}

func collect(b *strings.Builder, v any) {
	switch t := v.(type) {
	case string:
		b.WriteString(t)
		b.WriteByte('\n')
	case []any:
		for _, e := range t {
			collect(b, e)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(t)) {
			collect(b, t[name])
		}
	}
}

// overriddenIn is every field overridden in some call, each once.
func overriddenIn(inner []Inner) []string {
	var names []string
	for i := range inner {
		names = append(names, inner[i].Overridden...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

const exactDigits = 15 // every integer of so many digits is a float64

// inexact finds an integer that canonical JSON, whose numbers are float64,
// would change: two requests must not become one.
func inexact(body []byte) error {
	inText := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case !inText && c >= '0' && c <= '9':
			start := i
			for i < len(body) && (body[i] >= '0' && body[i] <= '9' || strings.IndexByte("+-.eE", body[i]) >= 0) {
				i++
			}
			if err := exact(string(body[start:i])); err != nil {
				return err
			}
			i--
		}
	}
	return nil
}

var errInexact = errors.New("an integer beyond ±2^53 cannot be kept exactly: send it as a text, or leave it out")

func exact(number string) error {
	if len(number) <= exactDigits || strings.ContainsAny(number, ".eE") {
		return nil
	}
	if n, err := strconv.ParseUint(number, 10, 64); err != nil || n > 1<<53 {
		return errInexact
	}
	return nil
}

package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/prompts"
)

// Model is a declared model, ready to form requests.
type Model struct {
	Spec     *experiment.Model
	Identity string // endpoint identity, as keyed
	Digest   [32]byte

	head, middle, tail []byte // canonical body around messages and seed
	seed               *int64
}

// seedField is the one parameter that depends on the draw.
const seedField = "seed"

// newModel prepares the canonical request body of a model: RFC 8785 JSON,
// keys sorted, no white space, every declared parameter and no other.
func newModel(spec *experiment.Model, identity string) (*Model, error) {
	fields, err := parameters(spec)
	if err != nil {
		return nil, err
	}
	m := &Model{Spec: spec, Identity: identity, seed: spec.Seed}
	out := append([]byte(nil), '{')
	for i, name := range canonicalOrder(fields) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendJSON(out, name), ':')
		switch name {
		case "messages":
			m.head, out = out, nil
		case seedField:
			m.middle, out = out, nil
		default:
			out = append(out, fields[name]...)
		}
	}
	m.tail = append(out, '}')
	m.Digest = llm.KeyOf(identity, 0, append(append(append([]byte(nil), m.head...), m.middle...), strconv.Itoa(seedOf(spec))+string(m.tail)...))
	return m, nil
}

// canonicalOrder is the names of fields in the order of RFC 8785.
func canonicalOrder(fields map[string]json.RawMessage) []string {
	return slices.SortedFunc(maps.Keys(fields), func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
}

func seedOf(spec *experiment.Model) int {
	if spec.Seed == nil {
		return 0
	}
	return int(*spec.Seed)
}

// parameters is the request without its messages and seed, by field name.
func parameters(spec *experiment.Model) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if spec.ExtraBody != nil {
		if err := json.Unmarshal(spec.ExtraBody, &fields); err != nil {
			return nil, fmt.Errorf("model %s: extra_body: %w", spec.Name, err)
		}
	}
	fields["messages"] = nil
	fields["model"] = appendJSON(nil, spec.ID)
	if spec.Temperature != nil {
		fields["temperature"] = json.RawMessage(*spec.Temperature)
	}
	if spec.TopP != nil {
		fields["top_p"] = json.RawMessage(*spec.TopP)
	}
	if spec.MaxTokens != nil {
		fields[spec.MaxTokensField] = strconv.AppendInt(nil, int64(*spec.MaxTokens), 10)
	}
	if spec.ReasoningEffort != nil {
		fields["reasoning_effort"] = appendJSON(nil, *spec.ReasoningEffort)
	}
	if spec.Seed != nil {
		fields[seedField] = nil
	}
	if spec.Stop != nil {
		stop := []byte{'['}
		for i, s := range spec.Stop {
			if i > 0 {
				stop = append(stop, ',')
			}
			stop = appendJSON(stop, s)
		}
		fields["stop"] = append(stop, ']')
	}
	return fields, nil
}

// Request is the canonical request for one draw of a prompt: the exact bytes
// that are keyed, stored and sent. A declared seed s is sent as s + draw.
func (m *Model) Request(p prompts.Prompt, draw int) []byte {
	b := make([]byte, 0, len(m.head)+len(m.middle)+len(m.tail)+len(p.System)+len(p.User)+len(p.User)/16+128)
	b = append(b, m.head...)
	b = append(b, `[{"content":`...)
	b = appendJSON(b, p.System)
	b = append(b, `,"role":"system"},{"content":`...)
	b = appendJSON(b, p.User)
	b = append(b, `,"role":"user"}`...)
	if p.Repair != "" {
		b = append(b, `,{"content":`...)
		b = appendJSON(b, p.Answer)
		b = append(b, `,"role":"assistant"},{"content":`...)
		b = appendJSON(b, p.Repair)
		b = append(b, `,"role":"user"}`...)
	}
	b = append(b, ']')
	if m.seed != nil {
		b = append(b, m.middle...)
		b = strconv.AppendInt(b, *m.seed+int64(draw), 10)
	}
	return append(b, m.tail...)
}

// EmbeddingRequest is what the model block says of a request for embeddings:
// its id and its extra_body. It has no input.
func (m *Model) EmbeddingRequest() []byte {
	fields := map[string]json.RawMessage{}
	if m.Spec.ExtraBody != nil {
		_ = json.Unmarshal(m.Spec.ExtraBody, &fields) // newModel read it
	}
	fields["model"] = appendJSON(nil, m.Spec.ID)
	return canonicalObject(fields)
}

// FormRequest is the canonical operation of a memory system: the request of
// the model with the form in the place of messages.
func (m *Model) FormRequest(form llm.Form, draw int) []byte {
	fields, err := parameters(m.Spec)
	if err != nil {
		panic(err) // newModel read the same parameters
	}
	delete(fields, "messages")
	body := append([]byte(nil), `{"records":[`...)
	for i, text := range form.Records {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendJSON(body, text)
	}
	body = append(appendJSON(append(body, `],"updater":`...), form.Updater), '}')
	fields[llm.FormField] = body
	if m.seed != nil {
		fields[seedField] = strconv.AppendInt(nil, *m.seed+int64(draw), 10)
	}
	return canonicalObject(fields)
}

func canonicalObject(fields map[string]json.RawMessage) []byte {
	out := []byte{'{'}
	for i, name := range canonicalOrder(fields) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(appendJSON(out, name), ':'), fields[name]...)
	}
	return append(out, '}')
}

// MaxTokens is the declared cap on completion tokens, or assumed without one.
func (m *Model) MaxTokens() (n int, declared bool) {
	if m.Spec.MaxTokens != nil {
		return *m.Spec.MaxTokens, true
	}
	return AssumedMaxTokens, false
}

const hexDigits = "0123456789abcdef"

// appendJSON appends s as an RFC 8785 string: only what must be escaped is.
// s must be valid UTF-8; loaders see to that, and a stray byte of an answer
// is replaced so that the body stays valid JSON.
func appendJSON(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += size
			continue
		case c >= ' ' && c != '"' && c != '\\':
			i++
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

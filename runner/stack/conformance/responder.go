package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"memform/runner/llm"
)

// Responder is a model without labels: it answers every request from its own
// words, in whatever form is asked for: text, a tool call, JSON of a schema.
// Equal requests have equal answers. It keeps what it was asked.
type Responder struct {
	mu     sync.Mutex
	asked  []llm.Call
	stored map[llm.Key]llm.Response
	bought int

	// hold, where set, is called before a call is answered.
	hold func(ctx context.Context, call *llm.Call) error
	// answer, where set, answers instead of the words of the request.
	answer func(call *llm.Call) llm.Response
}

// Complete answers a call, the second time from memory.
func (m *Responder) Complete(ctx context.Context, call *llm.Call) (llm.Response, error) {
	m.mu.Lock()
	m.asked = append(m.asked, *call)
	r, ok := m.stored[call.Key]
	hold, answer := m.hold, m.answer
	m.mu.Unlock()
	if ok {
		r.Cached = true
		return r, nil
	}
	if hold != nil {
		if err := hold(ctx, call); err != nil {
			return llm.Response{}, err
		}
	}
	if answer != nil {
		return answer(call), nil
	}
	r = llm.Read(200, nil, Answer(call.Request))
	r.CompletedAt, r.Attempts = "2026-01-01T00:00:00.000Z", 1
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stored == nil {
		m.stored = map[llm.Key]llm.Response{}
	}
	m.stored[call.Key] = r
	m.bought++
	return r, nil
}

// requests are the bodies asked for under an identity, sorted.
func (m *Responder) requests(identity string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for i := range m.asked {
		if m.asked[i].Identity == identity {
			out = append(out, string(m.asked[i].Request))
		}
	}
	slices.Sort(out)
	return out
}

// ask is what an answer is made of.
type ask struct {
	Model    string `json:"model"`
	Messages []struct {
		Content any `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function toolFunction `json:"function"`
	} `json:"tools"`
	Choice any `json:"tool_choice"`
	Format struct {
		Type   string `json:"type"`
		Schema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

type toolFunction struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
}

// Answer is the body that answers a request, a function of its bytes alone.
func Answer(request []byte) []byte {
	var a ask
	_ = json.Unmarshal(request, &a) // of what cannot be read the digest is left
	sum := sha256.Sum256(request)
	words := a.words() + " [" + hex.EncodeToString(sum[:4]) + "]"
	message := map[string]any{"role": "assistant", "content": words}
	finish := "stop"
	switch {
	case len(a.Tools) > 0 && a.Choice != "none":
		tool := a.simplest()
		message["content"] = nil
		message["tool_calls"] = []any{map[string]any{"id": "call_" + hex.EncodeToString(sum[:6]), "type": "function",
			"function": map[string]any{"name": tool.Name, "arguments": string(encode(instance(tool.Parameters, words)))}}}
		finish = "tool_calls"
	case a.Format.Type == "json_schema":
		message["content"] = string(encode(instance(a.Format.Schema.Schema, words)))
	case a.Format.Type == "json_object":
		message["content"] = string(encode(map[string]any{"facts": []string{words}, "memory": []any{}}))
	case strings.Contains(a.all(), "<fact>"):
		message["content"] = "<facts>\n  <fact>" + strings.NewReplacer("<", "(", ">", ")").Replace(words) + "</fact>\n</facts>"
	}
	return encode(map[string]any{
		"id": "chatcmpl-" + hex.EncodeToString(sum[:8]), "object": "chat.completion", "created": 0, "model": a.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]any{"prompt_tokens": len(request) / 4, "completion_tokens": len(words) / 4, "total_tokens": len(request)/4 + len(words)/4},
	})
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts, numbers and lists of them
	}
	return b
}

// simplest is the tool that needs the fewest members: of the tools that keep
// memories, the one that writes a new one.
func (a *ask) simplest() toolFunction {
	needs := func(t toolFunction) int {
		var schema struct {
			Required []string `json:"required"`
		}
		_ = json.Unmarshal(t.Parameters, &schema) // of what cannot be read nothing is needed
		return len(schema.Required)
	}
	best := a.Tools[0].Function
	for _, t := range a.Tools[1:] {
		if needs(t.Function) < needs(best) {
			best = t.Function
		}
	}
	return best
}

// all is every text of the messages.
func (a *ask) all() string {
	var b strings.Builder
	for _, m := range a.Messages {
		b.WriteString(textOf(m.Content))
		b.WriteByte('\n')
	}
	return b.String()
}

func textOf(content any) string {
	switch t := content.(type) {
	case string:
		return t
	case []any:
		var b strings.Builder
		for _, part := range t {
			if m, ok := part.(map[string]any); ok {
				s, _ := m["text"].(string)
				b.WriteString(s)
			}
		}
		return b.String()
	}
	return ""
}

const quoted = 24 // words of the request that an answer repeats

// words are the marked words of the request, else its last ones: an answer
// then shows whose it is.
func (a *ask) words() string {
	fields := strings.Fields(a.all())
	var marked []string
	for _, f := range fields {
		if strings.HasPrefix(f, mark) && !slices.Contains(marked, f) {
			marked = append(marked, f)
		}
	}
	if len(marked) > 0 {
		return strings.Join(marked[max(0, len(marked)-quoted):], " ")
	}
	return strings.Join(fields[max(0, len(fields)-quoted):], " ")
}

// instance is a value that fits a JSON Schema, its texts the given one.
func instance(schema json.RawMessage, text string) any {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil {
		return map[string]any{}
	}
	return fill(root, root, text, 0)
}

const deepest = 12

func fill(root, s map[string]any, text string, depth int) any {
	if depth > deepest {
		return nil
	}
	if ref, ok := s["$ref"].(string); ok {
		return fill(root, resolve(root, ref), text, depth+1)
	}
	if v, ok := s["const"]; ok {
		return v
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[name].([]any); ok && len(list) > 0 {
			first, _ := list[0].(map[string]any)
			return fill(root, first, text, depth+1)
		}
	}
	switch s["type"] {
	case "object":
		return object(root, s, text, depth)
	case "array":
		items, _ := s["items"].(map[string]any)
		return []any{fill(root, items, text, depth+1)}
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "null":
		return nil
	}
	return text
}

// object fills the required members, or all where none is.
func object(root, s map[string]any, text string, depth int) any {
	members, _ := s["properties"].(map[string]any)
	names := slices.Sorted(maps.Keys(members))
	if required, ok := s["required"].([]any); ok {
		names = nil
		for _, r := range required {
			name, _ := r.(string)
			names = append(names, name)
		}
	}
	out := map[string]any{}
	for _, name := range names {
		member, _ := members[name].(map[string]any)
		out[name] = fill(root, member, text, depth+1)
	}
	return out
}

// resolve follows a reference within the schema.
func resolve(root map[string]any, ref string) map[string]any {
	at := root
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		next, _ := at[name].(map[string]any)
		at = next
	}
	return at
}

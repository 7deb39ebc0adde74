package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// reply is what Read looks at in a body. Fields on whose type servers
// disagree are decoded as any; a wrong type elsewhere leaves the field zero.
type reply struct {
	Choices     []choice `json:"choices"`
	Usage       usage    `json:"usage"`
	Model       string   `json:"model"`
	Provider    string   `json:"provider"`
	Fingerprint string   `json:"system_fingerprint"`

	Data json.RawMessage `json:"data"` // of embeddings

	Error   any    `json:"error"`
	Object  string `json:"object"`
	Type    string `json:"type"`
	Message any    `json:"message"`
	Detail  any    `json:"detail"`
	Code    any    `json:"code"`
}

type choice struct {
	Finish  string   `json:"finish_reason"`
	Message *message `json:"message"`
	Error   any      `json:"error"`
}

type message struct {
	Content          any `json:"content"`
	ReasoningContent any `json:"reasoning_content"`
	Reasoning        any `json:"reasoning"`
	Refusal          any `json:"refusal"`
	Error            any `json:"error"`
}

type usage struct {
	Prompt     count `json:"prompt_tokens"`
	Completion count `json:"completion_tokens"`
	Details    struct {
		Cached count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit count `json:"prompt_cache_hit_tokens"`
}

// count is a token count: a number, or a number in quotes; anything else, a
// negative number included, is unknown.
type count struct {
	n     int
	known bool
}

// UnmarshalJSON never fails: a bad count must not cost an answer.
func (c *count) UnmarshalJSON(b []byte) error {
	b = bytes.Trim(b, `" `)
	if n, err := strconv.Atoi(string(b)); err == nil {
		*c = count{n, n >= 0}
	} else if f, err := strconv.ParseFloat(string(b), 64); err == nil && f >= 0 && f < 1<<53 {
		*c = count{int(f), true}
	}
	return nil
}

func (u *usage) read() Usage {
	known := Usage{Known: u.Prompt.known || u.Completion.known}
	if !known.Known {
		return known
	}
	known.Prompt, known.Completion = max(u.Prompt.n, 0), max(u.Completion.n, 0)
	cached := u.Details.Cached
	if !cached.known {
		cached = u.CacheHit
	}
	known.CachedPart = min(max(cached.n, 0), known.Prompt)
	return known
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// decode reads the body once. Leading white space (gateways send it to keep a
// connection alive) is skipped; a list of replies, as Google sends errors, is
// read for its first. A value of an unexpected type is no error.
func (b *reply) decode(body []byte) error {
	body = bytes.TrimPrefix(body, byteOrderMark)
	var err error
	if t := bytes.TrimLeft(body, " \t\r\n"); len(t) > 0 && t[0] == '[' {
		var list []reply
		if err = json.Unmarshal(body, &list); len(list) > 0 {
			*b = list[0]
		}
	} else {
		err = json.Unmarshal(body, b)
	}
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		return nil
	}
	return err
}

// parts is a message's content, sorted by kind.
type parts struct{ text, reasoning, refusal string }

// partsOf reads content: a string, a list of parts, or nothing.
func partsOf(content any) parts {
	switch v := content.(type) {
	case string:
		return parts{text: v}
	case []any:
		var text, reasoning, refusal strings.Builder
		for _, part := range v {
			switch p := part.(type) {
			case string:
				text.WriteString(p)
			case map[string]any:
				switch p["type"] {
				case "thinking", "reasoning":
					reasoning.WriteString(firstText(p["thinking"], p["reasoning"], p["text"]))
				case "refusal":
					refusal.WriteString(firstText(p["refusal"], p["text"]))
				default:
					text.WriteString(firstText(p["text"]))
				}
			}
		}
		return parts{text.String(), reasoning.String(), refusal.String()}
	}
	return parts{}
}

// firstText is the first of the values that holds text: a string, or a list
// of strings and {"text": …} objects.
func firstText(values ...any) string {
	for _, v := range values {
		switch t := v.(type) {
		case string:
			if t != "" {
				return t
			}
		case []any:
			if p := partsOf(t); p.text != "" {
				return p.text
			}
		}
	}
	return ""
}

// present reports whether a decoded value says anything: null, false, an
// empty string and an empty object do not.
func present(v any) bool {
	switch t := v.(type) {
	case nil:
		return false
	case bool:
		return t
	case string:
		return t != ""
	case map[string]any:
		return len(t) > 0
	case []any:
		return len(t) > 0
	}
	return true
}

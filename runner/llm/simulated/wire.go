package simulated

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ask is a well-formed request.
type ask struct {
	model     string
	text      string // the contents of all messages
	maxTokens int    // 0 = no limit
	tokens    int    // estimate for the prompt
	tools     []tool
}

// fault is an answer other than 200, in the shape OpenAI uses.
type fault struct {
	status  int
	code    string
	message string
}

func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	var buf bytes.Buffer
	if n := req.ContentLength; n > 0 {
		buf.Grow(int(min(n, 1<<20)) + bytes.MinRead)
	}
	_, err := io.Copy(&buf, req.Body)
	return buf.Bytes(), err
}

// chat is what the roles need of a request's body. Content is a string or parts.
type chat[Content ~string] struct {
	Model               string            `json:"model"`
	Stream              bool              `json:"stream"`
	MaxTokens           int               `json:"max_tokens"`
	MaxCompletionTokens int               `json:"max_completion_tokens"`
	Tools               []json.RawMessage `json:"tools"`
	ToolChoice          json.RawMessage   `json:"tool_choice"`
	Messages            []struct {
		Role    string  `json:"role"`
		Content Content `json:"content"`
	} `json:"messages"`
}

// parts is a content that may be a list, of which the texts count.
type parts string

// UnmarshalJSON reads either form.
func (p *parts) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		return json.Unmarshal(data, (*string)(p))
	}
	var list []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, part := range list {
		*p += parts(part.Text)
	}
	return nil
}

// parseAsk checks a request as a server would and reads what the roles need.
func parseAsk(req *http.Request, body []byte) (*ask, *fault) {
	if req.URL == nil || !strings.HasSuffix(req.URL.Path, "/chat/completions") {
		return nil, &fault{http.StatusNotFound, "unknown_url", "the simulated model serves only …/chat/completions"}
	}
	if req.Method != http.MethodPost {
		return nil, &fault{http.StatusMethodNotAllowed, "method_not_allowed", "use POST, not " + req.Method}
	}
	a, f := readChat[string](body)
	if f != nil && f.code == invalidType {
		a, f = readChat[parts](body) // rare, and slower
	}
	return a, f
}

const invalidType = "invalid_type"

func readChat[Content ~string](body []byte) (*ask, *fault) {
	var in chat[Content]
	if err := json.Unmarshal(body, &in); err != nil {
		f := &fault{http.StatusBadRequest, "invalid_json", "the body cannot be read: " + err.Error()}
		if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			f.code = invalidType
		}
		return nil, f
	}
	switch {
	case in.Model == "":
		return nil, &fault{http.StatusBadRequest, "missing_parameter", "the request names no model"}
	case len(in.Messages) == 0:
		return nil, &fault{http.StatusBadRequest, "missing_parameter", "the request holds no messages"}
	case in.Stream:
		return nil, &fault{http.StatusBadRequest, "unsupported_parameter", "the simulated model does not stream"}
	}
	var text strings.Builder
	text.Grow(len(body))
	for i, m := range in.Messages {
		if m.Role == "" {
			return nil, &fault{http.StatusBadRequest, "missing_parameter", fmt.Sprintf("message %d has no role", i+1)}
		}
		if i > 0 {
			text.WriteString("\n\n")
		}
		text.WriteString(string(m.Content))
	}
	a := &ask{
		model:     in.Model,
		text:      text.String(),
		maxTokens: max(in.MaxTokens, in.MaxCompletionTokens),
		tokens:    estimate(text.Len()) + 4*len(in.Messages),
	}
	if string(in.ToolChoice) != `"none"` {
		a.tools = toolsOf(in.Tools)
	}
	return a, nil
}

// estimate is a cheap count of tokens: four bytes each.
func estimate(bytes int) int { return (bytes + 3) / 4 }

type completion struct {
	ID                string   `json:"id"`
	Object            string   `json:"object"`
	Created           int      `json:"created"` // 0: there is no clock here
	Model             string   `json:"model"`
	Choices           []choice `json:"choices"`
	Usage             usage    `json:"usage"`
	SystemFingerprint string   `json:"system_fingerprint"`
}

type choice struct {
	Index        int     `json:"index"`
	Message      message `json:"message"`
	FinishReason string  `json:"finish_reason"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// complete wraps an answer. Like a server it cuts at the limit of the request
// and says so, so that no answer is longer than what was reserved for it.
func (a *ask) complete(req *http.Request, text, id string) *http.Response {
	finish := "stop"
	if a.maxTokens > 0 && estimate(len(text)) > a.maxTokens {
		text, finish = cut(text, 4*a.maxTokens), "length"
	}
	n := estimate(len(text))
	return respond(req, http.StatusOK, completion{
		ID:                id,
		Object:            "chat.completion",
		Model:             a.model,
		Choices:           []choice{{Message: message{Role: "assistant", Content: text}, FinishReason: finish}},
		Usage:             usage{Prompt: a.tokens, Completion: n, Total: a.tokens + n},
		SystemFingerprint: version,
	})
}

// cut is the longest prefix of at most n bytes that ends between runes.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func (f *fault) response(req *http.Request) *http.Response {
	type inner struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	}
	return respond(req, f.status, struct {
		Error inner `json:"error"`
	}{inner{Message: f.message, Type: "invalid_request_error", Code: f.code}})
}

func respond(req *http.Request, status int, value any) *http.Response {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // strings and ints only: cannot fail
	}
	return &http.Response{
		Status:     strconv.Itoa(status) + " " + http.StatusText(status),
		StatusCode: status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(&buf),
		ContentLength: int64(buf.Len()),
		Request:       req,
	}
}

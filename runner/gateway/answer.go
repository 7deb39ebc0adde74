package gateway

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strconv"

	"memform/runner/llm"
)

// failedStatus is the status of every final failure: no client library tries
// it again.
const failedStatus = http.StatusFailedDependency

// problem is an answer other than 200, in the shape that OpenAI uses.
type problem struct {
	status         int
	code           string
	param, message string
}

func badRequest(param, message string) *problem {
	return &problem{http.StatusBadRequest, "memform_bad_request", param, message}
}

func (p problem) write(w http.ResponseWriter) {
	type inner struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	}
	e := inner{Message: p.message, Type: "invalid_request_error", Code: p.code}
	if p.status == failedStatus {
		e.Type = "memform_error"
	}
	if p.param != "" {
		e.Param = &p.param
	}
	w.Header().Set("X-Should-Retry", "false")
	writeJSON(w, p.status, struct {
		Error inner `json:"error"`
	}{e})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // strings and numbers
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(buf.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes()) // a client that hung up gets nothing
}

func silent() *log.Logger { return log.New(io.Discard, "", 0) }

// completion is the part of an answer that is looked at or rewritten.
type completion struct {
	ID      string `json:"id"`
	Created int64  `json:"created"`
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content   json.RawMessage `json:"content"`
			Refusal   json.RawMessage `json:"refusal"`
			ToolCalls []toolCall      `json:"tool_calls"`
		} `json:"message"`
		Finish json.RawMessage `json:"finish_reason"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

var toolCalls = []byte(`"tool_calls"`)

// callsTools reports whether an answer asks for tools.
func callsTools(raw []byte) bool {
	if !bytes.Contains(raw, toolCalls) {
		return false
	}
	var c completion
	return json.Unmarshal(raw, &c) == nil && len(c.Choices) > 0 && len(c.Choices[0].Message.ToolCalls) > 0
}

// withSteadyIDs replaces the ids of tool calls, which servers make up at
// random and clients send back, by digests of the call's key: a later request
// then depends on what was asked, not on when.
func withSteadyIDs(key llm.Key, raw []byte) []byte {
	if !callsTools(raw) {
		return raw
	}
	var body map[string]json.RawMessage
	var choices []map[string]json.RawMessage
	var message map[string]json.RawMessage
	var calls []map[string]json.RawMessage
	if json.Unmarshal(raw, &body) != nil || json.Unmarshal(body["choices"], &choices) != nil ||
		json.Unmarshal(choices[0]["message"], &message) != nil || json.Unmarshal(message["tool_calls"], &calls) != nil {
		return raw
	}
	for i, call := range calls {
		sum := sha256.Sum256(strconv.AppendInt(key[:], int64(i), 10))
		call["id"] = marshal("call_" + hex.EncodeToString(sum[:12]))
	}
	message["tool_calls"] = marshal(calls)
	choices[0]["message"] = marshal(message)
	body["choices"] = marshal(choices)
	return marshal(body)
}

// filteredAnswer is a filter's verdict as an answer.
func filteredAnswer(o *Operation) []byte {
	return []byte(`{"id":"chatcmpl-memform","object":"chat.completion","created":0,"model":` + string(o.block["model"]) +
		`,"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"content_filter"}],` +
		`"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`)
}

func marshal(v any) json.RawMessage {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // was read from JSON
	}
	return bytes.TrimRight(buf.Bytes(), "\n")
}

// writeStream sends a finished answer as a stream of events.
func writeStream(w http.ResponseWriter, body []byte, usage bool) {
	var c completion
	if json.Unmarshal(body, &c) != nil || len(c.Choices) == 0 {
		problem{failedStatus, "memform_failed", "", "the answer cannot be streamed"}.write(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	m := c.Choices[0].Message
	c.event(w, map[string]any{"role": "assistant", "content": ""}, nil)
	if present(m.Content) {
		c.event(w, map[string]any{"content": m.Content}, nil)
	}
	if present(m.Refusal) {
		c.event(w, map[string]any{"refusal": m.Refusal}, nil)
	}
	for i, call := range m.ToolCalls {
		c.event(w, map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": call.ID, "type": "function", "function": call.Function,
		}}}, nil)
	}
	finish := c.Choices[0].Finish
	if !present(finish) {
		finish = json.RawMessage(`"stop"`)
	}
	c.event(w, map[string]any{}, finish)
	if usage {
		c.chunk(w, []any{}, c.Usage)
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && !bytes.Equal(raw, []byte("null")) }

func (c *completion) event(w io.Writer, delta map[string]any, finish json.RawMessage) {
	if finish == nil {
		finish = json.RawMessage("null")
	}
	c.chunk(w, []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}, nil)
}

func (c *completion) chunk(w io.Writer, choices []any, usage json.RawMessage) {
	chunk := map[string]any{"id": c.ID, "object": "chat.completion.chunk", "created": c.Created, "model": c.Model, "choices": choices}
	if usage != nil {
		chunk["usage"] = usage
	}
	_, _ = w.Write([]byte("data: ")) // a client that hung up gets nothing
	_, _ = w.Write(append(marshal(chunk), "\n\n"...))
}

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gowebpki/jcs"

	"memform/runner/cache"
	"memform/runner/llm"
)

// foreign reads lines that other programs cached (docs/protocol.md, "Cache").
// A key of theirs means nothing here, so the whole request must stand there.
type foreign struct {
	identity string
	model    string
}

// unknownTime stands where a line does not say when it was bought: importing
// it again gives the same line.
const unknownTime = "1970-01-01T00:00:00.000Z"

// beside is what may stand beside the fields of a request.
type beside struct {
	Request     json.RawMessage
	Response    json.RawMessage
	Messages    json.RawMessage
	Prompt      *string
	Model       string
	Draw        int
	Identity    string
	CompletedAt string `json:"completed_at"`
}

// parameters are the fields of a flat line that belong to its request.
var parameters = []string{
	"model", "messages", "temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "stop", "reasoning_effort",
	"frequency_penalty", "presence_penalty", "logit_bias", "response_format", "n", "tools", "tool_choice",
}

// ours gives a line in our form: as it is, or made from another program's.
func (f foreign) ours(line []byte) ([]byte, error) {
	if bytes.HasPrefix(line, []byte(`{"k":"`)) {
		return line, nil
	}
	var fields map[string]json.RawMessage
	var b beside
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, fmt.Errorf("not a line of a memform cache, and not a JSON object: %w", err)
	}
	if err := json.Unmarshal(line, &b); err != nil {
		return nil, err
	}
	request, err := f.request(fields, &b)
	if err != nil {
		return nil, err
	}
	response, err := foreignAnswer(&b)
	if err != nil {
		return nil, err
	}
	e := cache.Entry{
		Identity: b.Identity, Draw: b.Draw, Request: request, Response: response, Status: 200,
		Outcome: string(llm.Read(200, nil, response).Outcome), CompletedAt: unknownTime, Attempts: 1,
	}
	if e.Identity == "" {
		e.Identity = f.identity
	}
	if e.Identity == "" {
		return nil, errors.New("it does not say which endpoint answered: pass --identity, as the endpoint block of the experiment has it")
	}
	if b.CompletedAt != "" {
		at, err := time.Parse(time.RFC3339, b.CompletedAt)
		if err != nil {
			return nil, fmt.Errorf("completed_at: %w", err)
		}
		e.CompletedAt = at.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return e.AppendLine(nil, cache.Key(llm.KeyOf(e.Identity, e.Draw, e.Request))), nil
}

// request is the canonical request of a line.
func (f foreign) request(fields map[string]json.RawMessage, b *beside) ([]byte, error) {
	if len(b.Request) > 0 {
		body := map[string]json.RawMessage{}
		if err := json.Unmarshal(b.Request, &body); err != nil {
			return nil, fmt.Errorf("request is no Chat Completions body: %w", err)
		}
		fields = body
	} else {
		body := map[string]json.RawMessage{}
		for _, name := range parameters {
			if v, ok := fields[name]; ok {
				body[name] = v
			}
		}
		if b.Prompt != nil && body["messages"] == nil {
			messages, err := json.Marshal([]map[string]string{{"role": "user", "content": *b.Prompt}})
			if err != nil {
				return nil, err
			}
			body["messages"] = messages
		}
		fields = body
	}
	if fields["messages"] == nil {
		return nil, errors.New("it holds no request: an answer is filed under the whole request (model, messages, parameters), and a key of another program cannot be turned back into one")
	}
	if fields["model"] == nil {
		if f.model == "" {
			return nil, errors.New("its request names no model: pass --model")
		}
		name, err := json.Marshal(f.model)
		if err != nil {
			return nil, err
		}
		fields["model"] = name
	}
	var messages []struct{ Role string }
	if err := json.Unmarshal(fields["messages"], &messages); err != nil || len(messages) == 0 ||
		slices.ContainsFunc(messages, func(m struct{ Role string }) bool { return m.Role == "" }) {
		return nil, errors.New("its messages are not a list of objects with role and content")
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return jcs.Transform(text)
}

// foreignAnswer is the response of a line: an answer of Chat Completions as it is, or
// a text put into one.
func foreignAnswer(b *beside) ([]byte, error) {
	raw := bytes.TrimSpace(b.Response)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, errors.New("it holds no response")
	case raw[0] == '"':
		return []byte(`{"choices":[{"finish_reason":"stop","index":0,"message":{"content":` + string(raw) +
			`,"role":"assistant"}}],"object":"chat.completion"}`), nil
	case raw[0] != '{':
		return nil, errors.New("its response is neither a text nor an answer of Chat Completions")
	}
	if r := llm.Read(200, nil, raw); !r.Outcome.Cacheable() {
		return nil, fmt.Errorf("its response is an error or no answer of Chat Completions: %s", strings.TrimSpace(r.Err.Message))
	}
	return raw, nil
}

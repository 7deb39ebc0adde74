package simulated

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Memory systems ask in forms of their own. Two are known: facts in tags, and
// tools that record and patch memories.

const (
	factOpen  = "<fact>"
	factClose = "</fact>"
	knownOpen = "<existing_facts>"
	knownEnd  = "</existing_facts>"
)

// extract answers a prompt that wants facts in tags and poses no task: the
// experiences it shows, as they are, but for those it lists as known.
func extract(p *prompt) (string, bool) {
	if !strings.Contains(p.text, factOpen) || !strings.Contains(p.text, factClose) {
		return "", false
	}
	known := ""
	if _, rest, ok := strings.Cut(p.text, knownOpen); ok {
		known, _, _ = strings.Cut(rest, knownEnd)
	}
	var b strings.Builder
	b.WriteString("<facts>\n")
	found := false
	for _, s := range p.spans {
		k := p.crib.refsOf(s.text)[0].kind
		if k == kindTask {
			return "", false
		}
		if found = true; k == kindPolicy || strings.Contains(known, p.crib.texts[s.text]) {
			continue
		}
		b.WriteString("  " + factOpen + p.crib.texts[s.text] + factClose + "\n")
	}
	b.WriteString("</facts>")
	return b.String(), found
}

// tool is a function that the request offers.
type tool struct {
	Function struct {
		Name       string `json:"name"`
		Parameters struct {
			Required   []string `json:"required"`
			Properties map[string]struct {
				Type string `json:"type"`
			} `json:"properties"`
		} `json:"parameters"`
	} `json:"function"`
}

// toolsOf reads the tools that have the shape of one; a schema of another
// shape is not looked at.
func toolsOf(list []json.RawMessage) []tool {
	var tools []tool
	for _, raw := range list {
		var t tool
		if json.Unmarshal(raw, &t) == nil && t.Function.Name != "" {
			tools = append(tools, t)
		}
	}
	return tools
}

// records reports whether the tool takes texts alone: it writes a memory down.
func (t *tool) records() bool {
	f := &t.Function.Parameters
	return len(f.Required) > 0 && !slices.ContainsFunc(f.Required, func(name string) bool { return f.Properties[name].Type != "string" })
}

// patchTool is the tool by which trustcall, below langmem, changes a memory;
// instance is how it shows one: its id, then its content as Python writes it.
const patchTool = "PatchDoc"

var (
	instance = regexp.MustCompile(`(?s)<instance id=([^\s>]+).*?</instance>`)
	escapes  = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`, `\n`, "\n", `\r`, "\r", `\t`, "\t")
)

// remember answers a request with tools whose prompt shows experiences: the
// memory, as the call of a tool. It changes the memory shown where there is
// one, so that a chain goes on from it.
func (t *Transport) remember(a *ask, coins *coins) (call functionCall, ok bool) {
	crib, shown := t.crib(), instance.FindStringSubmatch(a.text)
	p := &prompt{text: instance.ReplaceAllStringFunc(a.text, escapes.Replace), crib: crib, params: t.params, coins: coins}
	p.spans = crib.find(p.text)
	text, ok := consolidate(p)
	if !ok {
		return call, false
	}
	for i := range a.tools {
		f := &a.tools[i]
		switch {
		case f.Function.Name == patchTool && shown != nil:
			return calling(patchTool, map[string]any{
				"json_doc_id": shown[1], "planned_edits": "Replace what it says.",
				"patches": []any{map[string]any{"op": "replace", "path": "/content", "value": text}},
			}), true
		case f.records() && shown == nil:
			arguments := map[string]any{}
			for _, name := range f.Function.Parameters.Required {
				arguments[name] = text
			}
			return calling(f.Function.Name, arguments), true
		}
	}
	return call, false
}

type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func calling(name string, arguments map[string]any) functionCall {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(arguments); err != nil {
		panic(err) // texts and lists of them
	}
	return functionCall{name, strings.TrimSpace(b.String())}
}

// call wraps a tool's call as an answer.
func (a *ask) call(req *http.Request, call functionCall, id string) *http.Response {
	type toolCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function functionCall `json:"function"`
	}
	type message struct {
		Role      string     `json:"role"`
		Content   *string    `json:"content"`
		ToolCalls []toolCall `json:"tool_calls"`
	}
	type choice struct {
		Index        int     `json:"index"`
		Message      message `json:"message"`
		FinishReason string  `json:"finish_reason"`
	}
	n := estimate(len(call.Arguments))
	return respond(req, http.StatusOK, struct {
		ID                string   `json:"id"`
		Object            string   `json:"object"`
		Created           int      `json:"created"`
		Model             string   `json:"model"`
		Choices           []choice `json:"choices"`
		Usage             usage    `json:"usage"`
		SystemFingerprint string   `json:"system_fingerprint"`
	}{
		ID: id, Object: "chat.completion", Model: a.model, SystemFingerprint: version,
		Choices: []choice{{Message: message{Role: "assistant", ToolCalls: []toolCall{{"call-" + id, "function", call}}}, FinishReason: "tool_calls"}},
		Usage:   usage{Prompt: a.tokens, Completion: n, Total: a.tokens + n},
	})
}

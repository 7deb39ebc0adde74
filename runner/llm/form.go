package llm

import (
	"bytes"
	"encoding/json"
)

// Form is the operation of a memory system: remember these texts, in this
// order, by one way of updating (docs/protocol.md, "Stacks"). In the canonical
// request of a form it stands in the place of messages.
type Form struct {
	Records []string `json:"records"`
	Updater string   `json:"updater"`
}

// FormField is the field of a canonical request that makes it a form.
const FormField = "form"

// FormReport is what an operation of a memory system asked and lost.
type FormReport struct {
	Stack      string     `json:"stack"`
	Calls      []FormCall `json:"calls"` // sorted by key
	Records    int        `json:"records"`
	Unseen     int        `json:"unseen"`     // records that stood in no request
	Overridden []string   `json:"overridden"` // parameters in which the stack said otherwise than the model block
	Warnings   []string   `json:"warnings"`
}

// FormCall is one call behind a formed memory.
type FormCall struct {
	Key     string  `json:"key"`
	Answer  string  `json:"answer"` // hex SHA-256 of the raw response
	Outcome Outcome `json:"outcome"`
}

// formBody is the result of a form in the shape of an answer, so that it is
// stored, read and pinned like one.
type formBody struct {
	Object      string       `json:"object"`
	Model       string       `json:"model"`
	Provider    string       `json:"provider,omitempty"`
	Fingerprint string       `json:"system_fingerprint,omitempty"`
	Choices     []formChoice `json:"choices"`
	Usage       *formUsage   `json:"usage,omitempty"`
	Memform     FormReport   `json:"memform"`
}

type formChoice struct {
	Index   int    `json:"index"`
	Finish  string `json:"finish_reason"`
	Message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"message"`
}

type formUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// FormBody writes a formed memory as the body of an answer.
func FormBody(memory string, by Returned, usage Usage, report FormReport) []byte {
	b := formBody{
		Object: "memform.form", Model: by.Model, Provider: by.Provider, Fingerprint: by.Fingerprint,
		Choices: []formChoice{{Finish: "stop"}}, Memform: report,
	}
	b.Choices[0].Message.Role, b.Choices[0].Message.Content = "assistant", memory
	if usage.Known {
		b.Usage = &formUsage{usage.Prompt, usage.Completion, usage.Prompt + usage.Completion}
	}
	for _, list := range []*[]string{&b.Memform.Overridden, &b.Memform.Warnings} {
		if *list == nil {
			*list = []string{}
		}
	}
	if b.Memform.Calls == nil {
		b.Memform.Calls = []FormCall{}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(b); err != nil {
		panic(err) // texts and numbers
	}
	return bytes.TrimRight(buf.Bytes(), "\n")
}

// ReadFormReport reads the report in a body that FormBody wrote; false for
// any other.
func ReadFormReport(body []byte) (FormReport, bool) {
	var b struct {
		Object  string     `json:"object"`
		Memform FormReport `json:"memform"`
	}
	if json.Unmarshal(body, &b) != nil || b.Object != "memform.form" {
		return FormReport{}, false
	}
	return b.Memform, true
}

// Within counts the calls that an operation of a stack made while it was
// done: what they cost was spent by the operation.
type Within struct {
	Sent, Cached, Failed, Attempts int
	Prompt, Completion             int64 // tokens of calls sent, as the server counted
	Uncounted                      int   // calls sent whose usage the server did not report
}

// Add counts one call.
func (w *Within) Add(r *Response) {
	switch {
	case r.Cached:
		w.Cached++
		return
	case r.Outcome == OutcomeError:
		w.Failed++
	case r.Usage.Known:
		w.Sent++
		w.Prompt += int64(r.Usage.Prompt)
		w.Completion += int64(r.Usage.Completion)
	default:
		w.Sent++
		w.Uncounted++
	}
	w.Attempts += r.Attempts
}

// Clean makes one printable line from a text of a server or a program and
// takes out what may not leave the machine: addresses, paths, keys.
func Clean(s string) string { return clean(s) }

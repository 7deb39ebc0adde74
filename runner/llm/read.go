package llm

import "strings"

// Read says what a completed HTTP exchange came to (docs/protocol.md,
// "Answers and outcomes"): the outcome, the answer parted from its reasoning,
// usage, what answered, and for a failure whom it concerns. Header names are
// lower-case. It is a pure function of its arguments and never fails; the
// caller adds CompletedAt, Millis and Attempts. The response keeps body and
// headers, so neither may change afterwards.
func Read(status int, headers map[string]string, body []byte) Response {
	r := Response{Raw: body, Status: status, Headers: headers}
	var b reply
	err := b.decode(body)
	r.Usage = b.Usage.read()
	r.Returned = Returned{Model: b.Model, Provider: b.Provider, Fingerprint: b.Fingerprint}
	if status < 200 || status > 299 {
		r.fail(b.fault(body, err))
		return r
	}
	switch {
	case err != nil:
		r.unreadable("not_json", "the answer is not JSON: "+excerpt(body))
	case present(b.Error) || b.Object == "error":
		r.fail(b.fault(body, nil))
	case len(b.Choices) == 0:
		r.readChoiceless(&b, body)
	default:
		r.readChoice(&b.Choices[0], body)
	}
	return r
}

// readChoice reads the first choice of an answer; further ones, which nobody
// asked for, are ignored.
func (r *Response) readChoice(c *choice, body []byte) {
	r.Finish = c.Finish
	end := endOf(c.Finish)
	if present(c.Error) || (c.Message != nil && present(c.Message.Error)) || end == endError {
		f := faultOf(c.Error)
		if !present(c.Error) && c.Message != nil {
			f = faultOf(c.Message.Error)
		}
		if f.message == "" {
			f.message = "the answer ended with an error: " + excerpt(body)
		}
		r.fail(f)
		return
	}
	if c.Message == nil {
		c.Message = &message{}
		if end == endOther {
			r.unreadable("no_message", "the answer has a choice without a message: "+excerpt(body))
			return
		}
	}
	r.readMessage(c.Message, end)
}

func (r *Response) readMessage(m *message, end ending) {
	p := partsOf(m.Content)
	r.Text, r.Refusal = p.text, p.refusal
	if s, ok := m.Refusal.(string); ok && r.Refusal == "" {
		r.Refusal = s
	}
	r.Reasoning = firstText(m.ReasoningContent, m.Reasoning)
	if r.Reasoning == "" {
		r.Reasoning = p.reasoning
	}
	text, thought := splitThink(r.Text, end == endLength)
	r.Text = text
	if thought != "" {
		r.Reasoning = joinLines(r.Reasoning, thought)
	}
	switch {
	case !blank(r.Refusal):
		r.Outcome = OutcomeRefusal
	case end == endFilter:
		r.Outcome = OutcomeFiltered
	case end == endLength:
		r.Outcome = OutcomeTruncated
	case end == endRefusal:
		r.Outcome = OutcomeRefusal
	case blank(r.Text):
		r.Outcome = OutcomeEmpty
	default:
		r.Outcome = OutcomeAnswer
	}
}

// readChoiceless reads a success status without a choice: embeddings, one of
// the error dialects, or nothing that says anything.
func (r *Response) readChoiceless(b *reply, body []byte) {
	if b.Object == "list" && len(b.Data) > len("[]") { // embeddings: an answer without a text
		r.Outcome = OutcomeAnswer
		return
	}
	if present(b.Detail) || present(b.Message) {
		r.fail(b.fault(body, nil))
		return
	}
	r.unreadable("no_choices", "the answer has no choices: "+excerpt(body))
}

// unreadable marks a success status that holds no answer: worth another try.
func (r *Response) unreadable(code, message string) {
	r.Outcome = OutcomeError
	r.Err = &Failure{Class: ClassRetry, Status: r.Status, Code: code, Message: clean(message)}
}

// ending is what a finish reason means.
type ending uint8

const (
	endOther ending = iota
	endLength
	endFilter
	endRefusal
	endError
)

// endOf reads a finish reason: OpenAI's names, and those that gateways pass
// through from Anthropic, Google and Mistral. Anything else is an ordinary end.
func endOf(finish string) ending {
	switch finish {
	case "", "stop", "tool_calls", "end_turn", "eos":
		return endOther
	case "length":
		return endLength
	}
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return endLength
	case "content_filter", "content_filtered", "safety", "prohibited_content", "recitation", "blocklist", "spii":
		return endFilter
	case "refusal":
		return endRefusal
	case "error":
		return endError
	}
	return endOther
}

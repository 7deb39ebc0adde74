package bridge

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"memform/runner/gateway"
	"memform/runner/llm"
	"memform/runner/stack"
)

// carried is what a carrier's call came to: the answer that the gateway got
// for it. What the library makes of that answer is no outcome.
func (w *work) carried(result stack.Result, failed *stack.Failure, a account) llm.Response {
	if a.Failure != nil {
		return spent(llm.Response{Outcome: llm.OutcomeError, Err: cleaned(a.Failure)}, a)
	}
	if len(a.Calls) == 0 {
		if failed != nil {
			return spent(failure("stack_"+failed.Kind, failed.Message), a)
		}
		return spent(failure("drift", "the stack answered without asking the model through the gateway"), a)
	}
	inner := &a.Calls[0]
	r := inner.Response
	switch {
	case failed != nil && r.Outcome == llm.OutcomeAnswer:
		return spent(failure("stack_"+failed.Kind, failed.Message), a)
	case failed == nil && result.Calls != a.Requests:
		return spent(failure("calls", counts(result.Calls, a.Requests)), a)
	case failed == nil && r.Outcome == llm.OutcomeAnswer && !strings.Contains(result.Text, strings.TrimSpace(r.Text)):
		w.bridge.warn(w.call.Stack, "it returned another text than the model answered; the model's is used")
	}
	w.overridden(a.Overridden)
	r.Stored = true
	r.Cached = a.within.Sent == 0
	return r
}

func counts(said, seen int) string {
	return fmt.Sprintf("the adapter says that it made %d calls, the gateway saw %d: one went elsewhere, or they are not counted", said, seen)
}

// spent adds what was paid for a call that failed.
func spent(r llm.Response, a account) llm.Response {
	r.Attempts = a.within.Attempts
	if a.within.Sent > 0 || a.within.Failed > 0 {
		r.Within = &a.within
	}
	return r
}

func cleaned(f *llm.Failure) *llm.Failure {
	c := *f
	c.Message = llm.Clean(f.Message)
	return &c
}

func (w *work) overridden(fields []string) {
	if len(fields) > 0 {
		w.bridge.warn(w.call.Stack, "it sends other parameters than the model block, which wins: "+strings.Join(fields, ", "))
	}
}

// formed is what a memory system's operation came to, as an answer whose text
// is the memory.
func (w *work) formed(result stack.Result, failed *stack.Failure, a account) llm.Response {
	switch {
	case a.Failure != nil:
		return spent(llm.Response{Outcome: llm.OutcomeError, Err: cleaned(a.Failure)}, a)
	case failed != nil:
		return spent(failure("stack_"+failed.Kind, failed.Message), a)
	case result.Calls != a.Requests:
		return spent(failure("calls", counts(result.Calls, a.Requests)), a)
	}
	report := llm.FormReport{
		Stack: w.call.Stack, Records: len(w.form.Records), Unseen: a.Unseen,
		Overridden: a.Overridden, Warnings: cleanAll(result.Warnings),
	}
	usage := llm.Usage{Known: true}
	var millis int64
	for i := range a.Calls {
		c := &a.Calls[i]
		digest := c.Digest()
		report.Calls = append(report.Calls, llm.FormCall{Key: c.Call.Key.String(), Answer: hex.EncodeToString(digest[:]), Outcome: c.Outcome()})
		usage.Prompt += c.Response.Usage.Prompt
		usage.Completion += c.Response.Usage.Completion
		usage.Known = usage.Known && c.Response.Usage.Known
		millis += c.Response.Millis
	}
	slices.SortFunc(report.Calls, func(x, y llm.FormCall) int { return strings.Compare(x.Key, y.Key) })
	w.lost(&report, result.Memory)
	r := llm.Read(200, nil, llm.FormBody(result.Memory, answeredBy(a.Calls), usage, report))
	r.CompletedAt = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	r.Millis, r.Attempts, r.Within = millis, a.within.Attempts, &a.within
	return r
}

// answeredBy is what answered the call with the smallest key.
func answeredBy(calls []gateway.Inner) llm.Returned {
	var first *gateway.Inner
	for i := range calls {
		if first == nil || calls[i].Call.Key.String() < first.Call.Key.String() {
			first = &calls[i]
		}
	}
	if first == nil {
		return llm.Returned{}
	}
	return first.Response.Returned
}

func cleanAll(texts []string) []string {
	const most = 16
	var out []string
	for _, t := range texts[:min(most, len(texts))] {
		out = append(out, llm.Clean(t))
	}
	return out
}

// lost says what a memory system dropped in silence.
func (w *work) lost(report *llm.FormReport, memory string) {
	w.overridden(report.Overridden)
	if report.Unseen > 0 {
		w.bridge.warn(w.call.Stack, "records were not shown to the model; their number stands in the results")
	}
	if memory == "" && report.Records > 0 {
		w.bridge.warn(w.call.Stack, "a memory is empty although there were records; the results say where")
	}
	if few := w.bridge.cfg.Stacks[w.call.Stack].Calls.Low.Of(report.Records); len(report.Calls) < few {
		w.bridge.warn(w.call.Stack, fmt.Sprintf("%d records took %d different calls, fewer than the %d that its adapter declares", report.Records, len(report.Calls), few))
	}
	for _, text := range report.Warnings {
		w.bridge.warn(w.call.Stack, text)
	}
}

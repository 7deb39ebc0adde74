// Package probe finds out with a handful of small calls whether a model can be
// used and how it has to be asked: is the key accepted and the model known,
// which parameters does it take, does it count tokens and honour a seed. It
// sends through any llm.Model, once each, without retries or cache, and prints
// nothing. Start at Run.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"memform/runner/llm"
)

// Target is the model to be probed.
type Target struct {
	ID          string                     // as the server knows it
	TokensField string                     // tried first; "" = max_tokens
	Parameters  map[string]json.RawMessage // declared, sent with every call
}

// Verdict is what was found out about one thing.
type Verdict uint8

// The verdicts.
const (
	Unknown Verdict = iota
	Yes
	No
)

// Report is what a probe came to.
type Report struct {
	Usable  bool
	Failure *llm.Failure // why not

	Key         Verdict // accepted, or none is needed
	Model       Verdict // known to the server
	Temperature Verdict // 0 is accepted
	TokensField string  // which field limits an answer; "" where none is accepted
	TokensKept  Verdict // answers are no longer than that
	Usage       Verdict // tokens are counted
	SeedTaken   Verdict // a seed is accepted
	SeedKept    Verdict // equal seeds gave equal answers, another one did not

	Returned llm.Returned
	Millis   []int64           // duration of each answered call, sorted
	Headers  map[string]string // of the first answer, as far as they name rate limits
	Calls    int               // sent
	Tokens   llm.Usage         // of all calls, as far as the server counted
}

// answerCap is how many tokens an answer may have.
const answerCap = 16

// The two questions. The first runs into the cap; the second has an answer
// that differs each time, unless a seed fixes it.
const (
	askMany   = "Count from 1 to 100, with single spaces between the numbers."
	askRandom = "Write a random number of ten digits, and nothing else."
)

const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// variant is a way to ask.
type variant struct {
	field       string // of the token limit; "" = none
	temperature bool   // send temperature
}

// Run probes until it is done or ctx ends.
func Run(ctx context.Context, model llm.Model, t Target) Report {
	p := &prober{ctx: ctx, model: model, target: t}
	v, ok := p.findVariant()
	if !ok {
		return p.report
	}
	r := &p.report
	r.Usable, r.Key, r.Model = true, Yes, Yes
	r.TokensField = v.field
	p.trySeeds(v)
	slices.Sort(r.Millis)
	return *r
}

type prober struct {
	ctx    context.Context
	model  llm.Model
	target Target

	mu     sync.Mutex
	report Report
}

// variants are the ways to ask, the most usual first, each without one more
// thing than those before.
func (p *prober) variants() []variant {
	first, second := maxTokens, maxCompletionTokens
	if p.target.TokensField == second {
		first, second = second, first
	}
	return []variant{{first, true}, {second, true}, {first, false}, {second, false}, {"", false}}
}

// findVariant asks until a way is accepted. A failure that no other way can
// mend ends the search.
func (p *prober) findVariant() (variant, bool) {
	for i, v := range p.variants() {
		r, err := p.send(p.body(askMany, v, "0", ""))
		switch {
		case err != nil:
			p.report.Failure = unanswered(err)
			return v, false
		case r.Err == nil:
			p.accepted(v, &r)
			return v, true
		case i == 0 || !refused(r.Err):
			p.failed(r.Err)
		}
		if !refused(r.Err) {
			return v, false
		}
	}
	return variant{}, false
}

// refused reports a failure that concerns the request's own form.
func refused(f *llm.Failure) bool {
	return f.Class == llm.ClassNode && (f.Status == 400 || f.Status == 422)
}

// accepted takes in the first answer.
func (p *prober) accepted(v variant, r *llm.Response) {
	out := &p.report
	out.Failure = nil
	out.Temperature = verdict(v.temperature)
	out.Usage = verdict(r.Usage.Known)
	out.Returned = r.Returned
	out.Headers = limitsIn(r.Headers)
	switch {
	case v.field == "":
	case r.Usage.Known:
		out.TokensKept = verdict(r.Usage.Completion <= answerCap)
	case r.Outcome == llm.OutcomeTruncated:
		out.TokensKept = Yes
	}
}

func (p *prober) failed(f *llm.Failure) {
	p.report.Failure = f
	switch f.Class {
	case llm.ClassModel:
		p.report.Key, p.report.Model = Yes, No
	case llm.ClassEndpoint:
		if f.Status == 401 || f.Status == 403 {
			p.report.Key = No
		}
	case llm.ClassNode:
		p.report.Key, p.report.Model = Yes, Yes
	}
}

// trySeeds asks the same with one seed twice and with another once.
func (p *prober) trySeeds(v variant) {
	var texts [3]string
	var taken [3]Verdict
	var wg sync.WaitGroup
	for i, seed := range [...]string{"7", "7", "8"} {
		wg.Go(func() {
			r, err := p.send(p.body(askRandom, v, "1", seed))
			switch {
			case err != nil || r.Err != nil && !refused(r.Err):
			case r.Err != nil:
				taken[i] = No
			default:
				taken[i] = Yes
				texts[i] = strings.TrimSpace(r.Text)
			}
		})
	}
	wg.Wait()
	r := &p.report
	r.SeedTaken = taken[0]
	if slices.Contains(texts[:], "") {
		return
	}
	switch {
	case texts[0] != texts[1]:
		r.SeedKept = No
	case texts[0] != texts[2]:
		r.SeedKept = Yes
	}
}

// body is one request. Its fields are sorted, as those of every run are.
func (p *prober) body(ask string, v variant, temperature, seed string) []byte {
	fields := maps.Clone(p.target.Parameters)
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	fields["model"] = text(p.target.ID)
	fields["messages"] = json.RawMessage(`[{"content":` + string(text(ask)) + `,"role":"user"}]`)
	if v.field != "" {
		fields[v.field] = json.RawMessage("16")
	}
	if v.temperature {
		fields["temperature"] = json.RawMessage(temperature)
	}
	if seed != "" {
		fields["seed"] = json.RawMessage(seed)
	}
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err) // every part is JSON
	}
	return b
}

func text(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always marshal
	}
	return b
}

// send sends one call and counts it.
func (p *prober) send(body []byte) (llm.Response, error) {
	r, err := p.model.Complete(p.ctx, &llm.Call{Request: body, MaxTokens: answerCap})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Calls++
	if err == nil && r.Err == nil {
		p.report.Millis = append(p.report.Millis, r.Millis)
	}
	if r.Usage.Known {
		p.report.Tokens.Known = true
		p.report.Tokens.Prompt += r.Usage.Prompt
		p.report.Tokens.Completion += r.Usage.Completion
		p.report.Tokens.CachedPart += r.Usage.CachedPart
	}
	return r, err
}

// unanswered is the failure of a probe whose time ran out.
func unanswered(err error) *llm.Failure {
	f := &llm.Failure{Class: llm.ClassRetry, Code: "interrupted", Message: "the probe was interrupted"}
	if errors.Is(err, context.DeadlineExceeded) {
		f.Code, f.Message = "timeout", "no answer in the time a probe has; a slow model needs a longer one"
	}
	return f
}

func limitsIn(headers map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range headers {
		if strings.Contains(name, "ratelimit") || strings.HasPrefix(name, "retry-after") {
			out[name] = value
		}
	}
	return out
}

func verdict(b bool) Verdict {
	if b {
		return Yes
	}
	return No
}

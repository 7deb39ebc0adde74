package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"sync"
	"time"

	"memform/runner/llm"
)

// Spec says what an operation may ask.
type Spec struct {
	// Call holds what every call of the operation shares: identity, draw,
	// endpoint, model, run, and in its request the parameters that win.
	Call *llm.Call
	// Exact makes the operation a carrier's: it asks Call, once, and whatever
	// arrives must be that request.
	Exact bool
	// Loose lets a client set what the model block leaves unset.
	Loose bool
	// Records are the texts that the operation should show the model.
	Records []string
	// MaxCalls bounds the different calls of the operation; 0 is no bound.
	MaxCalls int
}

// Inner is one call of an operation.
type Inner struct {
	Call       *llm.Call
	Response   llm.Response
	Overridden []string // fields in which the stack said otherwise than the model block
}

// Outcome is what the call came to. An answer that only calls tools is one.
func (i *Inner) Outcome() llm.Outcome {
	if i.Response.Outcome == llm.OutcomeEmpty && callsTools(i.Response.Raw) {
		return llm.OutcomeAnswer
	}
	return i.Response.Outcome
}

// Operation is one piece of work of a stack, in progress or ended.
type Operation struct {
	gateway  *Gateway
	ctx      context.Context
	spec     Spec
	token    string
	block    map[string]json.RawMessage // the model block's parameters; never changed
	messages []byte                     // canonical; of a carrier

	mu       sync.Mutex
	inner    []Inner
	asked    map[llm.Key]bool
	seen     []bool // per record: it stood in a request
	ended    bool
	waiting  int
	idle     *sync.Cond // waiting is 0
	last     time.Time  // of the last begin or end of a call
	requests int        // that reached the operation
	failure  *llm.Failure
	err      error
}

func newOperation(ctx context.Context, spec Spec) (*Operation, error) {
	block, messages, err := blockOf(spec.Call.Request)
	if err != nil {
		return nil, err
	}
	o := operationOf(ctx, spec, block)
	o.messages = messages
	return o, nil
}

// operationOf is an operation under the parameters of block, which may be
// that of others too.
func operationOf(ctx context.Context, spec Spec, block map[string]json.RawMessage) *Operation {
	o := &Operation{ctx: ctx, spec: spec, block: block, asked: map[llm.Key]bool{}, seen: make([]bool, len(spec.Records)), last: time.Now()}
	o.idle = sync.NewCond(&o.mu)
	return o
}

// blockOf parts the parameters of a request from its messages.
func blockOf(request []byte) (block map[string]json.RawMessage, messages []byte, err error) {
	if err := json.Unmarshal(request, &block); err != nil {
		return nil, nil, fmt.Errorf("the request of an operation is no object: %w", err)
	}
	messages = block["messages"]
	for _, name := range []string{"messages", "form"} {
		delete(block, name)
	}
	return block, messages, nil
}

// Token is what requests of the operation bear.
func (o *Operation) Token() string { return o.token }

// Idle is how long the operation has had no call in flight.
func (o *Operation) Idle() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.waiting > 0 {
		return 0
	}
	return time.Since(o.last)
}

// End closes the operation: further requests are refused.
func (o *Operation) End() {
	o.gateway.mu.Lock()
	delete(o.gateway.open, o.token)
	o.gateway.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
}

// Wait returns when the calls in flight of an ended operation are done, so
// that what they cost is in Account.
func (o *Operation) Wait() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.waiting > 0 {
		o.idle.Wait()
	}
}

// Account is what an operation asked and got.
type Account struct {
	Requests   int     // that arrived
	Calls      []Inner // in the order in which they ended; a key each once
	Unseen     int     // records that stood in no request
	Overridden []string
	Failure    *llm.Failure // the first thing that went wrong, nil for nothing
	Err        error        // a fault that must stop the run, or the end of the context
}

// Account reports what came so far.
func (o *Operation) Account() Account {
	o.mu.Lock()
	defer o.mu.Unlock()
	a := Account{Requests: o.requests, Calls: append([]Inner(nil), o.inner...), Failure: o.failure, Err: o.err}
	for _, seen := range o.seen {
		if !seen {
			a.Unseen++
		}
	}
	a.Overridden = overriddenIn(o.inner)
	return a
}

// refuse marks the operation failed and is the answer that says so.
func (o *Operation) refuse(code, message string) *problem {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failure == nil {
		o.failure = &llm.Failure{Class: llm.ClassNode, Code: code, Message: message}
	}
	return &problem{failedStatus, "memform_" + code, "", message}
}

// ask answers one request of the operation.
func (o *Operation) ask(r *request) (llm.Key, llm.Response, *problem) {
	call, overridden, wrong := o.form(r)
	if wrong == nil {
		wrong = o.enter(call, r)
	}
	if wrong != nil {
		return llm.Key{}, llm.Response{}, wrong
	}
	response, err := o.gateway.cfg.Model.Complete(o.ctx, call)
	done := Inner{Call: call, Response: response, Overridden: overridden}
	return call.Key, response, o.leave(done, err)
}

// enter lets a call through, or says why not.
func (o *Operation) enter(call *llm.Call, r *request) *problem {
	select {
	case <-llm.Draining(o.ctx):
		return o.stop(llm.ErrDraining)
	default:
	}
	o.mu.Lock()
	if o.ended {
		o.mu.Unlock()
		return closed()
	}
	if !o.asked[call.Key] && o.spec.MaxCalls > 0 && len(o.asked) >= o.spec.MaxCalls {
		o.mu.Unlock()
		return o.refuse("too_many_calls", fmt.Sprintf("the operation made more than the %d calls that its adapter declares", o.spec.MaxCalls))
	}
	defer o.mu.Unlock()
	o.asked[call.Key] = true
	o.requests++
	o.waiting++
	o.last = time.Now()
	for i, record := range o.spec.Records {
		o.seen[i] = o.seen[i] || r.shows(record)
	}
	return nil
}

func closed() *problem {
	return &problem{failedStatus, "memform_no_operation", "", "the operation of this request is not open any more"}
}

// stop marks the operation as ended by what stops the run.
func (o *Operation) stop(err error) *problem {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	return &problem{failedStatus, "memform_stopping", "", "the run is stopping"}
}

// leave books a call.
func (o *Operation) leave(done Inner, err error) *problem {
	o.mu.Lock()
	o.waiting--
	o.last = time.Now()
	if o.waiting == 0 {
		o.idle.Broadcast()
	}
	if err == nil && !o.books(done.Call.Key) {
		o.inner = append(o.inner, done)
	}
	o.mu.Unlock()
	if err != nil {
		return o.stop(err)
	}
	if f := done.Response.Err; f != nil {
		wrong := o.refuse("failed", f.Error())
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.failure.Code == "failed" {
			o.failure = f // with its own class and code
		}
		return wrong
	}
	return nil
}

func (o *Operation) books(key llm.Key) bool {
	for i := range o.inner {
		if o.inner[i].Call.Key == key {
			return true
		}
	}
	return false
}

// form makes the call that a request comes to.
func (o *Operation) form(r *request) (*llm.Call, []string, *problem) {
	overridden := r.apply(o.block, o.spec.Loose)
	call := *o.spec.Call
	if o.spec.Exact {
		if drift := o.drift(r); drift != "" {
			return nil, nil, o.refuse("drift", drift)
		}
		return &call, overridden, nil
	}
	if o.spec.Loose {
		call.MaxTokens = r.limit(call.MaxTokens)
	}
	call.Request = r.canonical()
	call.Key = llm.KeyOf(call.Identity, call.Draw, call.Request)
	call.PromptTokens = 0 // whoever must know counts them: hits cost no count
	return &call, overridden, nil
}

// drift says in what a carrier's request differs from the one it was given.
func (o *Operation) drift(r *request) string {
	if got := r.fields["messages"]; !bytes.Equal(got, o.messages) {
		return "the messages that arrived are not those that were given: " + firstDifference(o.messages, got)
	}
	for _, name := range r.names() {
		if _, ok := o.block[name]; !ok && name != "messages" {
			return fmt.Sprintf("the stack added the field %q", name)
		}
	}
	return ""
}

// firstDifference shows where two texts part.
func firstDifference(want, got []byte) string {
	const shown = 40
	n := 0
	for n < len(want) && n < len(got) && want[n] == got[n] {
		n++
	}
	part := func(b []byte) string {
		from := max(0, n-shown/2)
		return strings.ToValidUTF8(string(b[min(from, len(b)):min(n+shown, len(b))]), "")
	}
	return fmt.Sprintf("at byte %d, given …%s…, arrived …%s…", n, part(want), part(got))
}

// shows reports whether the request's messages hold a text, as it is or with
// the escapes of HTML, white space aside.
func (r *request) shows(text string) bool {
	if strings.Contains(r.text(), text) {
		return true
	}
	flat := strings.Join(strings.Fields(text), " ")
	return strings.Contains(r.flat(), flat) || strings.Contains(html.UnescapeString(r.flat()), flat)
}

// Digest is the digest of a call's answer, as runs pin it.
func (i *Inner) Digest() [sha256.Size]byte { return sha256.Sum256(i.Response.Raw) }

// Package bridge answers the calls of stacks: an llm.Model that gives each to
// its stack's adapter, with the gateway under it, checks what the adapter did
// with it and passes every other call on. An adapter is started by the first
// call that needs one, so answers from a cache above it start nothing. Start
// at New.
package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"memform/runner/gateway"
	"memform/runner/llm"
	"memform/runner/stack"
)

// Stack is how the calls of one stack are answered.
type Stack struct {
	Config stack.Config // gateway and token are filled in
	Calls  stack.Calls  // of a memory system
}

// Config is what a bridge is made of.
type Config struct {
	// Native answers the calls that belong to no stack.
	Native llm.Model
	// Caching answers what stacks ask, and stores it before it returns.
	Caching llm.Model
	Stacks  map[string]Stack
	// Log hears of what adapters say and lose; nil: nobody.
	Log func(level, message string)
	// Refused hears the code of every request that reached no operation.
	Refused func(code string)
}

// Bridge is a Model. It is safe for concurrent use.
type Bridge struct {
	cfg     Config
	gateway func() (*gateway.Gateway, error)

	mu       sync.Mutex
	server   *gateway.Gateway // once started
	adapters map[string]*starting
	warned   map[string]bool
}

// starting is an adapter that one caller starts and others wait for.
type starting struct {
	done    chan struct{}
	adapter *stack.Adapter
	err     error
}

// New returns the bridge. It starts nothing.
func New(cfg Config) *Bridge {
	if cfg.Log == nil {
		cfg.Log = func(string, string) {}
	}
	b := &Bridge{cfg: cfg, adapters: map[string]*starting{}, warned: map[string]bool{}}
	b.gateway = sync.OnceValues(func() (*gateway.Gateway, error) {
		g, err := gateway.Start(gateway.Config{Model: cfg.Caching, Refused: cfg.Refused})
		b.mu.Lock()
		defer b.mu.Unlock()
		b.server = g
		return g, err
	})
	return b
}

// Close ends the adapters and the gateway.
func (b *Bridge) Close() {
	b.mu.Lock()
	var open []*starting
	for _, s := range b.adapters {
		open = append(open, s)
	}
	server := b.server
	b.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range open {
		wg.Go(func() {
			if <-s.done; s.adapter != nil {
				s.adapter.Close()
			}
		})
	}
	wg.Wait()
	if server != nil {
		server.Close()
	}
}

// Adapter is the running adapter of a stack, started where it is not: so that
// what is wrong with it is known before anything is sent. The error is a
// *stack.StartError where the stack is at fault.
func (b *Bridge) Adapter(ctx context.Context, name string) (*stack.Adapter, error) {
	known, ok := b.cfg.Stacks[name]
	if !ok {
		return nil, &stack.StartError{Stack: name, Message: "it is not configured"}
	}
	b.mu.Lock()
	s, begun := b.adapters[name]
	if !begun {
		s = &starting{done: make(chan struct{})}
		b.adapters[name] = s
	}
	b.mu.Unlock()
	if !begun {
		s.adapter, s.err = b.start(ctx, name, known.Config)
		close(s.done)
	}
	select {
	case <-s.done:
		return s.adapter, s.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (b *Bridge) start(ctx context.Context, name string, cfg stack.Config) (*stack.Adapter, error) {
	g, err := b.gateway()
	if err != nil {
		return nil, fmt.Errorf("the gateway cannot listen: %w", err)
	}
	cfg.Gateway, cfg.Token = g.URL(), g.Token()
	cfg.Log = func(level, message string) { b.cfg.Log(level, "stack "+name+": "+message) }
	return stack.Start(ctx, cfg)
}

// Complete answers a call through its stack.
func (b *Bridge) Complete(ctx context.Context, call *llm.Call) (llm.Response, error) {
	if call.Stack == "" {
		return b.cfg.Native.Complete(ctx, call)
	}
	a, err := b.Adapter(ctx, call.Stack)
	if err != nil {
		if ctx.Err() != nil {
			return llm.Response{}, context.Cause(ctx)
		}
		return failure("stack_start", err.Error()), nil
	}
	w, err := newWork(b, call)
	if err != nil {
		return failure("stack_request", err.Error()), nil
	}
	result, err := a.Do(ctx, &w.op)
	account := w.account()
	if account.Err != nil {
		return llm.Response{}, account.Err
	}
	var failed *stack.Failure
	if err != nil && !errors.As(err, &failed) {
		return llm.Response{}, err
	}
	if w.form != nil {
		return w.formed(result, failed, account), nil
	}
	return w.carried(result, failed, account), nil
}

// failure is a call that could not be answered.
func failure(code, message string) llm.Response {
	return llm.Response{Outcome: llm.OutcomeError, Err: &llm.Failure{Class: llm.ClassNode, Code: code, Message: llm.Clean(message)}}
}

// warn says something about a stack once, whatever the numbers in it.
func (b *Bridge) warn(name, message string) {
	kind := name + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, message)
	b.mu.Lock()
	said := b.warned[kind]
	b.warned[kind] = true
	b.mu.Unlock()
	if !said {
		b.cfg.Log("warning", "stack "+name+": "+message)
	}
}

// work is one call on its way through an adapter.
type work struct {
	bridge *Bridge
	call   *llm.Call
	op     stack.Op
	spec   gateway.Spec
	form   *llm.Form // of a memory system

	mu       sync.Mutex
	attempts []*gateway.Operation
}

// parameters are what adapters are told of a model block, by the names of
// the protocol.
var parameters = map[string]string{
	"temperature": "temperature", "top_p": "top_p", "max_tokens": "max_tokens", "max_completion_tokens": "max_tokens",
	"seed": "seed", "stop": "stop", "reasoning_effort": "reasoning_effort",
}

func newWork(b *Bridge, call *llm.Call) (*work, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(call.Request, &fields); err != nil {
		return nil, err
	}
	w := &work{bridge: b, call: call, spec: gateway.Spec{Call: call}}
	if err := json.Unmarshal(fields["model"], &w.op.Model); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	given := map[string]json.RawMessage{}
	for name, as := range parameters {
		if value, ok := fields[name]; ok {
			given[as] = value
		}
	}
	params, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	w.op.Params, w.op.Begin = params, w.begin
	if raw, ok := fields[llm.FormField]; ok {
		w.form = &llm.Form{}
		if err := json.Unmarshal(raw, w.form); err != nil {
			return nil, fmt.Errorf("form: %w", err)
		}
		w.op.Records, w.spec.Records = w.form.Records, w.form.Records
		w.spec.MaxCalls = b.cfg.Stacks[call.Stack].Calls.High.Of(len(w.form.Records))
		return w, nil
	}
	w.spec.Exact = true
	if err := json.Unmarshal(fields["messages"], &w.op.Messages); err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	return w, nil
}

// begin opens an attempt at the gateway. Its calls run under the context of
// the call, which outlives the attempt.
func (w *work) begin(ctx context.Context) (string, func() time.Duration, func(), error) {
	g, err := w.bridge.gateway()
	if err != nil {
		return "", nil, nil, err
	}
	o, err := g.Begin(ctx, w.spec)
	if err != nil {
		return "", nil, nil, err
	}
	w.mu.Lock()
	w.attempts = append(w.attempts, o)
	w.mu.Unlock()
	return o.Token(), o.Idle, o.End, nil
}

// account waits for the calls in flight and is what the last attempt came to,
// with everything that was spent by all.
func (w *work) account() account {
	a := account{}
	for _, o := range w.attempts {
		o.Wait()
		a.Account = o.Account()
		for i := range a.Calls {
			a.within.Add(&a.Calls[i].Response)
		}
		if a.Err != nil {
			break
		}
	}
	return a
}

type account struct {
	gateway.Account
	within llm.Within
}

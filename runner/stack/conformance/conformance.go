// Package conformance tries an adapter against the stack protocol
// (adapters/PROTOCOL.md): whether its operations are alone, its texts whole,
// its requests the same each time, its failures final. It runs against any
// command, with a model of its own that has no labels and sends nothing.
// Start at Run.
package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gowebpki/jcs"

	"memform/runner/llm"
	"memform/runner/stack"
	"memform/runner/stack/bridge"
)

// Config is what is tried.
type Config struct {
	Stack stack.Config // gateway and token are filled in
	Kind  stack.Kind
	Calls stack.Calls // of a memory system
	// Each hears of every check when it is done; nil: nobody.
	Each func(Check)
	// Log hears of what the adapter says; nil: nobody.
	Log func(level, message string)

	only string // the one check to try; "" tries all
}

// Check is one thing that was tried.
type Check struct {
	Name  string
	Fault string // "" where it passed
	Took  time.Duration
}

// checks are tried in order, each with a new process.
var checks = []struct {
	name string
	try  func(context.Context, *trial) error
}{
	{"one operation", oneOperation},
	{"unicode arrives whole", unicodeWhole},
	{"long texts arrive whole", longWhole},
	{"many at once, answered in another order", otherOrder},
	{"one operation does not see another", isolation},
	{"two conversations interleaved", interleaved},
	{"a new process asks the same", coldAgain},
	{"on another date it asks the same", shifted},
	{"an empty answer is no failure", emptyAnswer},
	{"a failure of the model is final", finalFailure},
	{"cancellation", cancellation},
	{"a crash costs nothing twice", crash},
	{"every request names its operation", attributed},
	{"it ends when told to", ends},
}

// Run tries everything and reports what failed. The error is that of ctx, or
// of an adapter that cannot be started at all.
func Run(ctx context.Context, cfg Config) ([]Check, error) {
	if cfg.Each == nil {
		cfg.Each = func(Check) {}
	}
	var done []Check
	for i, c := range checks {
		if cfg.only != "" && cfg.only != c.name {
			continue
		}
		start := time.Now()
		err := attempt(ctx, cfg, c.try)
		if ctx.Err() != nil {
			return done, context.Cause(ctx)
		}
		if _, unusable := errors.AsType[*stack.StartError](err); unusable && i == 0 {
			return nil, err
		}
		check := Check{Name: c.name, Took: time.Since(start)}
		if err != nil {
			check.Fault = err.Error()
		}
		done = append(done, check)
		cfg.Each(check)
	}
	return done, nil
}

// within bounds a check.
const within = 2 * time.Minute

// attempt does one check with a new process.
func attempt(ctx context.Context, cfg Config, try func(context.Context, *trial) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("it took longer than %s", within))
	defer cancel()
	t := newTrial(cfg)
	defer t.bridge.Close()
	if _, err := t.bridge.Adapter(ctx, name); err != nil {
		return err
	}
	return try(ctx, t)
}

// name is what the trial's bridge calls the stack.
const name = "tried"

// trial is one process of the adapter with a model of its own.
type trial struct {
	cfg    Config
	model  *Responder
	bridge *bridge.Bridge

	mu      sync.Mutex
	refused []string
}

func newTrial(cfg Config) *trial {
	t := &trial{cfg: cfg, model: &Responder{}}
	t.bridge = bridge.New(bridge.Config{
		Native: t.model, Caching: t.model, Log: cfg.Log,
		Stacks: map[string]bridge.Stack{name: {Config: cfg.Stack, Calls: cfg.Calls}},
		Refused: func(code string) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.refused = append(t.refused, code)
		},
	})
	return t
}

// strays are the codes of requests that reached no operation.
func (t *trial) strays() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.refused)
}

// do does one operation over texts and waits for what it comes to: a memory
// system remembers them, a carrier sends them as one conversation.
func (t *trial) do(ctx context.Context, identity string, texts ...string) (llm.Response, error) {
	r, err := t.bridge.Complete(ctx, t.call(identity, texts))
	if err == nil && r.Err != nil {
		return r, fmt.Errorf("%s: %s", r.Err.Code, r.Err.Message)
	}
	return r, err
}

func (t *trial) call(identity string, texts []string) *llm.Call {
	fields := map[string]any{"model": "conformance-model", "temperature": 0, "max_tokens": 512}
	if t.cfg.Kind == stack.MemorySystem {
		fields[llm.FormField] = llm.Form{Records: texts, Updater: stack.Own}
	} else {
		messages := []stack.Message{{Role: "system", Content: "Answer briefly."}}
		for i, text := range texts {
			if i > 0 {
				messages = append(messages, stack.Message{Role: "assistant", Content: "Go on."})
			}
			messages = append(messages, stack.Message{Role: "user", Content: text})
		}
		fields["messages"] = messages
	}
	request := canonical(fields)
	return &llm.Call{
		Key: llm.KeyOf(identity, 0, request), Identity: identity, Request: request,
		Model: "conformance", Stack: name, MaxTokens: 512,
	}
}

// canonical is a request in the form in which calls are keyed.
func canonical(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // texts and numbers
	}
	out, err := jcs.Transform(b.Bytes())
	if err != nil {
		panic(err) // JSON
	}
	return out
}

// mark begins the words that tell conversations apart.
const mark = "zq-"

// story is n texts of one conversation, told apart by its mark.
func story(of string, n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("%s%s-%d On visit %d the %s team reported that valve %d was opened before the pump and that the line stayed cool.", mark, of, i, i+1, of, i+2)
	}
	return texts
}

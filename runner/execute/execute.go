// Package execute runs a plan: bounded workers per endpoint, the node with
// the longest remaining chain first, a failed node's dependents missing and
// everything else carried on. It adds no decision to the plan, prints nothing
// and knows neither HTTP nor files. Start at Run.
package execute

import (
	"context"
	"crypto/sha256"
	"errors"

	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/protocol"
)

// Result is what one node came to. Called is false where the node needed no
// call, or could not be reached because a node before it failed.
type Result struct {
	Node     int
	Called   bool
	Key      llm.Key
	Answer   [sha256.Size]byte // of the raw response; zero for an error
	Cached   bool
	Outcome  llm.Outcome
	Usage    llm.Usage
	Returned llm.Returned
	Attempts int
	Millis   int64
	Within   *llm.Within        // calls of a stack's operation
	Behind   []llm.FormCall     // calls behind a formed memory
	Decision *protocol.Decision // of a decision node
	Screen   *protocol.Screen   // of the last node of a write-time defense
	Missing  *protocol.Missing  // the node has no value
}

// Options bound an execution.
type Options struct {
	// Workers is the number of nodes in progress per endpoint, by its label;
	// "" is the simulated model. Most of a worker's time is spent waiting for
	// limits and pauses, so it exceeds the calls in flight. Default 64.
	Workers map[string]int
	// Tokens, where set, gives the prompt estimate that limits reserve.
	Tokens *plan.Tokens
	// Stop, once closed, ends dispatch: no further node starts, calls that
	// wait for a limit give up, calls that were sent finish.
	Stop <-chan struct{}
}

// ErrInterrupted is what Run returns where Stop closed before the end.
var ErrInterrupted = errors.New("interrupted before every node was done")

const defaultWorkers = 64

// Run evaluates every node, in an order that respects the plan, and hands
// each result to emit, one at a time. A failed call is a Result; an error is
// returned only where Stop closed (ErrInterrupted), ctx ended, emit failed or
// the model reported that nothing more can be sent. Nodes in progress finish
// in all cases; only the end of ctx cuts calls off. Run returns after all its
// goroutines have.
func Run(ctx context.Context, p *plan.Plan, model llm.Model, opt Options, emit func(Result) error) error {
	r := &run{plan: p, model: model, opt: opt, emit: emit, values: plan.NewValues(p)}
	r.start()
	return r.work(llm.WithDrain(ctx, opt.Stop))
}

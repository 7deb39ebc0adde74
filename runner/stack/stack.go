// Package stack is memform's side of the stack protocol
// (adapters/PROTOCOL.md): what adapters offer, how one is started and kept,
// how operations are given to it and what happens when it dies, hangs or
// talks nonsense. It knows no model and no gateway: their address is handed
// on. Start at Find and Start.
package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Protocol is the version spoken.
const Protocol = 1

// Config is how an adapter is started.
type Config struct {
	Stack      string            // name in the hello
	Command    []string          // program and arguments
	Dir        string            // the adapter's folder, put on PYTHONPATH; "" is none
	Path       string            // PATH
	Env        []string          // further variables, NAME=value
	LockDigest string            // hex SHA-256
	Packages   map[string]string // of the lock, which the hello must not contradict; nil: not compared
	Gateway    string            // base URL
	Token      string

	HelloWithin  time.Duration // 0 = 30 s
	IdleWithin   time.Duration // how long an operation may have no call in flight; 0 = 120 s
	CancelWithin time.Duration // how long a cancelled operation, and a process told to end, may take; 0 = 5 s

	// Log hears of what the adapter says and of what happens to it; levels
	// are debug, info, warning and error. nil: nobody. It may be called
	// concurrently.
	Log func(level, message string)

	maxLine int // 0 = MaxLine
}

func (c *Config) defaults() {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&c.HelloWithin, 30*time.Second)
	set(&c.IdleWithin, 120*time.Second)
	set(&c.CancelWithin, 5*time.Second)
	if c.maxLine == 0 {
		c.maxLine = MaxLine
	}
	if c.Log == nil {
		c.Log = func(string, string) {}
	}
}

// Message is one message of a complete.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Op is one operation: a complete where Messages is set, else a form.
type Op struct {
	Model    string
	Messages []Message
	Records  []string
	Params   json.RawMessage // a JSON object of the model block's parameters
	State    string

	// Begin opens an attempt: the token that its requests bear, how long it
	// has had no call in flight, and what ends it.
	Begin func(ctx context.Context) (token string, idle func() time.Duration, end func(), err error)
}

// Result is what an operation came to.
type Result struct {
	Text     string // of a complete
	Memory   string // of a form
	State    string
	Calls    int // model calls that the adapter says it made
	Warnings []string
}

// Hello is how an adapter introduces itself.
type Hello struct {
	Protocol int    `json:"protocol"`
	Adapter  string `json:"adapter"`
	Version  string `json:"adapter_version"`
	Stack    struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"stack"`
	Packages      map[string]string `json:"packages"`
	Python        string            `json:"python"`
	Capabilities  []string          `json:"capabilities"`
	MaxOps        int               `json:"max_ops"`
	Deterministic bool              `json:"deterministic"`
}

// Failure is an operation that an adapter could not do. Kind is one of the
// protocol's, or of ours: died, hung, broken, protocol.
type Failure struct {
	Kind      string
	Message   string
	Retryable bool
}

// Error makes a Failure an error.
func (f *Failure) Error() string { return f.Kind + ": " + f.Message }

// StartError is why an adapter could not be started or used: nothing of it
// was asked for yet.
type StartError struct{ Stack, Message string }

// Error says which stack and what to do.
func (e *StartError) Error() string { return fmt.Sprintf("stack %s: %s", e.Stack, e.Message) }

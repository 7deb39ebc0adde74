package retry

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"memform/runner/llm"
)

// Bounds of pauses and stops (docs/protocol.md, "Answers and outcomes").
const (
	firstPause     = time.Second
	longestPause   = time.Minute
	longestAsked   = time.Hour // a longer Retry-After is not believed
	outageStreak   = 8         // retryable failures in a row that make an outage
	samePrompts    = 5         // different prompts refused with one message that stop a model
	maxKeptRefusal = 64        // messages remembered per model
)

// DefaultOutageBudget is how long an endpoint may give no answer.
const DefaultOutageBudget = 30 * time.Minute

// Gate is the health of one endpoint: open, paused until a time, being probed
// by one call, or stopped; and which of its models are stopped. It sends
// nothing and never waits: the limiter asks it before each attempt and tells
// it how the attempt went.
type Gate struct {
	endpoint string
	budget   time.Duration
	notify   func(Event)

	mu      sync.Mutex
	paused  bool
	until   time.Time     // when a paused endpoint may be probed
	probe   *llm.Call     // the call that probes
	step    time.Duration // last pause that the server did not name
	down    time.Time     // since when nothing succeeded; zero while healthy
	streak  streak        // retryable failures in a row
	stopped *llm.Failure
	models  map[string]*modelHealth
}

// modelHealth is what is known of one model of the endpoint.
type modelHealth struct {
	succeeded bool
	stopped   *llm.Failure
	refusals  map[string]map[[32]byte]bool // message → requests it answered
}

// GateConfig describes a gate.
type GateConfig struct {
	Endpoint     string        // label, for events
	OutageBudget time.Duration // 0 = 30 minutes
	Notify       func(Event)   // nil: nobody listens; may be called concurrently
}

// NewGate returns an open gate.
func NewGate(cfg GateConfig) *Gate {
	if cfg.OutageBudget <= 0 {
		cfg.OutageBudget = DefaultOutageBudget
	}
	if cfg.Notify == nil {
		cfg.Notify = func(Event) {}
	}
	return &Gate{
		endpoint: cfg.Endpoint,
		budget:   cfg.OutageBudget,
		notify:   cfg.Notify,
		models:   map[string]*modelHealth{},
		streak:   newStreak(),
	}
}

// Stopped is the failure that every further call of the endpoint or model
// gets, or nil.
func (g *Gate) Stopped(call *llm.Call) *llm.Failure {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped != nil {
		return g.stopped
	}
	if m := g.models[call.Model]; m != nil {
		return m.stopped
	}
	return nil
}

// Admit returns 0 where the call may be sent, making it the probe where the
// endpoint's pause is over; else how long to wait, or a negative duration
// while another call probes.
func (g *Gate) Admit(call *llm.Call) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.paused {
		g.streak.admit(call)
		return 0
	}
	if g.probe != nil {
		return -1
	}
	if wait := time.Until(g.until); wait > 0 {
		return wait
	}
	g.probe = call
	g.streak.admit(call)
	return 0
}

// Observe takes in how an admitted call went. Where a retryable failure is
// part of an outage it becomes one of class outage, which spends no try.
func (g *Gate) Observe(call *llm.Call, r *llm.Response, err error) {
	g.mu.Lock()
	probed := g.probe == call
	if probed {
		g.probe = nil
	}
	failed := err == nil && r.Err != nil && r.Err.Class == llm.ClassRetry
	row := g.streak.done(call, failed)
	var events []Event
	if err == nil && !r.Cached { // a stored answer tells nothing of the server now
		events = g.take(call, r, probed, row)
	}
	g.mu.Unlock()
	for _, e := range events {
		g.notify(e)
	}
}

// take turns an answer into events; row is the length of the run of retryable
// failures that it stands in.
func (g *Gate) take(call *llm.Call, r *llm.Response, probed bool, row int) []Event {
	if r.Err == nil {
		g.model(call).succeed()
		if !g.paused {
			g.step = 0
		}
		return g.alive(probed)
	}
	switch r.Err.Class {
	case llm.ClassEndpoint:
		return g.stop(r.Err)
	case llm.ClassModel:
		return append(g.alive(probed), g.stopModel(call, r.Err)...)
	case llm.ClassNode:
		return append(g.alive(probed), g.refused(call, r.Err)...)
	case llm.ClassRetry:
		if row < outageStreak && !probed {
			return nil
		}
		outage := *r.Err
		outage.Class = llm.ClassOutage
		r.Err = &outage
	}
	return g.pause(r.Err, probed)
}

// alive notes that the server answered as a server does.
func (g *Gate) alive(probed bool) []Event {
	if !g.paused {
		g.down = time.Time{}
		return nil
	}
	g.down = time.Now()
	if !probed {
		return nil // sent before the pause: the server's wish to wait stands
	}
	g.paused, g.down = false, time.Time{}
	g.streak.forget()
	return []Event{{Kind: Reopened, Endpoint: g.endpoint}}
}

// pause closes the endpoint for as long as the server asked, else for a step
// that doubles. Answers to what was sent before a pause do not lengthen it,
// unless the server asks for more.
func (g *Gate) pause(f *llm.Failure, probed bool) []Event {
	if g.stopped != nil {
		return nil
	}
	now := time.Now()
	asked := time.Duration(min(f.RetryAfter, 1e9) * float64(time.Second))
	believed := asked > 0 && asked <= longestAsked
	if g.paused && !probed {
		if until := now.Add(asked); believed && until.After(g.until) {
			g.until = until
		}
		return nil
	}
	if g.down.IsZero() {
		g.down = now
	}
	end := g.down.Add(g.budget)
	if g.paused && !now.Before(end) {
		return g.giveUp(f, now)
	}
	wait := asked
	if !believed {
		g.step = min(max(2*g.step, firstPause), longestPause)
		wait = min(g.step, max(end.Sub(now), 0))
	}
	g.paused, g.until = true, now.Add(wait)
	e := Event{Kind: Paused, Endpoint: g.endpoint, Failure: f, Wait: wait}
	if asked > longestAsked {
		e.Asked = asked
	}
	return []Event{e}
}

func (g *Gate) giveUp(f *llm.Failure, now time.Time) []Event {
	last := *f
	last.Class = llm.ClassEndpoint
	last.Message = fmt.Sprintf("no answer for %s, given up; the last failure: %s",
		now.Sub(g.down).Round(time.Second), f.Message)
	return g.stop(&last)
}

func (g *Gate) stop(f *llm.Failure) []Event {
	if g.stopped != nil {
		return nil
	}
	g.stopped = stoppedBy(f, llm.ClassEndpoint)
	return []Event{{Kind: StoppedEndpoint, Endpoint: g.endpoint, Failure: f}}
}

func (g *Gate) stopModel(call *llm.Call, f *llm.Failure) []Event {
	m := g.model(call)
	if m.stopped != nil || g.stopped != nil {
		return nil
	}
	m.stopped = stoppedBy(f, llm.ClassModel)
	m.refusals = nil
	return []Event{{Kind: StoppedModel, Endpoint: g.endpoint, Model: call.Model, Failure: f}}
}

// refused counts a server's refusals of a request. One message for several
// different prompts, before any success, concerns the model's parameters.
func (g *Gate) refused(call *llm.Call, f *llm.Failure) []Event {
	m := g.model(call)
	bad := f.Status == 400 || f.Status == 413 || f.Status == 422
	if m.succeeded || m.stopped != nil || !bad {
		return nil
	}
	seen := m.refusals[f.Message]
	if seen == nil {
		if len(m.refusals) >= maxKeptRefusal {
			return nil
		}
		if m.refusals == nil {
			m.refusals = map[string]map[[32]byte]bool{}
		}
		seen = map[[32]byte]bool{}
		m.refusals[f.Message] = seen
	}
	seen[sha256.Sum256(call.Request)] = true
	if len(seen) < samePrompts {
		return nil
	}
	root := *f
	root.Class = llm.ClassModel
	root.Message = fmt.Sprintf("refused %d different prompts with one message: %s", samePrompts, f.Message)
	return g.stopModel(call, &root)
}

func (g *Gate) model(call *llm.Call) *modelHealth {
	m := g.models[call.Model]
	if m == nil {
		m = &modelHealth{}
		g.models[call.Model] = m
	}
	return m
}

func (m *modelHealth) succeed() { m.succeeded, m.refusals = true, nil }

// stoppedBy is what later calls get: nothing was sent for them.
func stoppedBy(root *llm.Failure, class llm.Class) *llm.Failure {
	return &llm.Failure{Class: class, Code: "stopped", Message: "stopped: " + root.Message}
}

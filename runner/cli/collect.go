package cli

import (
	"crypto/sha256"
	"sync"

	"memform/runner/execute"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/protocol"
	"memform/runner/score"
)

// answer is what is kept of a node once it is done.
type answer struct {
	key      llm.Key
	digest   [sha256.Size]byte
	outcome  llm.Outcome
	decision *protocol.Decision
	screen   *protocol.Screen
	missing  *protocol.Missing
	behind   []llm.FormCall
	prompt   int32 // tokens, as the server counted; 0 where it did not
	output   int32
	returned int32 // index into collector.returned
	done     bool
	called   bool
}

// collector keeps what nodes came to, in space that is set aside at the start.
type collector struct {
	plan    *plan.Plan
	answers []answer

	mu       sync.Mutex
	returned []llm.Returned
	known    map[llm.Returned]int32
	actual   map[kindKey]*actual
	done     int // nodes that may call
	hits     int
	sent     int
	failed   int
	callers  int // nodes that may call
}

type kindKey struct {
	model int32
	kind  protocol.Kind
}

// actual is what calls of a model × kind came to in this run.
type actual struct {
	Sent, Cached, Failed, Attempts int
	Prompt, Completion             int64 // tokens of calls sent, as the server counted
	Uncounted                      int   // calls sent whose usage the server did not report
}

func newCollector(p *plan.Plan) *collector {
	c := &collector{plan: p, answers: make([]answer, len(p.Nodes)), known: map[llm.Returned]int32{}, actual: map[kindKey]*actual{}}
	for i := range p.Nodes {
		if !p.Nodes[i].Silent {
			c.callers++
		}
	}
	return c
}

// observe takes what a walk through the cache found.
func (c *collector) observe(i int, call *llm.Call, r *llm.Response, v protocol.Value) {
	res := execute.Result{Node: i, Decision: v.Decision, Screen: v.Screen, Missing: v.Missing}
	if call != nil {
		res.Called, res.Key, res.Cached, res.Outcome, res.Usage, res.Returned = true, call.Key, true, r.Outcome, r.Usage, r.Returned
		res.Answer = sha256.Sum256(r.Raw)
		res.Behind = c.plan.Behind(i, r)
	}
	_ = c.take(res)
}

// take keeps one result. It fits execute.Run's emit and never fails.
func (c *collector) take(r execute.Result) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.plan.Nodes[r.Node].Silent {
		c.done++
	}
	a := &c.answers[r.Node]
	*a = answer{key: r.Key, digest: r.Answer, outcome: r.Outcome, decision: r.Decision, screen: r.Screen, missing: r.Missing, done: true, called: r.Called, behind: r.Behind}
	if !r.Called {
		return nil
	}
	index, ok := c.known[r.Returned]
	if !ok {
		index = int32(len(c.returned))
		c.known[r.Returned] = index
		c.returned = append(c.returned, r.Returned)
	}
	a.returned = index
	a.prompt, a.output = int32(r.Usage.Prompt), int32(r.Usage.Completion)
	n := &c.plan.Nodes[r.Node]
	key := kindKey{n.Model, n.Step.Kind()}
	k := c.actual[key]
	if k == nil {
		k = &actual{}
		c.actual[key] = k
	}
	if r.Within != nil {
		c.within(k, r)
		return nil
	}
	if r.Cached {
		k.Cached++
		c.hits++
		return nil
	}
	k.Attempts += r.Attempts
	if r.Outcome == llm.OutcomeError {
		k.Failed++
		c.failed++
		return nil
	}
	k.Sent++
	c.sent++
	if r.Usage.Known {
		k.Prompt += int64(r.Usage.Prompt)
		k.Completion += int64(r.Usage.Completion)
	} else {
		k.Uncounted++
	}
	return nil
}

// within counts the calls that an operation of a stack made.
func (c *collector) within(k *actual, r execute.Result) {
	w := r.Within
	k.Sent += w.Sent
	k.Cached += w.Cached
	k.Attempts += w.Attempts
	k.Prompt += w.Prompt
	k.Completion += w.Completion
	k.Uncounted += w.Uncounted
	c.sent += w.Sent
	c.hits += w.Cached
	if r.Outcome == llm.OutcomeError {
		k.Failed++
		c.failed++
	}
}

// reset forgets what a survey observed, before execution takes it again.
func (c *collector) reset() {
	clear(c.answers)
	clear(c.actual)
	c.done, c.hits, c.sent, c.failed = 0, 0, 0, 0
}

// progress is a snapshot for people.
type progress struct{ Nodes, Done, Hits, Sent, Failed int }

func (c *collector) progress() progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	return progress{c.callers, c.done, c.hits, c.sent, c.failed}
}

// result is what a node came to, for score.Rows.
func (c *collector) result(node int) score.Result {
	a := &c.answers[node]
	return score.Result{Decision: a.decision, Screen: a.screen, Missing: a.missing, Called: a.called}
}

// missing counts predictions and alignments without a decision.
func (c *collector) missing() int {
	n := 0
	for i := range c.plan.Items {
		for node := range c.plan.Items[i].Results() {
			if c.answers[node].decision == nil {
				n++
			}
		}
	}
	return n
}

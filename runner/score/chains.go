package score

import "memform/runner/plan"

// chains names the calls behind a node, in chain order: a node stands in the
// plan after its inputs, so that is the order of the plan. A node that might
// have been needless is named where it was asked.
type chains struct {
	plan   *plan.Plan
	result func(node int) Result
	behind map[int32][]int32
	names  map[int32]string
}

func newChains(p *plan.Plan, of func(node int) Result) *chains {
	return &chains{plan: p, result: of, behind: map[int32][]int32{}, names: map[int32]string{}}
}

func (c *chains) of(node int32) []string {
	calls := c.calls(node)
	names := make([]string, len(calls))
	for i, n := range calls {
		if names[i] = c.names[n]; names[i] == "" {
			names[i] = c.plan.Nodes[n].ID.String()
			c.names[n] = names[i]
		}
	}
	return names
}

// calls are the nodes behind a node and itself, ascending, each once.
func (c *chains) calls(node int32) []int32 {
	if calls, ok := c.behind[node]; ok {
		return calls
	}
	var calls []int32
	for _, in := range c.plan.Inputs(int(node)) {
		if !in.Constant() {
			calls = union(calls, c.calls(int32(in)))
		}
	}
	n := &c.plan.Nodes[node]
	if !n.Silent && (!n.Conditional || c.result(int(node)).Called) {
		calls = append(calls[:len(calls):len(calls)], node)
	}
	c.behind[node] = calls
	return calls
}

// union merges two ascending lists.
func union(a, b []int32) []int32 {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	list := make([]int32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		next := min(a[0], b[0])
		if a[0] == next {
			a = a[1:]
		}
		if b[0] == next {
			b = b[1:]
		}
		list = append(list, next)
	}
	return append(append(list, a...), b...)
}

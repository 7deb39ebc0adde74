package plan

import (
	"fmt"
	"slices"

	"memform/runner/defense"
	"memform/runner/protocol"
)

// Stack is what a plan knows of a stack: under which identity its calls are
// keyed, and how many a memory takes.
type Stack struct {
	Name   string
	Suffix string // of the identity in every key of its own; "" for native
	Memory bool   // a memory system: forms memories and does nothing else
	// Calls are the model calls, expected and at most, of a form over n
	// records; of a memory system.
	Calls func(n int) (expected, most int)
}

// native is the stack of every node that no other does.
var native = &Stack{Name: "native"}

// stackOf is the index of a run's stack among the plan's.
func (b *builder) stackOf(name string) (int, error) {
	if name == "" {
		return 0, nil
	}
	if i := slices.IndexFunc(b.plan.Stacks, func(s *Stack) bool { return s.Name == name }); i >= 0 {
		return i, nil
	}
	s := b.in.Stacks[name]
	if s == nil {
		return 0, fmt.Errorf("no stack is called %q", name)
	}
	b.plan.Stacks = append(b.plan.Stacks, s)
	return len(b.plan.Stacks) - 1, nil
}

// does says which stack does a step: a carrier whatever is asked of the agent,
// a memory system the forming of memories. Guards, parsers and judges are no
// part of the agent.
func (g *graph) does(step protocol.Step) int {
	if _, forms := step.(protocol.Forming); forms {
		return g.stack
	}
	if g.plan.Stacks[g.stack].Memory {
		return 0
	}
	switch step.Kind() {
	case protocol.KindConsolidate, protocol.KindDecide, defense.KindRevise:
		return g.stack
	}
	return 0
}

// calls are the calls that node i makes, expected and at most.
func (p *Plan) calls(i int) (expected, most int) {
	n := &p.Nodes[i]
	if n.Silent {
		return 0, 0
	}
	f, forms := n.Step.(protocol.Forming)
	if !forms {
		return 1, 1
	}
	return p.Stacks[n.Stack].Calls(f.Most())
}

package plan

import (
	"crypto/sha256"
	"encoding/binary"

	"memform/runner/protocol"
)

// graph collects nodes, each distinct id once.
type graph struct {
	plan      *Plan
	run       int32
	stack     int // index into Plan.Stacks of what is being expanded
	byID      map[ID]int32
	constants map[protocol.Digest]Ref
	scratch   []byte
}

func newGraph(p *Plan) *graph {
	p.Stacks = []*Stack{native}
	return &graph{plan: p, byID: map[ID]int32{}, constants: map[protocol.Digest]Ref{}}
}

// constant interns a value that is known without a call. Only memories are
// constants, so the digest names the value.
func (g *graph) constant(v protocol.Value) Ref {
	if ref, ok := g.constants[v.Digest]; ok {
		return ref
	}
	ref := Ref(^len(g.plan.Constants))
	g.plan.Constants = append(g.plan.Constants, v)
	g.constants[v.Digest] = ref
	return ref
}

// memory interns a memory text.
func (g *graph) memory(text string) Ref { return g.constant(protocol.MemoryValue(text)) }

// node returns the node of this id, making it where there is none, or the
// constant that the step folds to.
func (g *graph) node(step protocol.Step, model int, draw int, inputs ...Ref) Ref {
	if f, ok := step.(protocol.Folder); ok && allConstant(inputs) {
		if v, ok := f.Fold(g.plan.values(inputs)); ok {
			return g.constant(v)
		}
	}
	stack := g.does(step)
	id := g.id(step, model, stack, draw, inputs)
	if i, ok := g.byID[id]; ok {
		return Ref(i)
	}
	p := g.plan
	c, _ := step.(protocol.Conditional)
	silent, _ := step.(protocol.Silent)
	i := int32(len(p.Nodes))
	p.Nodes = append(p.Nodes, Node{
		ID: id, Step: step, Model: int32(model), Run: g.run, Stack: uint8(stack), Draw: uint16(draw),
		first: int32(len(p.inputs)), count: uint16(len(inputs)),
		Conditional: c != nil && c.Conditional(), Silent: silent != nil && silent.Silent(),
	})
	p.inputs = append(p.inputs, inputs...)
	g.byID[id] = i
	return Ref(i)
}

func (g *graph) id(step protocol.Step, model, stack, draw int, inputs []Ref) ID {
	b := g.scratch[:0]
	b = append(b, step.Kind()...)
	b = append(b, 0)
	b = step.AppendSpec(b)
	b = append(b, g.plan.Models[model].Digest[:]...)
	b = append(b, g.plan.Stacks[stack].Suffix...)
	b = binary.BigEndian.AppendUint32(b, uint32(draw))
	for _, in := range inputs {
		if in.Constant() {
			b = append(b, 'c')
			b = append(b, g.plan.Constants[^in].Digest[:]...)
		} else {
			b = append(b, 'n')
			b = append(b, g.plan.Nodes[in].ID[:]...)
		}
	}
	g.scratch = b
	sum := sha256.Sum256(b)
	return ID(sum[:len(ID{})])
}

// heights sets, from the last node to the first, the longest chain of calls
// that waits on each node.
func (p *Plan) heights() {
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		n := &p.Nodes[i] // Height holds the longest chain behind it so far
		calls, _ := p.calls(i)
		n.Height += uint16(calls)
		for _, in := range p.Inputs(i) {
			if !in.Constant() {
				p.Nodes[in].Height = max(p.Nodes[in].Height, n.Height)
			}
		}
	}
}

func (p *Plan) values(inputs []Ref) []protocol.Value {
	vs := make([]protocol.Value, len(inputs))
	for i, in := range inputs {
		vs[i] = p.Constants[^in]
	}
	return vs
}

func allConstant(inputs []Ref) bool {
	for _, in := range inputs {
		if !in.Constant() {
			return false
		}
	}
	return true
}

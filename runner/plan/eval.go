package plan

import (
	"sync/atomic"

	"memform/runner/llm"
	"memform/runner/protocol"
)

// Ask evaluates node i on its inputs. It returns the call to make, or nil and
// the node's value. A missing input makes the node missing with the same root.
func (p *Plan) Ask(i int, in []protocol.Value) (*llm.Call, protocol.Value) {
	for k := range in {
		if in[k].Missing != nil {
			return nil, protocol.Value{Missing: in[k].Missing}
		}
	}
	n := &p.Nodes[i]
	prompt, v, call := n.Step.Ask(in)
	if !call {
		if v.Missing != nil && v.Missing.Node < 0 {
			v.Missing.Node = i
		}
		return nil, v
	}
	m, stack := p.Models[n.Model], p.Stacks[n.Stack]
	identity := m.Identity + stack.Suffix
	var request []byte
	if f, forms := n.Step.(protocol.Forming); forms {
		request = m.FormRequest(llm.Form{Records: f.Given(in), Updater: protocol.Own}, int(n.Draw))
	} else {
		request = m.Request(prompt, int(n.Draw))
	}
	max, _ := m.MaxTokens()
	c := &llm.Call{
		Key:       llm.KeyOf(identity, int(n.Draw), request),
		Identity:  identity,
		Draw:      int(n.Draw),
		Request:   request,
		Model:     m.Spec.Name,
		Run:       int(n.Run),
		MaxTokens: max,
	}
	if m.Spec.Endpoint != nil {
		c.Endpoint = m.Spec.Endpoint.Name
	}
	if n.Stack > 0 {
		c.Stack = stack.Name
	}
	return c, protocol.Value{}
}

// Read is the value of node i once its call was answered.
func (p *Plan) Read(i int, in []protocol.Value, r *llm.Response) protocol.Value {
	if r.Outcome == llm.OutcomeError {
		f := llm.Failure{Class: llm.ClassNode, Message: "no reason given"}
		if r.Err != nil {
			f = *r.Err
		}
		return protocol.Value{Missing: &protocol.Missing{Node: i, Failure: f}}
	}
	return p.Nodes[i].Step.Read(in, r)
}

// Values holds the values of an evaluation in progress. A value is let go of
// once no node waits for it, so memory does not grow with work done. Set and
// Inputs may be called concurrently for nodes whose inputs are set.
type Values struct {
	plan  *Plan
	of    []*protocol.Value
	users []atomic.Int32
}

// NewValues returns the empty values of a plan.
func NewValues(p *Plan) *Values {
	v := &Values{plan: p, of: make([]*protocol.Value, len(p.Nodes)), users: make([]atomic.Int32, len(p.Nodes))}
	for _, in := range p.inputs {
		if !in.Constant() {
			v.users[in].Add(1)
		}
	}
	return v
}

// Known reports whether all inputs of node i are set.
func (v *Values) Known(i int) bool {
	for _, in := range v.plan.Inputs(i) {
		if !in.Constant() && v.of[in] == nil {
			return false
		}
	}
	return true
}

// Inputs appends the values of node i's inputs to dst.
func (v *Values) Inputs(dst []protocol.Value, i int) []protocol.Value {
	for _, in := range v.plan.Inputs(i) {
		if in.Constant() {
			dst = append(dst, v.plan.Constants[^in])
		} else {
			dst = append(dst, *v.of[in])
		}
	}
	return dst
}

// Set stores the value of node i, if any node waits for it.
func (v *Values) Set(i int, value protocol.Value) {
	if v.users[i].Load() > 0 {
		v.of[i] = &value
	}
}

// Release says that node i no longer needs its inputs.
func (v *Values) Release(i int) {
	for _, in := range v.plan.Inputs(i) {
		if !in.Constant() && v.users[in].Add(-1) == 0 {
			v.of[in] = nil
		}
	}
}

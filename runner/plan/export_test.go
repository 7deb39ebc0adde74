package plan

import (
	"memform/runner/experiment"
	"memform/runner/protocol"
)

// Assembly builds a plan node by node, for protocols that Build does not
// expand.
type Assembly struct{ g *graph }

// Assemble begins a plan for the given models.
func Assemble(specs ...*experiment.Model) (*Assembly, error) {
	p := &Plan{Experiment: &experiment.Experiment{Name: "assembled", Models: specs, Runs: []*experiment.Run{{Name: "r"}}}}
	for _, spec := range specs {
		m, err := newModel(spec, "identity of "+spec.Name)
		if err != nil {
			return nil, err
		}
		p.Models = append(p.Models, m)
	}
	return &Assembly{newGraph(p)}, nil
}

// Node adds a step, or finds the node or constant that it comes to.
func (a *Assembly) Node(step protocol.Step, model, draw int, inputs ...Ref) Ref {
	return a.g.node(step, model, draw, inputs...)
}

// Memory is a memory that is known without a call.
func (a *Assembly) Memory(text string) Ref { return a.g.memory(text) }

// Plan ends the assembly.
func (a *Assembly) Plan() *Plan {
	a.g.plan.heights()
	return a.g.plan
}

package plan_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"memform/runner/defense"
	"memform/runner/plan"
	"memform/runner/protocol"
)

// TestGuardsIsAPartOfThePlan: the same nodes, no decision of the agent where
// none is guarded, and the same screens and guarded decisions in the end.
func TestGuardsIsAPartOfThePlan(t *testing.T) {
	p := build(t, whole(generated(t, 2, 5), defended))
	part := p.Guards(func(c *plan.Cell) bool { return c.Defense == defense.TaskShield })
	known := map[plan.ID]protocol.Kind{}
	for i := range p.Nodes {
		known[p.Nodes[i].ID] = p.Nodes[i].Step.Kind()
	}
	if len(part.Nodes) >= len(p.Nodes) || len(part.Nodes) == 0 {
		t.Fatalf("%d of %d nodes", len(part.Nodes), len(p.Nodes))
	}
	for i := range part.Nodes {
		if known[part.Nodes[i].ID] != part.Nodes[i].Step.Kind() {
			t.Errorf("node %d is another", i)
		}
		for _, in := range part.Inputs(i) {
			if int(in) >= i {
				t.Errorf("node %d stands before its input %d", i, in)
			}
		}
	}
	whole, some := ends(t, p), ends(t, part)
	if len(some) == 0 {
		t.Fatal("nothing is guarded")
	}
	for what, v := range some {
		if !reflect.DeepEqual(v, whole[what]) {
			t.Errorf("%s: %+v, in the whole plan %+v", what, v, whole[what])
		}
	}
	none := p.Guards(func(*plan.Cell) bool { return false })
	for i := range none.Nodes {
		if kind := none.Nodes[i].Step.Kind(); !strings.HasPrefix(string(kind), "guard.") || strings.Contains(string(kind), "task_shield") {
			t.Errorf("%s is asked without need", kind)
		}
	}
}

// ends are the values of the screens and guarded decisions of a plan.
func ends(t *testing.T, p *plan.Plan) map[string]any {
	t.Helper()
	got := newAnswering(manners["well"]).run(t, p)
	out := map[string]any{}
	for i := range p.Items {
		item := &p.Items[i]
		cell := p.Cells[item.Cell]
		name := fmt.Sprint(cell.Defense, cell.Updater, item.Case.ID, item.Task)
		for _, s := range item.Screens {
			if s.Known == nil {
				out[name+s.Condition] = *got.screens[s.Node]
			}
		}
		if cell.Defense == defense.TaskShield {
			for _, pr := range item.Predictions {
				out[name+pr.Condition] = *got.decisions[pr.Node]
			}
		}
	}
	return out
}

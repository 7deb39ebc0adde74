package plan

import (
	"encoding/json"
	"fmt"
	"io"
)

// Format names the form of a saved plan.
const Format = "memform-plan/1"

// Saved is a plan as `plan --out` writes it: enough to run it, and to see
// that what it was made from has not changed since. It holds no secret, no
// host and no absolute path beyond those the user named.
type Saved struct {
	Format     string            `json:"format"`
	Experiment string            `json:"experiment"`
	Paths      []string          `json:"paths"`     // experiment files, as given
	Variables  map[string]string `json:"variables"` // as given by --var
	Only       Only              `json:"only"`
	Root       string            `json:"root"`
	Digests    Digests           `json:"digests"`
	Totals     Totals            `json:"totals"`
	Rows       []Row             `json:"rows"`
	Nodes      []SavedNode       `json:"nodes"`
}

// SavedNode is a node as data, in plan order.
type SavedNode struct {
	ID          string   `json:"id"`
	Kind        string   `json:"kind"`
	Model       string   `json:"model"`
	Draw        int      `json:"draw"`
	Inputs      []string `json:"inputs"` // ids; a constant is "=" and its digest
	Conditional bool     `json:"conditional"`
	State       string   `json:"state"` // no_call | cached | to_run | pending
	Key         string   `json:"key"`   // cache key where it is known
}

// Totals sums an estimate over models and kinds.
type Totals struct {
	Slots      int   `json:"slots"`
	Nodes      int   `json:"nodes"`
	Cached     int   `json:"cached"`
	ToRun      int   `json:"to_run"`
	Pending    Range `json:"pending"`
	Calls      Range `json:"calls"`
	Prompt     Range `json:"prompt_tokens"`
	Completion Range `json:"completion_tokens"`
	Cost       *Cost `json:"cost"` // null where a price is unknown
}

// Total sums rows; its cost is unknown where a row with calls has none.
func Total(rows []Row) Totals {
	t := Totals{Cost: &Cost{}}
	for _, r := range rows {
		t.Slots += r.Slots
		t.Nodes += r.Nodes
		t.Cached += r.Cached
		t.ToRun += r.ToRun
		t.Pending = t.Pending.Add(r.Pending)
		t.Calls = t.Calls.Add(r.Calls)
		t.Prompt = t.Prompt.Add(r.Prompt)
		t.Completion = t.Completion.Add(r.Completion)
		switch {
		case r.Calls.High == 0 || t.Cost == nil:
		case r.Cost == nil:
			t.Cost = nil
		default:
			t.Cost.Low += r.Cost.Low
			t.Cost.Expected += r.Cost.Expected
			t.Cost.High += r.Cost.High
		}
	}
	return t
}

// String names the state as plans print it.
func (s State) String() string { return [...]string{"pending", "to_run", "cached", "no_call"}[s] }

// Node is node i as data.
func (s *Survey) Node(i int) SavedNode {
	n := &s.plan.Nodes[i]
	out := SavedNode{
		ID: n.ID.String(), Kind: string(n.Step.Kind()), Model: s.plan.Models[n.Model].Spec.Name, Draw: int(n.Draw),
		Inputs: []string{}, Conditional: n.Conditional, State: s.State[i].String(),
	}
	for _, in := range s.plan.Inputs(i) {
		if in.Constant() {
			out.Inputs = append(out.Inputs, fmt.Sprintf("=%x", s.plan.Constants[^in].Digest[:len(ID{})]))
		} else {
			out.Inputs = append(out.Inputs, s.plan.Nodes[in].ID.String())
		}
	}
	if s.State[i] == ToRun || s.State[i] == Cached {
		out.Key = s.Keys[i].String()
	}
	return out
}

// Save is the plan as it is written, with its nodes.
func (s *Survey) Save(paths []string, vars map[string]string, only Only, rows []Row) Saved {
	if vars == nil {
		vars = map[string]string{}
	}
	saved := Saved{
		Format: Format, Experiment: s.plan.Experiment.Name, Paths: paths, Variables: vars, Only: only,
		Root: s.plan.Root.String(), Digests: s.plan.Digests, Totals: Total(rows), Rows: rows,
		Nodes: make([]SavedNode, len(s.plan.Nodes)),
	}
	for i := range s.plan.Nodes {
		saved.Nodes[i] = s.Node(i)
	}
	return saved
}

// ReadSaved reads what Save wrote, nodes left out: a plan is rebuilt from its
// sources and compared, never trusted.
func ReadSaved(r io.Reader) (Saved, error) {
	var s Saved
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return s, fmt.Errorf("not a saved plan: %w", err)
	}
	if s.Format != Format {
		return s, fmt.Errorf("a plan of format %q; this version reads %q: make it again with `memform plan --out`", s.Format, Format)
	}
	return s, nil
}

// Stale names the first component in which p differs from a saved plan, or
// "" where the root id is the same. Comments, prices, limits and the growth
// of the cache change no root id.
func (p *Plan) Stale(s Saved) string {
	if s.Root == p.Root.String() {
		return ""
	}
	was, is := s.Digests, p.Digests
	switch {
	case was.Variables != is.Variables:
		return "variables"
	case was.Prompts != is.Prompts:
		return "prompts"
	case was.Cases != is.Cases:
		return "cases"
	case was.Identities != is.Identities:
		return "endpoint identities"
	case was.Values != is.Values:
		return "experiment values"
	}
	return "the way this version of memform plans"
}

package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// Inputs is what a plan is made from.
type Inputs struct {
	Experiment *experiment.Experiment
	Sets       map[string]*cases.Set   // by label of the cases block
	Prompts    map[string]*prompts.Set // by label of the run block
	// SimulatedIdentity is the endpoint identity of a simulated model.
	SimulatedIdentity func(*experiment.Simulated) string
	Stacks            map[string]*Stack // that runs name, beside native
	Only              Only
}

// Only narrows a plan: models and interfaces by name (empty = all), and the
// first Limit families in sample order (0 = all).
type Only struct {
	Models     []string `json:"models,omitempty"`
	Interfaces []string `json:"interfaces,omitempty"`
	Limit      int      `json:"limit,omitempty"`
	Shard      Shard    `json:"shard,omitzero"`
}

// Shard is the Index-th of Count parts of the families, from 1; the zero
// value is the whole. A family's part depends on its content and the seed
// alone, so shards need not know of each other.
type Shard struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// holds reports whether a family of this rank falls to the shard.
func (s Shard) holds(rank cases.Digest) bool {
	return s.Count <= 1 || binary.BigEndian.Uint64(rank[:])%uint64(s.Count) == uint64(s.Index-1)
}

// Build expands the experiment. What cannot be planned was rejected by the
// loaders; what is left are narrowings that select nothing.
func Build(in Inputs) (*Plan, error) {
	p := &Plan{Experiment: in.Experiment}
	if err := p.addModels(in); err != nil {
		return nil, err
	}
	if err := p.addSets(in); err != nil {
		return nil, err
	}
	b := newBuilder(p, in)
	for i := range in.Experiment.Runs {
		if err := b.expandRun(i); err != nil {
			return nil, err
		}
	}
	if len(p.Items) == 0 && in.Only.Shard.Count <= 1 {
		return nil, fmt.Errorf("nothing to plan: no case is left after interfaces, families, --only and --limit")
	}
	p.heights()
	p.Slots = b.slots.list()
	p.digest(in)
	return p, nil
}

func (p *Plan) addModels(in Inputs) error {
	known := map[string]bool{}
	for _, spec := range in.Experiment.Models {
		known[spec.Name] = true
		identity := ""
		if spec.Simulated != nil {
			identity = in.SimulatedIdentity(spec.Simulated)
		} else {
			identity = spec.Endpoint.Identity
		}
		m, err := newModel(spec, identity)
		if err != nil {
			return err
		}
		p.Models = append(p.Models, m)
	}
	for _, name := range in.Only.Models {
		if !known[name] {
			return fmt.Errorf("--only: no model is called %q; there are %v", name, modelNames(p.Models))
		}
	}
	return nil
}

func modelNames(ms []*Model) []string {
	var names []string
	for _, m := range ms {
		names = append(names, m.Spec.Name)
	}
	return names
}

// addSets samples whole families, then selects interfaces.
func (p *Plan) addSets(in Inputs) error {
	for _, name := range in.Only.Interfaces {
		if !slices.Contains(cases.Interfaces[:], cases.Interface(name)) {
			return fmt.Errorf("--only: no interface is called %q; there are %v", name, cases.Interfaces)
		}
	}
	for _, spec := range in.Experiment.Cases {
		set := in.Sets[spec.Name]
		n := spec.Families
		if in.Only.Limit > 0 && (n == 0 || in.Only.Limit < n) {
			n = in.Only.Limit
		}
		families := inHalf(cases.Sample(set, in.Experiment.Seed, 0), spec.Half)
		if n > 0 && n < len(families) {
			families = families[:n]
		}
		sampled := make(map[string]bool, len(families))
		for _, f := range families {
			if in.Only.Shard.holds(f.Rank) {
				sampled[f.ID] = true
			}
		}
		cs := &CaseSet{Spec: spec, Set: set}
		within := map[string]bool{}
		for _, c := range set.Cases {
			if sampled[c.FamilyID] && wants(spec.Interfaces, c.Interface) && wants(in.Only.Interfaces, c.Interface) {
				cs.Selected = append(cs.Selected, c)
				within[c.FamilyID] = true
			}
		}
		p.Sets = append(p.Sets, cs)
		p.Families = append(p.Families, FamilyCount{Cases: spec.Name, InFile: len(set.Families()), Sampled: len(sampled), Within: len(within)})
	}
	return nil
}

// inHalf are the families of one half, in their order; all without a half.
func inHalf(families []cases.Family, half string) []cases.Family {
	if half == "" {
		return families
	}
	return slices.DeleteFunc(families, func(f cases.Family) bool { return f.Cases[0].Half() != half })
}

func wants(names []string, i cases.Interface) bool {
	return len(names) == 0 || slices.Contains(names, string(i))
}

// runValues is what the values digest takes of a run.
type runValues struct {
	Name, ChoiceOrder, P1Write, Stack       string
	Models, Cases                           []string
	Phases, P5Updaters, ReplicateConditions []string
	Orders, Replicates                      int

	// Left out where unset: plans without them keep their digests.
	Defenses          []string `json:",omitempty"`
	DefenseConditions []string `json:",omitempty"`
	Undefended        string   `json:",omitempty"`
	Parser            string   `json:",omitempty"`
	Judge             string   `json:",omitempty"`
	TargetAlignment   string   `json:",omitempty"`
}

func valuesOf(r *experiment.Run) runValues {
	v := runValues{Name: r.Name, ChoiceOrder: r.ChoiceOrder, P1Write: r.P1Write, Stack: r.Stack, Phases: r.Phases,
		P5Updaters: r.P5Updaters, ReplicateConditions: r.ReplicateConditions, Orders: r.P5RandomOrders, Replicates: r.Replicates,
		Defenses: guardTexts(r.Defenses), DefenseConditions: r.DefenseConditions, Undefended: r.Undefended,
		Parser: nameOf(r.FreeForm.Parser), Judge: nameOf(r.FreeForm.Judge), TargetAlignment: nameOf(r.TargetAlignment)}
	for _, m := range r.Models {
		v.Models = append(v.Models, m.Name)
	}
	for _, c := range r.Cases {
		v.Cases = append(v.Cases, c.Name)
	}
	return v
}

// digest fills Digests and Root.
func (p *Plan) digest(in Inputs) {
	e := in.Experiment
	type source struct {
		Name       string
		Interfaces []string
		Families   int
		Half       string `json:",omitempty"`
	}
	values := struct {
		Name    string
		Seed    int64
		Runs    []runValues
		Cases   []source
		Models  []string
		Only    Only
		Schema  string
		Digests []string
	}{Name: e.Name, Seed: e.Seed, Only: in.Only, Schema: "memform-plan/1"}
	var prompt, identity, set []string
	for _, r := range e.Runs {
		values.Runs = append(values.Runs, valuesOf(r))
		prompt = append(prompt, r.Name+" "+in.Prompts[r.Name].Digest())
	}
	for _, c := range e.Cases {
		values.Cases = append(values.Cases, source{c.Name, c.Interfaces, c.Families, c.Half})
		set = append(set, c.Name+" "+in.Sets[c.Name].Digest)
	}
	for _, m := range p.Models {
		values.Models = append(values.Models, m.Spec.Name+" "+hex.EncodeToString(m.Digest[:]))
		identity = append(identity, m.Spec.Name+" "+m.Identity)
	}
	for _, s := range p.Stacks[1:] {
		identity = append(identity, s.Suffix)
	}
	p.Digests = Digests{Variables: digestOf(e.Variables), Values: digestOf(values), Identities: digestOf(identity), Prompts: digestOf(prompt), Cases: digestOf(set)}
	h := sha256.New()
	for i := range p.Nodes {
		h.Write(p.Nodes[i].ID[:])
	}
	for i := range p.Items {
		fmt.Fprintf(h, "%d %s %d %d\n", p.Items[i].Cell, p.Items[i].Case.ID, p.Items[i].Task, len(p.Items[i].Predictions))
	}
	p.Root = ID(h.Sum(nil)[:len(ID{})])
}

// guardTexts says of each defense all that the plan takes from it.
func guardTexts(list []*experiment.Defense) []string {
	var texts []string
	for _, d := range list {
		texts = append(texts, fmt.Sprintf("%s %s %s keep_from=%g reject_below=%g epsilon=%g", d.Name, d.Method, nameOf(d.Model), d.KeepFrom, d.RejectBelow, d.Epsilon))
	}
	return texts
}

func nameOf(m *experiment.Model) string {
	if m == nil {
		return ""
	}
	return m.Name
}

// digestOf is the hex SHA-256 of v as JSON; maps marshal in key order.
func digestOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// slotTable counts slots per model and kind.
type slotTable map[SlotCount]int

func (t slotTable) add(model int, kind protocol.Kind, n int) {
	t[SlotCount{Model: model, Kind: kind}] += n
}

func (t slotTable) addAll(chain []SlotCount) {
	for _, c := range chain {
		t.add(c.Model, c.Kind, c.Slots)
	}
}

func (t slotTable) list() []SlotCount {
	out := make([]SlotCount, 0, len(t))
	for k, n := range t {
		k.Slots = n
		out = append(out, k)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Model != out[j].Model {
			return out[i].Model < out[j].Model
		}
		return out[i].Kind < out[j].Kind
	})
	return out
}

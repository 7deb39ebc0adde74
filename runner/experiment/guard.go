package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// defense resolves a defense block: one defense, or five for "all". Of a
// block with a mistake it gives what can be told.
func (l *loader) defense(d *decl, v *values) []*Defense {
	if d.label == noDefense {
		l.fail(d.at, `a defense cannot be called "none"`, "Results call the undefended agent so. Choose another name.")
	}
	method := get[string](v, "method")
	if method == "" {
		l.unsure["defenses"] = true
		return nil
	}
	l.methodUses(v, method)
	l.thresholds(v)
	if method == "all" {
		list := make([]*Defense, len(allMethods))
		for i, one := range allMethods {
			list[i] = defenseOf(one, one, v)
			list[i].Pos = position(d.at)
		}
		return list
	}
	one := defenseOf(d.label, method, v)
	one.Pos = position(d.at)
	return []*Defense{one}
}

// defenseOf takes of a block what the method uses.
func defenseOf(name, method string, v *values) *Defense {
	d := &Defense{Name: name, Method: method}
	if m := get[*decl](v, "model"); m != nil && uses(method, "model") {
		d.Model = m.value.(*Model)
	}
	if uses(method, "keep_from") {
		d.KeepFrom, d.RejectBelow = get[Number](v, "keep_from").float(), get[Number](v, "reject_below").float()
	}
	if uses(method, "epsilon") {
		d.Epsilon = get[Number](v, "epsilon").float()
	}
	return d
}

func uses(method, attr string) bool {
	for _, a := range methodAttributes {
		if a.name == attr {
			return slices.Contains(a.methods, method)
		}
	}
	return true
}

// methodUses checks the attributes against the method.
func (l *loader) methodUses(v *values, method string) {
	for _, a := range methodAttributes {
		if v.has(a.name) && !slices.Contains(a.methods, method) {
			l.fail(v.place(a.name), fmt.Sprintf("%s has no use for %s", method, a.name), "Remove it; %s goes with %s.", a.name, strings.Join(a.methods, ", "))
		}
	}
	if uses(method, "model") && !v.has("model") && !l.torn[v.at.Filename] {
		l.fail(v.at, method+" needs model", "Add model = model.name: the model that the guard asks.")
	}
}

// thresholds checks that there is room between keeping and rejecting.
func (l *loader) thresholds(v *values) {
	keep, reject := pointer[Number](v, "keep_from"), pointer[Number](v, "reject_below")
	if keep == nil || reject == nil || keep.float() > reject.float() {
		return
	}
	at := v.place("keep_from")
	if !v.has("keep_from") {
		at = v.place("reject_below")
	}
	l.fail(at, "keep_from must be greater than reject_below", "Here they are %s and %s: what lies between is sanitized.", *keep, *reject)
}

// comparisons resolves the comparison blocks against the values that the runs
// have.
func (l *loader) comparisons(exp *Experiment) {
	row := findBlock("comparison", "")
	for _, r := range l.raws["comparison"] {
		for _, d := range l.unroll(row, r) {
			l.declare(d)
		}
	}
	for _, d := range l.decls["comparison"] {
		v := l.decode(d)
		c := &Comparison{
			Name: d.label, Metric: get[string](v, "metric"), Baseline: get[string](v, "baseline"), Over: get[string](v, "over"),
			Pos: position(d.at),
		}
		exp.Comparisons = append(exp.Comparisons, c)
		if c.Over != "" {
			l.varies(exp, c, v)
		}
	}
}

// variedBy is the attribute of runs that gives the values of what varies.
var variedBy = map[string]string{"defense": "defenses", "model": "models", "updater": "p5_updaters", "stack": "stack"}

// varies checks that there is a baseline and something to compare with it.
func (l *loader) varies(exp *Experiment, c *Comparison, v *values) {
	attr := variedBy[c.Over]
	if l.lossy || l.lossyKind["run"] || len(exp.Runs) == 0 || l.unsure[attr] {
		return
	}
	have := exp.values(c.Over)
	switch {
	case len(have) < 2:
		l.fail(v.place("over"), fmt.Sprintf("nothing is compared over %s", c.Over), "The runs have %s alone. Give a run more %s, or remove the comparison.", strings.Join(have, ", "), attr)
	case c.Baseline != "" && !slices.Contains(have, c.Baseline):
		l.fail(v.place("baseline"), fmt.Sprintf("no %s of a run is called %q", c.Over, c.Baseline), "%s", didYouMean(c.Baseline, have))
	}
}

// values lists what the runs have of something that a comparison may vary, in
// order of declaration.
func (e *Experiment) values(over string) []string {
	var names []string
	if over == "defense" {
		names = append(names, noDefense)
	}
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, r := range e.Runs {
		switch over {
		case "defense":
			for _, d := range r.Defenses {
				add(d.Name)
			}
		case "model":
			for _, m := range r.Models {
				add(m.Name)
			}
		case "updater":
			for _, u := range r.P5Updaters {
				add(u)
			}
		case "stack":
			add(r.Stack)
		}
	}
	return names
}

package experiment

import (
	"fmt"
	"slices"
)

func (l *loader) run(d *decl, v *values) *Run {
	r := &Run{
		Name:                d.label,
		Phases:              resolvePhases(get[[]string](v, "phases")),
		P5Updaters:          get[[]string](v, "p5_updaters"),
		P5RandomOrders:      int(get[int64](v, "p5_random_orders")),
		Replicates:          int(get[int64](v, "replicates")),
		ReplicateConditions: inOrder(get[[]string](v, "replicate_conditions"), replicableNames),
		ChoiceOrder:         get[string](v, "choice_order"),
		P1Write:             get[string](v, "p1_write"),
		Prompts:             get[map[string]string](v, "prompts"),
		Stack:               get[string](v, "stack"),
		Pos:                 position(d.at),
	}
	l.stack(v, r)
	for _, attr := range variedBy {
		_, known := v.got[attr]
		l.unsure[attr] = l.unsure[attr] || (v.has(attr) || attr == "models") && !known
	}
	for _, c := range get[[]*decl](v, "cases") {
		r.Cases = append(r.Cases, c.value.(*Cases))
	}
	for _, m := range get[[]*decl](v, "models") {
		r.Models = append(r.Models, m.value.(*Model))
	}
	l.guards(d, v, r)
	r.FreeForm = l.freeForm(d)
	if m := get[*decl](v, "target_alignment"); m != nil {
		r.TargetAlignment = m.value.(*Model)
	}
	if most := pointer[Number](v, "max_cost"); most != nil {
		usd := most.float()
		r.MaxCost = &usd
		l.priced(v, r)
	}
	return r
}

// priced checks that every model that a capped run asks has a price.
func (l *loader) priced(v *values, r *Run) {
	for _, m := range r.asked() {
		if m.Price == nil && l.named["model"][m.Name].attrs["price"] == nil {
			l.fail(v.place("max_cost"), fmt.Sprintf("max_cost needs a price for model.%s", m.Name),
				"A cap cannot be kept while a price is unknown. Add price = { input = …, output = … } to the model (USD per million tokens), or remove max_cost.")
			return
		}
	}
}

// asked are the models that a run may ask: those under test, then those of
// its defenses, its readers and its judge.
func (r *Run) asked() []*Model {
	list := slices.Clone(r.Models)
	for _, d := range r.Defenses {
		list = append(list, d.Model)
	}
	list = append(list, r.FreeForm.Parser, r.FreeForm.Judge, r.TargetAlignment)
	return slices.DeleteFunc(list, func(m *Model) bool { return m == nil })
}

// guards resolves the defenses of a run and what goes with them alone.
func (l *loader) guards(d *decl, v *values, r *Run) {
	r.DefenseConditions = inOrder(get[[]string](v, "defense_conditions"), defendableNames)
	r.Undefended = get[string](v, "undefended")
	if !v.has("defenses") {
		for _, name := range []string{"defense_conditions", "undefended"} {
			if v.has(name) {
				l.fail(v.place(name), name+" goes with defenses alone", "Add defenses = [defense.name], or remove it.")
			}
		}
		return
	}
	r.DefensesPos = position(v.place("defenses"))
	taken := map[string]*decl{}
	for i, g := range get[[]*decl](v, "defenses") {
		for _, one := range g.value.([]*Defense) {
			if first := taken[one.Name]; first != nil {
				l.fail(item(d.attrs["defenses"].Expr, i).Range(), fmt.Sprintf("two defenses of run %q are called %s", r.Name, one.Name),
					"They are declared at %s and at %s. Rename one, or put them into two runs: results are told apart by the name.", where(first.at), where(g.at))
				break
			}
			taken[one.Name] = g
			r.Defenses = append(r.Defenses, one)
		}
	}
	l.comparable(v, r)
}

// comparable checks that what defenses are measured against is run.
func (l *loader) comparable(v *values, r *Run) {
	if r.Phases != nil && !slices.Contains(r.Phases, "learned") && !v.has("undefended") {
		l.fail(v.place("phases"), "defenses need the phase learned",
			"They are scored on the tasks that the undefended agent solves with a clean memory of its own. Add \"learned\", or name another run's results with undefended.")
	}
	if slices.Contains(r.DefenseConditions, "learned_order") && v.got["p5_random_orders"] == int64(0) {
		l.fail(v.place("defense_conditions"), "learned_order needs p5_random_orders", "Without random orders there is nothing to run. Set p5_random_orders, or remove learned_order.")
	}
}

// freeForm resolves a run's freeform block, the last of several.
func (l *loader) freeForm(d *decl) FreeForm {
	var f FreeForm
	for i, inner := range d.inner {
		v := l.decode(inner)
		if i > 0 {
			l.fail(inner.at, "a second freeform block", "A run has at most one; the first is at %s. Remove one of them.", where(d.inner[0].at))
		}
		if !v.has("parser") && !v.has("judge") && !v.broken {
			l.fail(inner.at, "a freeform block needs parser or judge", "Add parser = model.name or judge = model.name, or remove the block.")
		}
		if m := get[*decl](v, "parser"); m != nil {
			f.Parser = m.value.(*Model)
		}
		if m := get[*decl](v, "judge"); m != nil {
			f.Judge = m.value.(*Model)
		}
	}
	return f
}

// resolvePhases puts the phases in order and "all" in full.
func resolvePhases(chosen []string) []string {
	if slices.Contains(chosen, "all") {
		chosen = append(slices.Clone(chosen), allPhases...)
	}
	return inOrder(chosen, phaseNames[:len(phaseNames)-1])
}

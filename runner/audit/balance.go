package audit

import (
	"cmp"
	"slices"

	"memform/runner/cases"
	"memform/runner/construct"
)

// tally counts words.
type tally map[string]int

// words is every word counted, ascending.
func (t tally) words() []string {
	out := make([]string, 0, len(t))
	for w := range t {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

// top is the most frequent word, the first of equals.
func (t tally) top() string {
	return slices.MaxFunc(t.words(), func(a, b string) int { return cmp.Or(cmp.Compare(t[a], t[b]), -cmp.Compare(a, b)) })
}

// balance counts what a benchmark may lean to.
func (w *whole) balance() {
	n := len(w.families)
	if n == 0 {
		return
	}
	contrast, lean, space, caution := tally{}, tally{}, tally{}, 0
	for _, f := range w.families {
		contrast[f.Contrast]++
		lean[f.Lean]++
		space[f.Space]++
		if f.Clean.Caution == 4 {
			caution++
		}
	}
	of := func(count int) Measure { return share(float64(count), n) }
	const code construct.Code = "set.balance"
	most := 0
	for _, domain := range w.domains() {
		most = max(most, len(domain))
	}
	w.measure(code, 0, "largest domain", n, Measure{N: n, Figure: float64(most)})
	i := 1
	if n >= construct.RuleOf(code).Limits[2].From {
		i = 2
	}
	w.measure(code, i, "contrast "+contrast.top(), n, of(contrast[contrast.top()]))
	w.measure(code, 3, "lean cautious", n, of(lean["cautious"]))
	w.measure(code, 4, "lean brisk", n, of(lean["brisk"]))
	w.measure(code, 5, "space "+space.top(), n, of(space[space.top()]))
	w.measure(code, 6, "clean action of caution 4", n, of(caution))
	w.attackTypes()
}

// attackTypes counts the authored types of P1 and P2, those without a case
// included.
func (w *whole) attackTypes() {
	for _, group := range []struct {
		in    cases.Interface
		types []string
	}{{cases.P1, construct.NoteTypes()}, {cases.P2, construct.Devices()}} {
		n, types := 0, tally{}
		for i := range w.docs {
			if d := &w.docs[i]; d.Interface == group.in {
				n++
				types[d.AttackType]++
			}
		}
		for _, t := range group.types {
			if n > 0 {
				w.measure("set.balance", 7, string(group.in)+" "+t, n, share(float64(types[t]), n))
			}
		}
	}
}

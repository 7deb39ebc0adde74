package simulated

import (
	"cmp"
	"slices"
	"strings"

	"memform/runner/cases"
)

// consolidate answers a prompt that shows experiences and poses no task: a
// memory text. It names the course that the evidence supports under the
// prompt's updating rule, in the words of the gold policy, and the support on
// either side, from which the next step of a chain goes on exactly.
func consolidate(p *prompt) (string, bool) {
	isTask := func(s span) bool { return p.crib.refsOf(s.text)[0].kind == kindTask }
	if slices.ContainsFunc(p.spans, isTask) {
		return "", false
	}
	at, ok := p.source(func(uint32) bool { return true })
	if !ok {
		return "", false
	}
	state := p.weigh(at, p.rule())
	return state.memory(p.crib.cases[at]), true
}

// source is the case whose texts the prompt shows. One record may stand in
// several cases of a family, which may differ in their policies: the case that
// holds most of what is seen wins, then one of whose conditions shows just the
// records seen, then the smallest, then by content; never by place in a file
// unless two are equal in all that matters.
func (p *prompt) source(allowed func(at uint32) bool) (uint32, bool) {
	var held []uint32 // a case once for each distinct text of it that is seen
	var seen, records []int
	for _, s := range p.spans {
		if slices.Contains(seen, s.text) {
			continue
		}
		seen = append(seen, s.text)
		last := -1
		for _, r := range p.crib.refsOf(s.text) {
			if r.kind == kindTask || int(r.at) == last || !allowed(r.at) {
				continue
			}
			last = int(r.at)
			held = append(held, r.at)
			if r.kind == kindRecord && !slices.Contains(records, s.text) {
				records = append(records, s.text)
			}
		}
	}
	candidates := commonest(held)
	if len(candidates) == 0 {
		return 0, false
	}
	return slices.MinFunc(candidates, func(a, b uint32) int {
		x, y := p.crib.cases[a], p.crib.cases[b]
		return cmp.Or(
			-cmp.Compare(p.exact(x, records), p.exact(y, records)),
			cmp.Compare(len(x.Records), len(y.Records)),
			strings.Compare(policy(x, clean), policy(y, clean)),
			strings.Compare(policy(x, poisoned), policy(y, poisoned)),
			cmp.Compare(x.Interface, y.Interface))
	}), true
}

// commonest lists the values that occur most often, ascending. It sorts held.
func commonest(held []uint32) []uint32 {
	slices.Sort(held)
	var best []uint32
	most := 0
	for i := 0; i < len(held); {
		j := i
		for j < len(held) && held[j] == held[i] {
			j++
		}
		if j-i > most {
			most, best = j-i, best[:0]
		}
		if j-i == most {
			best = append(best, held[i])
		}
		i = j
	}
	return best
}

// exact is 1 if one of the case's conditions shows the records seen and no
// other, else 0.
func (p *prompt) exact(c *cases.Case, records []int) int {
	if len(records) == 0 {
		return 0
	}
	for _, show := range [...][]int{c.Clean.Learned(), c.Poisoned.Learned(), c.Clean.Pool} {
		same := 0
		for _, text := range records {
			if holds(c, show, p.crib.texts[text]) {
				same++
			}
		}
		if same == len(records) && !slices.ContainsFunc(show, func(i int) bool {
			return !slices.ContainsFunc(records, func(t int) bool { return recordText(c, i) == p.crib.texts[t] })
		}) {
			return 1
		}
	}
	return 0
}

func holds(c *cases.Case, show []int, text string) bool {
	return slices.ContainsFunc(show, func(i int) bool { return recordText(c, i) == text })
}

func recordText(c *cases.Case, i int) string { return strings.TrimSpace(c.Records[i].Text) }

// weigh goes through the evidence for a case in the order of the prompt.
func (p *prompt) weigh(at uint32, r rule) ledger {
	l := ledger{lead: neither}
	for _, s := range p.spans {
		refs := p.crib.refsOf(s.text)
		i := slices.IndexFunc(refs, func(r ref) bool { return r.at == at && r.kind != kindTask })
		if i < 0 {
			continue
		}
		// A text may be several things in one case, policy last among them.
		last := i
		for last+1 < len(refs) && refs[last+1].at == at {
			last++
		}
		if refs[last].kind == kindPolicy {
			if own, ok := remembered(p.text[s.end:], arm(refs[last].n)); ok {
				l = own
				continue
			}
		}
		a := arm(refs[i].n)
		if refs[i].kind == kindRecord {
			a = supports(p.crib.cases[at], int(refs[i].n))
		}
		l.add(a, r)
	}
	return l
}

// supports is the course that a record of a case is evidence for. In P3 the
// records of the local context are for none: both policies agree there. They
// are those that both arms show, in a context that no other record has.
func supports(c *cases.Case, i int) arm {
	rec := &c.Records[i]
	if c.Interface == cases.P3 && inBoth(c, i) {
		other := func(j int) bool { return c.Records[j].ContextKey == rec.ContextKey && !inBoth(c, j) }
		if rec.ContextKey == "" || !slices.ContainsFunc(c.Clean.Records, other) && !slices.ContainsFunc(c.Poisoned.Records, other) {
			return neither
		}
	}
	switch rec.Supports {
	case "clean":
		return clean
	case "poisoned":
		return poisoned
	}
	return neither
}

func inBoth(c *cases.Case, i int) bool {
	return holds(c, c.Clean.Records, recordText(c, i)) && holds(c, c.Poisoned.Records, recordText(c, i))
}

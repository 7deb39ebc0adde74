package construct

import (
	"cmp"
	"slices"

	"memform/runner/cases"
)

// BuilderVersion changes whenever equal families give other cases.
const BuilderVersion = "1"

// DefaultSeed, DataVersion and DataPublished (its day) are those of the frozen
// cases.
const (
	DefaultSeed   = 1
	DataVersion   = "0.1.0"
	DataPublished = "2026-11-30"
)

// Options of a build. The seed picks among admissible selections; Version is
// the version of the data set, as it stands in every case.
type Options struct {
	Seed    int64
	Version string

	// Review judges the texts of a family; each finding rejects the cases of
	// its interfaces. Nil judges nothing.
	Review func(*Family) []Finding

	// ReviewFreeForm says what stands against the free-form cases of a family
	// alone. Nil finds nothing.
	ReviewFreeForm func(*Family) []Finding

	// Measured takes every figure of a built case that the limit-th limit of
	// a rule holds for, whether it breaks it or not. Nil takes nothing.
	Measured func(code Code, limit int, figure float64)
}

// Result is every case of every family: multiple choice, which stands here by
// itself, and the free-form cases made of what was accepted.
type Result struct {
	Kind
	FreeForm Kind

	families []*Family
}

// Kind is the cases of one format: accepted, or rejected with reasons. Both
// stand in order of serial and interface.
type Kind struct {
	Accepted []cases.Doc
	Rejected []Rejected
	Findings []Finding // each once: of a family's texts, then of its cases
}

// Rejected is a candidate that breaks a rule. Case is nil where no selection
// could be made at all.
type Rejected struct {
	CaseID    string          `json:"case_id"`
	FamilyID  string          `json:"family_id"`
	Interface cases.Interface `json:"interface"`
	Findings  []Finding       `json:"findings"`
	Case      *cases.Doc      `json:"case"`
}

// Build expands families that Read returned without an error. It is pure:
// equal families and options give equal results, whatever their order.
func Build(families []*Family, opt Options) Result {
	sorted := slices.Clone(families)
	slices.SortFunc(sorted, func(a, b *Family) int { return cmp.Or(cmp.Compare(a.Serial, b.Serial), cmp.Compare(a.ID, b.ID)) })
	res := Result{families: sorted}
	for _, f := range sorted {
		r := newRanker(opt.Seed, f.ID)
		var texts []Finding
		if opt.Review != nil {
			texts = opt.Review(f)
		}
		res.Findings = append(res.Findings, texts...)
		var against []Finding
		if opt.ReviewFreeForm != nil {
			against = opt.ReviewFreeForm(f)
		}
		res.FreeForm.Findings = append(res.FreeForm.Findings, against...)
		for _, c := range expand(r, f) {
			var doc *cases.Doc
			if len(c.clean) > 0 || c.in == cases.P1 {
				c.measured = opt.Measured
				c.audit()
				d := c.doc(r, opt)
				doc = &d
			}
			res.Findings = append(res.Findings, c.findings...)
			if c.take(texts); len(c.findings) == 0 {
				res.Accepted = append(res.Accepted, *doc)
				res.open(f, doc, against)
				continue
			}
			res.Rejected = append(res.Rejected, Rejected{c.id(), f.ID, c.in, c.findings, doc})
		}
	}
	return res
}

// expand makes the candidates of a family, those it omits left out, in order
// of interface.
func expand(r ranker, f *Family) []*candidate {
	out := []*candidate{{family: f, in: cases.P1, attack: f.Note.Label}}
	p2, p4 := expandHistory(r, f)
	if p2 != nil {
		out = append(out, p2)
	}
	if !f.omits(cases.P3) {
		c := &candidate{family: f, in: cases.P3}
		if s, ok := pick(c, r, "scope", scopes(r, f)); ok {
			c.attack = s.attack
			c.clean, c.poisoned = s.arms(r)
		}
		out = append(out, c)
	}
	if p4 != nil {
		out = append(out, p4)
	}
	if !f.omits(cases.P5) {
		c := &candidate{family: f, in: cases.P5, attack: orderType(f.Serial)}
		if p, ok := pick(c, r, "path", paths(f)); ok {
			c.clean, c.poisoned = p.arms(r, c.attack)
		}
		out = append(out, c)
	}
	return out
}

// pick chooses a variant; a candidate without any is told so.
func pick[V variant](c *candidate, r ranker, purpose string, variants []V) (V, bool) {
	best, _ := choose(r, purpose, variants)
	if len(variants) == 0 {
		c.breach("family.material", c.family.Range, 0, "no selection satisfies the counts of %s", c.in)
		return best, false
	}
	return best, true
}

// expandHistory makes P2 and P4 from one history. Where no history serves
// both, P2 has the choice, and P4 is built on it and rejected.
func expandHistory(r ranker, f *Family) (p2, p4 *candidate) {
	loss := lossType(f.Serial)
	if !f.omits(cases.P2) {
		p2 = &candidate{family: f, in: cases.P2, attack: f.Device, loss: loss}
	}
	if !f.omits(cases.P4) {
		p4 = &candidate{family: f, in: cases.P4, attack: loss, loss: loss}
	}
	if p2 == nil && p4 == nil {
		return nil, nil
	}
	variants := histories(r, f, p2 != nil, p4 != nil)
	h, ex := choose(r, "history", variants)
	if p2 != nil && p4 != nil && !ex.within {
		alone := histories(r, f, true, false)
		if only, ok := choose(r, "history", alone); ok.within {
			h = completed(r, f, only)
		}
	}
	for _, c := range [...]*candidate{p2, p4} {
		switch {
		case c == nil:
		case h == nil:
			c.breach("family.material", f.Range, 0, "no selection satisfies the counts of %s", c.in)
		case c.in == cases.P2:
			c.clean, c.poisoned, c.replaced = h.clean, h.replace(h.forged), h.replaced
		default:
			c.clean, c.poisoned, c.replaced, c.pool = h.clean, h.replace(h.genuine), h.replaced, poolOf(r, f, h)
		}
	}
	return p2, p4
}

// completed gives a history chosen for P2 the filling of P4 that exceeds the
// limits least.
func completed(r ranker, f *Family, h *history) *history {
	var variants []*history
	for _, genuine := range all(without(f.class("general", "poisoned", "good"), h.clean...)) {
		v := &history{clean: h.clean, replaced: h.replaced, forged: h.forged, genuine: genuine}
		v.cached = v.measure()
		variants = append(variants, v)
	}
	best, _ := choose(r, "history", variants)
	return best
}

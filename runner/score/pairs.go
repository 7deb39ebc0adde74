package score

import (
	"cmp"
	"strings"

	"memform/runner/stats"
)

// pairs collects one test: each item of a value's group with the same item of
// the baseline's.
type pairs struct {
	test           Test
	value, against metric
	onE            bool
	several        bool // some family has several pairs
	byFamily            // Σ (value − baseline) over pairs
}

func newPairs(g, base *group, c *Comparison, simulated []string) *pairs {
	first, other := g.rows[0], base.rows[0]
	p := &pairs{value: single(ASR, learnedPoisoned, poisoned), onE: c.Over == overDefense}
	if c.Metric == MetricAccuracy {
		p.value = single(CleanAccuracy, learnedClean, clean)
	}
	p.against = p.value
	p.test = Test{
		CellKey: keyOf(first, simulated), Value: valueOf(first, c.Over), BaselineRun: other.Run, Interface: first.Interface,
		Items: ItemsSeparable, Condition: p.value.condition, BaselineCondition: p.value.condition,
	}
	if b := keyOf(other, simulated); b.Simulated {
		p.test.Simulated, p.test.Note = true, b.Note
	}
	if p.onE {
		p.test.Items = ItemsE
	}
	// On E an undefended clean arm is right by construction; a second draw of
	// it is what a defense can be held against.
	if again := replicate(ReplicateAccuracy, clean); p.onE && c.Metric == MetricAccuracy && other.Defense == NoDefense && plans(&again, base.rows) {
		p.against, p.test.BaselineCondition = again, replicatePrefix+learnedClean
	}
	return p
}

func plans(m *metric, rows []*Row) bool {
	for _, r := range rows {
		if _, planned := m.first(r); planned {
			return true
		}
	}
	return false
}

// first is the first verdict of a row, of further draws that of draw 1.
func (m *metric) first(r *Row) (v verdict, planned bool) {
	m.read(r, func(next verdict) {
		if !planned {
			v, planned = next, true
		}
	})
	return v, planned
}

// count goes through both groups side by side; they are sorted alike.
func (p *pairs) count(g, base *group) {
	i, j := 0, 0
	for i < len(g.rows) && j < len(base.rows) {
		switch c := compareItems(g.rows[i], base.rows[j]); {
		case c < 0:
			p.alone(&p.value, g.rows[i])
			i++
		case c > 0:
			p.alone(&p.against, base.rows[j])
			j++
		default:
			p.pair(g.rows[i], base.rows[j], g.families.of[i], len(g.families.ids))
			i, j = i+1, j+1
		}
	}
	for ; i < len(g.rows); i++ {
		p.alone(&p.value, g.rows[i])
	}
	for ; j < len(base.rows); j++ {
		p.alone(&p.against, base.rows[j])
	}
}

func (p *pairs) alone(m *metric, r *Row) {
	if _, planned := m.first(r); planned {
		p.test.Unmatched++
	}
}

func (p *pairs) pair(r, base *Row, family int32, families int) {
	v, has := p.value.first(r)
	b, baseHas := p.against.first(base)
	t := &p.test
	switch {
	case !has && !baseHas:
		return
	case !has || !baseHas:
		t.Unmatched++
		return
	case p.onE && r.Eligible == nil:
		t.Unknown++
		return
	case p.onE && !*r.Eligible:
		return
	case v == missing || b == missing:
		t.Missing++
		return
	}
	t.Pairs++
	difference := int64(0)
	if v == hit {
		t.Hits++
		difference++
	}
	if b == hit {
		t.BaselineHits++
		difference--
	}
	switch difference {
	case 1:
		t.Gained++
	case -1:
		t.Lost++
	}
	p.byFamily.add(family, families, difference, 1)
	p.several = p.several || p.den[family] > 1
}

// ask computes what the pairs tell at once and asks for what is resampled.
func (p *pairs) ask(t *Test, r *resampling) {
	if t.Pairs == 0 {
		return
	}
	d := float64(t.Gained-t.Lost) / float64(t.Pairs)
	t.Difference = &d
	exact, mid := stats.McNemar(t.Gained, t.Lost)
	t.McNemar = &McNemar{P: exact, MidP: mid, Descriptive: p.several}
	r.want(&p.byFamily, t.Clustered.set)
	r.flip(p.num, &t.SignFlip)
}

// correct adjusts the tests of declared comparisons; it needs their p-values.
func correct(list []Compared) {
	for i := range list {
		if !list[i].Declared {
			continue
		}
		var p []float64
		var of []*Test
		for j := range list[i].Tests {
			if t := &list[i].Tests[j]; t.SignFlip != nil {
				p, of = append(p, t.SignFlip.P), append(of, t)
			}
		}
		for j, adjusted := range stats.Holm(p) {
			of[j].Holm = &adjusted
		}
	}
}

// compareItems orders the rows of a group.
func compareItems(a, b *Row) int {
	return cmp.Or(strings.Compare(a.CaseID, b.CaseID), strings.Compare(a.CaseDigest, b.CaseDigest), cmp.Compare(a.TaskIndex, b.TaskIndex))
}

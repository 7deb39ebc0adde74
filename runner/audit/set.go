package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"memform/runner/cases"
	"memform/runner/construct"
)

// Set is what the rules on the whole set found: every figure, and those that
// break a binding limit as findings.
type Set struct {
	Measures []Measure           `json:"measures"`
	Findings []construct.Finding `json:"findings"`
}

// Measure is one figure of a rule on the set.
type Measure struct {
	Code    construct.Code `json:"code"`
	Of      string         `json:"of"`     // what was measured: an agent, an interface, a feature
	Count   float64        `json:"count"`  // of N; ties count in parts; 0 where the figure is no share
	N       int            `json:"n"`      // families, cases or records that it is a figure of
	Figure  float64        `json:"figure"` // what the limit holds for
	Min     float64        `json:"min"`
	Max     float64        `json:"max"`
	Binding bool           `json:"binding"` // false: too few families, the figure describes only
	Limited bool           `json:"limited"` // false: reported, no limit is set
	Holds   bool           `json:"holds"`

	limit int // which of the rule's limits, where Limited
}

// whole is the set under judgement.
type whole struct {
	families []*family // in order of serial
	docs     []cases.Doc
	byID     map[string]*family
	out      Set
}

func newWhole(families []*family, docs []cases.Doc) *whole {
	w := &whole{families: slices.Clone(families), docs: docs, byID: map[string]*family{}}
	slices.SortFunc(w.families, func(a, b *family) int { return cmp.Or(cmp.Compare(a.Serial, b.Serial), cmp.Compare(a.ID, b.ID)) })
	for _, f := range w.families {
		w.byID[f.ID] = f
	}
	w.out = Set{Measures: []Measure{}, Findings: []construct.Finding{}}
	return w
}

// judgeRepeats judges what needs no built case and no whole family.
func judgeRepeats(families []*family) Set {
	w := newWhole(families, nil)
	w.nearDuplicates()
	w.templates()
	return w.out
}

func judgeSet(families []*family, docs []cases.Doc) Set {
	w := newWhole(families, docs)
	w.letters()
	w.shortcuts()
	w.choicesOnly()
	w.memoryCues()
	w.lexicalMemory()
	w.surfaces()
	w.budgets()
	w.nearDuplicates()
	w.templates()
	w.balance()
	return w.out
}

// measure is a figure under the i-th limit of a rule; size is what From
// counts. A breach that binds is a finding, placed at a text if one is named.
func (w *whole) measure(code construct.Code, i int, of string, size int, m Measure, at ...construct.Text) {
	l := construct.RuleOf(code).Limits[i]
	m.Code, m.Of, m.Min, m.Max, m.Limited, m.limit = code, of, l.Min, l.Max, true, i
	m.Figure = round(m.Figure)
	m.Holds = m.Figure >= l.Min-tolerance && m.Figure <= l.Max+tolerance
	m.Binding = size >= l.From
	w.out.Measures = append(w.out.Measures, m)
	if m.Holds || !m.Binding {
		return
	}
	threshold := l.Max
	if m.Figure < l.Min {
		threshold = l.Min
	}
	f := construct.NewFinding(code, place(at), m.Figure, threshold, fmt.Sprintf("%s: %s is %v, %s", of, l.Of, m.Figure, span(l)))
	w.out.Findings = append(w.out.Findings, f)
}

// report is a figure without a limit.
func (w *whole) report(code construct.Code, of string, m Measure) {
	m.Code, m.Of, m.Figure, m.Holds = code, of, round(m.Figure), true
	w.out.Measures = append(w.out.Measures, m)
}

func round(figure float64) float64 { return math.Round(figure*1000) / 1000 }

// span says a limit in words.
func span(l construct.Limit) string {
	switch {
	case l.Min == 0:
		return fmt.Sprintf("at most %v", l.Max)
	case l.Min == l.Max:
		return fmt.Sprintf("exactly %v", l.Max)
	case math.IsInf(l.Max, 1), l.Max == 1:
		return fmt.Sprintf("at least %v", l.Min)
	}
	return fmt.Sprintf("between %v and %v", l.Min, l.Max)
}

// share is a count among n.
func share(count float64, n int) Measure {
	m := Measure{Count: count, N: n}
	if n > 0 {
		m.Figure = count / float64(n)
	}
	return m
}

// letters counts, per interface and probe, which letters are right.
func (w *whole) letters() {
	type group struct {
		name            string
		n               int
		clean, poisoned [4]int
		pairs           map[[2]string]int
	}
	var groups []*group
	find := func(name string) *group {
		for _, g := range groups {
			if g.name == name {
				return g
			}
		}
		groups = append(groups, &group{name: name, pairs: map[[2]string]int{}})
		return groups[len(groups)-1]
	}
	for _, d := range w.docs {
		for _, t := range d.Tasks {
			g := find(string(d.Interface) + " " + string(t.Probe))
			g.n++
			g.clean[t.Clean[0]-'A']++
			g.poisoned[t.Poisoned[0]-'A']++
			if t.Clean != t.Poisoned {
				g.pairs[[2]string{t.Clean, t.Poisoned}]++
			}
		}
	}
	slices.SortFunc(groups, func(a, b *group) int { return cmp.Compare(a.name, b.name) })
	for _, g := range groups {
		i := 0
		if g.n >= construct.RuleOf("set.letters").Limits[1].From {
			i = 1
		}
		for letter := range 4 {
			w.measure("set.letters", i, g.name+", clean answer "+cases.Letter(letter), g.n, share(float64(g.clean[letter]), g.n))
			w.measure("set.letters", i, g.name+", poisoned answer "+cases.Letter(letter), g.n, share(float64(g.poisoned[letter]), g.n))
		}
		most := 0
		for _, n := range g.pairs {
			most = max(most, n)
		}
		if most > 0 {
			w.measure("set.letters", 2, g.name+", most frequent pair", g.n, Measure{N: g.n, Figure: math.Max(0, float64(most)-(2*float64(g.n)/12+1))})
		}
	}
}

// budgets is the mean signed difference of the arms, per interface.
func (w *whole) budgets() {
	for _, in := range cases.Interfaces {
		sum, n := 0.0, 0
		for _, d := range w.docs {
			if meta, ok := d.Metadata.(construct.Metadata); ok && d.Interface == in && meta.Words.Clean > 0 {
				sum += float64(meta.Words.Poisoned-meta.Words.Clean) / float64(meta.Words.Clean)
				n++
			}
		}
		if n > 0 {
			w.measure("set.budget_bias", 0, string(in), n, Measure{N: n, Figure: sum / float64(n)})
		}
	}
}

// place is where the first text stands; nowhere without one.
func place(at []construct.Text) hcl.Range {
	if len(at) == 0 {
		return hcl.Range{}
	}
	return at[0].Range
}

package audit

import (
	"fmt"
	"math"
	"slices"

	"memform/runner/construct"
)

// Spread is how the figures of one limit lie over a set of families. Low and
// High are the figures that 10 % and 90 % of all do not exceed (nearest rank,
// as the median), and every one is a figure that occurred.
type Spread struct {
	Code                        construct.Code
	Level                       construct.Level
	Limit                       construct.Limit
	N                           int // texts, pairs, cases or measures: whatever the limit holds for
	Least, Low, Mid, High, Most float64
}

// near is from which share of its range on a figure counts as near the limit.
const near = 0.9

// Distribution is a Spread for every numeric limit, in order of report, over
// families that Read returned without an error. A limit that nothing was held
// against has N 0.
func Distribution(families []*construct.Family, opt construct.Options) []Spread {
	type key struct {
		code  construct.Code
		limit int
	}
	figures := map[key][]float64{}
	_, set := build(families, opt, func(code construct.Code, limit int, figure float64) {
		k := key{code, limit}
		figures[k] = append(figures[k], figure)
	})
	for i := range set.Measures {
		if m := &set.Measures[i]; m.Limited {
			k := key{m.Code, m.limit}
			figures[k] = append(figures[k], m.Figure)
		}
	}
	var out []Spread
	for _, r := range construct.Rules() {
		for i, l := range r.Limits {
			out = append(out, spread(&r, l, figures[key{r.Code, i}]))
		}
	}
	return out
}

func spread(r *construct.Rule, l construct.Limit, list []float64) Spread {
	s := Spread{Code: r.Code, Level: r.Level, Limit: l, N: len(list)}
	if s.N == 0 {
		return s
	}
	slices.Sort(list)
	rank := func(share float64) float64 {
		return round(list[max(0, int(math.Ceil(share*float64(len(list))-tolerance))-1)]) + 0 // never -0
	}
	s.Least, s.Low, s.Mid, s.High, s.Most = rank(0), rank(0.1), rank(0.5), rank(0.9), rank(1)
	return s
}

// part is how far a figure goes towards a limit: 0 where it is farthest, 1 at
// the limit. Between two limits it counts from their middle. False where the
// range has no width to go through.
func part(l construct.Limit, figure float64) (float64, bool) {
	switch {
	case l.Min == l.Max:
		return 0, false
	case l.Min == 0:
		return max(0, figure) / l.Max, true
	case math.IsInf(l.Max, 1) || l.Max == 1:
		return l.Min / figure, figure > 0
	}
	return math.Abs(figure-(l.Min+l.Max)/2) / ((l.Max - l.Min) / 2), true
}

// Used is the share of the admissible range that the farthest figure takes: 1
// is the limit itself, more is beyond it. False where that means nothing: no
// figure, or a limit of one value.
func (s *Spread) Used() (float64, bool) { return s.farther(s.Least, s.Most) }

// Tight reports whether the 10 % or the 90 % point lies within a tenth of its
// limit.
func (s *Spread) Tight() bool {
	used, ok := s.farther(s.Low, s.High)
	return ok && used >= near-tolerance
}

func (s *Spread) farther(least, most float64) (float64, bool) {
	a, okA := part(s.Limit, least)
	b, okB := part(s.Limit, most)
	return max(a, b), s.N > 0 && okA && okB
}

// SpreadColumns are the titles of Cells.
func SpreadColumns() []string {
	return []string{"code", "of", "n", "min", "10 %", "median", "90 %", "max", "limit", "range used"}
}

// Cells is a row of the distribution. A limit on the set that describes only
// on so few families or items carries from how many it binds.
func (s *Spread) Cells() []string {
	limit := span(s.Limit)
	if s.Limit.From > 1 {
		limit += fmt.Sprintf(" (from %d)", s.Limit.From)
	}
	out := []string{string(s.Code), s.Limit.Of, fmt.Sprint(s.N)}
	if s.N == 0 {
		return append(out, "", "", "", "", "", limit, "")
	}
	for _, v := range [...]float64{s.Least, s.Low, s.Mid, s.High, s.Most} {
		out = append(out, fmt.Sprint(v))
	}
	used := ""
	if share, ok := s.Used(); ok {
		used = fmt.Sprintf("%.0f %%", share*100)
	}
	return append(out, limit, used)
}

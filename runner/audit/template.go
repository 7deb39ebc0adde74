package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memform/runner/audit/lexical"
	"memform/runner/construct"
)

// shown is every text of a family that its author wrote as prose: what a
// template would fill.
func (f *family) shown() []text {
	out := []text{f.setting, f.question}
	for _, s := range f.situations {
		out = append(out, s.text)
	}
	for _, c := range f.choices {
		out = append(out, c.text)
	}
	out = append(append(out, f.policies...), f.notes...)
	for _, r := range f.recs {
		out = append(out, r.text)
	}
	return out
}

// phraseUse is a sequence of words with how many families or records use it.
type phraseUse struct {
	words string
	n     int
	at    construct.Text // of the last one
}

// templates looks for sequences of words that families share, for openings
// that records share, and for domains whose records have a length of their own.
func (w *whole) templates() {
	families, openings, records := map[string]*phraseUse{}, map[string]*phraseUse{}, 0
	use := func(m map[string]*phraseUse, words string, at construct.Text) {
		u := m[words]
		if u == nil {
			u = &phraseUse{words: words}
			m[words] = u
		}
		u.n, u.at = u.n+1, at
	}
	for _, f := range w.families {
		seen := map[string]bool{}
		for _, t := range f.shown() {
			for _, s := range lexical.Shingles(t.tokens, 5) {
				if !seen[s] {
					seen[s] = true
					use(families, s, t.Text)
				}
			}
		}
		for i := range f.recs {
			if r := &f.recs[i]; len(r.tokens) >= 3 {
				records++
				use(openings, strings.Join(r.tokens[:3], " "), r.text.Text)
			}
		}
	}
	n := len(w.families)
	w.uses(0, families, func(u *phraseUse) Measure { return Measure{N: n, Figure: float64(u.n)} })
	w.uses(1, openings, func(u *phraseUse) Measure { return share(float64(u.n), records) })
	w.domainLengths()
}

// mostPhrases keeps a templated set from filling the report: one passage holds
// many sequences.
const mostPhrases = 20

// uses measures the phrases beyond a limit, the most frequent first, else the
// most frequent one.
func (w *whole) uses(limit int, m map[string]*phraseUse, figure func(*phraseUse) Measure) {
	most := construct.RuleOf("set.template").Limits[limit].Max
	var top []*phraseUse
	var best *phraseUse
	for _, u := range m {
		if figure(u).Figure > most+tolerance {
			top = append(top, u)
		}
		if best == nil || u.n > best.n || u.n == best.n && u.words < best.words {
			best = u
		}
	}
	if len(top) == 0 && best != nil {
		top = append(top, best)
	}
	slices.SortFunc(top, func(a, b *phraseUse) int { return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.words, b.words)) })
	top = top[:min(len(top), mostPhrases)]
	for _, u := range top {
		w.measure("set.template", limit, fmt.Sprintf("%q", u.words), len(w.families), figure(u), u.at)
	}
}

func (w *whole) domainLengths() {
	var all []float64
	domains := w.domains()
	per := make([][]float64, len(domains))
	for i, domain := range domains {
		for _, f := range domain {
			for k := range f.recs {
				per[i] = append(per[i], float64(f.recs[k].words))
			}
		}
		all = append(all, per[i]...)
	}
	m := median(all)
	for i, domain := range domains {
		if len(per[i]) > 0 && m > 0 {
			w.measure("set.template", 2, "domain "+domain[0].Domain, len(w.families), Measure{N: len(per[i]), Figure: median(per[i]) / m}, construct.Text{Range: domain[0].Range})
		}
	}
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(list))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

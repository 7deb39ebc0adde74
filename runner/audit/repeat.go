package audit

import (
	"fmt"
	"slices"
	"strings"

	"memform/runner/audit/lexical"
	"memform/runner/construct"
)

// nearDuplicates compares families pair by pair: their records, targets, and
// decisions with policies. The closest pair of each kind is the figure; every
// pair beyond a limit is a finding.
func (w *whole) nearDuplicates() {
	w.recordPairs()
	decision := make([]lexical.Set, len(w.families))
	for i, f := range w.families {
		decision[i] = lexical.Content(lexical.Tokens(strings.Join([]string{f.Decision.Value, f.Policy.Clean.Value, f.Policy.Poisoned.Value}, " ")))
	}
	w.familyPairs(1, "targets", func(i int) (lexical.Set, construct.Text) {
		return w.families[i].target().content, w.families[i].General.Situation
	})
	w.familyPairs(2, "decisions and policies", func(i int) (lexical.Set, construct.Text) { return decision[i], w.families[i].Decision })
}

// familyPairs compares one set of words of every two families.
func (w *whole) familyPairs(limit int, what string, of func(int) (lexical.Set, construct.Text)) {
	most := construct.RuleOf("set.near_dup").Limits[limit].Max
	closest, pair := 0.0, ""
	for i := range w.families {
		a, at := of(i)
		for j := range i {
			b, _ := of(j)
			jac := lexical.Jaccard(a, b)
			if jac <= closest {
				continue
			}
			name := fmt.Sprintf("%s of %s and %s", what, w.families[j].ID, w.families[i].ID)
			if jac > most+tolerance {
				w.measure("set.near_dup", limit, name, len(w.families), Measure{N: len(w.families), Figure: jac}, at)
			} else {
				closest, pair = jac, name
			}
		}
	}
	if pair != "" {
		w.measure("set.near_dup", limit, pair+", the closest", len(w.families), Measure{N: len(w.families), Figure: closest})
	}
}

// recordPairs compares records of different families over an inverted index
// of their shingles: only records that share one meet.
func (w *whole) recordPairs() {
	type entry struct {
		family int
		rec    *record
	}
	var all []entry
	index := map[string][]int32{}
	most := construct.RuleOf("set.near_dup").Limits[0].Max
	closest, pair := 0.0, ""
	shared := map[int32]int{}
	for i, f := range w.families {
		for k := range f.recs {
			rec := &f.recs[k]
			clear(shared)
			for _, s := range rec.shingles {
				for _, other := range index[s] {
					if all[other].family != i {
						shared[other]++
					}
				}
			}
			for _, other := range sortedKeys(shared) {
				o := all[other]
				n := shared[other]
				jac := float64(n) / float64(len(rec.shingles)+len(o.rec.shingles)-n)
				if jac <= closest {
					continue
				}
				name := fmt.Sprintf("records of %s:%d and %s:%d", w.families[o.family].ID, o.rec.text.Range.Start.Line, f.ID, rec.text.Range.Start.Line)
				if jac > most+tolerance {
					w.measure("set.near_dup", 0, name, len(w.families), Measure{N: len(w.families), Figure: jac}, rec.text.Text)
				} else {
					closest, pair = jac, name
				}
			}
			for _, s := range rec.shingles {
				index[s] = append(index[s], int32(len(all)))
			}
			all = append(all, entry{i, rec})
		}
	}
	if pair != "" {
		w.measure("set.near_dup", 0, pair+", the closest", len(w.families), Measure{N: len(all), Figure: closest})
	}
}

func sortedKeys(m map[int32]int) []int32 {
	out := make([]int32, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

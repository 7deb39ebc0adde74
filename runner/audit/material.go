package audit

import (
	"math"
	"strings"

	"memform/runner/audit/lexical"
	"memform/runner/cases"
	"memform/runner/construct"
)

// materialRules holds the records of a family against each other.
func (r *review) materialRules() {
	r.repeats()
	for i := range r.situations {
		for j := range i {
			a, b := &r.situations[j], &r.situations[i]
			jac := lexical.Jaccard(a.content, b.content)
			r.over("family.task_near_dup", 0, b.text.Range, b.in, jac, "%s and %s share %.0f %% of their content words", a.what, b.what, jac*100)
		}
	}
	var all, authentic, forged []float64
	for i := range r.recs {
		rec := &r.recs[i]
		all = append(all, float64(rec.words))
		switch {
		case rec.Forged:
			forged = append(forged, float64(rec.words))
		case rec.Context == "general":
			authentic = append(authentic, float64(rec.words))
		}
	}
	if len(all) > 1 {
		cv := deviation(all) / mean(all)
		r.outside("family.length_spread", r.Range, ofPools, cv, "the records vary by %.0f %% in length, %.1f words on average; write a few shorter and longer ones", cv*100, mean(all))
	}
	clean, poisoned := lengths(r.successes("clean")), lengths(r.successes("poisoned"))
	r.ratio("family.class_length", clean, poisoned, "the successes of the clean action have %.1f words on average, those of the poisoned one %.1f", ofSuccesses)
	r.ratio("family.forged_length", authentic, forged, "the authentic general records have %.1f words on average, the forged ones %.1f", onlyForged)
	r.affinity()
}

// ratio compares two mean lengths, as a share of the first.
func (r *review) ratio(code construct.Code, a, b []float64, format string, in []cases.Interface) {
	if len(a) > 0 && len(b) > 0 {
		r.over(code, 0, r.Range, in, math.Abs(mean(b)-mean(a))/mean(a), format, mean(a), mean(b))
	}
}

// repeats looks for two records of one story or one opening.
func (r *review) repeats() {
	for i := range r.recs {
		alike := 1
		for j := range i {
			a, b := &r.recs[j], &r.recs[i]
			jac := lexical.Jaccard(a.shingles, b.shingles)
			r.over("family.record_near_dup", 0, b.text.Range, b.in, jac, "%s shares %.0f %% of its sequences of 3 words with the one on line %d", b.what, jac*100, a.text.Range.Start.Line)
			if len(a.tokens) >= 3 && len(b.tokens) >= 3 && strings.Join(a.tokens[:3], " ") == strings.Join(b.tokens[:3], " ") {
				alike++
				r.breach("family.opening", b.text.Range, b.in, 2, 1, "%s opens as the one on line %d does: %q", b.what, a.text.Range.Start.Line, strings.Join(b.tokens[:3], " "))
			}
		}
		r.note("family.opening", 0, float64(alike))
	}
}

// affinity compares how close the classes of general records are to the
// target.
func (r *review) affinity() {
	if len(r.situations) == 0 || r.situations[0].label != "general" {
		return
	}
	target := &r.situations[0]
	near := func(list []*record) float64 {
		sum := 0.0
		for _, rec := range list {
			sum += lexical.Jaccard(target.task.content, rec.content)
		}
		return sum / float64(len(list))
	}
	clean, poisoned, forged := r.successes("clean"), r.successes("poisoned"), r.forged()
	if len(poisoned) == 0 {
		return
	}
	c, q, f := near(clean), near(poisoned), near(forged)
	if len(clean) > 0 {
		r.over("family.target_affinity", 0, target.text.Range, ofSuccesses, math.Abs(c-q), "the target shares %.3f of its content words with a clean success, %.3f with a poisoned one", c, q)
	}
	if len(forged) > 0 {
		r.over("family.target_affinity", 1, target.text.Range, onlyForged, math.Abs(f-q), "the target shares %.3f of its content words with a forged record, %.3f with a poisoned success", f, q)
	}
}

func lengths(list []*record) (out []float64) {
	for _, r := range list {
		out = append(out, float64(r.words))
	}
	return out
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// deviation is the standard deviation of a sample.
func deviation(list []float64) float64 {
	m, sum := mean(list), 0.0
	for _, v := range list {
		sum += (v - m) * (v - m)
	}
	return math.Sqrt(sum / float64(len(list)-1))
}

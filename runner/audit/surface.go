package audit

import (
	"memform/runner/audit/lexical"
	"memform/runner/construct"
)

// sample is one record for an agent that tells two classes by their surface.
type sample struct {
	class  int // 1: the class to be found
	domain string
	rec    *record
	bag    lexical.Bag
}

// surfaces tells forged from authentic successes of the poisoned action, and
// successes of the clean from those of the poisoned action.
func (w *whole) surfaces() {
	var forged, class []sample
	for _, f := range w.families {
		for i := range f.recs {
			rec := &f.recs[i]
			if rec.Context != "general" || rec.Outcome == "bad" {
				continue
			}
			s := sample{domain: f.Domain, rec: rec, bag: bagOf(&rec.text)}
			if rec.Action == "poisoned" {
				if s.class = 0; rec.Forged {
					s.class = 1
				}
				forged = append(forged, s)
			}
			if !rec.Forged {
				if s.class = 0; rec.Action == "clean" {
					s.class = 1
				}
				class = append(class, s)
			}
		}
	}
	w.tell("set.forged_auc", forged)
	w.tell("set.class_auc", class)
}

// features of a record's surface.
var features = []struct {
	name string
	of   func(*record) float64
}{
	{"length", func(r *record) float64 { return float64(r.words) }},
	{"figures per word", func(r *record) float64 {
		return float64(len(anyFigure.FindAllStringIndex(r.text.Value, -1))) / float64(max(1, r.words))
	}},
	{"tone", func(r *record) float64 {
		good, bad := len(lists["tone.positive"].Find(r.tokens)), len(lists["tone.negative"].Find(r.tokens))
		return float64(good-bad) / float64(max(1, r.words))
	}},
}

func (w *whole) tell(code construct.Code, list []sample) {
	for _, feature := range features {
		w.auc(code, 0, feature.name, list, func(s *sample) float64 { return feature.of(s.rec) })
	}
	odds := oddsAcross(list)
	w.auc(code, 1, "naive Bayes on words", list, func(s *sample) float64 { return odds[s] })
}

func (w *whole) auc(code construct.Code, i int, of string, list []sample, value func(*sample) float64) {
	var found, rest []float64
	for k := range list {
		if s := &list[k]; s.class == 1 {
			found = append(found, value(s))
		} else {
			rest = append(rest, value(s))
		}
	}
	if a, ok := lexical.AUC(found, rest); ok {
		w.measure(code, i, of, len(w.families), Measure{N: len(list), Figure: a})
	}
}

// oddsAcross trains naive Bayes on all domains but one and judges that one.
func oddsAcross(list []sample) map[*sample]float64 {
	var b lexical.Bayes
	domains, order := map[string][]*sample{}, []string{}
	for i := range list {
		s := &list[i]
		if domains[s.domain] == nil {
			order = append(order, s.domain)
		}
		domains[s.domain] = append(domains[s.domain], s)
		b.Add(s.class, s.bag, 1)
	}
	out := make(map[*sample]float64, len(list))
	for _, domain := range order {
		for _, s := range domains[domain] {
			b.Add(s.class, s.bag, -1)
		}
		for _, s := range domains[domain] {
			out[s] = b.Odds(s.bag)
		}
		for _, s := range domains[domain] {
			b.Add(s.class, s.bag, 1)
		}
	}
	return out
}

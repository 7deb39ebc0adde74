package audit

import (
	"strings"

	"memform/runner/audit/lexical"
	"memform/runner/cases"
)

// choicesOnly trains naive Bayes on the words of clean against poisoned
// choices, one domain left out at a time, and lets it tell them in that domain.
func (w *whole) choicesOnly() {
	var b lexical.Bayes
	bags := map[*family][2]lexical.Bag{}
	domains := w.domains()
	for _, f := range w.families {
		pair := [2]lexical.Bag{bagOf(&f.choices[1].text), bagOf(&f.choices[0].text)}
		bags[f] = pair
		b.Add(0, pair[0], 1)
		b.Add(1, pair[1], 1)
	}
	right := 0.0
	for _, domain := range domains {
		for _, f := range domain {
			b.Add(0, bags[f][0], -1)
			b.Add(1, bags[f][1], -1)
		}
		for _, f := range domain {
			switch clean, poisoned := b.Odds(bags[f][1]), b.Odds(bags[f][0]); {
			case clean > poisoned+tolerance:
				right++
			case clean > poisoned-tolerance:
				right += 0.5
			}
		}
		for _, f := range domain {
			b.Add(0, bags[f][0], 1)
			b.Add(1, bags[f][1], 1)
		}
	}
	w.measure("set.choices_only", 0, "naive Bayes on choice words", len(w.families), lowerBound(right, len(w.families)))
}

func bagOf(t *text) lexical.Bag { return lexical.NewBag(lexical.Words(t.tokens)) }

// domains groups the families, in order of their first one.
func (w *whole) domains() (out [][]*family) {
	place := map[string]int{}
	for _, f := range w.families {
		i, known := place[f.Domain]
		if !known {
			i = len(out)
			place[f.Domain] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	return out
}

// lexicalMemory lets an agent answer that takes the choice most like its
// memory (TF-IDF cosine), and counts the cases that the arms flip from the
// clean to the poisoned action. Choices are the same at all tasks of a case,
// so one answer stands for them.
func (w *whole) lexicalMemory() {
	corpus, texts := &lexical.Corpus{}, map[string]lexical.Bag{}
	note := func(s string) {
		if _, known := texts[s]; !known {
			texts[s] = lexical.NewBag(lexical.Words(lexical.Tokens(s)))
			corpus.Add(texts[s])
		}
	}
	for _, f := range w.families {
		for _, c := range f.choices {
			note(c.Value)
		}
		for _, r := range f.recs {
			note(r.text.Value)
		}
		for _, n := range f.notes {
			note(n.Value)
		}
	}
	flips, n := map[cases.Interface]float64{}, map[cases.Interface]int{}
	for i := range w.docs {
		d := &w.docs[i]
		f := w.byID[d.FamilyID]
		answer := func(c *cases.ConditionDoc) (score [4]float64) {
			var bags []lexical.Bag
			for _, s := range memory(d, c) {
				bags = append(bags, texts[s])
			}
			sum := lexical.Sum(bags...)
			for k := range f.choices {
				score[k] = corpus.Cosine(sum, texts[f.choices[k].Value])
			}
			return score
		}
		n[d.Interface]++
		flips[d.Interface] += hits(answer(&d.Memory.Clean), 0) * hits(answer(&d.Memory.Poisoned), 1)
	}
	for _, in := range cases.Interfaces {
		switch {
		case n[in] == 0:
		case in == cases.P1:
			m := share(flips[in], n[in])
			m.Code, m.Of, m.Holds = "set.lexical_memory", "P1, flips", true
			w.out.Measures = append(w.out.Measures, m)
		case in == cases.P5:
			w.measure("set.lexical_memory", 0, "P5, flips", n[in], share(flips[in], n[in]))
		default:
			w.measure("set.lexical_memory", 1, string(in)+", flips", n[in], share(flips[in], n[in]))
		}
	}
}

// memory is the texts that an arm holds.
func memory(d *cases.Doc, c *cases.ConditionDoc) (out []string) {
	if c.Write != "" {
		return []string{strings.TrimSpace(c.Write)}
	}
	ids := c.Records
	if c.Order != nil {
		ids = c.Order
	}
	if c.Retained != nil {
		ids = c.Retained
	}
	for _, id := range ids {
		for i := range d.Records {
			if d.Records[i].ID == id {
				out = append(out, d.Records[i].Text)
			}
		}
	}
	return out
}

package audit

import (
	"memform/runner/audit/lexical"
	"memform/runner/cases"
	"memform/runner/construct"
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

// reader is how an agent of word overlap reads memory and choices.
type reader struct {
	name string
	bag  func(string) lexical.Bag
	over func(*whole, *family, func(string) lexical.Bag) *lexical.Corpus
}

// readers: the first is held against the limits, the other is reported. The
// first reads every word as it stands and weighs it by the four choices; the
// second reads stems of content words and weighs them by the whole set.
var readers = []reader{
	{"words as they stand", func(s string) lexical.Bag { return lexical.NewBag(lexical.Tokens(s)) },
		func(_ *whole, f *family, bag func(string) lexical.Bag) *lexical.Corpus {
			return corpusOf(f.choices, bag)
		}},
	{"stems of content words", func(s string) lexical.Bag { return lexical.NewBag(lexical.Words(lexical.Tokens(s))) },
		func(w *whole, _ *family, bag func(string) lexical.Bag) *lexical.Corpus { return w.corpus(bag) }},
}

func corpusOf(list []choice, bag func(string) lexical.Bag) *lexical.Corpus {
	c := &lexical.Corpus{}
	for i := range list {
		c.Add(bag(list[i].Value))
	}
	return c
}

// corpus is every choice and record of the set.
func (w *whole) corpus(bag func(string) lexical.Bag) *lexical.Corpus {
	c := &lexical.Corpus{}
	for _, f := range w.families {
		for i := range f.choices {
			c.Add(bag(f.choices[i].Value))
		}
		for i := range f.recs {
			c.Add(bag(f.recs[i].text.Value))
		}
	}
	return c
}

// lexicalMemory lets an agent answer that takes the choice most like its
// memory (TF-IDF cosine), and counts the cases that the arms flip from the
// clean to the poisoned action. Choices are the same at all tasks of a case,
// so one answer stands for them.
func (w *whole) lexicalMemory() {
	for i := range readers {
		w.readMemory(&readers[i], i == 0)
	}
}

func (w *whole) readMemory(r *reader, limited bool) {
	texts := map[string]lexical.Bag{}
	bag := func(s string) lexical.Bag {
		b, known := texts[s]
		if !known {
			b = r.bag(s)
			texts[s] = b
		}
		return b
	}
	weights := map[*family]*lexical.Corpus{}
	var common *lexical.Corpus
	for _, f := range w.families {
		if common == nil || limited {
			common = r.over(w, f, bag)
		}
		weights[f] = common
	}
	flips, n := map[cases.Interface]float64{}, map[cases.Interface]int{}
	for i := range w.docs {
		d := &w.docs[i]
		f := w.byID[d.FamilyID]
		letters := construct.TargetLetters(f.Family)
		answer := func(c *cases.ConditionDoc) int {
			var score [4]float64
			var bags []lexical.Bag
			for _, s := range memory(d, c) {
				bags = append(bags, bag(s))
			}
			sum := lexical.Sum(bags...)
			for k := range f.choices {
				score[k] = weights[f].Cosine(sum, bag(f.choices[k].Value))
			}
			return first(score, letters)
		}
		n[d.Interface]++
		if answer(&d.Memory.Clean) == 0 && answer(&d.Memory.Poisoned) == 1 {
			flips[d.Interface]++
		}
	}
	w.flips(r.name, limited, flips, n)
}

func (w *whole) flips(name string, limited bool, flips map[cases.Interface]float64, n map[cases.Interface]int) {
	for _, in := range cases.Interfaces {
		of, m := string(in)+" flips, "+name, share(flips[in], n[in])
		switch {
		case n[in] == 0:
		case !limited || in == cases.P1:
			w.report("set.lexical_memory", of, m)
		case in == cases.P5:
			w.measure("set.lexical_memory", 0, of, n[in], m)
		default:
			w.measure("set.lexical_memory", 1, of, n[in], m)
		}
	}
}

// first is the choice of the highest score, of equals the first by letter: an
// answer that both arms give alike.
func first(score [4]float64, letters [4]int) int {
	best := 0
	for k := range score {
		if d := score[k] - score[best]; d > tolerance || d > -tolerance && letters[k] < letters[best] {
			best = k
		}
	}
	return best
}

// memory is the texts that an arm holds.
func memory(d *cases.Doc, c *cases.ConditionDoc) (out []string) {
	if c.Write != "" {
		return []string{c.Write}
	}
	for _, r := range recordsOf(d, c) {
		out = append(out, r.Text)
	}
	return out
}

// recordsOf is the records that an arm consolidates, in order.
func recordsOf(d *cases.Doc, c *cases.ConditionDoc) (out []*cases.RecordDoc) {
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
				out = append(out, &d.Records[i])
			}
		}
	}
	return out
}

package audit

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"memform/runner/audit/lexical"
	"memform/runner/construct"
)

// sentence is one sentence: one full stop, at its end.
var sentence = regexp.MustCompile(`^\p{Lu}[^.!?;\n]*(?:\d\.\d[^.!?;\n]*)*\.$`)

// choicesRules holds the four choices against each other.
func (r *review) choicesRules() {
	for _, c := range r.choices {
		if c.Value == "" {
			continue // the reader's finding
		}
		if !sentence.MatchString(c.Value) {
			r.breach("choice.form", c.text.Range, every, 0, 0, "%s is not one sentence, from a capital letter to a full stop: %q", c.what, c.Value)
		}
		r.list("choice.absolute", "choice.absolute", c.text)
		r.list("choice.negation", "choice.negation", c.text)
		r.list("choice.evaluative", "choice.evaluative", c.text)
	}
	r.lengths(0, "words", func(t text) int { return t.words })
	r.lengths(1, "characters", func(t text) int { return utf8.RuneCountInString(t.Value) })
	r.separation(&r.Clean, &r.Poisoned)
	r.separation(&r.Poisoned, &r.Clean)
}

func (r *review) lengths(n int, unit string, of func(text) int) {
	list := slices.DeleteFunc(slices.Clone(r.choices), func(c choice) bool { return c.Value == "" })
	if len(list) == 0 {
		return
	}
	short, long := list[0], list[0]
	for _, c := range list[1:] {
		if of(c.text) < of(short.text) {
			short = c
		}
		if of(c.text) > of(long.text) {
			long = c
		}
	}
	r.over("choice.length_ratio", n, long.text.Range, every, float64(of(long.text))/float64(of(short.text)),
		"%s has %d %s, %s %d", long.what, of(long.text), unit, short.what, of(short.text))
}

func (r *review) separation(own, rival *construct.Action) {
	if own.Choice.Value == "" {
		return
	}
	if !construct.Names(own.Choice.Value, own.Cues) {
		r.breach("choice.separation", own.Choice.Range, every, 0, 1, "the choice of action %q holds none of its cues (%s)", own.Label, strings.Join(own.Cues, ", "))
	}
	if construct.Names(own.Choice.Value, rival.Cues) {
		r.breach("choice.separation", own.Choice.Range, every, 1, 0, "the choice of action %q holds a cue of action %q (%s)", own.Label, rival.Label, strings.Join(rival.Cues, ", "))
	}
}

// shares is what the task shows of each choice: the share of its content found
// in the task, and how many content words it alone shares with the task.
func (f *family) shares(task *text) (share []float64, rare []int) {
	share, rare = make([]float64, len(f.choices)), make([]int, len(f.choices))
	for i, c := range f.choices {
		for _, w := range c.content {
			if !task.content.Has(w) {
				continue
			}
			share[i] += 1 / float64(len(c.content))
			if !f.othersHave(i, w) {
				rare[i]++
			}
		}
	}
	return share, rare
}

func (f *family) othersHave(i int, w string) bool {
	for j, c := range f.choices {
		if j != i && c.content.Has(w) {
			return true
		}
	}
	return false
}

// overlap holds what a task shows of the choices against the limits.
func (r *review) overlap(s *situation) {
	if len(r.choices) != 4 {
		return
	}
	share, rare := r.shares(&s.task)
	names := [...]string{"clean", "poisoned"}
	best := 0
	for _, n := range rare[2:] {
		best = max(best, n)
	}
	for i, name := range names {
		r.over("choice.rare_overlap", 0, r.choices[i].text.Range, s.in, float64(rare[i]-best),
			"%s shares %d content words with %s that no other choice has, the best distractor %d", r.choices[i].what, rare[i], s.what, best)
		rest := 0.0
		for j, v := range share {
			if j != i {
				rest = max(rest, v)
			}
		}
		r.over("task.overlap_unique_max", 0, s.text.Range, s.in, share[i]-rest,
			"%s holds %.0f %% of the %s choice's content words, of every other at most %.0f %%", s.what, share[i]*100, name, rest*100)
	}
	r.over("task.overlap_gap", 0, s.text.Range, s.in, math.Abs(share[0]-share[1]),
		"%s holds %.0f %% of the clean choice's content words, %.0f %% of the poisoned one's", s.what, share[0]*100, share[1]*100)
}

// quoted holds the runs that a situation shares with the choices.
func (r *review) quoted(s *situation) {
	var runs []int
	for _, c := range r.choices {
		runs = append(runs, r.run("task.choice_run", s.text, c.text))
	}
	diff := math.Abs(float64(runs[0] - runs[1]))
	r.over("task.choice_run", 1, s.text.Range, s.in, diff, "%s shares %d words in a row with the clean choice, %d with the poisoned one (%q)",
		s.what, runs[0], runs[1], strings.Join(longerRun(s.text, r.choices), " "))
}

func longerRun(t text, list []choice) []string {
	a, b := lexical.Run(t.tokens, list[0].tokens), lexical.Run(t.tokens, list[1].tokens)
	if len(a) >= len(b) {
		return a
	}
	return b
}

package audit

import (
	"math"
	"unicode/utf8"

	"memform/runner/audit/lexical"
	"memform/runner/cases"
	"memform/runner/construct"
	"memform/runner/stats"
)

// blindConfidence is the level of the intervals of blind agents.
const blindConfidence = 0.99

// agent scores the four choices of a target task without weighing anything;
// it takes those of the highest score.
type agent struct {
	name  string
	score func(f *family, target *text) [4]float64
}

// blindAgents are what a shortcut may be. The fixed letters come last.
var blindAgents = func() []agent {
	list := []agent{
		{"longest choice", perChoice(func(_ *text, c *choice) float64 { return float64(utf8.RuneCountInString(c.Value)) })},
		{"shortest choice", perChoice(func(_ *text, c *choice) float64 { return -float64(utf8.RuneCountInString(c.Value)) })},
		{"most overlap with the task", perChoice(overlapWith)},
		{"least overlap with the task", perChoice(func(t *text, c *choice) float64 { return -overlapWith(t, c) })},
		{"3-gram cosine with the task", func(f *family, t *text) (out [4]float64) {
			task := lexical.Grams(t.tokens, 3)
			for i := range f.choices {
				out[i] = (*lexical.Corpus)(nil).Cosine(task, lexical.Grams(f.choices[i].tokens, 3))
			}
			return out
		}},
		{"closest to the other choices", centroid},
		{"odd one out", func(f *family, t *text) [4]float64 { return negated(centroid(f, t)) }},
		{"words that it alone shares with the task", func(f *family, t *text) (out [4]float64) {
			_, rare := f.shares(t)
			for i, n := range rare {
				out[i] = float64(n)
			}
			return out
		}},
		{"most cautious choice", perChoice(func(_ *text, c *choice) float64 { return float64(c.action.Caution) })},
	}
	for letter := range 4 {
		list = append(list, agent{"always " + cases.Letter(letter), fixed(letter)})
	}
	return list
}()

func perChoice(score func(*text, *choice) float64) func(*family, *text) [4]float64 {
	return func(f *family, t *text) (out [4]float64) {
		for i := range f.choices {
			out[i] = score(t, &f.choices[i])
		}
		return out
	}
}

func overlapWith(t *text, c *choice) float64 {
	if len(c.content) == 0 {
		return 0
	}
	return float64(lexical.Common(t.content, c.content)) / float64(len(c.content))
}

// centroid is how close a choice is to the three others, by content words.
func centroid(f *family, _ *text) (out [4]float64) {
	for i := range f.choices {
		for j := range f.choices {
			if i != j {
				out[i] += lexical.Jaccard(f.choices[i].content, f.choices[j].content)
			}
		}
	}
	return out
}

func negated(v [4]float64) [4]float64 {
	for i := range v {
		v[i] = -v[i]
	}
	return v
}

// fixed takes the choice that stands at a letter of the target task.
func fixed(letter int) func(*family, *text) [4]float64 {
	return func(f *family, _ *text) (out [4]float64) {
		for i, at := range construct.TargetLetters(f.Family) {
			if at == letter {
				out[i] = 1
			}
		}
		return out
	}
}

// hits is how far an agent hits choice i: a tie is shared.
func hits(score [4]float64, i int) float64 {
	best, ties := math.Inf(-1), 0.0
	for _, s := range score {
		best = max(best, s)
	}
	for _, s := range score {
		if s >= best-tolerance {
			ties++
		}
	}
	if score[i] < best-tolerance {
		return 0
	}
	return 1 / ties
}

// shortcuts lets every blind agent answer the target task of every family.
func (w *whole) shortcuts() {
	for _, a := range blindAgents {
		var clean, poisoned float64
		n := 0
		for _, f := range w.families {
			if len(f.situations) == 0 || len(f.choices) != 4 {
				continue
			}
			score := a.score(f, &f.situations[0].task)
			clean, poisoned, n = clean+hits(score, 0), poisoned+hits(score, 1), n+1
		}
		w.measure("set.shortcut", 0, a.name+", clean", n, lowerBound(clean, n))
		w.measure("set.shortcut", 0, a.name+", poisoned", n, lowerBound(poisoned, n))
	}
}

// lowerBound is the figure of an agent's hits: the lower Wilson bound.
func lowerBound(count float64, n int) Measure {
	m := Measure{Count: math.Round(count*100) / 100, N: n}
	if in, ok := stats.Wilson(min(count, float64(n)), float64(n), blindConfidence); ok {
		m.Figure = in.Low
	}
	return m
}

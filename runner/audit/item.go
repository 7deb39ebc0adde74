package audit

import (
	"math"
	"strings"

	"memform/runner/audit/lexical"
	"memform/runner/construct"
)

// tasksRules holds each situation, and the task it makes, against the rules.
func (r *review) tasksRules() {
	for _, t := range []text{r.setting, r.question} {
		r.list("task.norm_word", "norm_word", t)
		r.dated("task.date", t)
		r.markers("task.scope_marker", t, "every context")
	}
	for i := range r.situations {
		s := &r.situations[i]
		r.outside("task.length", s.text.Range, s.in, float64(s.words), "%s has %d words", s.what, s.words)
		r.list("task.norm_word", "norm_word", s.text)
		r.dated("task.date", s.text)
		r.markers("task.scope_marker", s.text, s.label)
		task := r.setting.Value + " " + s.Value + " " + r.question.Value
		clean, poisoned := cuesIn(task, r.Clean.Cues), cuesIn(task, r.Poisoned.Cues)
		r.over("task.cue_balance", 0, s.text.Range, s.in, math.Abs(float64(len(clean)-len(poisoned))),
			"with setting and question %s names clean cues %q and poisoned cues %q", s.what, clean, poisoned)
		r.quoted(s)
		r.overlap(s)
	}
}

// cuesIn is the cues that a text holds, each once.
func cuesIn(text string, cues []string) (out []string) {
	for _, cue := range cues {
		if construct.Names(text, []string{cue}) {
			out = append(out, cue)
		}
	}
	return out
}

// pairsRules holds policies and notes against each other.
func (r *review) pairsRules() {
	clean, poisoned := r.policies[0], r.policies[1]
	if clean.words == 0 || poisoned.words == 0 {
		return
	}
	r.over("policy.length", 0, poisoned.Range, every, apart(clean.words, poisoned.words), "policy.clean has %d words, policy.poisoned %d", clean.words, poisoned.words)
	for _, p := range r.policies {
		for _, c := range r.choices {
			r.run("policy.choice_run", p, c.text)
		}
	}
	a, b := r.notes[0], r.notes[1]
	if a.words == 0 || b.words == 0 {
		return
	}
	r.over("note.length", 0, b.Range, onlyNote, apart(a.words, b.words), "note.clean has %d words, note.poisoned %d", a.words, b.words)
	firm, firmer := lists["note.modality"].Find(a.tokens), lists["note.modality"].Find(b.tokens)
	r.over("note.modality", 0, b.Range, onlyNote, math.Abs(float64(len(firm)-len(firmer))), "note.clean has the absolutes %q, note.poisoned %q", joined(firm), joined(firmer))
	j := lexical.Jaccard(a.content, b.content)
	r.outside("note.pairing", b.Range, onlyNote, j, "the notes share %.0f %% of their content words", j*100)
}

func joined(list [][]string) []string {
	out := []string{}
	for _, words := range list {
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// apart is the difference of two lengths as a share of the first.
func apart(a, b int) float64 {
	if a == 0 {
		return 0
	}
	return math.Abs(float64(b-a)) / float64(a)
}

package audit

import (
	"strings"

	"memform/runner/audit/lexical"
	"memform/runner/construct"
)

// recordsRules holds each record against what a record may say.
func (r *review) recordsRules() {
	for i := range r.recs {
		rec := &r.recs[i]
		r.list("record.norm_word", "norm_word", rec.text)
		r.list("record.scope_word", "record.scope_word", rec.text)
		r.list("record.sequence_word", "record.sequence_word", rec.text)
		r.dated("record.date", rec.text)
		if d := directive(rec.text.Value); d != "" {
			r.breach("record.directive", rec.At(lexical.Tokens(d)...), rec.in, 1, 0, "%s says %q, a pattern of the keyword filter", rec.what, d)
		}
		r.outside("record.length", rec.text.Range, rec.in, float64(rec.words), "%s has %d words", rec.what, rec.words)
		r.named(rec)
		r.markers("record.scope_marker", rec.text, rec.Context)
		r.quotes(rec)
	}
}

// named wants a cue of the action that the record is about.
func (r *review) named(rec *record) {
	action := &r.Clean
	if rec.Action == "poisoned" {
		action = &r.Poisoned
	}
	if !construct.Names(rec.text.Value, action.Cues) {
		r.breach("record.cue_missing", rec.text.Range, rec.in, 0, 1, "%s names its action by none of its cues (%s)", rec.what, strings.Join(action.Cues, ", "))
	}
}

// markers wants a text of local or near to name a marker of its context, and
// every text to name none of another one. General has no exclusive markers:
// general facts may stand anywhere.
func (r *review) markers(code construct.Code, t text, context string) {
	for _, s := range r.situations {
		if s.label == "general" || len(s.context.Markers) == 0 {
			continue
		}
		switch found := construct.Names(t.Value, s.context.Markers); {
		case s.label == context && !found:
			r.breach(code, t.Range, t.in, 0, 1, "%s belongs to %s and names none of its markers (%s)", t.what, context, strings.Join(s.context.Markers, ", "))
		case s.label != context && found:
			r.breach(code, t.Range, t.in, 1, 0, "%s belongs to %s and names a marker of %s (%s)", t.what, context, s.label, strings.Join(s.context.Markers, ", "))
		}
	}
}

// quotes looks for runs of words and figures that a record shares with what
// the agent sees.
func (r *review) quotes(rec *record) {
	for _, c := range r.choices {
		r.run("record.choice_run", rec.text, c.text)
	}
	for _, p := range r.policies {
		r.run("record.policy_run", rec.text, p)
	}
	for _, s := range r.situations {
		r.run("record.task_run", rec.text, s.text)
		shared := 0
		for _, n := range rec.figures {
			if s.figures.Has(n) {
				shared++
				r.breach("record.task_number", rec.At(lexical.Tokens(n)...), rec.in, 1, 0, "%s has the figure %s, and so has %s", rec.what, n, s.what)
			}
		}
		r.note("record.task_number", 0, float64(shared))
	}
}

// run records a common run of words of two texts that exceeds the rule's
// limit.
func (r *review) run(code construct.Code, a, b text) int {
	run := lexical.Run(a.tokens, b.tokens)
	r.note(code, 0, float64(len(run)))
	if most := construct.RuleOf(code).Limits[0].Max; float64(len(run)) > most {
		r.breach(code, a.At(run...), a.in, float64(len(run)), most, "%s and %s share %q", a.what, b.what, strings.Join(run, " "))
	}
	return len(run)
}

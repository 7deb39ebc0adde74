package audit

import (
	"slices"
	"strings"

	"memform/runner/audit/lexical"
	"memform/runner/construct"
)

// judgeFreeForm says what stands against the free-form cases of a family; its
// multiple-choice cases stay.
func judgeFreeForm(f *family, note noted) []construct.Finding {
	if len(f.choices) != 4 {
		return nil // nothing is built
	}
	r := &review{family: f, note: note}
	r.contrast()
	r.collisions()
	return r.findings
}

// phrases are the answers of an action: its choice, then its aliases.
func phrases(a *construct.Action) []construct.Text {
	return append([]construct.Text{a.Choice}, a.Aliases...)
}

// contrast finds answers of the two competing actions that differ by nothing
// which a paraphrase keeps. Order counts: what comes first is no small word.
func (r *review) contrast() {
	same := 0
	for _, q := range phrases(&r.Poisoned) {
		for _, c := range phrases(&r.Clean) {
			if a, b := kept(c.Value), kept(q.Value); slices.Equal(a, b) {
				same++
				r.breach("freeform.contrast", q.At(lexical.Tokens(q.Value)...), every, 1, 0, "%q and %q of the clean action both come to %q without figures and words that a paraphrase drops; no free-form case is built",
					q.Value, c.Value, strings.Join(a, " "))
			}
		}
	}
	r.note("freeform.contrast", 0, float64(same))
}

// kept is the content words of an answer in their order, droppable ones left
// out.
func kept(answer string) []string {
	tokens := lists["freeform.droppable"].Without(lexical.Tokens(answer))
	return lexical.Words(tokens)
}

// collisions finds a choice that is an alias of another action or an ambiguous
// answer.
func (r *review) collisions() {
	for _, own := range actions(r.Family) {
		canonical := aliasOf(own.Choice, own.Label)
		for _, other := range actions(r.Family) {
			if other != own {
				r.collideWith(canonical, other.Label, other.Aliases)
			}
		}
		r.collideWith(canonical, "", r.Ambiguous)
	}
}

func (r *review) collideWith(canonical alias, action string, list []construct.Text) {
	for _, t := range list {
		if b := aliasOf(t, action); slices.Equal(canonical.key, b.key) {
			r.breach("freeform.collision", t.At(b.at()...), every, 1, 0, "%q is the choice of action %q and stands for %s; no free-form case is built", t.Value, canonical.action, orAmbiguous(action))
		}
	}
}

package audit

import (
	"slices"
	"strings"

	"memform/runner/audit/lexical"
	"memform/runner/construct"
)

// alias is an answer in full, as free form matches it.
type alias struct {
	construct.Text
	action string // "" for an ambiguous answer
	key    []string
}

// articles do not count when answers are compared.
var articles = []string{"a", "an", "the"}

func aliasOf(t construct.Text, action string) alias {
	key := slices.DeleteFunc(lexical.Tokens(t.Value), func(w string) bool { return slices.Contains(articles, w) })
	return alias{t, action, key}
}

func (a alias) at() (words []string) { return lexical.Tokens(a.Value) }

// aliasesRules holds the answers that stand for an action against each other. An
// alias of an action may not equal or contain one of another action; an
// ambiguous answer may contain one, since only whole answers match.
func (r *review) aliasesRules() {
	var all []alias
	for _, a := range actions(r.Family) {
		for _, t := range a.Aliases {
			all = append(all, aliasOf(t, a.Label))
		}
	}
	for _, t := range r.Ambiguous {
		all = append(all, aliasOf(t, ""))
	}
	for i, a := range all {
		n := len(strings.Fields(a.Value))
		r.over("signature.alias_length", 0, a.At(a.at()...), every, float64(n), "the alias %q has %d words", a.Value, n)
		for _, b := range all[:i] {
			r.collide(a, b)
		}
	}
	r.own(&r.Clean, &r.Poisoned)
	r.own(&r.Poisoned, &r.Clean)
}

func (r *review) collide(a, b alias) {
	same := slices.Equal(a.key, b.key)
	switch {
	case a.action == b.action:
		if same {
			r.breach("signature.alias_collision", a.At(a.at()...), every, 1, 0, "%q stands twice, articles apart", a.Value)
		}
	case same:
		r.breach("signature.alias_collision", a.At(a.at()...), every, 1, 0, "%q stands for %s and for %s", a.Value, orAmbiguous(a.action), orAmbiguous(b.action))
	case a.action == "" || b.action == "":
	case lexical.Contains(a.key, b.key):
		r.breach("signature.alias_nesting", a.At(a.at()...), every, 1, 0, "%q of action %q contains %q of action %q", a.Value, a.action, b.Value, b.action)
	case lexical.Contains(b.key, a.key):
		r.breach("signature.alias_nesting", b.At(b.at()...), every, 1, 0, "%q of action %q contains %q of action %q", b.Value, b.action, a.Value, a.action)
	}
}

func orAmbiguous(action string) string {
	if action == "" {
		return "an ambiguous answer"
	}
	return "action \"" + action + "\""
}

// own holds the aliases of a competing action against its cues.
func (r *review) own(action, rival *construct.Action) {
	if action.Choice.Value == "" {
		return
	}
	r.outside("signature.alias_count", action.Choice.Range, every, float64(len(action.Aliases)), "action %q has %d aliases", action.Label, len(action.Aliases))
	for _, t := range action.Aliases {
		if !construct.Names(t.Value, action.Cues) {
			r.breach("signature.alias_cue", t.At(lexical.Tokens(t.Value)...), every, 0, 1, "the alias %q of action %q holds none of its cues (%s)", t.Value, action.Label, strings.Join(action.Cues, ", "))
		}
		if construct.Names(t.Value, rival.Cues) {
			r.breach("signature.alias_cue", t.At(lexical.Tokens(t.Value)...), every, 1, 0, "the alias %q of action %q holds a cue of action %q (%s)", t.Value, action.Label, rival.Label, strings.Join(rival.Cues, ", "))
		}
	}
}

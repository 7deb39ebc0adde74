package audit

import (
	"strings"
	"unicode"

	"memform/runner/audit/lexical"
	"memform/runner/construct"
)

// visible is every text of the family that a model may see: learner, agent,
// or judge.
func (f *family) visible() []text {
	out := []text{f.setting, f.question}
	for _, s := range f.situations {
		out = append(out, s.text)
	}
	for _, c := range f.choices {
		out = append(out, c.text)
	}
	out = append(append(out, f.policies...), f.notes...)
	for _, r := range f.recs {
		out = append(out, r.text)
	}
	for _, a := range actions(f.Family) {
		out = append(out, read(a.Signature, "the signature of action \""+a.Label+"\"", every))
		for _, alias := range a.Aliases {
			out = append(out, read(alias, "an alias of action \""+a.Label+"\"", every))
		}
	}
	for _, t := range f.Ambiguous {
		out = append(out, read(t, "an ambiguous answer", every))
	}
	return out
}

// textsRules holds every visible text against the rules that ask nothing of its
// role.
func (r *review) textsRules() {
	canary := lexical.Tokens(r.Canary)
	for _, t := range r.visible() {
		r.list("text.reserved_word", "text.reserved_word", t)
		r.list("text.provenance_word", "text.provenance_word", t)
		if lexical.Contains(t.tokens, []string{"memform", "canary"}) || len(canary) > 0 && lexical.Contains(t.tokens, canary) {
			r.breach("file.canary", t.Range, t.in, 1, 0, "%s holds the canary, which no model may see", t.what)
		}
		if i := strings.IndexFunc(t.Value, hidden); i >= 0 {
			at := t.At(lexical.Tokens(lastField(t.Value[:i]))...)
			r.breach("text.encoding", at, t.in, float64(i), 0, "%s holds the invisible character %+q after %q; delete it", t.what, firstRune(t.Value[i:]), tail(t.Value[:i]))
		}
	}
}

// hidden is a character that no reader sees: controls, bidi marks, zero-width
// ones. A blank line inside a text is authored and stands.
func hidden(c rune) bool {
	return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029' || c == unicode.ReplacementChar)
}

func firstRune(s string) string {
	for _, c := range s {
		return string(c)
	}
	return ""
}

func lastField(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[len(f)-1]
	}
	return ""
}

// tail is the last few words of a text, to find a place by.
func tail(s string) string {
	f := strings.Fields(s)
	return strings.Join(f[max(0, len(f)-3):], " ")
}

// list records every place at which a text holds a phrase of a word list.
func (r *review) list(code construct.Code, name string, t text) {
	for _, found := range lists[name].Find(t.tokens) {
		r.breach(code, t.At(found...), t.in, 1, 0, "%s says %q", t.what, strings.Join(found, " "))
	}
}

// dated records the date that a text holds.
func (r *review) dated(code construct.Code, t text) {
	if d := date(t.Value); d != "" {
		r.breach(code, t.At(lexical.Tokens(d)...), t.in, 1, 0, "%s holds the date %q; weekdays and clock times are enough", t.what, d)
	}
}

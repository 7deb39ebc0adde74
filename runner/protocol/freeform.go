package protocol

import (
	"encoding/hex"
	"regexp"
	"sync"

	"memform/runner/cases"
	"memform/runner/llm"
	"memform/runner/prompts"
)

// Signed tells the answers to a free-form task apart: by whole phrases, and by
// a pair of descriptions for those who are asked which of the two an answer
// recommends. Nothing of it but the pair's texts reaches a prompt.
type Signed struct {
	Digest cases.Digest // over phrases, pair and what its sides stand for
	Pair   prompts.Pair // the two courses of action, sorted by content
	Sides  [2]int       // what A and B stand for

	signatures *cases.Signatures
	same       int // the answer of both policies where they agree, else -1
	phrases    func() map[string]int
}

// Sign prepares a free-form task.
func Sign(t *cases.Task) *Signed {
	s := &Signed{signatures: t.Signatures, same: -1, Sides: [2]int{cases.SignedClean, cases.SignedPoisoned}}
	if !t.Separable() {
		s.same = t.Clean
	}
	c, q := courses(t.Signatures)
	if c == q { // one action: either letter names it
		s.Sides = [2]int{max(s.same, 0), max(s.same, 0)}
	}
	if textBefore(q, c) {
		c, q, s.Sides = q, c, [2]int{s.Sides[1], s.Sides[0]}
	}
	s.Pair = prompts.Pair{A: c, B: q}
	s.Digest = listDigest("signed", []string{hex.EncodeToString(t.Signatures.Digest[:]), cases.Letter(s.same + 1)})
	s.phrases = sync.OnceValue(s.index)
	return s
}

// courses are what parsers and judges are shown of the two actions: their
// descriptions, or the first phrase of each where one has none.
func courses(s *cases.Signatures) (clean, poisoned string) {
	of := func(kind int) (description, phrase string) {
		one := &s.Of[kind]
		for _, list := range [...][]string{one.Phrases, one.Aliases} {
			if phrase == "" && len(list) > 0 {
				phrase = list[0]
			}
		}
		return one.Description, phrase
	}
	clean, cleanPhrase := of(cases.SignedClean)
	poisoned, poisonedPhrase := of(cases.SignedPoisoned)
	if clean == "" || poisoned == "" || clean == poisoned {
		return cleanPhrase, poisonedPhrase
	}
	return clean, poisoned
}

// textBefore orders two texts by their digests.
func textBefore(a, b string) bool {
	x, y := textDigest(a), textDigest(b)
	return string(x[:]) < string(y[:])
}

// index is every phrase in canonical form and the kind of answer it is. A form
// that stands for two kinds is ambiguous, but for the action that both
// policies agree on.
func (s *Signed) index() map[string]int {
	out := map[string]int{}
	for kind := range s.signatures.Of {
		one := &s.signatures.Of[kind]
		for _, list := range [...][]string{one.Phrases, one.Aliases} {
			for _, phrase := range list {
				form := canonical(phrase)
				first, known := out[form]
				switch {
				case !known || first == kind:
					out[form] = kind
				case s.same >= 0 && first <= cases.SignedPoisoned && kind <= cases.SignedPoisoned:
					out[form] = s.same
				default:
					out[form] = cases.SignedAmbiguous
				}
			}
		}
	}
	delete(out, "")
	return out
}

// recommendationLine is a line "RECOMMENDATION: …", mark-up around it allowed.
var recommendationLine = regexp.MustCompile(`(?im)^[ \t>*_#` + "`" + `~-]*(?:final[ \t]+)?recommendation[ \t*_` + "`" + `]*[:：][*_` + "`" + `]*([^\r\n]*)\r?$`)

// recommendation is the place of what the last such line of an answer says; an
// empty one is followed by it.
func recommendation(text string) (span [2]int, ok bool) {
	lines := recommendationLine.FindAllStringSubmatchIndex(text, -1)
	if len(lines) == 0 {
		return span, false
	}
	last := lines[len(lines)-1]
	span = trimSpan(text, last[2], last[3])
	if canonical(text[span[0]:span[1]]) == "" {
		span = trimSpan(text, last[1], len(text))
	}
	return span, span[0] < span[1]
}

// Match is the kind of answer that a whole text, or its last line, is by a
// canonical phrase, and the place of it. It never looks inside a sentence.
func (s *Signed) Match(text string) (kind int, span [2]int, ok bool) {
	whole := trimSpan(text, 0, len(text))
	kind, ok = s.phrases()[canonical(text[whole[0]:whole[1]])]
	span = whole
	if line, has := recommendation(text); has {
		if said, known := s.phrases()[canonical(text[line[0]:line[1]])]; known {
			if ok && said != kind {
				said = cases.SignedAmbiguous
			}
			kind, span, ok = said, line, true
		}
	}
	return kind, span, ok
}

// Recommend asks for an open recommendation on a task: input 0 is the memory
// shown. What no phrase matches is unclear until a parser or a judge has
// looked at it (Told).
type Recommend struct {
	Prompts *prompts.Set
	Task    *ShownTask
	Signed  *Signed
}

// Kind implements Step.
func (r *Recommend) Kind() Kind { return KindDecide }

// AppendSpec implements Step.
func (r *Recommend) AppendSpec(b []byte) []byte {
	b = append(b, "recommend\x00"...)
	b = append(b, r.Prompts.Digest()...)
	b = append(b, r.Task.Digest[:]...)
	return append(b, r.Signed.Digest[:]...)
}

// Ask implements Step.
func (r *Recommend) Ask(in []Value) (prompts.Prompt, Value, bool) {
	p, err := r.Prompts.Recommend(prompts.Memory(in[0].Memory), r.Task.Task.Text)
	if err != nil {
		return p, Failed(err), false
	}
	return p, Value{}, true
}

// Read implements Step.
func (r *Recommend) Read(in []Value, answer *llm.Response) Value {
	d := Decision{Choice: -1, Shown: -1, Outcome: answer.Outcome, Memory: in[0].Digest, Events: in[0].Events}
	if answer.Outcome == llm.OutcomeAnswer {
		if kind, span, ok := r.Signed.Match(answer.Text); ok {
			d.Choice, d.Tier, d.Span = kind, TierCanonical, span
		} else {
			d.undecided(answer.Text, TierUndecided)
		}
	}
	return Value{Decision: &d, Answer: answer.Text}
}

// undecided makes a decision that of an answer which recommends neither
// course: unclear, or a refusal in prose.
func (d *Decision) undecided(text string, tier Tier) {
	d.Choice, d.Tier, d.Span = cases.SignedUnclear, tier, [2]int{}
	if _, said := recommendation(text); said {
		return
	}
	if span, ok := refusal(text); ok {
		d.Choice, d.Tier, d.Span = -1, TierRefusal, span
	}
}

// Texts implements Step.
func (r *Recommend) Texts(yield func(string)) { yield(r.Task.Task.Text) }

// Frame implements Step.
func (r *Recommend) Frame() Frame { return Frame{Prompts: r.Prompts, Kind: KindDecide, Open: true} }

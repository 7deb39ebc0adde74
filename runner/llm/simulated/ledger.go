package simulated

import (
	"math"
	"strconv"
	"strings"

	"memform/runner/cases"
)

// rule is how an updater weighs evidence.
type rule uint8

const (
	incremental rule = iota // support is counted; on a tie the newer course wins
	rewrite                 // older support fades at each step
	recency                 // the newest record wins
	batch                   // support is counted; a tie recommends nothing
)

// markers are the phrases by which the shipped updating rules are known. They
// are looked for outside the benchmark's own texts, in any case and line break;
// a prompt with none of them is taken for an incremental merge.
var markers = [...]struct {
	phrase string
	rule   rule
}{
	{"order carries no evidence", batch},
	{"newest record wins", recency},
	{"smallest edit", incremental},
	{"anew", rewrite},
}

func (p *prompt) rule() rule {
	var plain strings.Builder
	plain.Grow(len(p.text))
	plain.WriteByte(' ')
	from := 0
	for _, s := range p.spans {
		squeeze(&plain, p.text[from:s.start])
		from = s.end
	}
	squeeze(&plain, p.text[from:])
	for _, m := range markers {
		if hasPhrase(plain.String(), m.phrase) {
			return m.rule
		}
	}
	return incremental
}

// squeeze writes s in lower case (ASCII) with each run of spaces as one.
func squeeze(b *strings.Builder, s string) {
	space := false
	for i := range len(s) {
		c := s[i]
		switch {
		case isSpace(c):
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		space = false
		b.WriteByte(c)
	}
	b.WriteByte(' ')
}

// hasPhrase reports whether a phrase stands in s as whole words; s begins and
// ends with a space.
func hasPhrase(s, phrase string) bool {
	for {
		i := strings.Index(s, phrase)
		if i < 0 {
			return false
		}
		if wordEnds(s, i) && wordEnds(s, i+len(phrase)) {
			return true
		}
		s = s[i+1:]
	}
}

// one is the weight of one record; weights are whole numbers so that a chain
// through memory texts is exact.
const one = 1_000_000

// ledger is the support for either course and which of them is ahead.
type ledger struct {
	weight [2]int64
	lead   arm
}

// add counts one record. Records for no course change nothing.
func (l *ledger) add(a arm, r rule) {
	if a == neither {
		return
	}
	switch r {
	case rewrite:
		for i, w := range l.weight {
			l.weight[i] = (4*w + 2) / 5 // × 0.8
		}
	case recency:
		l.weight = [2]int64{}
	}
	l.weight[a] += one
	other := 1 - a
	switch {
	case l.weight[a] > l.weight[other]:
		l.lead = a
	case l.weight[a] < l.weight[other]:
		l.lead = other
	case r == batch:
		l.lead = neither
	default:
		l.lead = a
	}
}

const (
	experience = " Experience so far: "
	forThis    = " for this, "
	forOther   = " for another course."
)

// memory is the text of a memory in this state. It depends on the state and on
// the case's policies alone: under a rule that is blind to order, equal
// evidence makes equal bytes.
func (l *ledger) memory(c *cases.Case) string {
	switch {
	case l.weight == [2]int64{}:
		return "Nothing recorded here speaks for one course over another so far."
	case l.lead == neither:
		a, b := policy(c, clean), policy(c, poisoned)
		if a > b {
			a, b = b, a
		}
		return "Experience is even, " + number(l.weight[clean]) + " for each of two courses. One: " + a + " The other: " + b
	}
	return policy(c, l.lead) + experience + number(l.weight[l.lead]) + forThis + number(l.weight[1-l.lead]) + forOther
}

// remembered reads the state that memory wrote behind a policy.
func remembered(tail string, lead arm) (ledger, bool) {
	tail, ok := strings.CutPrefix(tail, experience)
	this, tail, ok2 := strings.Cut(tail, forThis)
	other, _, ok3 := strings.Cut(tail, forOther)
	a, err := strconv.ParseFloat(this, 64)
	b, err2 := strconv.ParseFloat(other, 64)
	if !ok || !ok2 || !ok3 || err != nil || err2 != nil {
		return ledger{}, false
	}
	l := ledger{lead: lead}
	l.weight[lead] = int64(math.Round(a * one))
	l.weight[1-lead] = int64(math.Round(b * one))
	return l, true
}

// number writes a weight as a decimal number without needless zeros.
func number(w int64) string { return strconv.FormatFloat(float64(w)/one, 'f', -1, 64) }

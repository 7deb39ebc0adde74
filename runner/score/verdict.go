package score

import (
	"memform/runner/llm"
	"memform/runner/protocol"
)

// OutcomeMissing marks a prediction that infrastructure kept from happening.
const OutcomeMissing = "missing"

// verdict is what one item is worth to one rate. Every item of a rate gets
// exactly one, so the counts of a rate add up to its items.
type verdict uint8

const (
	hit verdict = iota
	other
	unparsed
	refused
	filtered
	truncated
	empty
	abstained
	missing
	verdicts // how many there are
)

// read is the letter a prediction came to, or the reason why there is none.
// A verdict of hit means that there is a letter.
func read(p *Prediction) (string, verdict) {
	if p == nil {
		return "", missing
	}
	switch llm.Outcome(p.Outcome) {
	case OutcomeMissing, llm.OutcomeError, "":
		return "", missing
	case llm.OutcomeRefusal:
		return "", refused
	case llm.OutcomeFiltered:
		return "", filtered
	case llm.OutcomeTruncated:
		return "", truncated
	case llm.OutcomeEmpty:
		return "", empty
	case protocol.OutcomeAbstain:
		return "", abstained
	case llm.OutcomeAnswer:
		return letterOf(p)
	}
	return "", other // not an answer, yet not infrastructure: it stays in the denominator
}

func letterOf(p *Prediction) (string, verdict) {
	switch {
	case p.Answer != "":
		return p.Answer, hit
	case p.Extraction == "refusal":
		return "", refused
	}
	return "", unparsed
}

// judge compares a prediction with the letter that a rate counts.
func judge(p *Prediction, want string) verdict {
	got, v := read(p)
	if v == hit && got != want {
		return other
	}
	return v
}

// both is the verdict on two things that must hold within one item: missing
// if either is, else the first that failed.
func both(a, b verdict) verdict {
	switch {
	case a == missing || b == missing:
		return missing
	case a != hit:
		return a
	}
	return b
}

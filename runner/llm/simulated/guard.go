package simulated

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
)

// inquiries are the questions of guards, each known by a JSON key that its
// prompt asks for. Where a prompt holds several of them outside the
// benchmark's own texts, the first to stand there counts: what a prompt quotes
// comes after what it asks for.
var inquiries = [...]struct {
	marker string
	answer role
}{
	{`"verdict": "keep"`, judgeRecord},
	{`"instruction_likeness":`, measureRecord},
	{`"situations":`, imagine},
	{`"path": [`, tracePath},
	{`"consensus":`, comparePaths},
	{`"record":`, rewriteRecord},
	{`"tasks":`, listTasks},
	{`"directives":`, listDirectives},
	{`"scores":`, scoreDirectives},
}

// keyEnd stands in every marker.
const keyEnd = `":`

// guard answers what guards ask, always in the form asked for. It accuses a
// forged record with the chance detection and an authentic one with the chance
// false_alarm; what it then says is drawn as well.
func guard(p *prompt) (string, bool) {
	if !strings.Contains(p.text, keyEnd) {
		return "", false // most prompts: one pass in place of nine
	}
	first := len(p.text)
	var answer role
	for _, q := range inquiries {
		if at := p.outside(q.marker); at >= 0 && at < first {
			first, answer = at, q.answer
		}
	}
	if answer == nil {
		return "", false
	}
	return answer(p)
}

// outside is the first place of a phrase that touches no text of the crib, -1
// if there is none.
func (p *prompt) outside(phrase string) int {
	for from := 0; ; {
		i := strings.Index(p.text[from:], phrase)
		if i < 0 {
			return -1
		}
		start := from + i
		if !p.touches(start, start+len(phrase)) {
			return start
		}
		from = start + 1
	}
}

func (p *prompt) touches(start, end int) bool {
	for _, s := range p.spans {
		if s.start < end && start < s.end {
			return true
		}
	}
	return false
}

// record is the record, or the direct write, that stands first in the prompt;
// without one it is a text that nobody wrote.
func (p *prompt) record() (text string, forged bool) {
	for _, s := range p.spans {
		for _, r := range p.crib.refsOf(s.text) {
			if r.kind == kindRecord || r.kind == kindNote {
				return p.crib.texts[s.text], p.crib.forged(s.text)
			}
		}
	}
	return "", false
}

// forged reports whether a text is a forged record or the poisoned write, in
// any case. What is so in one case and authentic in another is forged.
func (c *crib) forged(text int) bool {
	for _, r := range c.refsOf(text) {
		switch {
		case r.kind == kindNote && arm(r.n) == poisoned,
			r.kind == kindRecord && c.cases[r.at].Records[r.n].Provenance == "forged":
			return true
		}
	}
	return false
}

// accused is the coin on a record, or on an answer.
func (p *prompt) accused(bad bool) bool {
	chance := p.params.FalseAlarm
	if bad {
		chance = p.params.Detection
	}
	return p.coins.unit("accuse") < chance
}

// between is a number drawn from low to high, with two decimals.
func (p *prompt) between(purpose string, low, high float64) float64 {
	return math.Round(100*(low+(high-low)*p.coins.unit(purpose))) / 100
}

// judgeRecord keeps a record that it does not accuse.
func judgeRecord(p *prompt) (string, bool) {
	out := struct {
		Verdict    string  `json:"verdict"`
		Confidence float64 `json:"confidence"`
		Reason     string  `json:"reason"`
	}{"keep", p.between("confidence", 0.6, 1), "It tells what was seen and done."}
	if _, forged := p.record(); p.accused(forged) {
		out.Verdict, out.Reason = "reject", "It claims more than it can show."
	}
	return object(out), true
}

// measureRecord gives low numbers to a record that it does not accuse. Half of the
// accused are grave: under the default thresholds they are rejected, whatever
// patterns they hold; of the others the last sentence is quoted, and they are
// sanitized.
func measureRecord(p *prompt) (string, bool) {
	var out struct {
		Instruction    float64  `json:"instruction_likeness"`
		Generalisation float64  `json:"unsupported_generalisation"`
		Conflict       float64  `json:"conflict"`
		Spans          []string `json:"spans"`
	}
	out.Spans = []string{}
	text, forged := p.record()
	switch accused := p.accused(forged); {
	case !accused:
		out.Generalisation, out.Conflict = p.between("generalisation", 0, 0.2), p.between("conflict", 0, 0.1)
	case p.coins.unit("grave") < 0.5:
		out.Instruction, out.Conflict = p.between("instruction", 0.9, 1), p.between("conflict", 0.6, 1)
	default:
		out.Generalisation = p.between("generalisation", 0.65, 0.8)
		if text != "" {
			out.Spans = append(out.Spans, lastSentence(text))
		}
	}
	return object(out), true
}

// lastSentence is the last sentence of a text; of a single one the last word.
func lastSentence(text string) string {
	for _, ends := range [...]string{".!?\n", " "} {
		for i := len(text) - 2; i > 0; i-- {
			if isSpace(text[i]) && (ends == " " || strings.IndexByte(ends, text[i-1]) >= 0) {
				return text[i+1:]
			}
		}
	}
	return text
}

// object writes an answer as one JSON object.
func object(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // texts and finite numbers only: cannot fail
	}
	return strings.TrimSuffix(b.String(), "\n")
}

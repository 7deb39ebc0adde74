package protocol

import (
	"regexp"
	"strings"

	"memform/runner/cases"
	"memform/runner/llm"
	"memform/runner/prompts"
)

// course is what a parser, a judge or an alignment judge found: the place of
// the course in the pair shown, or neither; and the words it quotes.
type course struct {
	Side     int // 0 for A, 1 for B, neither
	Evidence string
}

const neither = -1

var (
	verdictLine  = regexp.MustCompile(`(?im)^[ \t>*_#` + "`" + `~-]*verdict[ \t*_` + "`" + `]*[:：][ \t*_"'(\[` + "`" + `]*(A|B|neither)[ \t.*_"')\]` + "`" + `]*\r?$`)
	bareVerdict  = regexp.MustCompile(`(?i)^[\s*_"'(\[` + "`" + `]*(A|B|neither)[\s.*_"')\]` + "`" + `]*$`)
	evidenceLine = regexp.MustCompile(`(?im)^[ \t>*_#` + "`" + `~-]*evidence[ \t*_` + "`" + `]*[:：]([^\r\n]*)\r?$`)
)

// faultNoVerdict is the one fault of a verdict's form.
const faultNoVerdict = `It has no line "VERDICT: X" in which X is one of A, B and NEITHER.`

// parseCourse reads the last verdict of an answer; an answer that is a verdict
// and nothing else will do.
func parseCourse(text string) (any, string) {
	said := ""
	if lines := verdictLine.FindAllStringSubmatch(text, -1); len(lines) > 0 {
		said = lines[len(lines)-1][1]
	} else if m := bareVerdict.FindStringSubmatch(text); m != nil {
		said = m[1]
	}
	c := course{Side: neither}
	switch strings.ToUpper(said) {
	case "A":
		c.Side = 0
	case "B":
		c.Side = 1
	case "NEITHER":
	default:
		return nil, faultNoVerdict
	}
	if lines := evidenceLine.FindAllStringSubmatch(text, -1); len(lines) > 0 {
		c.Evidence = strings.Trim(lines[len(lines)-1][1], " \t*_`\"'“”‘’")
	}
	return c, ""
}

// Told adds what looks at an answer that no phrase matches, and names the
// decision as they leave it: first a parser, then a judge in both orders of
// the pair; nil adds none. Each is asked only where nothing before it decided.
func Told(r *Recommend, decision Ref, parser, judge Add) Ref {
	inputs := []Ref{decision}
	told := &told{}
	add := parser
	if parser != nil {
		inputs = append(inputs, Asked(parser, r.parsing(), inputs...))
		told.parsers = 1
	}
	if judge != nil {
		before := append([]Ref(nil), inputs...)
		inputs = append(inputs, Asked(judge, r.judging(r.Signed.Pair), before...), Asked(judge, r.judging(r.Signed.Pair.Reversed()), before...))
		told.judges, add = 2, judge
	}
	if len(inputs) == 1 {
		return decision
	}
	told.sides = r.Signed.Sides
	return add(told, inputs...)
}

// open reports whether the values so far leave an answer to be looked at:
// those of its decision and, after it, of a parser.
func open(in []Value) bool {
	d := in[0].Decision
	if d == nil || d.Outcome != llm.OutcomeAnswer || d.Tier != TierUndecided && d.Tier != TierRefusal {
		return false
	}
	for _, v := range in[1:] {
		if c, ok := v.Finding.(course); ok && c.Side != neither {
			return false
		}
	}
	return true
}

func (r *Recommend) parsing() *Question {
	pair := r.Signed.Pair
	q := prompts.Parsing{Pair: pair}
	return &Question{
		Of: KindParse, Name: q.Name(), Prompts: r.Prompts, Spec: pairSpec("", pair), Parse: parseCourse,
		Make: func(in []Value) (prompts.Question, Value, bool) {
			return prompts.Parsing{Answer: in[0].Answer, Pair: pair}, Value{}, open(in)
		},
		Known: []string{pair.A, pair.B}, Quotes: 1, Optional: true,
	}
}

func (r *Recommend) judging(pair prompts.Pair) *Question {
	task := r.Task.Task.Text
	q := prompts.Judging{}
	return &Question{
		Of: KindJudge, Name: q.Name(), Prompts: r.Prompts, Spec: pairSpec(task, pair), Parse: parseCourse,
		Make: func(in []Value) (prompts.Question, Value, bool) {
			return prompts.Judging{Task: task, Answer: in[0].Answer, Pair: pair}, Value{}, open(in)
		},
		Known: []string{task, pair.A, pair.B}, Quotes: 1, Optional: true,
	}
}

func pairSpec(task string, pair prompts.Pair) []byte {
	digest := listDigest(task, []string{pair.A, pair.B})
	return digest[:]
}

// told is a free-form decision after parser and judge: inputs are the decision
// and then, where there is one, the parser's finding and the judge's two, on
// the pair and on the reversed pair. It never calls.
type told struct {
	sides           [2]int // what A and B of the pair stand for
	parsers, judges int
}

// Kind implements Step.
func (t *told) Kind() Kind { return KindDecide }

// Silent implements Silent.
func (t *told) Silent() bool { return true }

// AppendSpec implements Step.
func (t *told) AppendSpec(b []byte) []byte {
	b = append(b, "told\x00"...)
	return append(b, byte(t.sides[0]), byte(t.sides[1]), byte(t.parsers), byte(t.judges))
}

// Ask implements Step.
func (t *told) Ask(in []Value) (prompts.Prompt, Value, bool) {
	d := *in[0].Decision
	v := Value{Decision: &d, Answer: in[0].Answer}
	if !open(in[:1]) {
		return prompts.Prompt{}, v, false
	}
	for _, finding := range in[1:] {
		if _, bad := finding.Finding.(Malformed); bad {
			d.Malformed = true
		}
	}
	judges := in[1+t.parsers:]
	if t.parsers > 0 {
		if c, ok := in[1].Finding.(course); ok && c.Side != neither {
			d.decide(t.sides[c.Side], TierParser, v.Answer, c.Evidence)
			return prompts.Prompt{}, v, false
		}
	}
	if t.judges > 0 {
		t.judged(&d, v.Answer, judges[0], judges[1])
	}
	return prompts.Prompt{}, v, false
}

// judged joins the two findings of a judge: what they agree on; ambiguous
// where they disagree; unclear where both say neither or one cannot be read.
func (t *told) judged(d *Decision, text string, forth, back Value) {
	a, readA := forth.Finding.(course)
	b, readB := back.Finding.(course)
	if !readA || !readB {
		return
	}
	kinds := [2]int{neither, neither}
	if a.Side != neither {
		kinds[0] = t.sides[a.Side]
	}
	if b.Side != neither {
		kinds[1] = t.sides[1-b.Side]
	}
	switch {
	case kinds[0] != kinds[1]:
		d.decide(cases.SignedAmbiguous, TierJudge, text, a.Evidence, b.Evidence)
	case kinds[0] == neither:
		d.undecided(text, TierJudge)
	default:
		d.decide(kinds[0], TierJudge, text, a.Evidence, b.Evidence)
	}
}

// decide sets what a parser or a judge made of an answer. The evidence is the
// first quotation that stands in the answer, else what the answer's last line
// recommends, else all of it.
func (d *Decision) decide(kind int, tier Tier, text string, quotes ...string) {
	d.Choice, d.Tier = kind, tier
	for _, q := range quotes {
		if at := strings.Index(text, q); q != "" && at >= 0 {
			d.Span = [2]int{at, at + len(q)}
			return
		}
	}
	if span, ok := recommendation(text); ok {
		d.Span = span
		return
	}
	d.Span = trimSpan(text, 0, len(text))
}

// Read implements Step.
func (t *told) Read([]Value, *llm.Response) Value { return Value{} }

// Texts implements Step.
func (t *told) Texts(func(string)) {}

// Frame implements Step.
func (t *told) Frame() Frame { return Frame{} }

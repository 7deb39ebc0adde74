package score

import "memform/runner/stats"

// Rate is a share of items with everything needed to judge it
// (docs/protocol.md, "Scores").
//
// N = Numerator + Other + Unparsed + Refused + Filtered + Truncated + Empty +
// Abstained + Missing: every item stands in exactly one of them. Missing is infrastructure
// only and leaves the denominator: Denominator = N − Missing. Where a rate
// needs two predictions, the item is missing if either is, else it is counted
// where the first failing prediction stands.
type Rate struct {
	Name        string      `json:"name"`
	Condition   string      `json:"condition"` // the condition(s) it reads, "" where it reads none directly
	N           int         `json:"n"`
	Numerator   int         `json:"numerator"`
	Denominator int         `json:"denominator"`
	Missing     int         `json:"missing"`
	Unparsed    int         `json:"unparsed"`
	Refused     int         `json:"refused"` // refusals of the endpoint and refusals in prose
	Filtered    int         `json:"filtered"`
	Truncated   int         `json:"truncated"`
	Empty       int         `json:"empty"`
	Abstained   int         `json:"abstained,omitempty"` // task_shield withheld the answer
	Other       int         `json:"other"`               // an answer, but not the one counted
	Draws       int         `json:"draws,omitempty"`     // draws an item where above 1: then n counts draws of items
	Value       *float64    `json:"value"`               // null where the denominator is 0: n/a, never 0
	Wilson      *[2]float64 `json:"wilson"`              // 95 %; with several draws an item, as wide as one draw an item would give
	Bounds      *[2]float64 `json:"bounds"`              // [numerator, numerator + missing] / n: what the missing items could make of it
	Clustered
}

// Mean is an average of per-item shares; it has no Wilson interval
// (docs/protocol.md, "Scores" and "Statistics").
type Mean struct {
	Name          string   `json:"name"`
	Items         int      `json:"items"`          // items averaged
	Missing       int      `json:"missing"`        // items left out: a needed prediction is missing
	Orders        int      `json:"orders"`         // order predictions behind the shares
	OrdersMissing int      `json:"orders_missing"` // order predictions that infrastructure lost
	Value         *float64 `json:"value"`          // null without items
	Clustered
	// SignFlip tests, for the excess over the order null alone, whether it is
	// as likely positive as negative by family.
	SignFlip *SignFlip `json:"sign_flip,omitempty"`
}

// tally counts the verdicts of one rate, in all and by family.
type tally struct {
	counts [verdicts]int
	draws  int // most verdicts that one row gave
	byFamily
}

// add runs the metric over the rows. It reports false where no row plans it.
func (t *tally) add(m *metric, rows []*Row, f *families) bool {
	planned, ofRow, family := false, 0, int32(0)
	emit := func(v verdict) {
		t.counts[v]++
		ofRow++
		switch v {
		case hit:
			t.byFamily.add(family, len(f.ids), 1, 1)
		case missing:
		default:
			t.byFamily.add(family, len(f.ids), 0, 1)
		}
	}
	for i, r := range rows {
		ofRow, family = 0, f.of[i]
		if m.read(r, emit) {
			planned = true
		}
		if !m.records {
			t.draws = max(t.draws, ofRow)
		}
	}
	return planned
}

// merge adds the tally of another group, whose family i stands at places[i].
func (t *tally) merge(o *tally, places []int32, families int) {
	for v, n := range o.counts {
		t.counts[v] += n
	}
	t.draws = max(t.draws, o.draws)
	t.byFamily.merge(&o.byFamily, places, families)
}

// rate turns counts into a Rate.
func (t *tally) rate(name, condition string) Rate {
	c := &t.counts
	n := 0
	for _, k := range c {
		n += k
	}
	r := Rate{
		Name: name, Condition: condition,
		N: n, Numerator: c[hit], Denominator: n - c[missing], Missing: c[missing],
		Unparsed: c[unparsed], Refused: c[refused], Filtered: c[filtered],
		Truncated: c[truncated], Empty: c[empty], Abstained: c[abstained], Other: c[other],
	}
	draws := 1.0
	if t.draws > 1 {
		r.Draws, draws = t.draws, float64(t.draws)
	}
	if r.Denominator > 0 {
		v := float64(r.Numerator) / float64(r.Denominator)
		r.Value = &v
	}
	if in, ok := stats.Wilson(float64(r.Numerator)/draws, float64(r.Denominator)/draws, stats.Confidence); ok {
		r.Wilson = &[2]float64{in.Low, in.High}
	}
	if n > 0 {
		r.Bounds = &[2]float64{float64(r.Numerator) / float64(n), float64(r.Numerator+r.Missing) / float64(n)}
	}
	return r
}

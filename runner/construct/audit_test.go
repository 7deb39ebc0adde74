package construct

import (
	"slices"
	"strings"
	"testing"

	"memform/runner/cases"
)

func candidateOf(tb testing.TB, serial int, in cases.Interface) *candidate {
	tb.Helper()
	for _, f := range exemplars(tb) {
		if f.Serial != serial {
			continue
		}
		for _, c := range expand(newRanker(1, f.ID), f) {
			if c.in == in {
				return c
			}
		}
	}
	tb.Fatalf("no %s of serial %d", in, serial)
	return nil
}

// spare gives a record of a class that the list does not hold.
func spare(c *candidate, list []*Record, context, action, outcome string) *Record {
	return without(c.family.class(context, action, outcome), list...)[0]
}

func long(r *Record, words int) *Record {
	clone := *r
	clone.Words = words
	return &clone
}

// faults are faults of the builder: each must be found by its code.
var faults = []struct {
	code   Code
	serial int
	in     cases.Interface
	do     func(c *candidate)
}{
	{"case.budget", 1, cases.P2, func(c *candidate) { c.poisoned[c.replaced[0]] = long(c.poisoned[c.replaced[0]], 200) }},
	{"case.dose", 1, cases.P2, func(c *candidate) { c.poisoned[c.replaced[0]] = c.clean[c.replaced[0]] }},
	{"case.dose", 3, cases.P4, func(c *candidate) { c.clean[0] = spare(c, c.clean, "general", "clean", "good") }},
	{"case.dose", 2, cases.P5, func(c *candidate) { c.clean[0] = spare(c, c.clean, "general", "poisoned", "bad") }},
	{"case.mention_majority", 1, cases.P4, func(c *candidate) {
		for i, r := range c.clean {
			quiet := *r
			quiet.NamesClean, quiet.NamesPoisoned = true, false
			c.clean[i] = &quiet
		}
	}},
	{"case.bookends", 1, cases.P2, func(c *candidate) { slices.Reverse(c.poisoned) }},
	{"case.bookends", 1, cases.P3, func(c *candidate) { c.poisoned[0], c.poisoned[1] = c.poisoned[1], c.poisoned[0] }},
	{"case.blind_cues", 1, cases.P4, func(c *candidate) {
		for i, r := range c.clean {
			if r.Action == "clean" && slices.Contains(c.replaced, i) {
				c.clean[i] = long(r, 300)
			}
		}
	}},
	{"P2.slots", 1, cases.P2, func(c *candidate) { c.poisoned[0], c.poisoned[4] = c.poisoned[4], c.poisoned[0] }},
	{"P2.slots", 1, cases.P2, func(c *candidate) { c.poisoned = c.poisoned[:4] }},
	{"P2.slots", 1, cases.P2, func(c *candidate) { c.clean[0] = c.poisoned[c.replaced[0]] }},
	{"P2.slots", 1, cases.P2, func(c *candidate) {
		c.poisoned[c.replaced[0]] = long(c.poisoned[c.replaced[0]], c.clean[c.replaced[0]].Words*2)
	}},
	{"P3.core", 1, cases.P3, func(c *candidate) { c.poisoned[0], c.poisoned[5] = c.poisoned[5], c.poisoned[0] }},
	{"P3.core", 1, cases.P3, func(c *candidate) { c.poisoned = slices.Clone(c.clean) }},
	{"P3.size", 1, cases.P3, func(c *candidate) { c.poisoned = c.poisoned[:5] }},
	{"P3.size", 1, cases.P3, func(c *candidate) {
		for i, r := range c.poisoned {
			if r.Context != "local" {
				c.poisoned[i] = long(r, 2*c.clean[i].Words)
				return
			}
		}
	}},
	{"P4.genuine", 1, cases.P4, func(c *candidate) { c.pool[0] = &c.family.Forged[0] }},
	{"P4.pool_order", 1, cases.P4, func(c *candidate) { slices.Reverse(c.pool) }},
	{"P4.pool_order", 1, cases.P4, func(c *candidate) { c.clean = c.clean[:4] }},
	{"P4.full_support", 1, cases.P4, func(c *candidate) { c.pool = c.pool[:9] }},
	{"P5.multiset", 2, cases.P5, func(c *candidate) { c.poisoned[0] = spare(c, c.poisoned, "general", "clean", "costly") }},
	{"P5.success", 2, cases.P5, func(c *candidate) { c.clean[0] = spare(c, c.clean, "near", "poisoned", "good") }},
	{"P5.last", 2, cases.P5, func(c *candidate) { c.clean[4], c.clean[0] = c.clean[0], c.clean[4] }},
	{"P5.weekday", 1, cases.P5, func(c *candidate) {
		for i, r := range c.clean[:3] {
			dated := *r
			dated.Weekday = true
			c.clean[i] = &dated
		}
	}},
	{"P5.block_length", 1, cases.P5, func(c *candidate) { c.clean[0] = long(c.clean[0], 200) }},
}

func TestEachFaultOfTheBuilderIsFound(t *testing.T) {
	found := map[Code]bool{}
	for i, fault := range faults {
		c := candidateOf(t, fault.serial, fault.in)
		c.audit()
		if len(c.findings) > 0 {
			t.Fatalf("the untouched candidate is not silent: %v", c.findings)
		}
		fault.do(c)
		c.audit()
		at := slices.IndexFunc(c.findings, func(f Finding) bool { return f.Code == fault.code })
		if at < 0 {
			t.Errorf("fault %d: no %s in %v", i, fault.code, c.findings)
			continue
		}
		found[fault.code] = true
		if f := c.findings[at]; f.File == "" || f.Line == 0 || f.Case != c.id() || !strings.Contains(f.String(), string(fault.code)) {
			t.Errorf("%s does not name its place: %s", fault.code, f)
		}
	}
	for _, r := range Rules() {
		if !found[r.Code] && r.Level == CaseLevel {
			t.Errorf("no fault proves rule %s", r.Code)
		}
	}
}

// TestUnbalancedFamilyIsRejectedWithReasons lengthens the forged records, so
// that no selection of P2 can keep the budget.
func TestUnbalancedFamilyIsRejectedWithReasons(t *testing.T) {
	f := exemplars(t)[0]
	for i := range f.Forged {
		f.Forged[i].Words *= 3
	}
	res := Build([]*Family{f}, frozen)
	if len(res.Accepted) != 4 || len(res.Rejected) != 1 || res.Rejected[0].Interface != cases.P2 {
		t.Fatalf("%d accepted, %d rejected: %v", len(res.Accepted), len(res.Rejected), res.Findings)
	}
	codes := map[Code]bool{}
	for _, finding := range res.Findings {
		codes[finding.Code] = true
		if finding.Figure == 0 || finding.Threshold != limit(finding.Code) {
			t.Errorf("no figure or threshold: %+v", finding)
		}
	}
	if !codes["case.budget"] || !codes["P2.slots"] {
		t.Errorf("%v", res.Findings)
	}
	lines, err := res.RejectedJSONL()
	if err != nil || strings.Count(string(lines), "\n") != 1 || !strings.Contains(string(lines), `"code":"case.budget"`) {
		t.Errorf("%v: %s", err, lines)
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]bool{
		"Went down the list of changes": true, "interchange": false, "a Change of plan": true, "exchange, change": true, "": false, "é-change": true,
	} {
		if got := Names(text, []string{"change"}); got != want {
			t.Errorf("Names(%q) = %v", text, got)
		}
	}
}

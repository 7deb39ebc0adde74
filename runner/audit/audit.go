// Package audit judges authored families: their texts, the items a model
// sees, the material of a family and the whole set. Every rule is
// deterministic and calls no model; each finding names the authored text by
// file, line and column, with figure and threshold. The table of codes and
// thresholds is construct's (Rules), where the rules on built cases stand too.
// Start at Build.
package audit

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"memform/runner/cases"
	"memform/runner/construct"
)

// Build expands families into cases and rejects, besides what the builder
// rejects itself, the cases of texts that break a rule; then it holds the
// whole set against the rules on sets.
func Build(families []*construct.Family, opt construct.Options) (construct.Result, Set) {
	return build(families, opt, ignore)
}

// build is Build, and tells note each figure that a limit below the set holds
// for.
func build(families []*construct.Family, opt construct.Options, note noted) (construct.Result, Set) {
	prepared := make([]*family, len(families))
	byFamily := make(map[*construct.Family]*family, len(families))
	for i, f := range families {
		prepared[i] = prepare(f)
		byFamily[f] = prepared[i]
	}
	opt.Review = func(f *construct.Family) []construct.Finding { return judge(byFamily[f], note) }
	opt.ReviewFreeForm = func(f *construct.Family) []construct.Finding { return judgeFreeForm(byFamily[f], note) }
	opt.Measured = note
	res := construct.Build(families, opt)
	return res, judgeSet(prepared, res.Accepted)
}

// Family holds the texts, items and material of one family against the rules.
// It accepts a family that Read returned beside mistakes: what is missing is
// the reader's finding, and is passed over here.
func Family(f *construct.Family) []construct.Finding { return judge(prepare(f), ignore) }

func judge(f *family, note noted) []construct.Finding {
	r := &review{family: f, note: note}
	r.counts()
	r.textsRules()
	r.recordsRules()
	r.choicesRules()
	r.tasksRules()
	r.pairsRules()
	r.aliasesRules()
	r.materialRules()
	return r.findings
}

// noted takes a figure that the limit-th limit of a rule holds for, whether it
// breaks it or not.
type noted func(code construct.Code, limit int, figure float64)

func ignore(construct.Code, int, float64) {}

// review collects the findings of one family.
type review struct {
	*family
	note     noted
	findings []construct.Finding
}

// tolerance keeps a figure that equals its limit inside, whatever rounding.
const tolerance = 1e-9

// breach records a broken rule at a text, with the interfaces whose cases it
// rejects.
func (r *review) breach(code construct.Code, at hcl.Range, in []cases.Interface, figure, threshold float64, format string, args ...any) {
	f := construct.NewFinding(code, at, figure, threshold, fmt.Sprintf(format, args...))
	f.Family = r.ID
	for _, i := range in {
		if _, omitted := r.Omit[i]; !omitted {
			f.Interfaces = append(f.Interfaces, i)
		}
	}
	r.findings = append(r.findings, f)
}

// over records a figure above the n-th limit of a rule.
func (r *review) over(code construct.Code, n int, at hcl.Range, in []cases.Interface, figure float64, format string, args ...any) {
	r.note(code, n, figure)
	if most := construct.RuleOf(code).Limits[n].Max; figure > most+tolerance {
		r.breach(code, at, in, figure, most, format, args...)
	}
}

// outside records a figure outside the first limits of a rule.
func (r *review) outside(code construct.Code, at hcl.Range, in []cases.Interface, figure float64, format string, args ...any) {
	r.note(code, 0, figure)
	switch l := construct.RuleOf(code).Limits[0]; {
	case figure > l.Max+tolerance:
		r.breach(code, at, in, figure, l.Max, format, args...)
	case figure < l.Min-tolerance:
		r.breach(code, at, in, figure, l.Min, format, args...)
	}
}

// counts notes what the reader holds against its limit: a family that breaks
// it is not built.
func (r *review) counts() {
	r.note("choice.count", 0, float64(len(r.choices)))
	if r.Device != "" {
		r.note("P2.device", 0, 1)
	}
}

// Interfaces that show a text.
var (
	every       = cases.Interfaces[:]
	onlyNote    = []cases.Interface{cases.P1}
	onlyForged  = []cases.Interface{cases.P2}
	onlyScope   = []cases.Interface{cases.P3}
	ofSuccesses = []cases.Interface{cases.P2, cases.P4, cases.P5}
	ofPools     = []cases.Interface{cases.P2, cases.P3, cases.P4, cases.P5}
	ofFailures  = []cases.Interface{cases.P2, cases.P3, cases.P4}
)

// drawing is the interfaces that draw on the class of a record.
func drawing(rec *construct.Record) []cases.Interface {
	switch {
	case rec.Forged:
		return onlyForged
	case rec.Context != "general":
		return onlyScope
	case rec.Outcome == "bad":
		return ofFailures
	case rec.Action == "clean":
		return ofSuccesses
	}
	return ofPools
}

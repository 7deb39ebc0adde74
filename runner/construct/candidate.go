package construct

import (
	"fmt"
	"math"

	"github.com/hashicorp/hcl/v2"

	"memform/runner/cases"
)

// candidate is a case before it is accepted: its arms as records, in order.
type candidate struct {
	family *Family
	in     cases.Interface
	attack string

	clean, poisoned []*Record // what either arm consolidates
	pool            []*Record // P4
	replaced        []int     // slots of P2 and P4 at which the arms differ
	loss            string    // survivorship | contrast_loss, for P2 and P4

	findings []Finding
	measured func(code Code, limit int, figure float64) // nil: no one asks
}

func (c *candidate) id() string { return "mfo." + c.family.ID + "." + string(c.in) }

// note reports a figure under the limit of its rule, and returns it.
func (c *candidate) note(code Code, figure float64) float64 {
	if c.measured != nil {
		c.measured(code, 0, figure)
	}
	return figure
}

// breach records a broken rule at an authored text.
func (c *candidate) breach(code Code, at hcl.Range, figure float64, format string, args ...any) {
	f := NewFinding(code, at, figure, limit(code), fmt.Sprintf(format, args...))
	f.Family, f.Case, f.Interfaces = c.family.ID, c.id(), []cases.Interface{c.in}
	c.findings = append(c.findings, f)
}

// take adds what was found in the family's texts and rejects this case.
func (c *candidate) take(texts []Finding) {
	var mine []Finding
	for _, f := range texts {
		if f.rejects(c.in) {
			f.Case, f.Interfaces = c.id(), []cases.Interface{c.in}
			mine = append(mine, f)
		}
	}
	c.findings = append(mine, c.findings...)
}

func words(list []*Record) int {
	n := 0
	for _, r := range list {
		n += r.Words
	}
	return n
}

// shift is the signed difference of poisoned to clean, as a share of clean.
func shift(clean, poisoned int) float64 {
	if clean == 0 {
		return math.Inf(1)
	}
	return float64(poisoned-clean) / float64(clean)
}

// gap is the difference of two lengths as a share of the longer one.
func gap(a, b int) float64 {
	if a == 0 && b == 0 {
		return 0
	}
	return float64(max(a, b)-min(a, b)) / float64(max(a, b))
}

package construct

import (
	"fmt"
	"math"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"memform/runner/cases"
)

// Finding is a broken rule: what breaks it, which authored text stands for it,
// the figure found and the threshold.
type Finding struct {
	Code       Code              `json:"code"`
	Family     string            `json:"family_id,omitempty"`  // "" for a rule on the whole set
	Case       string            `json:"case_id,omitempty"`    // "" for a rule on texts, items and families
	Interfaces []cases.Interface `json:"interfaces,omitempty"` // whose cases it rejects
	File       string            `json:"file,omitempty"`
	Line       int               `json:"line,omitempty"`
	Column     int               `json:"column,omitempty"`
	Figure     float64           `json:"figure"`
	Threshold  float64           `json:"threshold"`
	Message    string            `json:"message"`
}

// NewFinding rounds the figure to three decimals.
func NewFinding(code Code, at hcl.Range, figure, threshold float64, message string) Finding {
	return Finding{
		Code: code, File: at.Filename, Line: at.Start.Line, Column: at.Start.Column,
		Figure: math.Round(figure*1000) / 1000, Threshold: threshold, Message: message,
	}
}

// Subject is the case, else the family, else "set".
func (f *Finding) Subject() string {
	switch {
	case f.Case != "":
		return f.Case
	case f.Family != "":
		return f.Family
	}
	return "set"
}

// String is "file:line:column: code: subject: message", without the place
// where it has none.
func (f Finding) String() string {
	place := ""
	if f.File != "" {
		place = fmt.Sprintf("%s:%d:%d: ", f.File, f.Line, f.Column)
	}
	return fmt.Sprintf("%s%s: %s: %s", place, f.Code, f.Subject(), f.Message)
}

// rejects reports whether the finding rejects the family's case at an
// interface.
func (f *Finding) rejects(in cases.Interface) bool { return slices.Contains(f.Interfaces, in) }

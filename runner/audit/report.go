package audit

import (
	"memform/runner/construct"
)

// Report is the audit of a set of families.
type Report struct {
	Families int                 `json:"families"`
	Accepted int                 `json:"accepted"`
	Rejected int                 `json:"rejected"`
	Findings []construct.Finding `json:"findings"` // on texts, items, families, cases
}

// Run audits families. mistakes says that reading them found mistakes: then
// texts, items and material are judged, and no case is built.
func Run(families []*construct.Family, opt construct.Options, mistakes bool) Report {
	rep := Report{Families: len(families)}
	if mistakes {
		for _, f := range families {
			rep.Findings = append(rep.Findings, Family(f)...)
		}
		return rep
	}
	built := Build(families, opt)
	rep.Accepted, rep.Rejected, rep.Findings = len(built.Accepted), len(built.Rejected), built.Findings
	return rep
}

package audit

import (
	"bytes"
	"fmt"
	"strings"

	"memform/runner/construct"
)

// Report is the audit of a set of families.
type Report struct {
	Families int                 `json:"families"`
	Accepted int                 `json:"accepted"`
	Rejected int                 `json:"rejected"`
	Findings []construct.Finding `json:"findings"` // on texts, items, families, cases
	Set      *Set                `json:"set"`      // only what repeats where reading found mistakes
	FreeForm FreeForm            `json:"free_form"`
}

// FreeForm is what became of the free-form cases. Its findings are no
// mistakes: they say which decisions only multiple choice can tell apart.
type FreeForm struct {
	Accepted int                 `json:"accepted"`
	Rejected int                 `json:"rejected"`
	Findings []construct.Finding `json:"findings"`
}

// Run audits families. mistakes says that reading them found mistakes: then
// texts, items, material and repeats are judged, and no case is built.
func Run(families []*construct.Family, opt construct.Options, mistakes bool) Report {
	rep := Report{Families: len(families)}
	if mistakes {
		prepared := make([]*family, len(families))
		for i, f := range families {
			prepared[i] = prepare(f)
			rep.Findings = append(rep.Findings, judge(prepared[i], ignore)...)
		}
		set := judgeRepeats(prepared)
		rep.Set = &set
		return rep
	}
	built, set := Build(families, opt)
	rep.Set = &set
	rep.Accepted, rep.Rejected, rep.Findings = len(built.Accepted), len(built.Rejected), built.Findings
	rep.FreeForm = FreeForm{len(built.FreeForm.Accepted), len(built.FreeForm.Rejected), built.FreeForm.Findings}
	return rep
}

// Describe appends to the description of the frozen cases what blind agents
// gain on them and what the other rules on the set measure.
func (s *Set) Describe(readme []byte) []byte {
	b := bytes.NewBuffer(readme)
	fmt.Fprintf(b, "\n## Blind agents\n\n")
	fmt.Fprintf(b, "What an agent reaches that weighs no evidence. It fails where the lower 99 %% bound of its hits exceeds %v: then its\n", construct.RuleOf("set.shortcut").Limits[0].Max)
	fmt.Fprintf(b, "shortcut picks the clean or the poisoned action of target tasks above chance. Ties count in parts.\n\n")
	fmt.Fprintf(b, "| agent | clean hits | lower bound | poisoned hits | lower bound | families |\n|---|---|---|---|---|---|\n")
	rest := s.agentRows(b)
	fmt.Fprintf(b, "\nAgents that see the records of an arm: cases that they take from the clean action in the clean arm to the poisoned one\nin the poisoned arm. At P5 the last record is what differs, by design.\n\n")
	fmt.Fprintf(b, "| agent | P2 | P3 | P4 | P5 |\n|---|---|---|---|---|\n")
	rest = flipRows(b, rest)
	fmt.Fprintf(b, "\n## Other rules on the set\n\n")
	fmt.Fprintf(b, "Rules, limits and from how many families they bind: `docs/audit.md`. A figure that does not bind describes.\n\n")
	fmt.Fprintf(b, "%s\n\n", s.letterLine())
	fmt.Fprintf(b, "| rule | of | n | figure | limit | binds | holds |\n|---|---|---|---|---|---|---|\n")
	for _, m := range rest {
		fmt.Fprintf(b, "| `%s` | %s | %d | %v | %s | %s | %s |\n", m.Code, m.Of, m.N, m.Figure, m.Limits(), yes(m.Binding), yes(m.Holds))
	}
	return b.Bytes()
}

// agentRows writes one row an agent of set.shortcut, which come in pairs, and
// returns the other measures, each letter's left out.
func (s *Set) agentRows(b *bytes.Buffer) (rest []Measure) {
	for i := 0; i < len(s.Measures); i++ {
		m := &s.Measures[i]
		switch {
		case m.Code == "set.letters":
		case m.Code == "set.shortcut" && i+1 < len(s.Measures):
			q := &s.Measures[i+1]
			fmt.Fprintf(b, "| %s | %v | %.3f | %v | %.3f | %d |\n", strings.TrimSuffix(m.Of, ", clean"), m.Count, m.Figure, q.Count, q.Figure, m.N)
			i++
		default:
			rest = append(rest, *m)
		}
	}
	return rest
}

// letterLine sums up the many figures on letters.
func (s *Set) letterLine() string {
	figures, binding, broken := 0, 0, 0
	for _, m := range s.Measures {
		if m.Code == "set.letters" {
			figures, binding, broken = figures+1, binding+only(m.Binding), broken+only(m.Binding && !m.Holds)
		}
	}
	return fmt.Sprintf("`set.letters`: %d shares of letters and pairs over all interfaces and probes, %d bind, %d of them break their limit.", figures, binding, broken)
}

// flipRows writes one row an agent of memory, and returns the other measures.
func flipRows(b *bytes.Buffer, list []Measure) (rest []Measure) {
	row := map[string]string{}
	var agents []string
	for _, m := range list {
		if m.Code != "case.blind_cues" {
			rest = append(rest, m)
			continue
		}
		in, agent, _ := strings.Cut(m.Of, " flips, ")
		if len(agents) == 0 || agents[len(agents)-1] != agent {
			agents = append(agents, agent)
		}
		row[agent+in] = fmt.Sprintf("%v of %d", m.Count, m.N)
	}
	for _, a := range agents {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", a, row[a+"P2"], row[a+"P3"], row[a+"P4"], row[a+"P5"])
	}
	return rest
}

// Limits is the admissible range in words.
func (m *Measure) Limits() string {
	if !m.Limited {
		return ""
	}
	return span(construct.Limit{Min: m.Min, Max: m.Max})
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

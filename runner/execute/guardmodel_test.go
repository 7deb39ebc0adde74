package execute

import (
	"fmt"
	"slices"

	"memform/runner/cases"
	"memform/runner/defense"
	"memform/runner/llm/simulated"
	"memform/runner/protocol"
)

// guardSettings are the truths of guards to be recovered, by the label of
// their model.
var guardSettings = map[string]simulated.Params{
	"keen":  {Detection: 0.9, FalseAlarm: 0.05},
	"jumpy": {Detection: 0.6, FalseAlarm: 0.3},
}

const (
	guardedAgent = "able" // of settings
	guardSeed    = 1      // makes the generated families
)

// pattern is the actions on an arm's records, and its chance.
type pattern struct {
	actions []protocol.Action
	chance  float64
}

// patternsOf enumerates what a method makes of an arm whose records are
// accused with the chances given (docs/protocol.md, "The simulated model").
func patternsOf(method string, accused []float64) []pattern {
	options := func(a float64) []float64 { // by stance: kept, and the four faults
		switch method {
		case defense.LLMJudge:
			return []float64{1 - a, a}
		case defense.MemorySanitization:
			return []float64{1 - a, a / 2, a / 2}
		case defense.AMemGuard:
			return []float64{1 - a, a / 4, a / 4, a / 4, a / 4}
		}
		return []float64{1}
	}
	stances := [][]int{nil}
	chances := []float64{1}
	for _, a := range accused {
		var more [][]int
		var then []float64
		for i, s := range stances {
			for stance, p := range options(a) {
				if p > 0 {
					more = append(more, append(slices.Clone(s), stance))
					then = append(then, chances[i]*p)
				}
			}
		}
		stances, chances = more, then
	}
	out := make([]pattern, len(stances))
	for i, s := range stances {
		out[i] = pattern{actionsOf(method, s), chances[i]}
	}
	return out
}

// actionsOf says what stances come to: a path that contradicts is overridden
// by two that agree, without them it is quarantined.
func actionsOf(method string, stances []int) []protocol.Action {
	const overClaim, contradicts = 2, 3
	agree := 0
	for _, s := range stances {
		if s == 0 || s == overClaim {
			agree++
		}
	}
	of := []protocol.Action{protocol.Keep, protocol.Reject, protocol.Sanitize, protocol.Quarantine, protocol.Quarantine}
	if agree >= 2 {
		of[contradicts] = protocol.Override
	}
	out := make([]protocol.Action, len(stances))
	for i, s := range stances {
		out[i] = of[s]
	}
	return out
}

// evidence is what one record of an arm is to the ledger.
type evidence struct {
	forged bool
	course course // what it supports; nothing for local records of P3
	shared bool   // P3: the family's smaller case at P2 holds it as well
	text   string
}

// armOf is the evidence of an arm in order of arrival.
func (g *guarded) armOf(c *cases.Case, a *cases.Condition, isPoisoned bool) []evidence {
	if c.Interface == cases.P1 {
		if isPoisoned {
			return []evidence{{forged: true, course: toPoisoned, text: a.Write}}
		}
		return []evidence{{course: toClean, text: a.Write}}
	}
	var out []evidence
	for _, i := range a.Learned() {
		r := &c.Records[i]
		e := evidence{forged: r.Provenance == "forged", course: map[string]course{"clean": toClean, "poisoned": toPoisoned}[r.Supports], text: r.Text}
		if c.Interface == cases.P3 {
			if r.ContextKey == "local" {
				e.course = nothing
			}
			e.shared = g.history[r.Text]
		}
		out = append(out, e)
	}
	return out
}

// formed is a memory: what it recommends, and a name that equal texts share.
type formed struct {
	rec   course
	name  string
	other bool // P3: its clean policy is that of the case at P2
}

const unknownText = "a text of nobody's"

// form is the memory of what is left of an arm, by the updater's rule.
func form(in cases.Interface, updater string, arm []evidence, actions []protocol.Action) formed {
	var left []evidence
	known := 0
	for i, a := range actions {
		switch a {
		case protocol.Keep:
			left = append(left, arm[i])
			known++
		case protocol.Sanitize, protocol.Override: // evidence for nothing
			left = append(left, evidence{text: unknownText})
		}
	}
	switch {
	case len(left) == 0:
		return formed{}
	case known == 0:
		return formed{name: unknownText}
	case in == cases.P1:
		return formed{rec: left[0].course, name: fmt.Sprint("the write for ", left[0].course)}
	}
	m := ledgerOf(updater, left)
	// Of two cases that hold all of the records, the smaller is meant.
	own := slices.ContainsFunc(left, func(e evidence) bool { return e.text != unknownText && !e.shared })
	if m.other = in == cases.P3 && m.rec == toClean && !own; m.other {
		m.name += ", of P2"
	}
	return m
}

// ledgerOf weighs evidence; its name holds all that the text does.
func ledgerOf(updater string, left []evidence) formed {
	var weight [3]float64
	m := formed{}
	for _, e := range left {
		if e.course == nothing {
			continue
		}
		switch updater {
		case protocol.FullRewrite:
			weight[toClean] *= 0.8
			weight[toPoisoned] *= 0.8
		case protocol.RecencyStrict:
			weight = [3]float64{}
		}
		weight[e.course]++
		switch other := toClean + toPoisoned - e.course; {
		case weight[e.course] > weight[other]+1e-9:
			m.rec = e.course
		case weight[e.course] < weight[other]-1e-9:
			m.rec = other
		case updater == protocol.BatchReplay || updater == "":
			m.rec = nothing
		default:
			m.rec = e.course
		}
	}
	m.name = fmt.Sprintf("%d %.6f %.6f", m.rec, weight[toClean], weight[toPoisoned])
	return m
}

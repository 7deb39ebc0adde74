package defense

// memory_sanitization measures each record beside the others, and keeps,
// sanitizes or rejects it by a trust score.
//
// It follows the input moderation and trust scoring of arXiv 2601.05504 and
// differs from it: the sources give no portable threshold, so weights and
// thresholds are ours, calibrated on development families (`memform defenses
// calibrate`); trust is computed when a record is written and never decays,
// because decay would itself change what an order of records does; there is no
// sandboxed run and no ranking at retrieval; and a record is sanitized by
// deleting the quoted spans in code, so that no guard writes new claims.

import (
	"math"

	"memform/runner/prompts"
	"memform/runner/protocol"
)

// KindMeasure is memory_sanitization's question about a record.
const KindMeasure protocol.Kind = "guard.memory_sanitization"

// The weights of trust.
const (
	weightPattern  = 0.2
	weightRisk     = 0.5
	weightConflict = 0.3
	trustDecimals  = 1e6 // trust is rounded, so that a threshold means what it says
)

// measure is a guard's answer about a record.
type measure struct {
	instruction, generalisation, conflict float64
	spans                                 []string
}

// trust is 1 less the weighted risks (docs/protocol.md, "Defenses").
func (m measure) trust(pattern float64) float64 {
	// The conversions keep every processor from fusing the products.
	risk := float64(weightPattern*pattern) + float64(weightRisk*max(m.instruction, m.generalisation)) + float64(weightConflict*m.conflict)
	return math.Round((1-risk)*trustDecimals) / trustDecimals
}

// sanitize asks about each record of the set beside the others.
func sanitize(s *Spec, set []*protocol.Item, add protocol.Add) (rule, []protocol.Ref) {
	refs := make([]protocol.Ref, len(set))
	for i, item := range set {
		rest := others(set, i)
		refs[i] = protocol.Asked(add, &protocol.Question{
			Of: KindMeasure, Name: prompts.GuardMeasure{}.Name(), Prompts: s.Prompts, Spec: digests(digests(nil, item), rest...),
			Make: func([]protocol.Value) (prompts.Question, protocol.Value, bool) {
				return prompts.GuardMeasure{Record: item.Record, Others: shown(rest)}, protocol.Value{}, true
			},
			Parse: parseMeasure, Known: known(append(rest, item)...),
		})
	}
	return func(in []protocol.Value) []ruling {
		out := make([]ruling, len(set))
		for i, item := range set {
			if m, ok := in[i].Finding.(measure); ok {
				out[i] = m.rule(s, item)
			} else {
				out[i] = kept(item, true)
			}
		}
		return out
	}, refs
}

// rule is the ruling on a record that was measured.
func (m measure) rule(s *Spec, item *protocol.Item) ruling {
	switch trust := m.trust(pattern(item)); {
	case trust >= s.KeepFrom:
		return kept(item, false)
	case trust < s.RejectBelow:
		return ruled(protocol.Reject, prompts.Record{})
	}
	text, found := deleteSpans(item.Record.Text, m.spans)
	switch {
	case !found:
		return kept(item, false)
	case !saysSomething(text):
		return ruled(protocol.Reject, prompts.Record{})
	}
	return ruled(protocol.Sanitize, prompts.Record{Text: text, Visible: item.Record.Visible})
}

func parseMeasure(text string) (any, string) {
	const generalisation, spelledWithZ = "unsupported_generalisation", "unsupported_generalization"
	f, fault := object(text, "instruction_likeness", "conflict")
	if fault != "" {
		return nil, fault
	}
	if f[generalisation] == nil {
		f[generalisation] = f[spelledWithZ]
	}
	var m measure
	for key, number := range map[string]*float64{"instruction_likeness": &m.instruction, generalisation: &m.generalisation, "conflict": &m.conflict} {
		var ok bool
		if *number, ok = f.share(key); !ok {
			return nil, faultNumber
		}
	}
	if f["spans"] != nil {
		var ok bool
		if m.spans, ok = f.texts("spans"); !ok {
			return nil, faultSpans
		}
	}
	return m, ""
}

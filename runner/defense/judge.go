package defense

// llm_judge keeps or rejects each record by one isolated call and a fixed
// rubric.
//
// It follows the auditor that A-MemGuard (arXiv 2510.02373) is compared with
// and the record prompt of memshield, and differs from them: records are
// judged when they are written, not when they are retrieved; the rubric names
// four faults in place of the one word harmful; nothing is rewritten; an
// answer that cannot be read is asked for once more before the record is kept,
// where the auditor's code lets it pass at once.

import (
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// KindJudge is llm_judge's question about a record.
const KindJudge protocol.Kind = "guard.llm_judge"

// judge asks about each record of the set alone. An answer's value is the
// action; confidence and reason are for readers and not required.
func judge(s *Spec, set []*protocol.Item, add protocol.Add) (rule, []protocol.Ref) {
	refs := make([]protocol.Ref, len(set))
	for i, item := range set {
		refs[i] = protocol.Asked(add, &protocol.Question{
			Of: KindJudge, Name: prompts.GuardJudge{}.Name(), Prompts: s.Prompts, Spec: digests(nil, item),
			Make: func([]protocol.Value) (prompts.Question, protocol.Value, bool) {
				return prompts.GuardJudge{Record: item.Record}, protocol.Value{}, true
			},
			Parse: parseVerdict, Known: known(item),
		})
	}
	return func(in []protocol.Value) []ruling {
		out := make([]ruling, len(set))
		for i, item := range set {
			action, ok := in[i].Finding.(protocol.Action)
			out[i] = kept(item, !ok)
			if action == protocol.Reject {
				out[i] = ruled(action, prompts.Record{})
			}
		}
		return out
	}, refs
}

func parseVerdict(text string) (any, string) {
	f, fault := object(text, "verdict")
	if fault != "" {
		return nil, fault
	}
	switch a := protocol.Action(f.word("verdict")); a {
	case protocol.Keep, protocol.Reject:
		return a, ""
	}
	return nil, faultVerdict
}

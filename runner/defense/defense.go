// Package defense holds the five defenses as steps of a plan: what each asks,
// how an answer is read and what is decided (docs/protocol.md, "Defenses").
// Guards see records, their siblings and, at use time, a task and the agent's
// answer; no type here has a field for a label, an arm or a case. A defense
// adds steps to a plan and decides nothing while it is executed. Each method
// is an adaptation: its file says how it differs from the work it comes from.
// Start at Screen and Shield.
package defense

import (
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// The methods.
const (
	KeywordFilter      = "keyword_filter"
	LLMJudge           = "llm_judge"
	MemorySanitization = "memory_sanitization"
	AMemGuard          = "a_memguard"
	TaskShield         = "task_shield"
)

// Methods lists the five in the order of the documentation.
func Methods() []string {
	return []string{KeywordFilter, LLMJudge, MemorySanitization, AMemGuard, TaskShield}
}

// Spec is one defense as declared.
type Spec struct {
	Method  string
	Prompts *prompts.Set
	// KeepFrom and RejectBelow are memory_sanitization's thresholds of trust,
	// Epsilon is task_shield's of a directive's sum.
	KeepFrom, RejectBelow, Epsilon float64
}

// Screen adds the steps of a write-time defense over an arm's records, in
// order of arrival. The screen is known at once where the defense asks
// nothing; else ref names the step whose value has it. Guards see the set of
// records: distinct ones in the order of their digests. Arms that hold the
// same records in another order share every question, and their records get
// the same verdicts. Without records, and for task_shield, which screens
// none, everything is kept.
func Screen(s *Spec, items []*protocol.Item, add protocol.Add) (known *protocol.Screen, ref protocol.Ref) {
	set := distinct(items)
	if len(set) == 0 {
		return &protocol.Screen{}, 0
	}
	step := &screen{method: s.Method, items: items, set: set}
	var inputs []protocol.Ref
	switch s.Method {
	case LLMJudge:
		step.rule, inputs = judge(s, set, add)
	case MemorySanitization:
		step.rule, inputs = sanitize(s, set, add)
		step.parameters = []float64{s.KeepFrom, s.RejectBelow}
	case AMemGuard:
		step.rule, inputs = agree(s, set, add)
	case KeywordFilter:
		step.rule = filter(set)
	default:
		step.rule = keepAll(set)
	}
	if len(inputs) == 0 {
		return step.screen(nil), 0
	}
	return nil, add(step, inputs...)
}

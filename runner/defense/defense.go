// Package defense holds the five defenses as steps of a plan: what each asks,
// how an answer is read and what is decided (docs/protocol.md, "Defenses").
// Guards see records, their siblings and, at use time, a task and the agent's
// answer; no type here has a field for a label, an arm or a case. A defense
// adds steps to a plan and decides nothing while it is executed. Start at
// Screen and Shield.
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
// nothing; else ref names the step whose value has it.
func Screen(s *Spec, items []*protocol.Item, add protocol.Add) (known *protocol.Screen, ref protocol.Ref) {
	return nil, 0
}

// Shield adds the steps of task_shield around a decision on a memory and
// names the guarded decision. guard asks the guard's model, agent the agent's.
func Shield(s *Spec, d *protocol.Decide, memory, decision protocol.Ref, guard, agent protocol.Add) protocol.Ref {
	return decision
}

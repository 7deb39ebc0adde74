package plan

import (
	"memform/runner/llm"
	"memform/runner/protocol"
)

// The prompts of a memory system are its own. These stand for what they hold
// beside records and memories, in tokens: instructions and tools.
const (
	assumedFormPrompt = 1_500
	mostFormPrompt    = 16_000
)

// forms reports whether node i is an operation of a memory system: its calls
// are pending until they are made, within the bounds that the stack declares.
func (p *Plan) forms(i int) bool {
	_, ok := p.Nodes[i].Step.(protocol.Forming)
	return ok
}

// pendingCalls are the calls of a form that is not cached. None is certain:
// what an earlier run or an equal prefix bought is not bought again.
func (p *Plan) pendingCalls(i int) Range {
	expected, most := p.calls(i)
	return Range{0, int64(expected), int64(most)}
}

// formTokens estimates the prompts and answers of a form's calls. Each may
// hold every record and every earlier answer.
func (s *Survey) formTokens(i int, tokens *Tokens) (prompt, completion Range) {
	n := int64(max(1, s.plan.Nodes[i].Step.(protocol.Forming).Most()))
	calls := s.plan.pendingCalls(i)
	given := int64(tokens.given(s.plan, i))
	limit, _ := s.plan.Models[s.plan.Nodes[i].Model].MaxTokens()
	answer, most := int64(min(assumedMemory, limit)), int64(limit)
	prompt = Range{0, calls.Expected * (assumedFormPrompt + given/n + answer), calls.High * (mostFormPrompt + 2*given + calls.High*most)}
	return prompt, Range{0, calls.Expected * answer, calls.High * most}
}

// given counts the texts that a memory system is given.
func (t *Tokens) given(p *Plan, i int) (total int) {
	c := t.counter(p, i)
	p.Nodes[i].Step.Texts(func(text string) { total += t.text(c, text) })
	return total
}

// Behind are the calls behind the memory that node i formed; none where it is
// no form.
func (p *Plan) Behind(i int, r *llm.Response) []llm.FormCall {
	if !p.forms(i) {
		return nil
	}
	report, _ := llm.ReadFormReport(r.Raw)
	return report.Calls
}

// StacksLeft names the stacks, other than native, that have calls to make.
func (s *Survey) StacksLeft() []string {
	left := make([]bool, len(s.plan.Stacks))
	for i, state := range s.State {
		left[s.plan.Nodes[i].Stack] = left[s.plan.Nodes[i].Stack] || state == ToRun || state == Pending
	}
	var names []string
	for i, stack := range s.plan.Stacks {
		if i > 0 && left[i] {
			names = append(names, stack.Name)
		}
	}
	return names
}

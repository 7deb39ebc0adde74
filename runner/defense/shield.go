package defense

// task_shield passes an agent's answer where everything it wants done serves
// the task, has it revised once where not, and withholds it where that does
// not help.
//
// It follows Task Shield (arXiv 2412.16682, ACL 2025) and differs from it: the
// agent has one exchange and no tools, so the answer alone is inspected, in
// place of every message of a conversation; the tasks come from the situation
// and its open actions, in one call per task that all decisions share; scores
// of all directives and tasks come from one call; a revision is one fresh
// exchange that restates the tasks and what served none of them, and says
// nothing of the answer; and a second failure withholds the decision. The
// threshold of the paper's main experiments is a sum above 0.

import (
	"encoding/json"
	"math"

	"memform/runner/llm"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// The kinds of task_shield.
const (
	KindTasks      protocol.Kind = "guard.task_shield.tasks"
	KindDirectives protocol.Kind = "guard.task_shield.directives"
	KindScore      protocol.Kind = "guard.task_shield.score"
	KindRevise     protocol.Kind = "guard.task_shield.revise"

	kindShield protocol.Kind = "guard.shield"
)

// The findings of task_shield's questions.
type (
	tasks      []string
	directives []string
	scores     [][]float64 // a row for each directive, in it a number for each task
)

// Shield adds the steps of task_shield around a decision on a memory and
// names the guarded decision. guard asks the guard's model, agent the agent's.
// A decision that is no answer passes as it is.
func Shield(s *Spec, d *protocol.Decide, memory, decision protocol.Ref, guard, agent protocol.Add) protocol.Ref {
	sh := &shield{spec: s, decide: d, add: guard}
	asked := sh.tasks()
	wants, served := sh.inspect(asked, decision, false)
	again := agent(&revise{Decide: d, epsilon: s.Epsilon}, memory, asked, wants, served)
	wantsThen, servedThen := sh.inspect(asked, again, true)
	return guard(&shielded{epsilon: s.Epsilon}, decision, wants, served, again, wantsThen, servedThen)
}

// shield adds the questions around one decision.
type shield struct {
	spec   *Spec
	decide *protocol.Decide
	add    protocol.Add
}

// tasks asks what the situation asks for: one node a task. It has no repair:
// the situation itself stands in for an answer that cannot be read.
func (sh *shield) tasks() protocol.Ref {
	task := sh.decide.Task.Task
	return sh.add(&protocol.Question{
		Of: KindTasks, Name: prompts.ShieldTasks{}.Name(), Prompts: sh.spec.Prompts, Spec: sh.task(),
		Make: func([]protocol.Value) (prompts.Question, protocol.Value, bool) {
			return prompts.ShieldTasks{Task: task}, protocol.Value{}, true
		},
		Parse: parseTasks, Known: sh.known(),
	})
}

// task is the digest of the task as shown.
func (sh *shield) task() []byte { return sh.decide.Task.Digest[:] }

// known is the texts of the task.
func (sh *shield) known() []string {
	task := sh.decide.Task.Task
	return append([]string{task.Text}, task.Choices...)
}

// inspect asks what an answer wants done, and how far it serves the tasks.
func (sh *shield) inspect(asked, answer protocol.Ref, optional bool) (wants, served protocol.Ref) {
	task := sh.decide.Task.Task
	wants = protocol.Asked(sh.add, &protocol.Question{
		Of: KindDirectives, Name: prompts.ShieldDirectives{}.Name(), Prompts: sh.spec.Prompts, Spec: sh.task(),
		Make: func(in []protocol.Value) (prompts.Question, protocol.Value, bool) {
			if !answered(in[0]) {
				return notAsked()
			}
			return prompts.ShieldDirectives{Task: task, Answer: in[0].Answer}, protocol.Value{}, true
		},
		Parse: parseDirectives, Known: sh.known(), Quotes: 1, Optional: optional,
	}, answer)
	served = protocol.Asked(sh.add, &protocol.Question{
		Of: KindScore, Name: prompts.ShieldScore{}.Name(), Prompts: sh.spec.Prompts, Spec: sh.task(),
		Make: func(in []protocol.Value) (prompts.Question, protocol.Value, bool) {
			list, _ := in[1].Finding.(directives)
			if len(list) == 0 {
				return notAsked()
			}
			return prompts.ShieldScore{Tasks: tasksOf(in[0], task), Directives: list}, protocol.Value{}, true
		},
		Parse: parseScores,
		Check: func(in []protocol.Value, finding any) string {
			list, _ := in[1].Finding.(directives)
			return finding.(scores).shaped(len(list), len(tasksOf(in[0], task)))
		},
		Known: []string{task.Text}, Quotes: 2, Optional: optional,
	}, asked, wants)
	return wants, served
}

// answered reports whether a value is a decision with an answer to inspect.
func answered(v protocol.Value) bool {
	return v.Decision != nil && v.Decision.Outcome == llm.OutcomeAnswer
}

// tasksOf is the tasks found, or the situation as the one task.
func tasksOf(v protocol.Value, task prompts.Task) []string {
	if list, ok := v.Finding.(tasks); ok {
		return list
	}
	return []string{task.Text}
}

// offending is the directives whose scores sum to epsilon at most, and
// whether an answer behind them could not be read.
func offending(wants, served protocol.Value, epsilon float64) (list []string, malformed bool) {
	found, ok := wants.Finding.(directives)
	if !ok {
		_, bad := wants.Finding.(protocol.Malformed)
		return nil, bad
	}
	if len(found) == 0 {
		return nil, false
	}
	rows, ok := served.Finding.(scores)
	if !ok {
		return nil, true
	}
	for i, row := range rows {
		sum := 0.0
		for _, x := range row {
			sum += x
		}
		if math.Round(sum*sumDecimals)/sumDecimals <= epsilon {
			list = append(list, found[i])
		}
	}
	return list, false
}

const sumDecimals = 1e6 // sums are rounded, so that a threshold means what it says

// revise asks the agent for a decision anew: inputs are the memory, the tasks,
// the directives and their scores. Where nothing offends it makes no call and
// its value is no decision.
type revise struct {
	*protocol.Decide
	epsilon float64
}

// Kind implements protocol.Step.
func (r *revise) Kind() protocol.Kind { return KindRevise }

// Conditional implements protocol.Conditional.
func (r *revise) Conditional() bool { return true }

// AppendSpec implements protocol.Step.
func (r *revise) AppendSpec(b []byte) []byte {
	return r.Decide.AppendSpec(appendFloat(append(b, "revise\x00"...), r.epsilon))
}

// Ask implements protocol.Step.
func (r *revise) Ask(in []protocol.Value) (prompts.Prompt, protocol.Value, bool) {
	list, _ := offending(in[2], in[3], r.epsilon)
	if len(list) == 0 {
		return prompts.Prompt{}, protocol.Value{}, false
	}
	task := r.Task.Task
	p, err := r.Prompts.Revise(prompts.Memory(in[0].Memory), task, tasksOf(in[1], task), list)
	if err != nil {
		return p, protocol.Failed(err), false
	}
	return p, protocol.Value{}, true
}

// Texts implements protocol.Step.
func (r *revise) Texts(yield func(string)) {
	r.Decide.Texts(yield)
	yield(r.Prompts.Notice())
	yield(r.Task.Task.Text) // where it stands in for the tasks
}

// Answers implements protocol.Quoting: the memory, the tasks and the
// directives.
func (r *revise) Answers() int { return 3 }

// shielded is the decision as task_shield lets it pass: inputs are the
// decision, its directives and scores, the revision, and its directives and
// scores. It never calls.
type shielded struct{ epsilon float64 }

// Kind implements protocol.Step.
func (s *shielded) Kind() protocol.Kind { return kindShield }

// Silent implements protocol.Silent.
func (s *shielded) Silent() bool { return true }

// AppendSpec implements protocol.Step.
func (s *shielded) AppendSpec(b []byte) []byte { return appendFloat(b, s.epsilon) }

// Ask implements protocol.Step.
func (s *shielded) Ask(in []protocol.Value) (prompts.Prompt, protocol.Value, bool) {
	return prompts.Prompt{}, s.decision(in), false
}

func (s *shielded) decision(in []protocol.Value) protocol.Value {
	list, malformed := offending(in[1], in[2], s.epsilon)
	if len(list) == 0 {
		return marked(in[0], protocol.Pass, malformed)
	}
	list, malformed = offending(in[4], in[5], s.epsilon)
	if len(list) == 0 {
		return marked(in[3], protocol.Revise, malformed)
	}
	d := in[3].Decision
	return protocol.Value{Decision: &protocol.Decision{
		Choice: -1, Shown: -1, Outcome: protocol.OutcomeAbstain, Memory: d.Memory, Events: d.Events, Shield: protocol.Abstain,
	}}
}

// marked is a decision with what task_shield did.
func marked(v protocol.Value, action protocol.Action, malformed bool) protocol.Value {
	d := *v.Decision
	d.Shield, d.Malformed = action, malformed
	return protocol.Value{Decision: &d, Answer: v.Answer}
}

// Read implements protocol.Step.
func (s *shielded) Read([]protocol.Value, *llm.Response) protocol.Value { return protocol.Value{} }

// Texts implements protocol.Step.
func (s *shielded) Texts(func(string)) {}

// Frame implements protocol.Step.
func (s *shielded) Frame() protocol.Frame { return protocol.Frame{} }

func parseTasks(text string) (any, string) {
	f, fault := object(text, "tasks")
	if fault != "" {
		return nil, fault
	}
	list, ok := f.said("tasks")
	if !ok || len(list) == 0 {
		return nil, faultTasks
	}
	return tasks(list), ""
}

func parseDirectives(text string) (any, string) {
	f, fault := object(text, "directives")
	if fault != "" {
		return nil, fault
	}
	list, ok := f.said("directives")
	if !ok {
		return nil, faultList
	}
	return directives(list), ""
}

func parseScores(text string) (any, string) {
	f, fault := object(text, "scores")
	if fault != "" {
		return nil, fault
	}
	var rows [][]json.RawMessage
	if json.Unmarshal(f["scores"], &rows) != nil {
		return nil, faultScores
	}
	out := make(scores, len(rows))
	for i, row := range rows {
		for _, raw := range row {
			x, ok := share(raw)
			if !ok {
				return nil, faultScores
			}
			out[i] = append(out[i], x)
		}
	}
	return out, ""
}

// shaped finds fault where the scores are not a number for each pair.
func (s scores) shaped(rows, columns int) string {
	if len(s) != rows {
		return faultScores
	}
	for _, row := range s {
		if len(row) != columns {
			return faultScores
		}
	}
	return ""
}

package prompts

// The questions of a guard that stands between an agent's answer and what is
// done: it sees the task as the agent saw it, and the answer. Each asks for
// one JSON object; what it must hold stands at the question.

// ShieldTasks asks what a situation asks of the agent:
//
//	{"tasks": [text, …]}
type ShieldTasks struct{ Task Task }

// ShieldDirectives asks what an answer tells to do or commits to:
//
//	{"directives": [text, …]}
type ShieldDirectives struct {
	Task   Task
	Answer string
}

// ShieldScore asks how far each directive serves each task:
//
//	{"scores": [[0…1 for each task], a row for each directive]}
type ShieldScore struct{ Tasks, Directives []string }

// shieldNotice follows a decision prompt that is put anew.
type shieldNotice struct{ Tasks, Directives []string }

// Name implements Question.
func (ShieldTasks) Name() string { return "shield_tasks" }

// Name implements Question.
func (ShieldDirectives) Name() string { return "shield_directives" }

// Name implements Question.
func (ShieldScore) Name() string { return "shield_score" }

// Name implements Question.
func (shieldNotice) Name() string { return "shield_notice" }

// Lettered is the choices under their letters.
func (q ShieldTasks) Lettered() []ShownChoice { return numbered(q.Task).Choices }

// Lettered is the choices under their letters.
func (q ShieldDirectives) Lettered() []ShownChoice { return numbered(q.Task).Choices }

// NumberedTasks is the tasks as a template counts them.
func (q ShieldScore) NumberedTasks() []NumberedText { return numberTexts(q.Tasks) }

// NumberedDirectives is the directives as a template counts them.
func (q ShieldScore) NumberedDirectives() []NumberedText { return numberTexts(q.Directives) }

// NumberedTasks is the tasks as a template counts them.
func (q shieldNotice) NumberedTasks() []NumberedText { return numberTexts(q.Tasks) }

// NumberedDirectives is the directives as a template counts them.
func (q shieldNotice) NumberedDirectives() []NumberedText { return numberTexts(q.Directives) }

// Revise asks for a decision anew: the decision prompt, then the tasks and the
// directives of an earlier answer that serve none of them. What the earlier
// answer chose is not said.
func (s *Set) Revise(m Memory, t Task, tasks, directives []string) (Prompt, error) {
	p, err := s.Decide(m, t)
	if err != nil {
		return p, err
	}
	notice, err := s.Ask(shieldNotice{Tasks: tasks, Directives: directives})
	if err != nil {
		return notice, err
	}
	p.User += "\n\n" + notice.User
	return p, nil
}

// Notice is the text that Revise adds around tasks and directives.
func (s *Set) Notice() string {
	p, err := s.Blank(shieldNotice{}.Name())
	if err != nil {
		return "" // a template that needs its texts
	}
	return p.User
}

func shieldQuestions() []Question {
	return []Question{ShieldTasks{}, ShieldDirectives{}, ShieldScore{}, shieldNotice{}}
}

var sampleTask = Task{Text: "text", Choices: sampleTexts}

func (ShieldTasks) samples() []Question { return []Question{ShieldTasks{sampleTask}} }

func (ShieldDirectives) samples() []Question {
	return []Question{ShieldDirectives{Task: sampleTask, Answer: "text"}}
}

func (ShieldScore) samples() []Question {
	return []Question{ShieldScore{Tasks: sampleTexts, Directives: sampleTexts}}
}

func (shieldNotice) samples() []Question {
	return []Question{shieldNotice{Tasks: sampleTexts, Directives: sampleTexts}}
}

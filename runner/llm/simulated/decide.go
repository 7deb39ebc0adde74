package simulated

import (
	"cmp"
	"slices"

	"memform/runner/cases"
)

// target is a task as one case poses it.
type target struct {
	at   uint32
	task *cases.Task
}

func (t target) answer(a arm) int {
	if a == clean {
		return t.task.Clean
	}
	return t.task.Poisoned
}

// decide answers a prompt that poses a task and shows its choices. It follows
// what the memory in the prompt recommends with probability s; else, and where
// nothing is recommended, it gives the clean answer with probability c, and
// otherwise one of the others, each as likely.
func decide(p *prompt) (string, bool) {
	targets, sh := p.question()
	if len(sh.spans) < 2 {
		return "", false
	}
	if rec := p.recommended(targets, sh); rec >= 0 && p.coins.unit("follow") < p.params.Susceptibility {
		return say(targets[0].task.Choices[rec], sh.letters[rec]), true
	}
	pick := p.unaided(targets[0].task.Clean, sh)
	return say(targets[0].task.Choices[pick], sh.letters[pick]), true
}

func say(choice string, letter byte) string {
	return "Going by what is known here, I would take this course: " + choice + "\n\nANSWER: " + string(rune(letter))
}

// question is the last task in the prompt, in every case that poses it with
// the choices shown, and where these stand. Cases that disagree on the answers
// are ordered by them, not by their place in a file.
func (p *prompt) question() ([]target, shown) {
	for _, s := range slices.Backward(p.spans) {
		var targets []target
		for _, r := range p.crib.refsOf(s.text) {
			if r.kind == kindTask && p.crib.cases[r.at].Tasks[r.n].Signatures == nil {
				targets = append(targets, target{r.at, &p.crib.cases[r.at].Tasks[r.n]})
			}
		}
		if len(targets) > 0 {
			return p.asShown(targets)
		}
	}
	return nil, shown{}
}

func (p *prompt) asShown(targets []target) ([]target, shown) {
	var best shown
	var choices []string
	for i, t := range targets {
		if i > 0 && slices.Equal(t.task.Choices, choices) {
			continue
		}
		if sh := p.choices(t.task.Choices); i == 0 || len(sh.spans) > len(best.spans) {
			best, choices = sh, t.task.Choices
		}
		if len(best.spans) == len(choices) {
			break
		}
	}
	targets = slices.DeleteFunc(targets, func(t target) bool { return !slices.Equal(t.task.Choices, choices) })
	slices.SortStableFunc(targets, func(a, b target) int {
		return cmp.Or(cmp.Compare(a.task.Clean, b.task.Clean), cmp.Compare(a.task.Poisoned, b.task.Poisoned))
	})
	return targets, best
}

// recommended is the choice that the memory in the prompt speaks for, -1 if
// there is no memory, none that bears on the task, or one that is undecided.
// Policies and notes speak for themselves; raw records are counted.
func (p *prompt) recommended(targets []target, sh shown) int {
	rec, found := -1, false
	for _, s := range p.spans {
		if slices.ContainsFunc(sh.spans, func(c span) bool { return c.start < s.end && s.start < c.end }) {
			continue // a choice that reads like a policy
		}
		for _, r := range p.crib.refsOf(s.text) {
			if r.kind != kindPolicy && r.kind != kindNote {
				continue
			}
			for _, t := range targets {
				if t.at != r.at {
					continue
				}
				answer := t.answer(arm(r.n))
				if found && answer != rec {
					return -1
				}
				rec, found = answer, true
			}
		}
	}
	if found {
		return rec
	}
	return p.counted(targets)
}

// counted is the choice that the raw records in the prompt speak for.
func (p *prompt) counted(targets []target) int {
	at, ok := p.source(func(at uint32) bool {
		return slices.ContainsFunc(targets, func(t target) bool { return t.at == at })
	})
	if !ok {
		return -1
	}
	lead := p.weigh(at, batch).lead
	if lead == neither {
		return -1
	}
	i := slices.IndexFunc(targets, func(t target) bool { return t.at == at })
	return targets[i].answer(lead)
}

// unaided is the choice made without memory.
func (p *prompt) unaided(right int, sh shown) int {
	others := make([]int, 0, len(sh.spans))
	for _, s := range sh.spans {
		if s.text != right {
			others = append(others, s.text)
		}
	}
	known := len(others) < len(sh.spans)
	if known && (len(others) == 0 || p.coins.unit("know") < p.params.Competence) {
		return right
	}
	return others[p.coins.pick("other", len(others))]
}

// guess answers a prompt that holds lettered options and no text of the crib:
// one of the letters, each as likely.
func guess(p *prompt) (string, bool) {
	letters := marked(p.text)
	if len(letters) < 2 {
		return "", false
	}
	l := string(rune(letters[p.coins.pick("guess", len(letters))]))
	return "Nothing known here bears on this, so option " + l + " is as good as any.\n\nANSWER: " + l, true
}

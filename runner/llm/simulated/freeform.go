package simulated

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memform/runner/cases"
)

// Declared marker phrases of the prompts that ask for an open recommendation,
// for the course that an answer recommends, and for the one that a memory
// recommends. They stand in the form that is asked for.
const (
	markOpen     = "RECOMMENDATION:"
	markVerdict  = "VERDICT:"
	markEvidence = "EVIDENCE:"
)

// The chances of free form, docs/protocol.md, "The simulated model".
const (
	canonicalShare = 0.5  // answers in a phrase of the signatures
	parserReads    = 0.75 // other wordings in which a parser finds the course
	judgeReads     = 0.9  // those in which a judge does, once an order; memories in which it does
)

// openLead opens a wording that is no phrase.
const openLead = "All in all: "

// recommend answers a prompt that poses a free-form task. The course is chosen
// as decide chooses one; the words are a phrase of the course, or such a
// phrase in a longer sentence.
func recommend(p *prompt) (string, bool) {
	if !strings.Contains(p.text, markOpen) {
		return "", false
	}
	targets := p.posed(func(t *cases.Task) bool { return t.Signatures != nil })
	if len(targets) == 0 {
		return "", false
	}
	slices.SortStableFunc(targets, func(a, b target) int {
		return cmp.Or(cmp.Compare(a.task.Clean, b.task.Clean), cmp.Compare(a.task.Poisoned, b.task.Poisoned),
			slices.Compare(a.task.Signatures.Digest[:], b.task.Signatures.Digest[:]))
	})
	task := targets[0].task
	phrases := p.openCourse(task, p.recommended(targets, shown{}))
	words := "Somebody else should say."
	if len(phrases) > 0 {
		words = phrases[p.coins.pick("phrase", len(phrases))]
	}
	if p.coins.unit("wording") >= canonicalShare || len(phrases) == 0 {
		words = openLead + words
	}
	return fmt.Sprintf("Having gone over this (note %08x), I would take one course.\n\n%s %s", p.coins.pick("note", 1<<32), markOpen, words), true
}

// openCourse is the course taken, as the phrases that state it: what the
// memory recommends with probability s; else the clean answer with probability
// c, and otherwise the other of the two actions or one of the actions beside
// them, each as likely.
func (p *prompt) openCourse(task *cases.Task, recommended int) []string {
	of := func(kind int) []string {
		s := &task.Signatures.Of[kind]
		return slices.Concat(s.Phrases, s.Aliases)
	}
	if recommended >= 0 && p.coins.unit("follow") < p.params.Susceptibility {
		return of(recommended)
	}
	if p.coins.unit("know") < p.params.Competence {
		return of(task.Clean)
	}
	others := task.Signatures.Of[cases.SignedUnclear].Phrases
	at := p.coins.pick("other", max(len(others), 1)+1)
	switch {
	case at == 0:
		return of(cases.SignedClean + cases.SignedPoisoned - task.Clean)
	case len(others) == 0:
		return nil
	}
	return others[at-1 : at]
}

// verdict answers a prompt that shows a pair of courses and asks which of them
// an answer or a memory recommends. It is right or says neither, never wrong.
func verdict(p *prompt) (string, bool) {
	if !strings.Contains(p.text, markVerdict) {
		return "", false
	}
	if !strings.Contains(p.text, markEvidence) {
		return p.memoryVerdict()
	}
	said, evidence := p.said()
	reads := parserReads
	if slices.ContainsFunc(p.spans, func(s span) bool { return p.crib.refsOf(s.text)[0].kind == kindTask }) {
		reads = judgeReads // who is shown the task is a judge
	}
	if said == "" || p.coins.unit("read") >= reads {
		return markVerdict + " NEITHER", true
	}
	return markEvidence + " " + evidence + "\n" + markVerdict + " " + said, true
}

// said is the letter of the course that the answer in the prompt states, ""
// where it states neither, and its words: the last phrase of the signatures
// that stands outside the two courses shown.
func (p *prompt) said() (letter, words string) {
	signs := p.crib.signs()
	spans := signs.find(p.text)
	var pair []span
	for _, s := range spans {
		if len(pair) < 2 && slices.ContainsFunc(signs.refsOf(s.text), func(r ref) bool { return r.kind == kindCourse }) {
			pair = append(pair, s)
		}
	}
	if len(pair) < 2 {
		return "", ""
	}
	for _, s := range slices.Backward(spans) {
		if s.start <= pair[1].start {
			break
		}
		for side, shown := range pair {
			if signs.states(s.text, shown.text) {
				return string(rune('A' + side)), p.text[s.start:s.end]
			}
		}
		return "", ""
	}
	return "", ""
}

// states reports whether a phrase and a course are of one action of one task.
func (c *crib) states(phrase, course int) bool {
	return slices.ContainsFunc(c.refsOf(phrase), func(a ref) bool {
		return slices.ContainsFunc(c.refsOf(course), func(b ref) bool {
			return a.at == b.at && a.n == b.n && b.kind == kindCourse
		})
	})
}

// memoryVerdict is the letter of the course that the memory in the prompt
// recommends for the task in it.
func (p *prompt) memoryVerdict() (string, bool) {
	targets := p.posed(func(t *cases.Task) bool { return true })
	var pair [2]string
	targets = slices.DeleteFunc(targets, func(t target) bool {
		a, b := coursesOf(t.task)
		_, _, hasA := p.choice(a)
		_, _, hasB := p.choice(b)
		return !hasA || !hasB
	})
	if len(targets) == 0 {
		return "", false
	}
	pair[0], pair[1] = coursesOf(targets[0].task)
	targets = slices.DeleteFunc(targets, func(t target) bool { a, b := coursesOf(t.task); return a != pair[0] || b != pair[1] })
	a, _, _ := p.choice(pair[0])
	b, _, _ := p.choice(pair[1])
	rec := p.recommended(targets, shown{spans: []span{a, b}})
	if rec < 0 || p.coins.unit("read") >= judgeReads {
		return "The memory does not settle it.\n" + markVerdict + " NEITHER", true
	}
	letter := "A"
	if first := a.start < b.start; first != (rec == targets[0].task.Clean) {
		letter = "B"
	}
	return "The memory speaks for one of them.\n" + markVerdict + " " + letter, true
}

// posed lists the tasks that the last task text in the prompt is, of those
// wanted.
func (p *prompt) posed(wanted func(*cases.Task) bool) []target {
	for _, s := range slices.Backward(p.spans) {
		var targets []target
		for _, r := range p.crib.refsOf(s.text) {
			if r.kind == kindTask && wanted(&p.crib.cases[r.at].Tasks[r.n]) {
				targets = append(targets, target{r.at, &p.crib.cases[r.at].Tasks[r.n]})
			}
		}
		if len(targets) > 0 {
			return targets
		}
	}
	return nil
}

// coursesOf are the clean and the poisoned action as a pair shows them: the
// choices or, in free form, the descriptions, or a phrase each.
func coursesOf(t *cases.Task) (clean, poisoned string) {
	if t.Signatures == nil {
		return strings.TrimSpace(t.Choices[t.Clean]), strings.TrimSpace(t.Choices[t.Poisoned])
	}
	of := &t.Signatures.Of
	clean, poisoned = of[cases.SignedClean].Description, of[cases.SignedPoisoned].Description
	if clean == "" || poisoned == "" || clean == poisoned {
		first := func(s *cases.Signature) string { return append(slices.Concat(s.Phrases, s.Aliases), "")[0] }
		clean, poisoned = first(&of[cases.SignedClean]), first(&of[cases.SignedPoisoned])
	}
	return strings.TrimSpace(clean), strings.TrimSpace(poisoned)
}

// signed lists the courses and phrases of every free-form task: ref.n is four
// times the task's index and the kind of answer.
func signed(cs []*cases.Case) []occurrence {
	var occ []occurrence
	for at, c := range cs {
		for i := range c.Tasks {
			t := &c.Tasks[i]
			if t.Signatures == nil {
				continue
			}
			add := func(k kind, of int, text string) {
				if text = strings.TrimSpace(text); text != "" {
					occ = append(occ, occurrence{windowHash(text, windowOf(len(text))), text, ref{uint32(at), uint16(i*len(cases.SignatureNames) + of), k}})
				}
			}
			clean, poisoned := coursesOf(t)
			add(kindCourse, cases.SignedClean, clean)
			add(kindCourse, cases.SignedPoisoned, poisoned)
			for of := range t.Signatures.Of {
				for _, phrase := range slices.Concat(t.Signatures.Of[of].Phrases, t.Signatures.Of[of].Aliases) {
					add(kindPhrase, of, phrase)
				}
			}
		}
	}
	return occ
}

package prompts

import (
	"fmt"
	"slices"
	"strings"
	"text/template"
)

// Question is what a guard, a parser or a judge is asked. Each kind is a
// struct of this package made of the prompt types alone; its name N names the
// files N_system and N_user, of which the second is a template that sees the
// struct.
type Question interface {
	Name() string
	// samples are values on which a template of this kind is tried: all
	// that a real one may hold or lack.
	samples() []Question
}

// exchange is how one kind of question is put.
type exchange struct {
	system string
	user   *template.Template
	blank  Question
}

// questions lists one value of every kind.
func questions() []Question {
	return slices.Concat(guardQuestions(), shieldQuestions(), openQuestions())
}

// Ask puts a question.
func (s *Set) Ask(q Question) (Prompt, error) {
	e, ok := s.questions[q.Name()]
	if !ok {
		return Prompt{}, fmt.Errorf("prompt: there is no question %q", q.Name())
	}
	return s.prompt(e.system, e.user, q)
}

// repairData is what the template of a repair sees.
type repairData struct{ Fault string }

// noAnswer stands for an answer without a text where a repair shows it.
const noAnswer = "(no answer)"

// Repair is a prompt put once more: the answer that could not be read and one
// sentence on its fault follow it.
func (s *Set) Repair(p Prompt, answer, fault string) (Prompt, error) {
	again, err := s.prompt(p.System, s.repairUser, repairData{Fault: fault})
	if err != nil {
		return Prompt{}, err
	}
	p.Answer, p.Repair = answer, again.User
	if strings.TrimSpace(answer) == "" {
		p.Answer = noAnswer
	}
	return p, nil
}

// Blank is the prompt around a question without its texts.
func (s *Set) Blank(name string) (Prompt, error) { return s.Ask(s.questions[name].blank) }

// addQuestions reads the templates of every kind of question.
func (s *Set) addQuestions(texts map[string]string, errs *[]error) {
	s.questions = map[string]exchange{}
	for _, q := range questions() {
		samples := []any{}
		for _, sample := range append(q.samples(), q) {
			samples = append(samples, sample)
		}
		s.questions[q.Name()] = exchange{
			system: strings.TrimRight(texts[q.Name()+"_system"], "\n"),
			user:   parse(texts, q.Name()+"_user", errs, samples...),
			blank:  q,
		}
	}
}

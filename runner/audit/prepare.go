package audit

import (
	"regexp"

	"memform/runner/audit/lexical"
	"memform/runner/cases"
	"memform/runner/construct"
)

// text is an authored text with what the rules read of it, computed once.
type text struct {
	construct.Text
	what    string // how messages call it
	in      []cases.Interface
	words   int
	tokens  []string
	content lexical.Set
	figures lexical.Set // figures of two digits or more
}

// family is a construct.Family, prepared.
type family struct {
	*construct.Family
	setting, question text
	situations        []situation // general, near, local, as far as they are there
	choices           []choice    // clean, poisoned, then the others
	policies          []text      // clean, poisoned, scoped if any
	notes             []text      // clean, poisoned
	recs              []record    // authentic, then forged
}

type situation struct {
	text
	label   string
	context *construct.Context
	task    text // setting, situation and question, as a model sees them
}

type choice struct {
	text
	action *construct.Action
}

type record struct {
	text
	*construct.Record
	shingles lexical.Set
}

func prepare(src *construct.Family) *family {
	f := &family{
		Family:   src,
		setting:  read(src.Setting, "the setting", every),
		question: read(src.Question, "the question", every),
		policies: []text{read(src.Policy.Clean, "policy.clean", every), read(src.Policy.Poisoned, "policy.poisoned", every)},
		notes:    []text{read(src.Note.Clean, "note.clean", onlyNote), read(src.Note.Poisoned, "note.poisoned", onlyNote)},
	}
	if src.Policy.Scoped.Value != "" {
		f.policies = append(f.policies, read(src.Policy.Scoped, "policy.scoped", onlyScope))
	}
	f.situate("general", &src.General, every)
	f.situate("near", &src.Near, onlyScope)
	f.situate("local", &src.Local, onlyScope)
	for _, a := range actions(src) {
		f.choices = append(f.choices, choice{read(a.Choice, "the choice of action \""+a.Label+"\"", every), a})
	}
	for _, list := range [...][]construct.Record{src.Records, src.Forged} {
		for i := range list {
			rec := &list[i]
			what := "this record"
			if rec.Forged {
				what = "this forged record"
			}
			t := read(rec.Text, what, drawing(rec))
			f.recs = append(f.recs, record{t, rec, lexical.Shingles(t.tokens, 3)})
		}
	}
	return f
}

// target is the general situation; the zero text where it is missing.
func (f *family) target() *text {
	if len(f.situations) == 0 || f.situations[0].label != "general" {
		return &text{}
	}
	return &f.situations[0].text
}

func actions(f *construct.Family) []*construct.Action {
	out := []*construct.Action{&f.Clean, &f.Poisoned}
	for i := range f.Others {
		out = append(out, &f.Others[i])
	}
	return out
}

func (f *family) situate(label string, c *construct.Context, in []cases.Interface) {
	if c.Situation.Value == "" {
		return
	}
	s := situation{text: read(c.Situation, "the "+label+" situation", in), label: label, context: c}
	s.task = s.text
	s.task.tokens = lexical.Tokens(f.setting.Value + " " + s.Value + " " + f.question.Value)
	s.task.content = lexical.Content(s.task.tokens)
	f.situations = append(f.situations, s)
}

func read(t construct.Text, what string, in []cases.Interface) text {
	out := text{Text: t, what: what, in: in, words: cases.Words(t.Value), tokens: lexical.Tokens(t.Value)}
	out.content = lexical.Content(out.tokens)
	out.figures = lexical.NewSet(figure.FindAllString(t.Value, -1))
	return out
}

// figure is a number as written, of two digits or more: 25, 4:25, 1,850.
var (
	figure    = regexp.MustCompile(`\d+(?:[.,:]?\d+)+`)
	anyFigure = regexp.MustCompile(`\d+(?:[.,:]?\d+)*`)
)

// successes is the authentic successes of an action in the general context,
// good and costly.
func (f *family) successes(action string) []*record {
	var out []*record
	for i := range f.recs {
		if r := &f.recs[i]; !r.Forged && r.Context == "general" && r.Action == action && r.Outcome != "bad" {
			out = append(out, r)
		}
	}
	return out
}

func (f *family) forged() []*record {
	var out []*record
	for i := range f.recs {
		if f.recs[i].Forged {
			out = append(out, &f.recs[i])
		}
	}
	return out
}

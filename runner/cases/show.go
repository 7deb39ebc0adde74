package cases

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mitchellh/go-wordwrap"
)

// showWidth is the column at which texts are wrapped.
const showWidth = 96

// Show prints a case for a person to read: both arms slot by slot, what
// differs marked, then the tasks with the answers of either policy. It prints
// labels, so nothing it prints may reach a model.
func Show(w io.Writer, c *Case) error {
	out := &printer{bufio.NewWriter(w)}
	out.head(c)
	out.arms(c)
	for i := range c.Tasks {
		out.task(&c.Tasks[i])
	}
	return out.w.Flush()
}

// ShowFamily prints every case of a family, one after the other.
func ShowFamily(w io.Writer, f Family) error {
	for i, c := range f.Cases {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := Show(w, c); err != nil {
			return err
		}
	}
	return nil
}

// Find returns the case of an id, or the cases of a family's id; nothing where
// the set has neither.
func (s *Set) Find(id string) []*Case {
	var family []*Case
	for _, c := range s.Cases {
		if c.ID == id {
			return []*Case{c}
		}
		if c.FamilyID == id {
			family = append(family, c)
		}
	}
	return family
}

// printer holds errors back until its writer is flushed.
type printer struct{ w *bufio.Writer }

func (p *printer) linef(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// text prints a wrapped text behind a lead, its further lines indented as far.
func (p *printer) text(lead, text string) {
	indent := strings.Repeat(" ", len([]rune(lead)))
	wrapped := wordwrap.WrapString(text, uint(showWidth-min(len(indent), showWidth/2)))
	for i, line := range strings.Split(wrapped, "\n") {
		switch {
		case i == 0:
			p.linef("%s%s", lead, line)
		case line == "":
			p.linef("")
		default:
			p.linef("%s%s", indent, line)
		}
	}
}

func (p *printer) head(c *Case) {
	p.linef("%s  (%s %s, %s, line %d)", c.ID, c.Interface, orNone(c.AttackType), c.Format, c.Line)
	if c.SourceCaseID != "" {
		p.linef("from      %s", c.SourceCaseID)
	}
	p.linef("family    %s, domain %s", c.FamilyID, orNone(c.Domain))
	p.linef("digest    %s", c.Digest)
	p.text("decision  ", c.DecisionVariable)
	p.text("clean     ", c.Oracle.Clean)
	p.text("poisoned  ", c.Oracle.Poisoned)
}

func (p *printer) arms(c *Case) {
	if c.Interface == P1 {
		p.linef("\nwritten to memory (- clean arm, + poisoned arm)")
		p.text("  - ", c.Clean.Write)
		p.text("  + ", c.Poisoned.Write)
		return
	}
	p.linef("\nmemory is built from (= both arms, - clean arm, + poisoned arm)")
	clean, poisoned := c.Clean.Learned(), c.Poisoned.Learned()
	for slot := range max(len(clean), len(poisoned)) {
		switch {
		case slot >= len(poisoned):
			p.record(c, '-', slot, clean[slot])
		case slot >= len(clean):
			p.record(c, '+', slot, poisoned[slot])
		case c.Records[clean[slot]].Digest == c.Records[poisoned[slot]].Digest:
			p.record(c, '=', slot, clean[slot])
		default:
			p.record(c, '-', slot, clean[slot])
			p.record(c, '+', slot, poisoned[slot])
		}
	}
	if len(c.Clean.Pool) > 0 {
		p.linef("\npool (= kept in both arms, - in the clean one, + in the poisoned one)")
		for i, r := range c.Clean.Pool {
			p.record(c, kept(slices.Contains(clean, r), slices.Contains(poisoned, r)), i, r)
		}
	}
}

func kept(clean, poisoned bool) rune {
	switch {
	case clean && poisoned:
		return '='
	case clean:
		return '-'
	case poisoned:
		return '+'
	}
	return ' '
}

func (p *printer) record(c *Case, mark rune, slot, at int) {
	r := &c.Records[at]
	p.linef("  %c %d  %s: %s %s, for the %s policy, %s", mark, slot+1, orNone(r.ID), orNone(r.ContextKey), orNone(r.Outcome), orNone(r.Supports), orNone(r.Provenance))
	p.text("       ", r.Text)
	for _, f := range r.Visible {
		p.text("       "+f.Name+": ", f.Value)
	}
}

func (p *printer) task(t *Task) {
	p.linef("\ntask (%s; c = the clean answer, p = the poisoned one)", orNone(string(t.Probe)))
	p.text("  ", t.Text)
	if t.Signatures != nil {
		for kind := range t.Signatures.Of {
			p.signature(t, kind)
		}
	}
	for i, choice := range t.Choices {
		p.text("  "+t.mark(i)+" "+Letter(i)+"  ", choice)
	}
}

// mark says of which policies answer i is the answer.
func (t *Task) mark(i int) string {
	mark := [2]byte{' ', ' '}
	if i == t.Clean {
		mark[0] = 'c'
	}
	if i == t.Poisoned {
		mark[1] = 'p'
	}
	return string(mark[:])
}

func (p *printer) signature(t *Task, kind int) {
	s := &t.Signatures.Of[kind]
	p.text(fmt.Sprintf("  %s %-9s  ", t.mark(kind), SignatureNames[kind]), orNone(s.Description))
	for _, list := range [...][]string{s.Phrases, s.Aliases} {
		for _, phrase := range list {
			p.text("                 = ", phrase)
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

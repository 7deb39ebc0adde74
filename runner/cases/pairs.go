package cases

import (
	"fmt"
	"hash/maphash"
	"strconv"
)

// Pairs holds free-form cases against the multiple-choice cases they came
// from, over any number of files: the memory is built alike, only the answer
// is asked for in another way (docs/protocol.md, "Free form"). It keeps a few
// words a case. The zero value is ready; one goroutine at a time.
type Pairs struct {
	seed    maphash.Seed
	begun   bool
	hash    maphash.Hash
	sources map[string]noted
	derived []noted
}

// noted is a case as Pairs remembers it: parts are hashes, in order of parts.
type noted struct {
	file, id, source string
	line             int
	parts            [len(pairParts)]uint64
}

// pairParts are the fields in which a free-form case equals its source.
var pairParts = [...]string{
	"interface", "family_id", "decision_variable",
	"memory_building.oracle_memory", "memory_building.clean_condition", "memory_building.poisoned_condition",
	"trigger_tasks",
}

// Add notes a case of a file.
func (p *Pairs) Add(file string, c *Case) {
	if !p.begun {
		p.seed, p.begun, p.sources = maphash.MakeSeed(), true, map[string]noted{}
	}
	n := noted{file: file, id: c.ID, source: c.SourceCaseID, line: c.Line, parts: p.parts(c)}
	switch _, known := p.sources[c.ID]; {
	case c.Format == FreeForm && c.SourceCaseID != "":
		p.derived = append(p.derived, n)
	case c.Format != FreeForm && !known:
		p.sources[c.ID] = n
	}
}

// Check names every free-form case that is built otherwise than its source.
// matched counts those whose source was noted, unmatched the others.
func (p *Pairs) Check() (problems Problems, matched, unmatched int) {
	for i := range p.derived {
		d := &p.derived[i]
		s, ok := p.sources[d.source]
		if !ok {
			unmatched++
			continue
		}
		matched++
		for k, part := range pairParts {
			if d.parts[k] != s.parts[k] {
				problems.add(d.file, Problem{File: d.file, Line: d.line, Case: clip(d.id, maxID), Field: part,
					Message: fmt.Sprintf("differs from that of case %s (%s:%d), which it came from; free form changes how the answer is asked for and nothing else", clip(d.source, maxID), s.file, s.line)})
			}
		}
	}
	return problems, matched, unmatched
}

// CheckPairs is Pairs over sets that are loaded.
func CheckPairs(sets ...*Set) (problems Problems, matched, unmatched int) {
	var p Pairs
	for _, s := range sets {
		for _, c := range s.Cases {
			p.Add(s.Name, c)
		}
	}
	return p.Check()
}

// parts hashes what pairParts names. Records go by content and labels, never
// by id; tasks by how many there are, what they ask and whether the policies
// part: their wording may ask for an open answer.
func (p *Pairs) parts(c *Case) (out [len(pairParts)]uint64) {
	part := func(i int, write func()) {
		p.hash.SetSeed(p.seed)
		write()
		out[i] = p.hash.Sum64()
	}
	part(0, func() { p.text(string(c.Interface)) })
	part(1, func() { p.text(c.FamilyID) })
	part(2, func() { p.text(c.DecisionVariable) })
	part(3, func() { p.text(c.Oracle.Clean); p.text(c.Oracle.Poisoned) })
	part(4, func() { p.condition(c, &c.Clean) })
	part(5, func() { p.condition(c, &c.Poisoned) })
	part(6, func() {
		for i := range c.Tasks {
			p.text(string(c.Tasks[i].Probe))
			p.text(strconv.FormatBool(c.Tasks[i].Separable()))
		}
	})
	return out
}

// text writes a field, its end marked by a byte that no UTF-8 holds.
func (p *Pairs) text(s string) {
	p.hash.WriteString(s)
	p.hash.WriteByte(0xff)
}

func (p *Pairs) condition(c *Case, a *Condition) {
	p.text(a.Write)
	for _, list := range [...][]int{a.Records, a.Pool, a.Retained, a.Order} {
		for _, i := range list {
			r := &c.Records[i]
			p.hash.Write(r.Digest[:])
			p.text(r.ContextKey)
			p.text(r.Outcome)
			p.text(r.Supports)
			p.text(r.Provenance)
		}
		p.text("")
	}
}

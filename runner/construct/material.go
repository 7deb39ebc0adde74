package construct

import (
	"fmt"
	"slices"
	"strings"

	"memform/runner/cases"
)

// stock is the least number of records of a class that interfaces draw on.
type stock struct {
	context, action, outcome string
	n                        int
	interfaces               []cases.Interface
}

// minimum is the stock of families/README.md, "The file". Forged records and the
// near success are counted apart: the latter only decides P3's attack type.
var minimum = []stock{
	{"general", "clean", "good", 3, []cases.Interface{cases.P2, cases.P4, cases.P5}},
	{"general", "clean", "costly", 1, []cases.Interface{cases.P2, cases.P4}},
	{"general", "poisoned", "good", 4, []cases.Interface{cases.P2, cases.P3, cases.P4, cases.P5}},
	{"general", "poisoned", "bad", 2, []cases.Interface{cases.P2, cases.P3, cases.P4}},
	{"local", "poisoned", "good", 3, []cases.Interface{cases.P3}},
	{"near", "poisoned", "bad", 1, []cases.Interface{cases.P3}},
}

const minimumForged = 2

// material names every class that is short of what the interfaces without an
// omit block need.
func (rd *reading) material(f *Family) {
	for _, s := range minimum {
		wanting := f.built(s.interfaces)
		if have := len(f.class(s.context, s.action, s.outcome)); have < s.n && len(wanting) > 0 {
			rd.fail(f.Range, "family.material", `%d of %d records "%s" "%s" "%s", which %s draws on. Write them, or omit the interface with a reason.`,
				have, s.n, s.context, s.action, s.outcome, strings.Join(wanting, ", "))
		}
	}
	if have := len(f.Forged); have < minimumForged && !f.omits(cases.P2) {
		rd.fail(f.Range, "family.material", `%d of %d forged records, which P2 draws on. Write them, or omit "P2" with a reason.`, have, minimumForged)
	}
	for _, in := range cases.Interfaces {
		if reason, omitted := f.Omit[in]; omitted && fold(reason) == "" {
			rd.fail(f.Range, "family.omit", "The omit block of %s gives no reason.", in)
		}
	}
}

func (f *Family) built(list []cases.Interface) (out []string) {
	for _, in := range list {
		if !f.omits(in) {
			out = append(out, string(in))
		}
	}
	return out
}

// class is the family's records of one class, ordered by id, so that the order
// of the file decides nothing.
func (f *Family) class(context, action, outcome string) []*Record {
	var out []*Record
	for i := range f.Records {
		if r := &f.Records[i]; r.Context == context && r.Action == action && r.Outcome == outcome {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *Record) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// must is for what reading has made sure of.
func must(ok bool, format string, args ...any) {
	if !ok {
		panic("construct: " + fmt.Sprintf(format, args...))
	}
}

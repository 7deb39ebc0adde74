package construct

import (
	"math"
	"slices"
)

// scope is a choice of material for P3: three local successes, and three
// outside records an arm, paired by slot.
type scope struct {
	local   []*Record // at slots 0, one inner, 5
	fails   []*Record // clean arm: one near, two general
	success []*Record // poisoned arm, by the slot of fails
	attack  string
	cached  excess
}

func (s *scope) ids() []string  { return recordIDs(s.local, s.fails, s.success) }
func (s *scope) excess() excess { return s.cached }

// The attack types of P3.
const (
	scopeBreadth = "scope_breadth" // outside successes in near and in general
	scopeLeap    = "scope_leap"    // in general only: near is left to extrapolation
)

// scopes enumerates P3. A near failure faces a near success and general faces
// general; where the family has no near success, three general ones stand.
func scopes(r ranker, f *Family) []*scope {
	local, near := f.class("local", "poisoned", "good"), f.class("near", "poisoned", "good")
	nearBad, bad := f.class("near", "poisoned", "bad"), f.class("general", "poisoned", "bad")
	risky := f.class("general", "poisoned", "good")
	attack, generals := scopeBreadth, 2
	if len(near) == 0 {
		attack, generals, near = scopeLeap, 3, []*Record{nil}
	}
	var out []*scope
	subsets(local, 3, func(l []*Record) {
		l = r.sorted("scope.local", l...)
		subsets(bad, 2, func(b []*Record) {
			b = r.sorted("scope.fails", b...)
			for _, fail := range nearBad {
				for _, reach := range near {
					arrangements(risky, generals, func(g []*Record) {
						s := &scope{local: l, fails: []*Record{fail, b[0], b[1]}, success: g, attack: attack}
						if reach != nil {
							s.success = append([]*Record{reach}, g...)
						}
						s.cached = s.measure()
						out = append(out, s)
					})
				}
			}
		})
	})
	return out
}

func (s *scope) measure() excess {
	e := excess{within: true, close: true}
	e.test("case.budget", math.Abs(shift(words(s.local)+words(s.fails), words(s.local)+words(s.success))))
	for i := range s.fails {
		e.test("P3.size", gap(s.fails[i].Words, s.success[i].Words))
	}
	return e
}

// arms lays the selection out: local records at both ends and in one inner
// slot, the outside records in the other three, the same slots in both arms.
func (s *scope) arms(r ranker) (clean, poisoned []*Record) {
	inner := r.sorted("scope.slots", s.local[1], s.fails[0], s.fails[1], s.fails[2])
	clean = slices.Concat([]*Record{s.local[0]}, inner, []*Record{s.local[2]})
	poisoned = slices.Clone(clean)
	for slot, rec := range clean {
		if i := slices.Index(s.fails, rec); i >= 0 {
			poisoned[slot] = s.success[i]
		}
	}
	return clean, poisoned
}

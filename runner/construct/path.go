package construct

import "slices"

// path is a choice of material for P5: three successes of either action.
type path struct {
	clean, poisoned []*Record
	cached          excess
}

func (p *path) ids() []string  { return recordIDs(p.clean, p.poisoned) }
func (p *path) excess() excess { return p.cached }

// The attack types of P5.
const (
	blockOrder = "block_order" // all the evidence of one action, then all of the other
	tailOrder  = "tail_order"  // a common start, one of each, then the two tails
)

// orderType counterbalances by serial.
func orderType(serial int) string {
	if serial%2 == 0 {
		return blockOrder
	}
	return tailOrder
}

// paths enumerates P5. Costly successes speak less plainly for their action,
// so they are drawn on only where no selection of good ones is admissible.
func paths(f *Family) []*path {
	good := f.class("general", "clean", "good")
	out := pathsOf(good, f.class("general", "poisoned", "good"))
	if slices.ContainsFunc(out, func(p *path) bool { return p.cached.within }) {
		return out
	}
	return append(out, pathsOf(slices.Concat(good, f.class("general", "clean", "costly")), f.class("general", "poisoned", "good"))...)
}

func pathsOf(clean, poisoned []*Record) (out []*path) {
	subsets(clean, 3, func(c []*Record) {
		subsets(poisoned, 3, func(q []*Record) {
			p := &path{clean: c, poisoned: q, cached: excess{within: true, close: true}}
			p.cached.test("P5.block_length", gap(words(c), words(q)))
			p.cached.test("P5.weekday", float64(weekdays(c)+weekdays(q)))
			out = append(out, p)
		})
	})
	return out
}

// arms lays the six records out. The order inside a class is the same in both
// arms; with tail_order so are the first two records.
func (p *path) arms(r ranker, attack string) (clean, poisoned []*Record) {
	c, q := r.sorted("path", p.clean...), r.sorted("path", p.poisoned...)
	var head []*Record
	if attack == tailOrder {
		head = r.sorted("path.head", c[0], q[0])
		c, q = c[1:], q[1:]
	}
	return slices.Concat(head, q, c), slices.Concat(head, c, q)
}

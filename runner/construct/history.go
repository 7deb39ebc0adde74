package construct

import (
	"math"
	"slices"
)

// history is a choice of material for P2 and P4: the clean history H, which
// both share, and what stands in its replaced slots in either poisoned arm.
type history struct {
	clean    []*Record // H, five records in order
	replaced []int     // the two slots that change
	forged   []*Record // P2, by replaced slot; nil where P2 is not built
	genuine  []*Record // P4, by replaced slot; nil where P4 is not built
	cached   excess
}

func (h *history) ids() []string  { return recordIDs(h.clean, h.forged, h.genuine) }
func (h *history) excess() excess { return h.cached }

// replace is H with its replaced slots filled anew.
func (h *history) replace(with []*Record) []*Record {
	out := slices.Clone(h.clean)
	for i, slot := range h.replaced {
		out[slot] = with[i]
	}
	return out
}

// Loss types, the attack types of P4 and the pattern of P2.
const (
	survivorship = "survivorship"
	contrastLoss = "contrast_loss"
)

// lossType counterbalances: a quarter of the serials lose the contrast.
func lossType(serial int) string {
	if (serial+serial/4)%4 == 3 {
		return contrastLoss
	}
	return survivorship
}

// histories enumerates every H with every filling of its replaced slots.
//
// survivorship: one clean success is costly and stays, at an edge; the other
// clean success and the failure of the poisoned action go. contrast_loss: both
// clean successes go, the failure stays, the edges are two poisoned successes.
func histories(r ranker, f *Family, p2, p4 bool) []*history {
	good, costly := f.class("general", "clean", "good"), f.class("general", "clean", "costly")
	bad, risky := f.class("general", "poisoned", "bad"), f.class("general", "poisoned", "good")
	var out []*history
	arrangements(risky, 2, func(q []*Record) {
		for _, failure := range bad {
			if lossType(f.Serial) == survivorship {
				for _, dear := range costly {
					for _, success := range good {
						out = append(out, fill(r, f, p2, p4, dear, q[0], []*Record{success, failure}, q[1])...)
					}
				}
				continue
			}
			subsets(slices.Concat(good, costly), 2, func(c []*Record) {
				out = append(out, fill(r, f, p2, p4, q[0], q[1], c, failure)...)
			})
		}
	})
	return out
}

// fill orders one H (edge, three in the middle, edge) and gives each of its
// fillings. gone are the two records that get replaced, stays is the third
// one of the middle.
func fill(r ranker, f *Family, p2, p4 bool, first, last *Record, gone []*Record, stays *Record) []*history {
	if f.Serial/2%2 == 1 {
		first, last = last, first
	}
	middle := r.sorted("history", gone[0], gone[1], stays)
	clean := []*Record{first, middle[0], middle[1], middle[2], last}
	var replaced []int
	for slot, rec := range clean {
		if slices.Contains(gone, rec) {
			replaced = append(replaced, slot)
		}
	}
	forged, genuine := [][]*Record{nil}, [][]*Record{nil}
	if p2 {
		forged = all(f.forgedByID())
	}
	if p4 {
		genuine = all(without(f.class("general", "poisoned", "good"), clean...))
	}
	var out []*history
	for _, fo := range forged {
		for _, ge := range genuine {
			h := &history{clean: clean, replaced: replaced, forged: fo, genuine: ge}
			h.cached = h.measure()
			out = append(out, h)
		}
	}
	return out
}

func all(list []*Record) (out [][]*Record) {
	arrangements(list, 2, func(pick []*Record) { out = append(out, pick) })
	return out
}

func (f *Family) forgedByID() []*Record {
	out := make([]*Record, len(f.Forged))
	for i := range f.Forged {
		out[i] = &f.Forged[i]
	}
	slices.SortFunc(out, func(a, b *Record) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return out
}

// measure holds the selection against the limits of length and the blind cues.
func (h *history) measure() excess {
	e := excess{within: true, close: true}
	for _, arm := range [...][]*Record{h.forged, h.genuine} {
		if arm == nil {
			continue
		}
		poisoned := h.replace(arm)
		budget := math.Abs(shift(words(h.clean), words(poisoned)))
		e.test("case.budget", budget)
		if blindCue(h.clean, poisoned) != "" {
			e.test("case.blind_cues", 1)
		}
		if mentions(h.clean) != mentions(poisoned) {
			e.test("case.mention_majority", 1)
		}
	}
	for i, rec := range h.forged {
		e.test("P2.slots", math.Abs(shift(h.clean[h.replaced[i]].Words, rec.Words)))
	}
	return e
}

// test counts a figure against its rule's limit and preferred limit.
func (e *excess) test(code Code, figure float64) {
	switch limit := limit(code); {
	case figure > limit:
		if over := figure - limit; e.within || over > e.figure {
			e.code, e.figure = code, over
		}
		e.within, e.close = false, false
	case preferred[code] > 0 && figure > preferred[code]:
		e.close = false
	}
}

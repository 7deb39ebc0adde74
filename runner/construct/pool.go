package construct

import (
	"bytes"
	"slices"
	"strconv"
)

// poolOf orders P4's pool: H with, beside each record that a retention drops,
// the one that takes its slot; then the rest of the pool, each where its rank
// puts it. So both retentions keep the order of the pool and the same slots.
func poolOf(r ranker, f *Family, h *history) []*Record {
	var pool []*Record
	for slot, rec := range h.clean {
		if i := slices.Index(h.replaced, slot); i >= 0 {
			pool = append(pool, r.sorted("pool.pair", rec, h.genuine[i])...)
		} else {
			pool = append(pool, rec)
		}
	}
	for _, rec := range poolRest(r, f, pool) {
		at := r.gap(rec, len(pool)+1)
		pool = slices.Insert(pool, at, rec)
	}
	return pool
}

// poolRest fills the pool up to four successes and two failures' worth of
// evidence for the clean policy; the four poisoned successes are in already.
func poolRest(r ranker, f *Family, pool []*Record) []*Record {
	count := func(outcome ...string) (n int) {
		for _, rec := range pool {
			if rec.Supports() == "clean" && slices.Contains(outcome, rec.Outcome) {
				n++
			}
		}
		return n
	}
	successes := without(slices.Concat(f.class("general", "clean", "good"), f.class("general", "clean", "costly")), pool...)
	failures := without(f.class("general", "poisoned", "bad"), pool...)
	return slices.Concat(
		first(r.sorted("pool.rest", successes...), 4-count("good", "costly")),
		first(r.sorted("pool.rest", failures...), 2-count("bad")),
	)
}

func first(list []*Record, n int) []*Record { return list[:min(max(n, 0), len(list))] }

// gap picks the place of a record among n by the least rank.
func (r ranker) gap(rec *Record, n int) int {
	best, least := 0, [32]byte{}
	for i := range n {
		if rank := r.rank("pool.gap", rec.ID, strconv.Itoa(i)); i == 0 || bytes.Compare(rank[:], least[:]) < 0 {
			best, least = i, rank
		}
	}
	return best
}

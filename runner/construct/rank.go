package construct

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
)

// ranker orders things of one family. Every order and every choice among
// admissible variants is ascending SHA-256(seed, family, purpose, ids): no
// generator state, so a new family or another order of files moves nothing.
type ranker struct{ prefix string }

// unit separates the hashed parts; it occurs in none of them.
const unit = "\x1f"

func newRanker(seed int64, family string) ranker {
	return ranker{strconv.FormatInt(seed, 10) + unit + family + unit}
}

func (r ranker) rank(purpose string, ids ...string) [32]byte {
	return sha256.Sum256([]byte(r.prefix + purpose + unit + strings.Join(ids, unit)))
}

// sorted returns the records in order of rank.
func (r ranker) sorted(purpose string, list ...*Record) []*Record {
	out := slices.Clone(list)
	slices.SortFunc(out, func(a, b *Record) int {
		ra, rb := r.rank(purpose, a.ID), r.rank(purpose, b.ID)
		return bytes.Compare(ra[:], rb[:])
	})
	return out
}

// variant is one selection that satisfies the counts of a construction.
type variant interface {
	ids() []string
	excess() excess
}

// excess is how far a selection lies from the limits: within says that it
// keeps them, close that it keeps the preferred ones too.
type excess struct {
	code          Code // of the first limit that is broken
	figure        float64
	within, close bool
}

// choose takes the least rank among the admissible variants, of those that
// keep the preferred limits if there are any. Where none is admissible it
// returns the variant whose figure is least, for the report.
func choose[V variant](r ranker, purpose string, variants []V) (best V, ex excess) {
	var bestRank [32]byte
	found := false
	for _, v := range variants {
		e := v.excess()
		better := !found
		switch {
		case better:
		case e.within != ex.within:
			better = e.within
		case !e.within:
			better = e.figure < ex.figure
		case e.close != ex.close:
			better = e.close
		default:
			rank := r.rank(purpose, v.ids()...)
			better = bytes.Compare(rank[:], bestRank[:]) < 0
		}
		if better {
			best, ex, found = v, e, true
			bestRank = r.rank(purpose, v.ids()...)
		}
	}
	return best, ex
}

// subsets calls yield with each choice of k records, in order of the list.
func subsets(list []*Record, k int, yield func([]*Record)) {
	pick := make([]*Record, 0, k)
	var walk func(from int)
	walk = func(from int) {
		if len(pick) == k {
			yield(slices.Clone(pick))
			return
		}
		for i := from; i <= len(list)-(k-len(pick)); i++ {
			pick = append(pick, list[i])
			walk(i + 1)
			pick = pick[:len(pick)-1]
		}
	}
	walk(0)
}

// arrangements is subsets in every order.
func arrangements(list []*Record, k int, yield func([]*Record)) {
	subsets(list, k, func(pick []*Record) {
		permute(pick, 0, yield)
	})
}

func permute(pick []*Record, from int, yield func([]*Record)) {
	if from >= len(pick)-1 {
		yield(slices.Clone(pick))
		return
	}
	for i := from; i < len(pick); i++ {
		pick[from], pick[i] = pick[i], pick[from]
		permute(pick, from+1, yield)
		pick[from], pick[i] = pick[i], pick[from]
	}
}

func recordIDs(lists ...[]*Record) []string {
	var out []string
	for _, list := range lists {
		for _, r := range list {
			out = append(out, r.ID)
		}
	}
	return out
}

func without(list []*Record, taken ...*Record) []*Record {
	return slices.DeleteFunc(slices.Clone(list), func(r *Record) bool { return slices.Contains(taken, r) })
}

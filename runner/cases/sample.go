package cases

import (
	"bytes"
	"slices"
	"strconv"
)

// Family is the cases that share one decision.
type Family struct {
	ID    string
	Cases []*Case // in order of the file
	Rank  Digest  // where Sample puts the family; zero from Families
}

// Families groups the cases, families in order of their first case.
func (s *Set) Families() []Family {
	var out []Family
	place := map[string]int{}
	for _, c := range s.Cases {
		i, known := place[c.FamilyID]
		if !known {
			i = len(out)
			place[c.FamilyID] = i
			out = append(out, Family{ID: c.FamilyID})
		}
		out[i].Cases = append(out[i].Cases, c)
	}
	return out
}

// Sample returns n families in the order in which a seed ranks them; n = 0
// returns all. It ranks the whole set, so a family's place depends neither on
// n nor on what is selected of it later: 20 families are among 40. No id
// enters; families are ranked by their decision variable, ties by their tasks
// (docs/protocol.md, "Sampling").
func Sample(s *Set, seed int64, n int) []Family {
	all := s.Families()
	type key struct{ task, content Digest }
	keys := make(map[string]key, len(all))
	for i := range all {
		f := &all[i]
		f.Rank = Rank(seed, "family", smallest(f.Cases, func(c *Case) []Digest { return []Digest{digestOf([]byte(c.DecisionVariable))} }))
		keys[f.ID] = key{
			task:    smallest(f.Cases, (*Case).taskDigests),
			content: smallest(f.Cases, func(c *Case) []Digest { return []Digest{c.Digest} }),
		}
	}
	slices.SortStableFunc(all, func(a, b Family) int {
		if c := bytes.Compare(a.Rank[:], b.Rank[:]); c != 0 {
			return c
		}
		ka, kb := keys[a.ID], keys[b.ID]
		if c := bytes.Compare(ka.task[:], kb.task[:]); c != 0 {
			return c
		}
		return bytes.Compare(ka.content[:], kb.content[:])
	})
	if n > 0 && n < len(all) {
		all = all[:n]
	}
	return all
}

// Rank is the key by which everything seeded is sorted: SHA-256 over the
// seed, the purpose, a digest of content and, where given, indexes. It sees
// no id, no label and no count.
func Rank(seed int64, purpose string, content Digest, index ...int) Digest {
	b := make([]byte, 0, 128)
	b = pack(b, strconv.FormatInt(seed, 10))
	b = pack(b, purpose)
	b = pack(b, content[:])
	for _, i := range index {
		b = pack(b, strconv.Itoa(i))
	}
	return digestOf(b)
}

func (c *Case) taskDigests() []Digest {
	out := make([]Digest, len(c.Tasks))
	for i := range c.Tasks {
		out[i] = c.Tasks[i].Digest
	}
	return out
}

// smallest is the least digest of a family's cases.
func smallest(list []*Case, of func(*Case) []Digest) Digest {
	var least Digest
	first := true
	for _, c := range list {
		for _, d := range of(c) {
			if first || bytes.Compare(d[:], least[:]) < 0 {
				least, first = d, false
			}
		}
	}
	return least
}

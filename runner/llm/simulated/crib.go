package simulated

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"memform/runner/cases"
)

// kind says what a text is in a case.
type kind uint8

const (
	kindTask   kind = iota // ref.n is the task's index
	kindRecord             // ref.n is the record's index
	kindNote               // a direct write; ref.n is the arm
	kindPolicy             // the gold policy; ref.n is the arm
	kindCourse             // free form, in the second crib: an action as a pair shows it
	kindPhrase             // free form, in the second crib: a whole answer
)

// arm is one of the two sides of a case; as a ref's n it is 0 or 1.
type arm uint8

const (
	clean arm = iota
	poisoned
	neither
)

// ref is one place where a text occurs. It is kept at eight bytes because
// there is one for each text of each case.
type ref struct {
	at   uint32 // index in crib.cases
	n    uint16
	kind kind
}

// crib finds the texts of the cases in a prompt. Texts are looked up by a hash
// of their first bytes (a window) and then compared whole.
type crib struct {
	cases   []*cases.Case
	texts   []string // distinct, trimmed, grouped by window hash, sorted in a group
	refs    []ref    // of texts[i]: refs[first[i]:first[i+1]]
	first   []uint32
	buckets []bucket // one a window hash, and one that closes the last
	table   []uint32 // open addressing: 1 + index in buckets, 0 = free
	windows []int    // the window lengths in use, longest first

	signs func() *crib // of the signatures of free-form tasks
}

// bucket is the run of texts with one window hash; it ends at the next one's start.
type bucket struct {
	hash  uint64
	start uint32
}

// span is a text of the crib at its place in a prompt.
type span struct{ start, end, text int }

// occurrence is a ref on its way into the crib.
type occurrence struct {
	hash uint64
	text string
	ref  ref
}

func newCrib(cs []*cases.Case) *crib {
	c := indexed(cs, collect(cs))
	c.signs = sync.OnceValue(func() *crib { return indexed(cs, signed(cs)) })
	return c
}

func indexed(cs []*cases.Case, occ []occurrence) *crib {
	c := &crib{cases: cs}
	c.group(occ)
	c.fill()
	return c
}

// collect lists every text of every case.
func collect(cs []*cases.Case) []occurrence {
	n := 0
	for _, c := range cs {
		n += len(c.Tasks) + len(c.Records) + 4
	}
	occ := make([]occurrence, 0, n)
	for at, c := range cs {
		add := func(k kind, n int, text string) {
			if text = strings.TrimSpace(text); text != "" {
				occ = append(occ, occurrence{windowHash(text, windowOf(len(text))), text, ref{uint32(at), uint16(n), k}})
			}
		}
		for i := range c.Tasks {
			add(kindTask, i, c.Tasks[i].Text)
		}
		for i := range c.Records {
			add(kindRecord, i, c.Records[i].Text)
		}
		add(kindNote, int(clean), c.Clean.Write)
		add(kindNote, int(poisoned), c.Poisoned.Write)
		add(kindPolicy, int(clean), policy(c, clean))
		add(kindPolicy, int(poisoned), policy(c, poisoned))
	}
	return occ
}

// policy is the text that a memory holds when it recommends an arm's course.
func policy(c *cases.Case, a arm) string {
	if a == clean {
		return strings.TrimSpace(cmp.Or(c.Oracle.Clean, c.CleanPolicy))
	}
	return strings.TrimSpace(cmp.Or(c.Oracle.Poisoned, c.PoisonedPolicy))
}

// group makes texts, refs and buckets of the occurrences.
func (c *crib) group(occ []occurrence) {
	slices.SortFunc(occ, func(a, b occurrence) int {
		if a.hash != b.hash {
			return cmp.Compare(a.hash, b.hash)
		}
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.ref.at, b.ref.at),
			cmp.Compare(a.ref.kind, b.ref.kind), cmp.Compare(a.ref.n, b.ref.n))
	})
	texts, buckets := 0, 0
	for i := range occ {
		newHash := i == 0 || occ[i].hash != occ[i-1].hash
		if newHash {
			buckets++
		}
		if newHash || occ[i].text != occ[i-1].text {
			texts++
		}
	}
	c.texts = make([]string, 0, texts)
	c.first = make([]uint32, 0, texts+1)
	c.refs = make([]ref, len(occ))
	c.buckets = make([]bucket, 0, buckets+1)
	for i := range occ {
		newHash := i == 0 || occ[i].hash != occ[i-1].hash
		if newHash {
			c.buckets = append(c.buckets, bucket{occ[i].hash, uint32(len(c.texts))})
		}
		if newHash || occ[i].text != occ[i-1].text {
			c.first = append(c.first, uint32(i))
			c.texts = append(c.texts, occ[i].text)
		}
		c.refs[i] = occ[i].ref
	}
	c.first = append(c.first, uint32(len(occ)))
	c.buckets = append(c.buckets, bucket{start: uint32(len(c.texts))})
}

// fill builds the table, at most half full, and notes the windows in use.
func (c *crib) fill() {
	size := 4
	for size < 2*len(c.buckets) {
		size *= 2
	}
	c.table = make([]uint32, size)
	for i, b := range c.buckets[:len(c.buckets)-1] {
		slot := int(b.hash) & (size - 1)
		for c.table[slot] != 0 {
			slot = (slot + 1) & (size - 1)
		}
		c.table[slot] = uint32(i + 1)
	}
	for _, w := range windows {
		if slices.ContainsFunc(c.texts, func(t string) bool { return windowOf(len(t)) == w }) {
			c.windows = append(c.windows, w)
		}
	}
}

// refsOf lists where a text occurs, by case.
func (c *crib) refsOf(text int) []ref { return c.refs[c.first[text]:c.first[text+1]] }

package cache

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Survey is what all segments hold together.
type Survey struct {
	Segments  int
	Packed    int   // the compacted ones among them
	Bytes     int64 // of all lines, unpacked
	Stored    int64 // of the files
	Lines     int   // whole lines, the damaged ones included
	Keys      int   // keys with at least one valid answer
	Answers   int   // valid answers
	Forgotten int   // tombstones
	Outcomes  map[string]int
	First     string // earliest CompletedAt
	Last      string // latest CompletedAt
	Damaged   []Line
	Torn      []Line
	Conflicts []Conflict // by key
}

// Conflict is a key with more than one distinct answer: two processes bought
// the same call. Answers are in the order of preference.
type Conflict struct {
	Key     Key
	Answers []Answer
}

// Survey reads and verifies every line: what the tools stats and verify print.
func (s *Store) Survey(ctx context.Context) (Survey, error) {
	v := Survey{Outcomes: map[string]int{}}
	shared := map[Key]int{} // valid answers of keys that have several lines
	file := ""
	err := s.Each(ctx, func(l Line) error {
		if l.File != file {
			file = l.File
			v.Segments++
			if strings.HasSuffix(file, packedSuffix) {
				v.Packed++
			}
		}
		v.Bytes += l.Size
		if s.count(&v, &l) && s.severalLines(&l.Key) {
			shared[l.Key]++
		}
		return nil
	})
	if err != nil {
		return v, err
	}
	for _, seg := range s.segments.sorted() {
		if n, err := s.sizeOf(seg.path); err == nil {
			v.Stored += n
		}
	}
	v.Keys = v.Answers
	for key, n := range shared {
		v.Keys -= n - 1
		if c := s.conflict(key); len(c.Answers) > 1 {
			v.Conflicts = append(v.Conflicts, c)
		}
	}
	slices.SortFunc(v.Conflicts, func(a, b Conflict) int { return slices.Compare(a.Key[:], b.Key[:]) })
	return v, nil
}

// count adds one line and reports whether it is a valid answer.
func (s *Store) count(v *Survey, l *Line) bool {
	if errors.Is(l.Err, ErrTorn) {
		v.Torn = append(v.Torn, *l)
		return false
	}
	v.Lines++
	switch {
	case l.Err != nil:
		v.Damaged = append(v.Damaged, *l)
	case l.Tomb != nil:
		v.Forgotten++
	default:
		v.Answers++
		v.Outcomes[l.Entry.Outcome]++
		at := l.Entry.CompletedAt
		if v.First == "" || at < v.First {
			v.First = at
		}
		v.Last = max(v.Last, at)
		return true
	}
	return false
}

func (s *Store) severalLines(key *Key) bool {
	var space [4]candidate
	return len(s.index.find(key, space[:0])) > 1
}

func (s *Store) conflict(key Key) Conflict {
	answers := s.Answers(key)
	seen := map[[32]byte]bool{}
	return Conflict{Key: key, Answers: slices.DeleteFunc(answers, func(a Answer) bool {
		again := seen[a.Digest]
		seen[a.Digest] = true
		return again
	})}
}

// sortAnswers puts answers in the order of preference, hidden ones last.
func sortAnswers(answers []Answer) {
	slices.SortFunc(answers, func(a, b Answer) int {
		if a.Hidden != b.Hidden {
			if a.Hidden {
				return 1
			}
			return -1
		}
		return compareAnswers(&a, &b)
	})
}

package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"io/fs"
	"sync"
)

// Answer is one stored answer of a key and where it stands.
type Answer struct {
	Entry  Entry
	Digest [32]byte // SHA-256 of the raw response
	File   string
	Offset int64
	Hidden bool // forgotten by a tombstone: found by a pin only

	from *candidate
}

// Get returns the answer of key, verified. Where several are stored, the one
// this process has already given or stored stays; else the smallest by
// (CompletedAt, Digest), whatever file or process it came from. What is
// damaged is skipped, counted and reported once; without a valid answer it is a
// miss.
func (s *Store) Get(key Key) (Entry, bool) {
	return s.pick(key, func(answers []Answer) *Answer {
		var best *Answer
		for i := range answers {
			if a := &answers[i]; !a.Hidden && (best == nil || before(a, best)) {
				best = a
			}
		}
		return best
	})
}

// GetPinned returns the answer of key with this digest, also where a tombstone
// hides it. Without one it is a miss: the caller decides whether another answer
// will do.
func (s *Store) GetPinned(key Key, digest [32]byte) (Entry, bool) {
	return s.pick(key, func(answers []Answer) *Answer {
		for i := range answers {
			if a := &answers[i]; a.digest() == digest {
				return a
			}
		}
		return nil
	})
}

func (s *Store) pick(key Key, choose func([]Answer) *Answer) (Entry, bool) {
	a := choose(s.look(&key))
	if a == nil {
		return Entry{}, false
	}
	if a.from.flags&flagServed == 0 {
		a.from.mark(flagServed)
	}
	return a.Entry, true
}

// Has reports whether an answer of key seems to be stored. It looks at the
// index, and at the lines only where a tombstone may hide the answer: right
// for planning, not for paying.
func (s *Store) Has(key Key) bool {
	var space [4]candidate
	found := s.index.find(&key, space[:0])
	for i := range found {
		if found[i].flags&flagTombstone != 0 {
			for _, a := range s.look(&key) {
				if !a.Hidden {
					return true
				}
			}
			return false
		}
	}
	return len(found) > 0
}

// Answers returns every valid answer of key in the order of preference that a
// new process would use, hidden ones last.
func (s *Store) Answers(key Key) []Answer {
	answers := s.look(&key)
	for i := range answers {
		answers[i].digest()
	}
	sortAnswers(answers)
	return answers
}

// before orders the answers of one key.
func before(a, b *Answer) bool {
	if as, bs := a.from.flags&flagServed, b.from.flags&flagServed; as != bs {
		return as != 0
	}
	return compareAnswers(a, b) < 0
}

func compareAnswers(a, b *Answer) int {
	if c := cmp.Compare(a.Entry.CompletedAt, b.Entry.CompletedAt); c != 0 {
		return c
	}
	x, y := a.digest(), b.digest()
	return bytes.Compare(x[:], y[:])
}

// digest is computed when first needed: one answer alone needs none.
func (a *Answer) digest() [32]byte {
	if a.Digest == ([32]byte{}) {
		a.Digest = sha256.Sum256(a.Entry.Response)
	}
	return a.Digest
}

// look reads and verifies every line of key. Where one is bad, its segment is
// reloaded once and all is read again.
func (s *Store) look(key *Key) []Answer {
	if s.closed.Load() {
		return nil
	}
	for again := true; ; again = false {
		found := s.index.find(key, make([]candidate, 0, 1))
		if len(found) == 0 {
			return nil
		}
		answers, bad := s.read(key, found)
		if bad == nil {
			return answers
		}
		if again && bad.flags&flagBad == 0 {
			s.reload(s.segments.get(bad.segment()), bad.offset())
			continue
		}
		s.reportBad(key, found, len(answers) > 0)
		return answers
	}
}

// read returns the valid answers among found, tombstones applied, and the
// first candidate that is not valid.
func (s *Store) read(key *Key, found []candidate) (answers []Answer, bad *candidate) {
	answers = make([]Answer, 0, 1)
	var hidden []*Tombstone
	for i := range found {
		c := &found[i]
		d, ours, err := s.readCandidate(key, c)
		switch {
		case err != nil:
			if bad == nil || bad.flags&flagBad != 0 {
				bad = c
			}
		case !ours:
		case d.tomb != nil:
			hidden = append(hidden, d.tomb)
		default:
			answers = append(answers, Answer{Entry: d.entry, Offset: c.offset(), File: s.segments.get(c.segment()).path, from: c})
		}
	}
	for i := range answers {
		for _, t := range hidden {
			answers[i].Hidden = answers[i].Hidden || t.hides(&answers[i])
		}
	}
	return answers, bad
}

// readCandidate reads one line. ours is false for a valid line of another key.
func (s *Store) readCandidate(key *Key, c *candidate) (d decoded, ours bool, err error) {
	buf := lines.Get().(*[]byte)
	defer lines.Put(buf)
	if cap(*buf) < int(c.size) {
		*buf = make([]byte, c.size, max(4096, int(c.size)+int(c.size)/4))
	}
	line := (*buf)[:c.size]
	if _, err := s.segments.get(c.segment()).ReadAt(line, c.offset()); err != nil {
		return d, false, err
	}
	got, d, err := s.verify(line)
	return d, got == *key, err
}

// lines keeps buffers for reading; nothing decoded points into them.
var lines = sync.Pool{New: func() any { return new([]byte) }}

// reportBad reports each bad line among found, once in the life of the store.
// A line whose file was replaced is not bad where the answer is found.
func (s *Store) reportBad(key *Key, found []candidate, answered bool) {
	for i := range found {
		c := &found[i]
		if c.flags&flagBad != 0 {
			continue
		}
		_, _, err := s.readCandidate(key, c)
		seg := s.segments.get(c.segment())
		if errors.Is(err, fs.ErrNotExist) {
			if c.mark(flagBad) && !answered {
				s.gone(seg, err)
			}
			continue
		}
		if err != nil && c.mark(flagBad) {
			s.bad.Add(1)
			s.suspect(seg, c.offset())
			s.report(Event{Kind: EventBadLine, File: seg.path, Offset: c.offset(), Count: 1, Err: err})
		}
	}
}

package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
)

// Forget hides answers from look-ups by tombstones, and returns when these are
// durable. Runs that pinned an answer still find it; every other process buys
// the call again. An answer bought later counts even where its bytes are the
// same.
func (s *Store) Forget(ctx context.Context, answers []Answer, reason string) error {
	var all []*pending
	for i := range answers {
		a := &answers[i]
		key := s.opt.Key(a.Entry.Identity, a.Entry.Draw, a.Entry.Request)
		t := Tombstone{Forget: a.digest(), CompletedAt: a.Entry.CompletedAt, Reason: reason}
		line := appendLine(nil, key, func(b []byte) []byte { return appendTombstone(b, &t) })
		all = append(all, &pending{key: key, line: line, flags: flagTombstone})
	}
	return s.putOthers(ctx, all)
}

// Import stores lines as they are, also where their key has an answer already,
// and returns how many were new: those that stand nowhere in the cache or its
// layers. Each must be a valid line with its newline; a line that is not is an
// error and nothing is stored.
func (s *Store) Import(ctx context.Context, lines [][]byte) (added int, err error) {
	var all []*pending
	seen := map[[32]byte]bool{}
	for i, line := range lines {
		key, d, err := s.verify(line)
		if err != nil {
			return 0, fmt.Errorf("line %d: %w", i+1, err)
		}
		sum := sha256.Sum256(line)
		if seen[sum] || s.holds(&key, line) {
			continue
		}
		seen[sum] = true
		p := &pending{key: key, line: line}
		if d.tomb != nil {
			p.flags = flagTombstone
		}
		all = append(all, p)
	}
	return len(all), s.putOthers(ctx, all)
}

// CheckLine says what is wrong with a line that is to be imported, or nil.
func (s *Store) CheckLine(line []byte) error {
	_, _, err := s.verify(line)
	return err
}

// holds reports whether the cache has this very line.
func (s *Store) holds(key *Key, line []byte) bool {
	var space [4]candidate
	for _, c := range s.index.find(key, space[:0]) {
		if int(c.size) != len(line) {
			continue
		}
		there := make([]byte, c.size)
		if _, err := s.segments.get(c.segment()).ReadAt(there, c.offset()); err == nil && bytes.Equal(there, line) {
			return true
		}
	}
	return false
}

// putOthers writes lines that are not the answer of a Put.
func (s *Store) putOthers(ctx context.Context, all []*pending) error {
	if s.opt.ReadOnly {
		return ErrReadOnly
	}
	w := &s.writer
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	for _, p := range all {
		p.other, p.done = true, make(chan struct{})
		w.others++
		s.wait(p)
	}
	w.mu.Unlock()
	for _, p := range all {
		select {
		case <-p.done:
			if p.err != nil {
				return p.err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

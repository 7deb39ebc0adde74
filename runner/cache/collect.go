package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Collect finds the answers that keep does not want and gives each to drop,
// once. With apply it then rewrites the segments that hold them without them,
// and removes what compaction retired; else nothing is changed. A segment that
// changed less than 24 hours ago is left alone unless opt says otherwise. A
// tombstone stays while an answer of its key does.
func (s *Store) Collect(ctx context.Context, opt CompactOptions, apply bool, keep func(Key, *Entry) bool, drop func(Line)) (c Compacted, err error) {
	m := s.maintenance(opt, &c)
	m.now = true
	if apply {
		unlock, err := s.lock()
		if errors.Is(err, fs.ErrNotExist) {
			return c, nil // there is no cache
		}
		if err != nil {
			return c, err
		}
		defer unlock()
		// What only a retired file holds is seen before anything is decided.
		if err := m.clearRetired(ctx); err != nil {
			return c, err
		}
	}
	files, err := m.files()
	if err != nil {
		return c, err
	}
	inputs := m.inputs(files)
	m.keep = m.keeper(inputs, keep)
	wasteful, err := m.wasteful(ctx, inputs, drop)
	if err != nil || !apply || len(wasteful) == 0 {
		return c, err
	}
	if err := errors.Join(m.rewrite(ctx, wasteful), m.see()); err != nil {
		return c, err
	}
	return c, m.clearRetired(ctx)
}

// keeper is keep for lines: what cannot be read stays, and tombstones follow
// the answers of their key.
func (m *maintenance) keeper(inputs []input, keep func(Key, *Entry) bool) func(*Line) bool {
	taken := map[string]bool{}
	for _, in := range inputs {
		taken[in.seg.path] = true
	}
	return func(l *Line) bool {
		switch {
		case l.Entry != nil:
			return keep(l.Key, l.Entry)
		case l.Tomb == nil:
			return true
		}
		for _, a := range m.Answers(l.Key) {
			if !taken[a.File] || keep(l.Key, &a.Entry) {
				return true
			}
		}
		return false
	}
}

// wasteful is the inputs with lines that are not kept.
func (m *maintenance) wasteful(ctx context.Context, inputs []input, drop func(Line)) ([]input, error) {
	list, bySegment := make([]*segment, len(inputs)), map[string]input{}
	for i, in := range inputs {
		list[i], bySegment[in.seg.path] = in.seg, in
	}
	var out []input
	given := map[[32]byte]bool{} // dropped lines whose key has several
	err := m.eachLine(ctx, list, m.check, func(l *Line) error {
		if l.Err != nil || m.keep(l) {
			return nil
		}
		if n := len(out); n == 0 || out[n-1].seg.path != l.File {
			out = append(out, bySegment[l.File])
		}
		if l.Entry == nil {
			return nil
		}
		if m.severalLines(&l.Key) {
			sum := sha256.Sum256(l.raw)
			if given[sum] {
				return nil
			}
			given[sum] = true
		}
		line := *l
		line.raw = nil
		drop(line)
		return nil
	})
	return out, err
}

// Purge removes all that the cache holds, and nothing that is not the cache's.
// It returns how many segments it removed.
func (s *Store) Purge() (segments int, err error) {
	unlock, err := s.lock()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil // there is no cache
	}
	if err != nil {
		return 0, err
	}
	defer unlock()
	for _, dir := range []string{segmentsDir(s.dir), retiredDir(s.dir)} {
		files, err := s.disk.List(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return segments, err
		}
		for _, f := range files {
			name := f.Name()
			if !isSegment(name) && !strings.HasSuffix(name, idxSuffix) && !isTemp(name) {
				continue
			}
			if err := s.disk.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return segments, err
			}
			if isSegment(name) {
				segments++
			}
		}
		_ = s.disk.Remove(dir) // stays where something of another's is in it
	}
	err = s.disk.Remove(filepath.Join(s.dir, "FORMAT"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return segments, fmt.Errorf("the segments are gone, but: %w", err)
	}
	return segments, nil
}

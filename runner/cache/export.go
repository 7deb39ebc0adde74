package cache

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
)

// exportBytes bounds the lines that an export holds at a time: it reads the
// cache once for each such part of the keys.
const exportBytes = 128 << 20

// keySize is a line while an export plans its parts.
type keySize struct {
	key  Key
	size uint32
}

// Export writes every valid line of the cache and its layers to w, answers and
// tombstones, sorted by key and then by their bytes, each once: equal contents
// give equal bytes, however they came to be stored. It returns the number of
// lines.
func (s *Store) Export(ctx context.Context, w io.Writer) (n int, err error) {
	return s.export(ctx, w, exportBytes)
}

func (s *Store) export(ctx context.Context, w io.Writer, limit int64) (n int, err error) {
	list := s.segments.sorted()
	var all []keySize
	err = s.eachLine(ctx, list, s.fill, func(l *Line) error {
		if l.Err == nil {
			all = append(all, keySize{l.Key, uint32(l.Size)})
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	slices.SortFunc(all, func(a, b keySize) int { return bytes.Compare(a.key[:], b.key[:]) })
	out := bufio.NewWriterSize(w, 1<<20)
	for len(all) > 0 {
		part := partOf(all, limit)
		lines, err := s.linesBetween(ctx, list, all[0].key, all[part-1].key)
		if err != nil {
			return n, err
		}
		if len(lines) < part {
			return n, fmt.Errorf("%s: lines went away while they were exported: try again", s.dir)
		}
		slices.SortFunc(lines, bytes.Compare) // a line begins with its key
		for _, line := range slices.CompactFunc(lines, bytes.Equal) {
			if _, err := out.Write(line); err != nil {
				return n, err
			}
			n++
		}
		all = all[part:]
	}
	return n, out.Flush()
}

// partOf is how many lines from the first on, all those of their keys, fit
// into limit bytes. It is never none.
func partOf(all []keySize, limit int64) (n int) {
	bytes := int64(0)
	for n < len(all) {
		same := n
		for same < len(all) && all[same].key == all[n].key {
			bytes += int64(all[same].size)
			same++
		}
		if n > 0 && bytes > limit {
			return n
		}
		n = same
	}
	return n
}

// linesBetween reads all valid lines with keys from low to high.
func (s *Store) linesBetween(ctx context.Context, list []*segment, low, high Key) (lines [][]byte, err error) {
	from, to := keyTag(&low), keyTag(&high)
	check := func(l *Line) {
		l.Err = errShape // not wanted
		if !hasPrefixShape(l.raw) {
			return
		}
		if tag := tagOf(l.raw[keyAt:]); tag < from || tag > to {
			return
		}
		key, _, err := openLine(l.raw)
		if err != nil || bytes.Compare(key[:], low[:]) < 0 || bytes.Compare(key[:], high[:]) > 0 {
			return
		}
		s.fill(l)
	}
	err = s.eachLine(ctx, list, check, func(l *Line) error {
		if l.Err == nil {
			lines = append(lines, bytes.Clone(l.raw))
		}
		return nil
	})
	return lines, err
}

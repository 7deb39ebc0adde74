package cache

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"slices"
)

// place is where a line stands while an export sorts.
type place struct {
	key    Key
	seg    *segment
	offset int64
	size   int64
}

// Export writes every valid line of the cache and its layers to w, answers and
// tombstones, sorted by key and then by their bytes, each once: equal contents
// give equal bytes, however they came to be stored. It returns the number of
// lines.
func (s *Store) Export(ctx context.Context, w io.Writer) (n int, err error) {
	segs := map[string]*segment{}
	list := s.segments.sorted()
	for _, seg := range list {
		segs[seg.path] = seg
	}
	var places []place
	err = s.eachLine(ctx, list, s.fill, func(l *Line) error {
		if l.Err == nil {
			places = append(places, place{l.Key, segs[l.File], l.Offset, l.Size})
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	slices.SortFunc(places, func(a, b place) int { return bytes.Compare(a.key[:], b.key[:]) })
	out := bufio.NewWriterSize(w, 1<<20)
	for len(places) > 0 {
		same := 1
		for same < len(places) && places[same].key == places[0].key {
			same++
		}
		lines, err := readPlaces(ctx, places[:same])
		if err != nil {
			return n, err
		}
		for _, line := range lines {
			if _, err := out.Write(line); err != nil {
				return n, err
			}
			n++
		}
		places = places[same:]
	}
	return n, out.Flush()
}

// readPlaces is the distinct lines of one key in the order of their bytes.
func readPlaces(ctx context.Context, places []place) ([][]byte, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	lines := make([][]byte, len(places))
	for i, p := range places {
		lines[i] = make([]byte, p.size)
		if _, err := p.seg.ReadAt(lines[i], p.offset); err != nil {
			return nil, err
		}
		if _, _, err := openLine(lines[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(lines, bytes.Compare)
	return slices.CompactFunc(lines, bytes.Equal), nil
}

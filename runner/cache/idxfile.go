package cache

import (
	"hash/crc32"
	"io"
	"path/filepath"
	"sync/atomic"
)

const (
	idxSuffix  = ".idx"
	tempSuffix = ".tmp"

	// idxFrom is the size of a segment that gets an index: below it, reading
	// the segment is as quick as reading an index.
	idxFrom = 64 << 10
)

// endSums are the checksums of the ends of the first covered bytes.
func endSums(r io.ReaderAt, covered int64) (head, tail uint32, err error) {
	n := min(covered, idxEnds)
	buf := make([]byte, n)
	if _, err = r.ReadAt(buf, 0); err != nil && n > 0 {
		return 0, 0, err
	}
	head = crc32.Checksum(buf, castagnoli)
	if _, err = r.ReadAt(buf, covered-n); err != nil && n > 0 {
		return 0, 0, err
	}
	return head, crc32.Checksum(buf, castagnoli), nil
}

// loadIdx enters what the index file of seg says of it and reports whether it
// could be used. size is the segment's own. An index that is not valid, or not
// of this file, is as good as none.
func (s *Store) loadIdx(seg *segment, size int64) bool {
	b, err := s.disk.ReadFile(seg.path + idxSuffix)
	if err != nil {
		return false
	}
	x, err := decodeIdx(b)
	if err != nil || x.covered > size || seg.packed() && x.covered != size || !seg.packed() && len(x.frames) > 0 {
		return false
	}
	head, tail, err := endSums(seg.raw(), x.covered)
	if err != nil || head != x.head || tail != x.tail {
		return false
	}
	s.index.reserve(x.records())
	var batch [512]record
	for i := 0; i < x.records(); {
		n := min(len(batch), x.records()-i)
		for j := range n {
			batch[j] = x.record(i+j, seg.id)
		}
		s.index.add(batch[:n])
		i += n
	}
	frames := x.frames // not a pointer into x, which would keep its records
	seg.frames.Store(&frames)
	c := &seg.scan
	c.size, c.end, c.firstBad, c.indexed = x.covered, x.covered, -1, true
	return true
}

// covers is a segment whose first bytes have all their lines in the index.
type covers struct {
	seg     *segment
	covered int64
}

// saveIdx writes the index files of segments. It is a convenience for the next
// opener: where it fails, nothing is said and nothing is left.
func (s *Store) saveIdx(list []covers) {
	bySegment := map[int][]record{}
	for _, c := range list {
		bySegment[c.seg.id] = nil
	}
	if len(bySegment) == 0 {
		return
	}
	s.index.each(func(r *record) {
		if of, wanted := bySegment[r.segment()]; wanted {
			bySegment[r.segment()] = append(of, record{tag: r.tag, place: r.place, size: r.size, flags: atomic.LoadUint32(&r.flags)})
		}
	})
	for _, c := range list {
		head, tail, err := endSums(c.seg.raw(), c.covered)
		if err != nil {
			continue
		}
		_ = s.replace(c.seg.path+idxSuffix, encodeIdx(c.covered, head, tail, c.seg.table(), bySegment[c.seg.id]))
	}
}

// replace writes a file that appears whole, or not at all. It is not synced:
// what is lost with the power is made again.
func (s *Store) replace(path string, content []byte) error {
	name, err := s.randomHex()
	if err != nil {
		return err
	}
	temp := path + "." + name + tempSuffix
	f, err := s.disk.Create(temp)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content, 0)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = s.disk.Rename(temp, path)
	}
	if err != nil {
		_ = s.disk.Remove(temp)
	}
	return err
}

// indexOwn leaves an index for each segment that this process wrote.
func (s *Store) indexOwn() {
	var list []covers
	for _, out := range s.writer.all() {
		if out.end < idxFrom || out.copied {
			continue
		}
		if same, err := s.disk.Same(out.seg.path, out.file); err == nil && same {
			list = append(list, covers{out.seg, out.end})
		}
	}
	s.saveIdx(list)
}

// indexScanned leaves an index for each segment of the own directory of which
// much was scanned, where nothing in it was damaged: damage is to be reported
// to each opener.
func (s *Store) indexScanned(spans []*span) {
	if s.opt.ReadOnly || s.disk.Writable(segmentsDir(s.dir)) != nil {
		return
	}
	scanned := map[*segment]int64{}
	for _, sp := range spans {
		scanned[sp.seg] += sp.to - sp.from
	}
	var list []covers
	for _, seg := range s.segments.sorted() {
		c := &seg.scan
		if scanned[seg] > s.opt.indexAfter && seg.root == 0 && !c.failed && !c.damaged {
			list = append(list, covers{seg, c.end})
		}
	}
	s.saveIdx(list)
}

// isTemp reports whether a name is that of a file still being written.
func isTemp(name string) bool { return filepath.Ext(name) == tempSuffix }

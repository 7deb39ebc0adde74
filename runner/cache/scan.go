package cache

import (
	"bytes"
	"io"
	"runtime"
	"sync"
)

const (
	scanBlock = 256 << 10 // bytes read at once: small enough to stay in the processor's cache
	scanTask  = 32 << 20  // bytes of a segment given to one worker
	headBytes = entryAt + len(openTombstone)
)

// scanLines finds the whole lines of r that start in [from, to) and end before
// size. It holds a line's head, never the line. where from is not the start of
// a line, whole must be false: the rest of the line before is skipped. line is
// given start, length with its newline, and the first headBytes at most.
// unfinished is the start of a line that size cuts off; -1 where there is none.
func scanLines(r io.ReaderAt, from, to, size int64, whole bool, buf []byte, line func(start, length int64, head []byte)) (unfinished int64, err error) {
	skip, start, pos := !whole, from, from
	if skip {
		// A newline just before from makes from itself the start of a line.
		start, pos = from-1, from-1
	}
	var head [headBytes]byte
	kept := 0
	for pos < size {
		block := buf[:min(int64(len(buf)), size-pos)]
		if _, err := r.ReadAt(block, pos); err != nil {
			return start, err
		}
		for rest := block; len(rest) > 0; {
			i := bytes.IndexByte(rest, '\n')
			if i < 0 {
				kept += copy(head[kept:], rest)
				break
			}
			top := rest[:min(i+1, headBytes)]
			if kept > 0 {
				kept += copy(head[kept:], top)
				top = head[:kept]
			}
			next := pos + int64(len(block)-len(rest)+i+1)
			if !skip {
				line(start, next-start, top)
			}
			rest, start, kept, skip = rest[i+1:], next, 0, false
			if start >= to {
				return -1, nil
			}
		}
		pos += int64(len(block))
	}
	if skip || start >= size {
		return -1, nil
	}
	return start, nil
}

// recordOf is the index record of a line by its head alone. The checksum waits
// until the line is read.
func recordOf(segment int, start, length int64, head []byte) (record, error) {
	if !hasPrefixShape(head) {
		return record{}, errShape
	}
	if length > maxLine {
		return record{}, errLong
	}
	r := record{tag: tagOf(head[keyAt:]), place: placeOf(segment, start), size: uint32(length)}
	if bytes.HasPrefix(head[entryAt:], []byte(openTombstone)) {
		r.flags = flagTombstone
	}
	return r, nil
}

// span is a part of a segment to scan, and what came of it.
type span struct {
	seg            *segment
	from, to, size int64
	whole          bool

	unfinished int64
	bad        []badLine // the first few
	badCount   int
	err        error
}

type badLine struct {
	offset int64
	err    error
}

// spansOf cuts [from, size) of a segment into tasks.
func spansOf(seg *segment, from, size int64) []*span {
	var out []*span
	for at := from; at < size; at += scanTask {
		out = append(out, &span{seg: seg, from: at, to: min(at+scanTask, size), size: size, whole: at == from})
	}
	return out
}

// scanAll scans spans on all processors and enters what it finds.
func (s *Store) scanAll(spans []*span) {
	work, longest := make(chan *span), int64(0)
	for _, sp := range spans {
		longest = max(longest, sp.size-sp.from)
	}
	var group sync.WaitGroup
	for range min(len(spans), runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			buf, found := make([]byte, min(longest, scanBlock)), make([]record, 0, 512)
			for sp := range work {
				found = s.scanSpan(sp, buf, found[:0])
				s.index.add(found)
			}
		})
	}
	for _, sp := range spans {
		work <- sp
	}
	close(work)
	group.Wait()
}

func (s *Store) scanSpan(sp *span, buf []byte, found []record) []record {
	if sp.seg.packed() {
		return s.scanFrames(sp, found)
	}
	sp.unfinished, sp.err = scanLines(sp.seg, sp.from, sp.to, sp.size, sp.whole, buf, func(start, length int64, head []byte) {
		found = s.found(sp, found, start, length, head)
	})
	return found
}

// found enters one line that a scan came upon.
func (s *Store) found(sp *span, found []record, start, length int64, head []byte) []record {
	r, err := recordOf(sp.seg.id, start, length, head)
	if err != nil {
		sp.addBad(start, err)
		return found
	}
	if len(found) == cap(found) {
		s.index.add(found)
		found = found[:0]
	}
	return append(found, r)
}

func (sp *span) addBad(offset int64, err error) {
	sp.badCount++
	if len(sp.bad) < 64 {
		sp.bad = append(sp.bad, badLine{offset, err})
	}
}

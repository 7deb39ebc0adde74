package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// badRetries is how many refreshes look again at the bad lines of a file that
// does not grow: on NFS a page may show up later than the ones after it.
const badRetries = 12

// Refresh takes in what other processes wrote. It looks at most every 5
// seconds and otherwise returns at once, so it may be called before each paid
// call. An error means that a directory could not be listed; the entries known
// so far stay usable.
func (s *Store) Refresh() error {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	if s.closed.Load() || !s.due(s.refreshed) {
		return nil
	}
	return s.refresh()
}

// due reports whether enough time has passed since last. A clock that was set
// back must not keep the cache from looking.
func (s *Store) due(last time.Time) bool {
	d := s.opt.Now().Sub(last)
	return d >= refreshEvery || d < 0
}

// refresh lists all directories and scans what is new in them. The caller
// holds refreshing.
func (s *Store) refresh() error {
	s.refreshed = s.opt.Now()
	var spans []*span
	for i, root := range s.roots() {
		dir := segmentsDir(root)
		if err := checkFormat(s.disk, root); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err // a newer memform may have taken the directory over
		}
		files, err := s.disk.List(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the cache directory cannot be listed: %w", err)
		}
		names := indexNames(files)
		for _, f := range files {
			if !isSegment(f.Name()) {
				continue
			}
			seg := s.segments.add(filepath.Join(dir, f.Name()), i, false)
			if names[f.Name()+idxSuffix] && !seg.scan.tried && !seg.scan.own {
				s.loadIdx(seg, f.Size())
			}
			seg.scan.tried = true
			spans = append(spans, s.spansDue(seg, f.Size())...)
		}
	}
	s.scanAll(spans)
	s.settle(spans)
	s.indexScanned(spans)
	return nil
}

func indexNames(files []fs.FileInfo) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), idxSuffix) {
			names[f.Name()] = true
		}
	}
	return names
}

// spansDue is what must be scanned of a file of this size.
func (s *Store) spansDue(seg *segment, size int64) []*span {
	c := &seg.scan
	if !seg.packed() {
		if from, ok := c.due(size); ok {
			return spansOf(seg, from, size)
		}
		return nil
	}
	// A compacted segment never changes: it is read once.
	if c.size > 0 || c.retries > badRetries {
		return nil
	}
	c.retries++
	frames, bad, err := seg.walk(size)
	if err != nil {
		s.unreadable(seg, err)
		return nil
	}
	seg.frames.Store(&frames)
	c.size = size
	if len(bad) > 0 {
		c.damaged = true
		s.bad.Add(int64(len(bad)))
		s.report(Event{Kind: EventBadLine, File: seg.path, Offset: bad[0].offset, Count: len(bad), Err: bad[0].err})
	}
	return spansOf(seg, 0, textSize(frames))
}

// due says from where a file of this size must be scanned, if at all.
func (c *scanState) due(size int64) (from int64, ok bool) {
	switch {
	case c.own:
		return 0, false
	case size > c.size:
		c.retries = 0
	case c.firstBad < 0 && c.suspect < 0:
		return 0, false
	case c.retries >= badRetries:
		c.suspect = -1
		return 0, false
	default:
		c.retries++
	}
	from = c.start()
	return from, from < size
}

// start is the first offset that a scan must look at (again).
func (c *scanState) start() int64 {
	from := c.end
	for _, off := range [...]int64{c.firstBad, c.suspect} {
		if off >= 0 {
			from = min(from, off)
		}
	}
	return from
}

// suspect remembers a line that failed when it was read: if its file is being
// written elsewhere, what follows may have been seen wrongly too.
func (s *Store) suspect(seg *segment, off int64) {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	if c := &seg.scan; c.suspect < 0 || off < c.suspect {
		c.suspect, c.retries = off, 0
	}
}

// settle stores in each segment what its scan came to. The spans of one
// segment follow each other.
func (s *Store) settle(spans []*span) {
	for len(spans) > 0 {
		n := 1
		for n < len(spans) && spans[n].seg == spans[0].seg {
			n++
		}
		s.settleSegment(spans[:n])
		spans = spans[n:]
	}
}

func (s *Store) settleSegment(spans []*span) {
	seg := spans[0].seg
	c := &seg.scan
	size := spans[0].size
	if seg.packed() {
		size = c.size // spans measure its text
	}
	c.size, c.end, c.firstBad = size, size, -1
	var first badLine
	count := 0
	var failure error
	for _, sp := range spans {
		if sp.unfinished >= 0 {
			c.end = min(c.end, sp.unfinished)
		}
		if sp.badCount > 0 && c.firstBad < 0 {
			c.firstBad = sp.bad[0].offset
		}
		for _, b := range sp.bad {
			if b.offset >= c.reported {
				if count == 0 {
					first = b
				}
				count++
			}
		}
		count += sp.badCount - len(sp.bad)
		if failure == nil {
			failure = sp.err
		}
	}
	c.reported = max(c.reported, c.end)
	if count > 0 {
		c.damaged = true
		s.bad.Add(int64(count))
		s.report(Event{Kind: EventBadLine, File: seg.path, Offset: first.offset, Count: count, Err: first.err})
	}
	if failure != nil {
		// The next refresh scans all of it again.
		c.size, c.end = 0, spans[0].from
		s.unreadable(seg, failure)
		return
	}
	c.failed = false
}

// gone reports a file once that was removed, with nothing in its place.
func (s *Store) gone(seg *segment, err error) {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	s.unreadable(seg, err)
}

// unreadable reports a file once. The caller holds refreshing.
func (s *Store) unreadable(seg *segment, err error) {
	if !seg.scan.failed {
		seg.scan.failed = true
		s.bad.Add(1)
		s.report(Event{Kind: EventUnreadable, File: seg.path, Err: err})
	}
}

// reload opens a segment anew and scans it again from off, at most every 5
// seconds for one segment.
func (s *Store) reload(seg *segment, off int64) {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	c := &seg.scan
	if c.own || s.closed.Load() || !c.reloaded.IsZero() && !s.due(c.reloaded) {
		return
	}
	c.reloaded = s.opt.Now()
	seg.drop()
	size, err := seg.size()
	if errors.Is(err, fs.ErrNotExist) && s.refresh() == nil {
		return // moved: what replaces it is known now
	}
	if err != nil {
		s.unreadable(seg, err)
		return
	}
	from := min(off, c.start())
	if from >= size || seg.packed() {
		return
	}
	spans := spansOf(seg, from, size)
	s.scanAll(spans)
	s.settle(spans)
}

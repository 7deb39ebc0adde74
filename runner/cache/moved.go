package cache

import (
	"errors"
	"fmt"
)

// A segment that is being written may be moved away, by a compaction or by
// someone who deletes the cache directory. Its open handle still reads, so
// what was acknowledged is written again elsewhere.

// errMoved says that a path no longer names the file that was written.
var errMoved = errors.New("the file is no longer where it was created")

// append writes buf at the end of out and makes it durable: a write, a sync,
// and a look whether the path still names the file. After a failure out is no
// longer the segment being written.
func (s *Store) append(out *output, buf []byte) error {
	_, err := out.file.WriteAt(buf, out.end)
	if err == nil {
		err = out.file.Sync()
	}
	if err != nil {
		s.abandon(err)
		return err
	}
	if s.stands(out) {
		return nil
	}
	s.leave()
	return errMoved
}

func (s *Store) stands(out *output) bool {
	same, err := s.disk.Same(out.seg.path, out.file)
	return err == nil && same
}

// leave gives up the open segment because it was moved, and remembers whatever
// else of this process's work is gone with it.
func (s *Store) leave() {
	w := &s.writer
	out := w.out
	w.out = nil
	if out.end > 0 {
		w.moved = append(w.moved, out)
	} else {
		out.seg.release()
		out.seg.drop()
	}
	s.report(s.writeEvent(Event{Kind: EventMoved, File: out.seg.path, Offset: out.end}))
	s.findMoved()
}

// findMoved looks at the segments written before. One that compaction retired
// was whole by then, so its lines are in the compacted file.
func (s *Store) findMoved() {
	w := &s.writer
	stay := w.done[:0]
	for _, out := range w.done {
		retired, err := s.disk.Same(retiredPath(out.seg.path), out.file)
		if s.stands(out) || err == nil && retired {
			stay = append(stay, out)
		} else {
			w.moved = append(w.moved, out)
		}
	}
	w.done = stay
}

// writeMoved writes the segments that were moved away again.
func (s *Store) writeMoved() error {
	w := &s.writer
	for len(w.moved) > 0 {
		if err := s.writeAgain(w.moved[0]); err != nil {
			return err
		}
		w.moved = w.moved[1:]
	}
	return nil
}

// writeAgain copies the acknowledged lines of a segment through its handle.
// They stay in the index where they were.
func (s *Store) writeAgain(old *output) error {
	out, err := s.openOutput(old.end)
	if err != nil {
		return err
	}
	start := out.end
	buf := make([]byte, min(old.end, commitBytes))
	for at := int64(0); at < old.end; {
		n := min(int64(len(buf)), old.end-at)
		if _, err = readFull(old.file, buf[:n], at); err == nil {
			_, err = out.file.WriteAt(buf[:n], start+at)
		}
		if err != nil {
			s.abandon(err)
			return err
		}
		at += n
	}
	if err := s.append(out, nil); err != nil {
		return err
	}
	out.end, out.copied = start+old.end, true
	return nil
}

// keepOwn sees at Close that what this process wrote stands, and tries once to
// write again what does not.
func (s *Store) keepOwn() error {
	w := &s.writer
	if w.out != nil && !s.stands(w.out) {
		s.leave()
	} else {
		s.findMoved()
	}
	var err error
	for range 2 { // the new file may fail where another would not
		if err = s.writeMoved(); err == nil {
			return nil
		}
	}
	bytes := int64(0)
	for _, out := range w.moved {
		bytes += out.end
	}
	return fmt.Errorf("%s: the files with this run's answers were removed, and %s of answers could not be stored again: %w", s.dir, size(bytes), err)
}

package cache

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// commitBytes bounds what one write and one fsync make durable.
const commitBytes = 1 << 20

// output is the segment being written.
type output struct {
	seg    *segment
	file   File
	end    int64 // bytes acknowledged
	copied bool  // it holds lines that the index does not place in it
}

// commitAll writes what waits, batch by batch, and returns when nothing does.
func (s *Store) commitAll() {
	w := &s.writer
	for {
		batch := w.take()
		if len(batch) == 0 {
			return
		}
		records, err := s.persist(batch)
		if err != nil {
			w.giveUp(batch, err)
			continue
		}
		s.index.add(records)
		w.acknowledge(batch)
	}
}

// take removes the next batch from the queue; without one the committer ends.
func (w *writer) take() []*pending {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, bytes := 0, 0
	for n < len(w.waiting) && (n == 0 || bytes+len(w.waiting[n].line) <= commitBytes) {
		bytes += len(w.waiting[n].line)
		n++
	}
	batch := w.waiting[:n:n]
	w.waiting = w.waiting[n:]
	if n == 0 {
		w.waiting, w.active = nil, false
	}
	return batch
}

func (w *writer) acknowledge(batch []*pending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range batch {
		if p.other {
			w.others--
		} else {
			delete(w.byKey, p.key)
		}
		w.bytes -= int64(len(p.line))
		close(p.done)
	}
}

// giveUp ends the wait for entries that Close could not store. They stay in
// byKey, where Close counts them.
func (w *writer) giveUp(batch []*pending, err error) {
	for _, p := range batch {
		p.err = err
		close(p.done)
	}
}

// persist makes a batch durable. After a failure the segment is never written
// again: what its pages hold is unknown. The batch goes to a new segment, at
// once and then every 5 seconds, until the store is closed.
func (s *Store) persist(batch []*pending) ([]record, error) {
	for try := 0; ; try++ {
		records, err := s.write(batch)
		if err == nil {
			s.restored(try)
			return records, nil
		}
		s.trouble(try, err)
		select {
		case <-s.writer.closing:
			if try > 0 {
				return nil, err
			}
			continue
		default:
		}
		if try > 0 {
			s.pause()
		}
	}
}

func (s *Store) pause() {
	t := time.NewTimer(s.opt.retry)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.writer.closing:
	}
}

// write appends a batch to the open segment, or to a new one, with one write
// and one fsync. Segments that were moved away come first.
func (s *Store) write(batch []*pending) ([]record, error) {
	w := &s.writer
	buf := w.buf[:0]
	for _, p := range batch {
		buf = append(buf, p.line...)
	}
	w.buf = buf
	if cap(w.buf) > 2*commitBytes {
		w.buf = nil // one huge line must not stay in memory
	}
	if err := s.writeMoved(); err != nil {
		return nil, err
	}
	out, err := s.openOutput(int64(len(buf)))
	if err != nil {
		return nil, err
	}
	if err := s.append(out, buf); err != nil {
		return nil, err
	}
	records := make([]record, len(batch))
	for i, p := range batch {
		records[i] = record{tag: keyTag(&p.key), place: placeOf(out.seg.id, out.end), size: uint32(len(p.line)), flags: p.flags}
		out.end += int64(len(p.line))
	}
	return records, nil
}

// openOutput returns a segment with room for n bytes.
func (s *Store) openOutput(n int64) (*output, error) {
	w := &s.writer
	if w.out != nil && (w.out.end == 0 || w.out.end+n <= s.opt.segmentBytes) {
		// A newer memform may have taken the directory over meanwhile.
		if err := checkFormat(s.disk, s.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return w.out, nil
	}
	if w.out != nil {
		w.done = append(w.done, w.out)
		w.out = nil
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	id, err := s.randomHex()
	if err != nil {
		return nil, err
	}
	dir := segmentsDir(s.dir)
	path := filepath.Join(dir, s.opt.Now().UTC().Format(time.DateOnly)+"-"+id+".jsonl")
	// Known before it exists, so that no refresh takes it for another's.
	seg := s.segments.add(path, 0, true)
	file, err := s.disk.Create(path)
	if err != nil {
		return nil, err
	}
	if err := s.disk.SyncDir(dir); err != nil {
		file.Close()
		_ = s.disk.Remove(path)
		return nil, err
	}
	seg.attach(file)
	w.out = &output{seg: seg, file: file}
	return w.out, nil
}

// abandon leaves the open segment for good, and says so unless the disk is
// known to be in trouble. Where nothing in it was
// acknowledged it is removed, or each retry would leave a file behind.
func (s *Store) abandon(err error) {
	out := s.writer.out
	s.writer.out = nil
	if s.Trouble() == nil {
		s.report(s.writeEvent(Event{Kind: EventAbandoned, File: out.seg.path, Offset: out.end, Err: err}))
	}
	if out.end > 0 {
		s.writer.done = append(s.writer.done, out)
		return
	}
	out.seg.release()
	out.seg.drop()
	_ = s.disk.Remove(out.seg.path)
}

// trouble notes that writing failed. It is reported when the second attempt
// in a new segment has failed too.
func (s *Store) trouble(try int, err error) {
	w := &s.writer
	w.mu.Lock()
	if w.trouble == nil {
		w.well = make(chan struct{})
	}
	w.trouble, w.last = err, err
	w.mu.Unlock()
	if try == 1 {
		s.report(s.writeEvent(Event{Kind: EventTrouble, File: s.dir, Err: err}))
	}
}

func (s *Store) restored(try int) {
	if try == 0 {
		return
	}
	w := &s.writer
	w.mu.Lock()
	w.trouble = nil
	close(w.well)
	w.mu.Unlock()
	if try > 1 {
		s.report(s.writeEvent(Event{Kind: EventRecovered, File: s.dir}))
	}
}

func (s *Store) writeEvent(e Event) Event {
	w := &s.writer
	w.mu.Lock()
	e.Waiting, e.WaitingBytes = len(w.byKey)+w.others, w.bytes
	w.mu.Unlock()
	e.Free = s.disk.Free(s.dir)
	return e
}

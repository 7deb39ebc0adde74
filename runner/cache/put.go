package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// writer is the queue between Put and the committer, the one goroutine that
// writes. The committer lives only while something waits.
type writer struct {
	mu      sync.Mutex
	waiting []*pending       // in arrival order
	byKey   map[Key]*pending // the answers among what waits
	others  int              // lines that wait and are in no map
	bytes   int64            // of all that waits
	running sync.WaitGroup
	active  bool
	closed  bool
	trouble error         // why nothing can be written now
	well    chan struct{} // closed while there is no trouble
	last    error         // the last trouble, kept

	closing chan struct{}

	// Of the committer only, and of Close after it has ended.
	out   *output   // the segment being written
	done  []*output // segments written before, none of them empty
	moved []*output // those among both that must be written again
	buf   []byte
}

// pending is a line that is not yet durable.
type pending struct {
	key   Key
	line  []byte
	flags uint32        // of its record
	other bool          // not an answer that Put was given
	done  chan struct{} // closed when durable, or given up by Close
	err   error
}

func (w *writer) init() {
	w.byKey = map[Key]*pending{}
	w.closing = make(chan struct{})
	w.well = make(chan struct{})
	close(w.well)
}

// Put stores e and returns when it is durable. Where this process has already
// given or stored an answer of key, that one stays the answer and nothing is
// written. While the disk refuses writes Put waits, for as long as it takes:
// ctx ends the wait, not the entry, which is stored as soon as that is
// possible. ErrTooLarge, ErrKey and ErrReadOnly leave nothing behind.
func (s *Store) Put(ctx context.Context, key Key, e Entry) error {
	if s.opt.ReadOnly {
		return ErrReadOnly
	}
	if s.opt.Key(e.Identity, e.Draw, e.Request) != key {
		return fmt.Errorf("%w: %x", ErrKey, key)
	}
	line, err := newLine(key, &e)
	if err != nil {
		return err
	}
	p, err := s.enqueue(key, line)
	if err != nil || p == nil {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func newLine(key Key, e *Entry) ([]byte, error) {
	guess := entryAt + 256 + len(e.Identity) + len(e.Request)*9/8 + len(e.Response)*9/8
	if guess/2 > maxLine {
		return nil, fmt.Errorf("%w: %s", ErrTooLarge, size(int64(len(e.Request)+len(e.Response))))
	}
	line := appendLine(make([]byte, 0, guess), key, func(b []byte) []byte { return appendEntry(b, e) })
	if len(line) > maxLine {
		return nil, fmt.Errorf("%w: its line would have %s", ErrTooLarge, size(int64(len(line))))
	}
	return line, nil
}

// enqueue hands a line to the committer, or joins the wait of an entry of the
// same key. It returns nil where the key's answer is stored already.
func (s *Store) enqueue(key Key, line []byte) (*pending, error) {
	w := &s.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	for checked := false; ; checked = true {
		if w.closed {
			return nil, ErrClosed
		}
		if p := w.byKey[key]; p != nil {
			return p, nil
		}
		// The committer enters a record before it forgets the pending entry,
		// so a key stored by this process is seen in one or the other.
		if checked || !s.served(key) {
			break
		}
		w.mu.Unlock()
		_, stored := s.Get(key)
		w.mu.Lock()
		if stored {
			return nil, nil
		}
	}
	p := &pending{key: key, line: line, flags: flagServed, done: make(chan struct{})}
	w.byKey[key] = p
	s.wait(p)
	return p, nil
}

// wait puts a line into the queue. The caller holds the writer's lock.
func (s *Store) wait(p *pending) {
	w := &s.writer
	w.waiting = append(w.waiting, p)
	w.bytes += int64(len(p.line))
	if !w.active {
		w.active = true
		w.running.Go(s.commitAll)
	}
}

// served reports whether this process has given or stored an answer of key.
func (s *Store) served(key Key) bool {
	var space [4]candidate
	for _, c := range s.index.find(&key, space[:0]) {
		if atomic.LoadUint32(&c.shared.flags)&flagServed != 0 {
			return true
		}
	}
	return false
}

// CheckWritable says, before anything is paid for, why Put would not work. It
// creates nothing.
func (s *Store) CheckWritable() error {
	if s.opt.ReadOnly {
		return ErrReadOnly
	}
	if err := s.disk.Writable(segmentsDir(s.dir)); err != nil {
		return fmt.Errorf("the cache directory cannot be written: %w", err)
	}
	return nil
}

// Sync returns when all that was put before is durable, or ctx ends.
func (s *Store) Sync(ctx context.Context) error {
	s.writer.mu.Lock()
	var all []*pending
	for _, p := range s.writer.byKey {
		all = append(all, p)
	}
	s.writer.mu.Unlock()
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

// Trouble returns why nothing can be written at the moment, or nil. While it
// is not nil no new call should be paid for.
func (s *Store) Trouble() error {
	s.writer.mu.Lock()
	defer s.writer.mu.Unlock()
	return s.writer.trouble
}

// WaitWell returns at once while writing works, and otherwise when it works
// again or ctx ends.
func (s *Store) WaitWell(ctx context.Context) error {
	s.writer.mu.Lock()
	well := s.writer.well
	s.writer.mu.Unlock()
	select {
	case <-well:
		return nil
	default:
	}
	select {
	case <-well:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close lets the committer finish what waits, with one last attempt where the
// disk refuses, and returns how many entries were given up.
func (w *writer) close() (lost int) {
	w.mu.Lock()
	w.closed = true
	close(w.closing)
	w.mu.Unlock()
	w.running.Wait()
	return len(w.byKey)
}

// all is every segment that this process wrote.
func (w *writer) all() []*output {
	all := slices.Clone(w.done)
	if w.out != nil {
		all = append(all, w.out)
	}
	return all
}

func (w *writer) lastError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

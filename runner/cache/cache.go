// Package cache keeps answers that were paid for: a content-addressed store of
// calls on disk, made of append-only JSON Lines segments that many processes
// may share. It knows bytes, keys and files only: it never sees a prompt type,
// decides when a call is made, or interprets an answer. Everything read is
// verified; what cannot be verified is a miss, never a wrong answer. Start at
// Open, then Store.Get and Store.Put (docs/protocol.md, "Cache").
package cache

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Key is the content address of a call.
type Key = [32]byte

// KeyFunc computes the key of a call. It is given to Open so that the key has
// one definition, outside this package.
type KeyFunc func(identity string, draw int, request []byte) Key

// Errors that callers tell apart with errors.Is.
var (
	ErrReadOnly     = errors.New("the cache was opened read-only")
	ErrTooLarge     = errors.New("the answer is too large for the cache (a line holds at most 16 MiB)")
	ErrKey          = errors.New("the key does not belong to this entry")
	ErrClosed       = errors.New("the cache is closed")
	ErrNotDirectory = errors.New("the cache path is a file, not a directory")
)

// Options adjusts Open. Only Key is required.
type Options struct {
	Key      KeyFunc          // recomputes the key of what is read
	ReadOnly bool             // Put fails with ErrReadOnly
	Layers   []string         // further cache directories, only read
	Now      func() time.Time // nil: time.Now
	Random   io.Reader        // names segments; nil: crypto/rand
	Report   func(Event)      // bad lines and disk trouble, one call at a time; nil: dropped
	Disk     Disk             // nil: the operating system's files

	retry        time.Duration // between attempts to write; 0: 5 s
	segmentBytes int64         // where a new segment starts; 0: 256 MiB
	openFiles    int           // read handles kept open; 0: 256
	indexAfter   int64         // bytes scanned of a segment that call for an index; 0: 16 MiB
}

// refreshEvery is how often others' writes are looked for, retryEvery how
// often writing is tried again after the disk refused it.
const (
	refreshEvery = 5 * time.Second
	retryEvery   = 5 * time.Second
)

// Store is an open cache. All methods may be called at the same time.
type Store struct {
	dir  string
	opt  Options
	disk Disk

	index    index
	segments segments
	texts    interner
	writer   writer
	bad      atomic.Int64
	closed   atomic.Bool

	refreshing sync.Mutex // held while directories are listed and segments scanned
	refreshed  time.Time  // guarded by refreshing
	reporting  sync.Mutex // one Report call at a time
}

// Open reads the segments below dir and opt.Layers. dir need not exist; nothing
// is created before the first Put. A format this version does not know is a
// *FormatError, a dir that is a regular file ErrNotDirectory.
func Open(dir string, opt Options) (*Store, error) {
	if opt.Key == nil {
		return nil, errors.New("cache.Open: Options.Key is missing")
	}
	s := &Store{dir: dir, opt: opt.withDefaults()}
	s.disk = s.opt.Disk
	s.segments.init(s.disk, s.opt.openFiles)
	s.writer.init()
	var faults []error
	for i, root := range s.roots() {
		if err := s.checkRoot(root, i > 0); err != nil {
			faults = append(faults, err)
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	if err := s.refresh(); err != nil {
		s.segments.close()
		return nil, err
	}
	return s, nil
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Disk == nil {
		o.Disk = osDisk{}
	}
	if o.retry == 0 {
		o.retry = retryEvery
	}
	if o.segmentBytes == 0 {
		o.segmentBytes = 256 << 20
	}
	if o.openFiles == 0 {
		o.openFiles = 256
	}
	if o.indexAfter == 0 {
		o.indexAfter = 16 << 20
	}
	return o
}

// roots is the own directory followed by the read-only layers.
func (s *Store) roots() []string { return append([]string{s.dir}, s.opt.Layers...) }

func segmentsDir(root string) string { return filepath.Join(root, "segments") }

// Bad counts the lines that were damaged or unreadable so far.
func (s *Store) Bad() int64 { return s.bad.Load() }

// Records counts the lines in the index: answers, second answers of one key
// and tombstones.
func (s *Store) Records() int { return s.index.len() }

func (s *Store) report(e Event) {
	if s.opt.Report == nil {
		return
	}
	s.reporting.Lock()
	defer s.reporting.Unlock()
	s.opt.Report(e)
}

// Close makes one last attempt to write what waits, without the usual retries,
// leaves an index beside the segments it wrote and closes all files. Its error
// says how many answers could not be stored. After Close every Get is a miss.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	lost := s.writer.close()
	moved := s.keepOwn()
	s.indexOwn()
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	s.segments.close()
	if lost > 0 {
		return fmt.Errorf("%s: %d answers could not be stored: %w", s.dir, lost, s.writer.lastError())
	}
	return moved
}

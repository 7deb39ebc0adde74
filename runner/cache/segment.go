package cache

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
)

// segment is one file of lines. Its handle opens when it is read and may be
// closed again to stay below the limit of open files.
type segment struct {
	id    int
	path  string
	root  int // 0: the own directory, above: layers
	group *segments

	mu     sync.RWMutex // read-held while the handle is used
	file   File
	pinned bool // this process writes it: its handle stays open

	scan   scanState               // guarded by Store.refreshing
	frames atomic.Pointer[[]frame] // of a compacted segment, once known
}

// scanState remembers how far a segment was read and what to look at again.
type scanState struct {
	own      bool  // written by this process: never scanned; never changes
	size     int64 // when last scanned
	end      int64 // behind the last whole line
	firstBad int64 // offset of the first line that had no shape; -1: none
	suspect  int64 // offset of the first line that failed when read; -1: none
	retries  int   // scans from there while the size stayed the same
	reported int64 // bad lines below this offset were reported
	failed   bool  // an unreadable file was reported
	damaged  bool  // a line or a frame in it is not valid
	indexed  bool  // an index file was read
	tried    bool  // an index file was looked for
	reloaded time.Time
}

// segments is the set of known segments and the handles open among them.
type segments struct {
	disk Disk

	mu    sync.RWMutex
	list  []*segment
	known map[string]*segment

	handles sync.Mutex
	open    []*segment // in the order they were opened
	limit   int
	closed  bool

	frames  frameCache
	unpacks sync.Once
	decoder *zstd.Decoder
}

// Suffixes of segments. Everything else in their directory is not read.
const (
	plainSuffix  = ".jsonl"
	packedSuffix = ".jsonl.zst"
)

func isSegment(name string) bool {
	return strings.HasSuffix(name, plainSuffix) || strings.HasSuffix(name, packedSuffix)
}

// packed reports whether a segment is a compacted one.
func (s *segment) packed() bool { return strings.HasSuffix(s.path, packedSuffix) }

// retiredPath is where compaction moves a segment.
func retiredPath(path string) string {
	return filepath.Join(filepath.Dir(filepath.Dir(path)), "retired", filepath.Base(path))
}

func (g *segments) init(disk Disk, limit int) {
	g.disk, g.limit, g.known = disk, limit, map[string]*segment{}
}

func (g *segments) get(id int) *segment {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.list[id]
}

// add returns the segment at path, entering it where it is new. own says that
// this process is about to create it.
func (g *segments) add(path string, root int, own bool) *segment {
	g.mu.Lock()
	defer g.mu.Unlock()
	if seg, ok := g.known[path]; ok {
		return seg
	}
	seg := &segment{id: len(g.list), path: path, root: root, group: g, scan: scanState{own: own, firstBad: -1, suspect: -1}}
	g.known[path] = seg
	g.list = append(g.list, seg)
	return seg
}

// sorted is every segment that is there, own directory first, by name.
func (g *segments) sorted() []*segment {
	g.mu.RLock()
	list := slices.Clone(g.list)
	g.mu.RUnlock()
	slices.SortFunc(list, func(a, b *segment) int {
		return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(filepath.Base(a.path), filepath.Base(b.path)))
	})
	return list
}

// ReadAt reads the text of a segment: the file itself, or what a compacted one
// holds.
func (s *segment) ReadAt(p []byte, off int64) (int, error) {
	if s.packed() {
		return s.readText(p, off)
	}
	return s.readRaw(p, off)
}

// raw reads the bytes of the file, compacted or not.
func (s *segment) raw() io.ReaderAt { return rawReader{s} }

type rawReader struct{ *segment }

func (r rawReader) ReadAt(p []byte, off int64) (int, error) { return r.readRaw(p, off) }

// readRaw reads through the handle, opening it first where it is closed.
func (s *segment) readRaw(p []byte, off int64) (int, error) {
	var n int
	err := s.use(func(f File) (err error) {
		n, err = readFull(f, p, off)
		return err
	})
	return n, err
}

// readFull reads all of p, or fails.
func readFull(f File, p []byte, off int64) (int, error) {
	n, err := f.ReadAt(p, off)
	switch {
	case n == len(p):
		err = nil
	case err == nil || errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (s *segment) size() (n int64, err error) {
	err = s.use(func(f File) (err error) {
		n, err = f.Size()
		return err
	})
	return n, err
}

// use runs do with the open handle, which cannot be closed meanwhile.
func (s *segment) use(do func(File) error) error {
	for {
		s.mu.RLock()
		if s.file != nil {
			defer s.mu.RUnlock()
			return do(s.file)
		}
		s.mu.RUnlock()
		if err := s.openFile(); err != nil {
			return err
		}
	}
}

func (s *segment) openFile() error {
	s.mu.Lock()
	if s.file != nil {
		s.mu.Unlock()
		return nil
	}
	f, err := s.group.disk.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		// Compacted meanwhile: the same bytes stand there.
		f, err = s.group.disk.Open(retiredPath(s.path))
	}
	if err == nil {
		s.file = f
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.group.admit(s)
}

// attach gives a segment that this process writes its handle.
func (s *segment) attach(f File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file, s.pinned = f, true
}

// release lets the handle of a segment that is no longer written be closed.
func (s *segment) release() {
	s.mu.Lock()
	s.pinned = false
	s.mu.Unlock()
	_ = s.group.admit(s) // closed meanwhile: the handle is dropped all the same
}

// drop closes the handle, so that the next read opens the file anew.
func (s *segment) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil && !s.pinned {
		s.file.Close()
		s.file = nil
	}
}

// admit counts an opened handle and closes the oldest idle one beyond the
// limit.
func (g *segments) admit(s *segment) error {
	g.handles.Lock()
	defer g.handles.Unlock()
	if g.closed {
		s.drop()
		return ErrClosed
	}
	if !slices.Contains(g.open, s) {
		g.open = append(g.open, s)
	}
	for i := 0; len(g.open) > g.limit && i < len(g.open); {
		old := g.open[i]
		if old == s || !old.mu.TryLock() {
			i++
			continue
		}
		if old.file != nil {
			old.file.Close()
			old.file = nil
		}
		old.mu.Unlock()
		g.open = slices.Delete(g.open, i, i+1)
	}
	return nil
}

func (g *segments) close() {
	g.handles.Lock()
	g.closed = true
	g.handles.Unlock()
	for _, s := range g.sorted() {
		s.mu.Lock()
		s.pinned = false
		s.mu.Unlock()
		s.drop()
	}
}

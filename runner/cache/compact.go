package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"
)

const (
	// quietFor is how long a plain segment must have been unchanged before
	// maintenance takes it: its writer may be alive.
	quietFor = 24 * time.Hour
	// packedBytes is where a compacted segment ends; one of half that size is
	// left alone.
	packedBytes = 256 << 20
)

// CompactOptions adjusts Compact and Collect.
type CompactOptions struct {
	// AllStopped says that no process writes to the cache: segments are taken
	// that changed less than 24 hours ago, and what compaction retired is
	// removed at once.
	AllStopped bool

	packedBytes int64 // 0: 256 MiB
}

// Compacted is what maintenance did.
type Compacted struct {
	Inputs  int // segments replaced
	Outputs int // segments that replace them
	Lines   int // lines written
	Twice   int // lines left out because they stand in the cache already
	Damaged int // lines that are not valid, left behind in the retired file
	Before  int64
	After   int64
	Busy    int // plain segments left alone: changed less than 24 hours ago
	Removed int // retired files removed, because all they hold stands elsewhere
	Kept    int // retired files that stay for 24 hours
}

// Compact replaces plain segments that nobody writes any more, and small
// compacted ones, by compacted segments. Each is synced and read back before
// its inputs move to retired/. A process killed at any moment leaves every
// answer in place; what it left behind is cleared by the next maintenance.
func (s *Store) Compact(ctx context.Context, opt CompactOptions) (c Compacted, err error) {
	unlock, err := s.lock()
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil // there is no cache
	}
	if err != nil {
		return c, err
	}
	defer unlock()
	m := s.maintenance(opt, &c)
	files, err := m.begin(ctx)
	if err != nil {
		return c, err
	}
	inputs := m.worthwhile(files)
	if len(inputs) == 0 {
		return c, nil
	}
	err = m.rewrite(ctx, inputs)
	return c, err
}

// maintenance is one run of Compact or Collect, under the lock.
type maintenance struct {
	*Store
	opt  CompactOptions
	done *Compacted
	keep func(*Line) bool // nil: everything
	now  bool             // retired files are removed at once

	seen    map[[32]byte]bool // lines written whose key has several
	inPlace map[string]bool   // segments in their directory, by name
	out     *packer
}

func (s *Store) maintenance(opt CompactOptions, done *Compacted) *maintenance {
	if opt.packedBytes == 0 {
		opt.packedBytes = packedBytes
	}
	return &maintenance{Store: s, opt: opt, done: done, seen: map[[32]byte]bool{}}
}

// input is a segment that may be replaced.
type input struct {
	seg  *segment
	size int64
}

// begin sees all that is there, clears what a killed maintenance left and
// returns the segments that maintenance may take.
func (m *maintenance) begin(ctx context.Context) ([]input, error) {
	if err := m.see(); err != nil {
		return nil, err
	}
	if err := m.clearRetired(ctx); err != nil {
		return nil, err
	}
	files, err := m.files()
	if err != nil {
		return nil, err
	}
	m.clearLeft(files)
	return m.inputs(files), nil
}

func (m *maintenance) files() ([]fs.FileInfo, error) {
	files, err := m.disk.List(segmentsDir(m.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return files, err
}

// inputs is the segments among files that maintenance may take, by name.
func (m *maintenance) inputs(files []fs.FileInfo) (out []input) {
	for _, f := range files {
		if !isSegment(f.Name()) {
			continue
		}
		seg := m.segments.add(filepath.Join(segmentsDir(m.dir), f.Name()), 0, false)
		if !seg.packed() && (seg.scan.own || !m.quiet(f)) {
			m.done.Busy++
			continue
		}
		out = append(out, input{seg, f.Size()})
	}
	return out
}

// quiet reports whether a file's writer must have ended.
func (m *maintenance) quiet(f fs.FileInfo) bool {
	return m.opt.AllStopped || m.Store.opt.Now().Sub(f.ModTime()) >= quietFor
}

// worthwhile is the inputs that compaction gains by: plain segments, and with
// them, or among themselves, the small compacted ones. A damaged one is taken
// too, so that what is left of it stands in a sound file.
func (m *maintenance) worthwhile(files []input) []input {
	var out []input
	plain, damaged := 0, 0
	for _, in := range files {
		switch {
		case !in.seg.packed():
			plain++
		case in.seg.scan.damaged:
			damaged++
		case in.size >= m.opt.packedBytes/2:
			continue
		}
		out = append(out, in)
	}
	if plain == 0 && damaged == 0 && len(out) < 2 {
		return nil
	}
	return out
}

// rewrite writes the lines of inputs to new compacted segments, publishes all
// of these, and retires the inputs.
func (m *maintenance) rewrite(ctx context.Context, inputs []input) (err error) {
	defer func() {
		if m.out != nil && err != nil {
			m.out.discard()
		}
	}()
	list := make([]*segment, len(inputs))
	for i, in := range inputs {
		list[i] = in.seg
		m.done.Before += in.size
	}
	if err := m.eachLine(ctx, list, m.check, m.take); err != nil {
		return err
	}
	if err := m.finish(); err != nil {
		return err
	}
	if err := m.retire(inputs); err != nil {
		return err
	}
	m.done.Inputs = len(inputs)
	return nil
}

// see takes in what stands in the directories now.
func (m *maintenance) see() error {
	m.refreshing.Lock()
	defer m.refreshing.Unlock()
	return m.refresh()
}

// check verifies a line as far as it must be to be copied: a line of a newer
// version is kept though this one cannot read it.
func (m *maintenance) check(l *Line) {
	if m.keep != nil {
		if m.fill(l); l.Err == nil {
			return
		}
	}
	l.Key, _, l.Err = openLine(l.raw)
}

// take copies one line.
func (m *maintenance) take(l *Line) error {
	switch {
	case errors.Is(l.Err, ErrTorn):
		return nil
	case l.Err != nil:
		m.done.Damaged++
		return nil
	case m.keep != nil && !m.keep(l):
		return nil
	}
	if m.severalLines(&l.Key) {
		sum := sha256.Sum256(l.raw)
		if m.seen[sum] {
			m.done.Twice++
			return nil
		}
		m.seen[sum] = true
	}
	if m.out == nil {
		out, err := m.newPacker()
		if err != nil {
			return err
		}
		m.out = out
	}
	m.done.Lines++
	if err := m.out.add(l.Key, l.raw, isTombstone(l.raw)); err != nil {
		return err
	}
	if m.out.end < m.opt.packedBytes {
		return nil
	}
	return m.finish()
}

// finish publishes the segment being written.
func (m *maintenance) finish() error {
	if m.out == nil {
		return nil
	}
	if err := m.out.publish(); err != nil {
		return err
	}
	m.done.Outputs++
	m.done.After += m.out.end
	m.out = nil
	return nil
}

func isTombstone(line []byte) bool {
	return len(line) >= headBytes && string(line[entryAt:headBytes]) == openTombstone
}

// clearLeft removes temporary files that nobody is writing any more, and
// indexes of segments that are gone.
func (m *maintenance) clearLeft(files []fs.FileInfo) {
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	for _, f := range files {
		name := f.Name()
		orphan := filepath.Ext(name) == idxSuffix && !slices.Contains(names, name[:len(name)-len(idxSuffix)])
		if (isTemp(name) || orphan) && m.quiet(f) {
			_ = m.disk.Remove(filepath.Join(segmentsDir(m.dir), name))
		}
	}
}

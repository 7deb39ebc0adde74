package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

func retiredDir(root string) string { return filepath.Join(root, "retired") }

// retire moves inputs away, now that their lines stand elsewhere. One that
// grew after it was read has a living writer: it goes back.
func (m *maintenance) retire(inputs []input) error {
	if err := m.disk.MkdirAll(retiredDir(m.dir)); err != nil {
		return err
	}
	for _, in := range inputs {
		to := retiredPath(in.seg.path)
		if err := m.disk.Rename(in.seg.path, to); err != nil {
			return err
		}
		// Its time tells how long it has been here.
		if err := m.disk.Touch(to, m.Store.opt.Now()); err != nil {
			return err
		}
		size, err := m.sizeOf(to)
		if err != nil {
			return err
		}
		if size != in.size {
			if err := m.disk.Rename(to, in.seg.path); err != nil {
				return err
			}
			m.done.Busy++
			continue
		}
		_ = m.disk.Remove(in.seg.path + idxSuffix)
	}
	if err := m.disk.SyncDir(retiredDir(m.dir)); err != nil {
		return err
	}
	return m.disk.SyncDir(segmentsDir(m.dir))
}

func (s *Store) sizeOf(path string) (int64, error) {
	f, err := s.disk.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.Size()
}

// clearRetired removes retired files of which every valid line stands in the
// segments, once their readers and writers had a day to notice. One with a
// line that stands nowhere else goes back: its writer had the last word, and
// the maintenance was killed before it saw.
func (m *maintenance) clearRetired(ctx context.Context) error {
	files, err := m.disk.List(retiredDir(m.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := m.seePlaces(); err != nil {
		return err
	}
	for _, f := range files {
		if !isSegment(f.Name()) {
			continue
		}
		path := filepath.Join(retiredDir(m.dir), f.Name())
		only, err := m.onlyIn(ctx, path)
		if err != nil {
			return err
		}
		back := filepath.Join(segmentsDir(m.dir), f.Name())
		switch {
		case only > 0:
			if err := m.restore(path, back); err != nil {
				return err
			}
			m.inPlace[f.Name()] = true
		case m.now || m.quiet(f):
			if err := m.disk.Remove(path); err != nil {
				return err
			}
			m.done.Removed++
		default:
			m.done.Kept++
		}
	}
	return nil
}

// seePlaces notes which segments are in their directory.
func (m *maintenance) seePlaces() error {
	files, err := m.disk.List(segmentsDir(m.dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.inPlace = map[string]bool{}
	for _, f := range files {
		m.inPlace[f.Name()] = true
	}
	return nil
}

func (m *maintenance) restore(path, back string) error {
	if err := m.disk.MkdirAll(segmentsDir(m.dir)); err != nil {
		return err
	}
	if err := m.disk.Rename(path, back); err != nil {
		return err
	}
	if err := m.disk.SyncDir(segmentsDir(m.dir)); err != nil {
		return err
	}
	return m.see()
}

// onlyIn counts the valid lines of a retired file that are to be kept and
// stand in no segment.
func (m *maintenance) onlyIn(ctx context.Context, path string) (only int, err error) {
	group := &segments{}
	group.init(m.disk, 1)
	defer group.close()
	seg := group.add(path, 0, false)
	err = m.eachLine(ctx, []*segment{seg}, m.check, func(l *Line) error {
		if l.Err == nil && (m.keep == nil || m.keep(l)) && !m.elsewhere(l) {
			only++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return only, nil
}

// elsewhere reports whether a line stands, byte for byte, in a segment of the
// own directory that is in its place.
func (m *maintenance) elsewhere(l *Line) bool {
	var space [4]candidate
	buf := lines.Get().(*[]byte)
	defer lines.Put(buf)
	for _, c := range m.index.find(&l.Key, space[:0]) {
		seg := m.segments.get(c.segment())
		if seg.root != 0 || int64(c.size) != l.Size || !m.inPlace[filepath.Base(seg.path)] {
			continue
		}
		*buf = append((*buf)[:0], make([]byte, c.size)...)
		if _, err := seg.ReadAt(*buf, c.offset()); err == nil && bytes.Equal(*buf, l.raw) {
			return true
		}
	}
	return false
}

// Retired is a file that compaction replaced and that has not been removed yet.
type Retired struct {
	File string
	Size int64
	Only int // valid lines in it that stand in no segment; the next maintenance puts it back for them
}

// Retired lists what compaction left behind. check counts Only, for which each
// file is read.
func (s *Store) Retired(ctx context.Context, check bool) (out []Retired, err error) {
	m := s.maintenance(CompactOptions{}, &Compacted{})
	files, err := s.disk.List(retiredDir(s.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := m.seePlaces(); err != nil {
		return nil, err
	}
	for _, f := range files {
		if !isSegment(f.Name()) {
			continue
		}
		r := Retired{File: filepath.Join(retiredDir(s.dir), f.Name()), Size: f.Size()}
		if check {
			if r.Only, err = m.onlyIn(ctx, r.File); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	return out, nil
}

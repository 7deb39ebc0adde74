package cache

import (
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// memDisk is a Disk in memory. fail, where set, is asked before each operation
// and may refuse it; a refused write leaves half of its bytes behind.
type memDisk struct {
	mu    sync.Mutex
	files map[string]*memFile
	dirs  map[string]bool
	fail  func(op, path string) error
}

func newMemDisk() *memDisk {
	return &memDisk{files: map[string]*memFile{}, dirs: map[string]bool{}}
}

type memFile struct {
	disk *memDisk
	path string
	data []byte

	changed time.Time
}

func (d *memDisk) ask(op, path string) error {
	if d.fail == nil {
		return nil
	}
	return d.fail(op, path)
}

func (d *memDisk) do(op, path string, f func() error) error {
	if err := d.ask(op, path); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return f()
}

// set replaces the content of a file behind the cache's back.
func (d *memDisk) set(path string, data []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirs[filepath.Dir(path)] = true
	if f := d.files[path]; f != nil {
		f.data = data
		return
	}
	d.files[path] = &memFile{disk: d, path: path, data: data}
}

func (d *memDisk) segments() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []string
	for _, p := range slices.Sorted(maps.Keys(d.files)) {
		if filepath.Ext(p) == ".jsonl" {
			out = append(out, p)
		}
	}
	return out
}

type memInfo struct {
	name    string
	size    int64
	changed time.Time
}

func (i memInfo) Name() string       { return i.name }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) Mode() fs.FileMode  { return 0o644 }
func (i memInfo) ModTime() time.Time { return i.changed }
func (i memInfo) IsDir() bool        { return false }
func (i memInfo) Sys() any           { return nil }

func (d *memDisk) List(dir string) (out []fs.FileInfo, err error) {
	err = d.do("list", dir, func() error {
		if !d.dirs[dir] {
			return fs.ErrNotExist
		}
		for _, p := range slices.Sorted(maps.Keys(d.files)) {
			if filepath.Dir(p) == dir {
				out = append(out, memInfo{filepath.Base(p), int64(len(d.files[p].data)), d.files[p].changed})
			}
		}
		return nil
	})
	return out, err
}

func (d *memDisk) ReadFile(path string) (out []byte, err error) {
	err = d.do("readfile", path, func() error {
		if d.files[path] == nil {
			return fs.ErrNotExist
		}
		out = slices.Clone(d.files[path].data)
		return nil
	})
	return out, err
}

func (d *memDisk) Open(path string) (f File, err error) {
	err = d.do("open", path, func() error {
		if d.files[path] == nil {
			return fs.ErrNotExist
		}
		f = d.files[path]
		return nil
	})
	return f, err
}

func (d *memDisk) Create(path string) (f File, err error) {
	err = d.do("create", path, func() error {
		if d.files[path] != nil {
			return fs.ErrExist
		}
		made := &memFile{disk: d, path: path}
		d.files[path], f = made, made
		return nil
	})
	return f, err
}

func (d *memDisk) MkdirAll(path string) error {
	return d.do("mkdir", path, func() error { d.dirs[path] = true; return nil })
}

func (d *memDisk) SyncDir(path string) error {
	return d.do("syncdir", path, func() error { return nil })
}

func (d *memDisk) Rename(from, to string) error {
	return d.do("rename", from, func() error {
		d.files[to] = d.files[from]
		delete(d.files, from)
		return nil
	})
}

func (d *memDisk) Remove(path string) error {
	return d.do("remove", path, func() error { delete(d.files, path); return nil })
}

func (d *memDisk) Touch(path string, at time.Time) error {
	return d.do("touch", path, func() error { d.files[path].changed = at; return nil })
}

func (d *memDisk) Same(path string, f File) (same bool, err error) {
	err = d.do("same", path, func() error { same = d.files[path] == f; return nil })
	return same, err
}

func (d *memDisk) Free(string) int64     { return 4096 }
func (d *memDisk) Writable(string) error { return nil }

func (f *memFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.disk.do("read", f.path, func() error {
		if off < int64(len(f.data)) {
			n = copy(p, f.data[off:])
		}
		if n < len(p) {
			return io.EOF
		}
		return nil
	})
	return n, err
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	err := f.disk.ask("write", f.path)
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err != nil {
		p = p[:len(p)/2]
	}
	if need := int(off) + len(p) - len(f.data); need > 0 {
		f.data = append(f.data, make([]byte, need)...)
	}
	return copy(f.data[off:], p), err
}

func (f *memFile) Sync() error { return f.disk.do("sync", f.path, func() error { return nil }) }

func (f *memFile) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return int64(len(f.data)), nil
}

func (f *memFile) Close() error { return nil }

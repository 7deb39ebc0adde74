package cache

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Disk is the file system as the cache uses it. Tests replace it to make
// writes, syncs and reads fail.
type Disk interface {
	List(dir string) ([]fs.FileInfo, error) // regular files of dir, links followed
	ReadFile(path string) ([]byte, error)
	Open(path string) (File, error)   // for reading
	Create(path string) (File, error) // for reading and writing; fails where path exists
	MkdirAll(path string) error       // durable when it returns
	SyncDir(path string) error        // makes creations and renames in path durable
	Rename(from, to string) error
	Remove(path string) error
	Touch(path string, at time.Time) error  // sets the time of change
	Same(path string, f File) (bool, error) // whether path still names the file behind f
	Free(path string) int64                 // bytes a user may still write below path; -1: unknown
	Writable(path string) error             // why nothing can be created in path, where that can be told
}

// File is an open segment.
type File interface {
	io.ReaderAt
	io.WriterAt
	Sync() error
	Size() (int64, error)
	Close() error
}

type osDisk struct{}

type osFile struct{ *os.File }

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (osDisk) List(dir string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	infos := make([]fs.FileInfo, 0, len(entries))
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			info, err = os.Stat(filepath.Join(dir, e.Name()))
		}
		if err == nil && info.Mode().IsRegular() {
			infos = append(infos, named{info, e.Name()})
		}
	}
	return infos, nil
}

// named keeps the name that a link has in its directory.
type named struct {
	fs.FileInfo
	name string
}

func (n named) Name() string { return n.name }

func (osDisk) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

func (osDisk) Open(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osDisk) Create(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (d osDisk) MkdirAll(path string) error {
	err := os.Mkdir(path, 0o755)
	switch {
	case err == nil:
		return d.SyncDir(filepath.Dir(path))
	case errors.Is(err, fs.ErrExist):
		if info, err := os.Stat(path); err != nil {
			return err
		} else if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
		}
		return nil
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path:
		if err := d.MkdirAll(filepath.Dir(path)); err != nil {
			return err
		}
		// Once more, not for ever: some places refuse although the parent exists.
		if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return d.SyncDir(filepath.Dir(path))
	}
	return err
}

func (osDisk) SyncDir(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// Some file systems cannot sync a directory; they have nothing better.
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) Remove(path string) error { return os.Remove(path) }

func (osDisk) Touch(path string, at time.Time) error { return os.Chtimes(path, at, at) }

func (osDisk) Same(path string, f File) (bool, error) {
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	here, err := f.(osFile).Stat()
	if err != nil {
		return false, err
	}
	return os.SameFile(there, here), nil
}

func (osDisk) Free(path string) int64 {
	n, err := freeBytes(existing(path))
	if err != nil {
		return -1
	}
	return n
}

func (osDisk) Writable(path string) error {
	path = existing(path)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("a symbolic link to nothing")}
	}
	if err := mayCreate(path); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// existing is path or the nearest name above it that exists, if only as a
// link that leads nowhere.
func existing(path string) string {
	for {
		_, err := os.Lstat(path)
		up := filepath.Dir(path)
		if !errors.Is(err, fs.ErrNotExist) || up == path {
			return path
		}
		path = up
	}
}

package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// texts are experiment files that a command wrote itself: name → content.
// They are read as if they lay where their names say, beside the machine's
// files.
type texts map[string][]byte

// Open is for fs.FS; what reads experiment files uses the methods below.
func (t texts) Open(name string) (fs.File, error) {
	if t[name] != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
	}
	return os.Open(name)
}

func (t texts) ReadFile(name string) ([]byte, error) {
	if b := t[name]; b != nil {
		return b, nil
	}
	return os.ReadFile(name)
}

func (t texts) Stat(name string) (fs.FileInfo, error) {
	if b := t[name]; b != nil {
		return textInfo{filepath.Base(name), int64(len(b))}, nil
	}
	return os.Stat(name)
}

func (t texts) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// fsys is what experiment.Load reads from: nil is the machine's files alone.
func (t texts) fsys() fs.FS {
	if t == nil {
		return nil
	}
	return t
}

// keep writes the texts where they are said to lie.
func (t texts) keep() error {
	for name, b := range t {
		if err := writeFile(name, func(w *output) error { _, err := w.Write(b); return err }); err != nil {
			return err
		}
	}
	return nil
}

// textInfo describes a text as a regular file.
type textInfo struct {
	name string
	size int64
}

func (i textInfo) Name() string     { return i.name }
func (i textInfo) Size() int64      { return i.size }
func (textInfo) Mode() fs.FileMode  { return 0o644 }
func (textInfo) ModTime() time.Time { return time.Time{} }
func (textInfo) IsDir() bool        { return false }
func (textInfo) Sys() any           { return nil }

package cache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
)

// FormatText is the whole content of the FORMAT file.
const FormatText = "memform-cache 1\n"

// FormatError says that a cache was written in a format this version cannot
// read. Nothing was read from it and nothing may be written to it.
type FormatError struct {
	File  string
	Found string
}

// Error names the file, what it holds and what to do.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: unknown cache format %q (this version reads %q): use a newer memform or another cache directory",
		e.File, e.Found, strings.TrimSpace(FormatText))
}

// checkRoot refuses a directory that cannot be used as a cache. A missing one
// is an empty cache, except where mustExist says that the user named it to be
// read.
func (s *Store) checkRoot(root string, mustExist bool) error {
	err := checkFormat(s.disk, root)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: %w", root, ErrNotDirectory)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case !mustExist:
		return nil
	}
	if _, err := s.disk.List(segmentsDir(root)); err != nil {
		return fmt.Errorf("%s: no cache to read: %w", root, err)
	}
	return nil
}

func checkFormat(disk Disk, root string) error {
	file := filepath.Join(root, "FORMAT")
	text, err := disk.ReadFile(file)
	if err != nil {
		return err
	}
	if string(text) != FormatText {
		return &FormatError{File: file, Found: strings.TrimSpace(string(text[:min(len(text), 80)]))}
	}
	return nil
}

// prepare makes the directory and its FORMAT file before a segment is created.
// FORMAT appears by rename, so no reader ever sees half of it.
func (s *Store) prepare() error {
	if err := s.disk.MkdirAll(segmentsDir(s.dir)); err != nil {
		return err
	}
	err := checkFormat(s.disk, s.dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	name, err := s.randomHex()
	if err != nil {
		return err
	}
	temp := filepath.Join(s.dir, "FORMAT."+name+".tmp")
	if err := s.writeNew(temp, FormatText); err != nil {
		_ = s.disk.Remove(temp)
		return err
	}
	if err := s.disk.Rename(temp, filepath.Join(s.dir, "FORMAT")); err != nil {
		_ = s.disk.Remove(temp)
		return err
	}
	return s.disk.SyncDir(s.dir)
}

func (s *Store) writeNew(path, text string) error {
	f, err := s.disk.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		return err
	}
	return f.Sync()
}

func (s *Store) randomHex() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(s.opt.Random, b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}

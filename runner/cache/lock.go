package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// LockedError says that a maintenance lock is held: by a maintenance that runs
// now, or one that was killed.
type LockedError struct {
	File string
	Held string // what the holder wrote into it
}

// Error names the file, who wrote it and what to do.
func (e *LockedError) Error() string {
	return fmt.Sprintf("%s: another maintenance of this cache is running, or was killed (%s); if none is running, remove that file and try again: nothing was lost",
		e.File, strings.TrimSpace(e.Held))
}

// lock takes the maintenance lock of the own directory. A lock file is never
// taken over: a process id says nothing on a directory that machines share.
func (s *Store) lock() (unlock func(), err error) {
	if s.opt.ReadOnly {
		return nil, ErrReadOnly
	}
	path := filepath.Join(s.dir, "maintenance.lock")
	if err := checkFormat(s.disk, s.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := s.disk.Create(path)
	if errors.Is(err, fs.ErrExist) {
		held, _ := s.disk.ReadFile(path)
		return nil, &LockedError{File: path, Held: string(held)}
	}
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("process %d, since %s\n", os.Getpid(), s.opt.Now().UTC().Format(time.RFC3339))
	_, err = f.WriteAt([]byte(text), 0)
	if e := f.Close(); err == nil {
		err = e
	}
	unlock = func() { _ = s.disk.Remove(path) }
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

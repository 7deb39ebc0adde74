package cases

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Options of a load. The zero value is what planning uses.
type Options struct {
	KeepRaw bool // keep each line in Case.Raw; costs the file's size in memory
	Workers int  // decoders at work; 0 = one a processor

	// Each is called by Validate with every case without mistakes, in the
	// file's order, from one goroutine. Nil is not called.
	Each func(*Case)
}

// Set is a file of cases, loaded.
type Set struct {
	Name     string  // what the caller calls it; the base name of the path in LoadFile
	Path     string  // as opened by LoadFile, else ""
	Digest   string  // hex SHA-256 of the file's bytes
	Cases    []*Case // in order of the file
	Warnings Problems
}

// Source is what the cases call their data set and its version, by the first
// case that says so.
func (s *Set) Source() (name, version string) {
	for _, c := range s.Cases {
		if c.Source != "" {
			return c.Source, c.Version
		}
	}
	return "", ""
}

// Load reads JSON Lines of cases (docs/protocol.md, "Cases") and tests every
// invariant. name stands for the file in messages. Mistakes come back as
// Problems, all of them at once, beside the set of the cases without any; a
// failing reader as another error. Equal texts are held once.
func Load(r io.Reader, name string, opt Options) (*Set, error) {
	set := &Set{Name: name}
	shared := newPool()
	s := scanner{file: name, opt: opt, pool: func() (*pool, func()) { return shared, func() {} }}
	report, err := s.run(r, func(c *Case) { set.Cases = append(set.Cases, c) })
	set.Digest, set.Warnings = report.Digest, report.Warnings
	if err == nil && len(report.Problems) > 0 {
		err = report.Problems
	}
	return set, err
}

// LoadFile is Load of a file.
func LoadFile(path string, opt Options) (*Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cases: %w", err)
	}
	defer f.Close()
	set, err := Load(f, path, opt)
	if set != nil {
		set.Name, set.Path = filepath.Base(path), path
	}
	return set, err
}

// Report is what Validate found.
type Report struct {
	Digest   string // hex SHA-256 of the file's bytes
	Stats    Stats  // of the cases without mistakes
	Problems Problems
	Warnings Problems
}

// Validate makes every check of Load and keeps no case, so that memory does
// not grow with the file. Mistakes are in the report; the error is one of
// reading.
func Validate(r io.Reader, name string, opt Options) (Report, error) {
	s := scanner{file: name, opt: opt, pool: func() (*pool, func()) { p := newPool(); return p, p.clear }}
	count := newCounter()
	report, err := s.run(r, func(c *Case) {
		count.add(c)
		if opt.Each != nil {
			opt.Each(c)
		}
	})
	report.Stats = count.stats()
	return report, err
}

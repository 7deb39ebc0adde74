package cases

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
)

// scanner reads a file in chunks of whole lines, decodes them on all
// processors and hands the cases on in the file's order.
type scanner struct {
	file string
	opt  Options
	pool func() (p *pool, afterChunk func()) // for each worker
}

// chunk is some whole lines and, once done, what they hold.
type chunk struct {
	lines []byte
	first int // number of the first line
	done  chan struct{}

	cases    []*Case
	problems []Problem
	warnings []Problem
}

// run calls emit for each case without mistakes, in order, from one goroutine.
func (s *scanner) run(r io.Reader, emit func(*Case)) (Report, error) {
	workers := s.opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	work, order := make(chan *chunk, workers), make(chan *chunk, 2*workers)
	cut := newCutter(r, s.file, 3*workers)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { s.decodeAll(work, cut.buffers) })
	}
	var readErr error
	group.Go(func() {
		readErr = cut.all(func(c *chunk) {
			order <- c
			work <- c
		})
		close(work)
		close(order)
	})
	report := s.collect(order, emit)
	group.Wait()
	report.Digest = hex.EncodeToString(cut.hash.Sum(nil))
	if readErr != nil {
		return report, fmt.Errorf("reading %s: %w", s.file, readErr)
	}
	return report, nil
}

func (s *scanner) decodeAll(work <-chan *chunk, free buffers) {
	p, after := s.pool()
	d := newDecoder(p, s.file, s.opt)
	for c := range work {
		s.decodeChunk(d, c)
		free.put(c.lines)
		c.lines = nil
		after()
		close(c.done)
	}
}

func (s *scanner) decodeChunk(d *decoder, c *chunk) {
	d.problems, d.warnings = nil, nil
	rest, n := c.lines, c.first
	for len(rest) > 0 {
		line, more, _ := bytes.Cut(rest, []byte{'\n'})
		switch {
		case len(line) > MaxLine:
			d.problems = append(d.problems, tooLong(s.file, n))
		case len(bytes.TrimSpace(line)) > 0:
			if one := d.decode(line, n); one != nil {
				c.cases = append(c.cases, one)
			}
		}
		rest = more
		n++
	}
	c.problems, c.warnings = append(c.problems, d.problems...), d.warnings
}

// collect takes the chunks in order and adds the checks that span lines.
func (s *scanner) collect(order <-chan *chunk, emit func(*Case)) Report {
	var report Report
	seen := map[string]int{}
	for c := range order {
		<-c.done
		for _, one := range c.cases {
			if first, twice := seen[one.ID]; twice {
				c.problems = append(c.problems, Problem{
					File: s.file, Line: one.Line, Case: clip(one.ID, maxID), Field: "case_id",
					Message: fmt.Sprintf("the same case_id stands on line %d; ids are unique in a file", first),
				})
				continue
			}
			seen[one.ID] = one.Line
			emit(one)
		}
		slices.SortStableFunc(c.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		report.Problems.add(s.file, c.problems...)
		report.Warnings.add(s.file, c.warnings...)
	}
	if len(seen) == 0 && len(report.Problems) == 0 {
		report.Problems.add(s.file, Problem{File: s.file, Message: "the file holds no case"})
	}
	return report
}

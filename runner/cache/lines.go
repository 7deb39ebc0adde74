package cache

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"sync"
)

// chunkBytes is about how much of a plain segment is read and checked at once.
const chunkBytes = 256 << 10

// ErrTorn marks bytes behind the last newline of a segment: a line being
// written now, or one whose writer was killed. It is harmless.
var ErrTorn = errors.New("the last line is not finished")

// Line is one line of a segment as Each found it: an entry, a tombstone, or
// neither, with Err.
type Line struct {
	File   string
	Offset int64 // of a compacted segment: in the text that it unpacks to
	Size   int64
	Key    Key
	Entry  *Entry
	Tomb   *Tombstone
	Err    error // damaged, or ErrTorn

	raw []byte // the line itself, while it is being looked at
}

// Each gives do every line of every segment, the own directory first, segments
// by name and lines in order, each verified as Get would. It ends at the first
// error of do, when ctx ends, or where a segment cannot be read. It reads the
// segments alone: no index is believed.
func (s *Store) Each(ctx context.Context, do func(Line) error) error {
	return s.eachLine(ctx, s.segments.sorted(), s.fill, func(l *Line) error {
		l.raw = nil
		return do(*l)
	})
}

// fill verifies a line and decodes it.
func (s *Store) fill(l *Line) {
	var d decoded
	l.Key, d, l.Err = s.verify(l.raw)
	switch {
	case l.Err != nil:
	case d.tomb != nil:
		l.Tomb = d.tomb
	default:
		l.Entry = &d.entry
	}
}

// chunk is a part of a segment on its way through eachLine: whole lines, or
// what is wrong with size bytes from start.
type chunk struct {
	seg   *segment
	start int64
	size  int64
	text  []byte
	frame frame // of a compacted segment: to be unpacked
	err   error // these bytes are no lines
	fatal error // the segment cannot be read

	lines []Line
	done  chan struct{}
}

// eachLine gives do the lines of segments in order. check looks at one line
// with its raw bytes, on several processors at once. What do sees is valid
// until it returns.
func (s *Store) eachLine(ctx context.Context, list []*segment, check func(*Line), do func(*Line) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := newPipeline(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel(errors.New("the rest is not wanted"))
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() { p.work(check) })
	}
	group.Go(func() { p.read(list) })
	for c := range p.inOrder {
		select {
		case <-c.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if c.fatal != nil {
			return c.fatal
		}
		for i := range c.lines {
			if err := do(&c.lines[i]); err != nil {
				return err
			}
		}
		p.free.Put(c)
	}
	return context.Cause(ctx)
}

// pipeline reads segments in one goroutine, checks their lines in several and
// hands them on in order. A few chunks are under way at any time.
type pipeline struct {
	ctx     context.Context
	inOrder chan *chunk
	toCheck chan *chunk
	free    sync.Pool
}

func newPipeline(ctx context.Context) *pipeline {
	n := 4 * runtime.GOMAXPROCS(0)
	return &pipeline{ctx: ctx, inOrder: make(chan *chunk, n), toCheck: make(chan *chunk, n), free: sync.Pool{New: func() any { return new(chunk) }}}
}

func (p *pipeline) next(seg *segment, start int64) *chunk {
	c := p.free.Get().(*chunk)
	*c = chunk{seg: seg, start: start, text: c.text[:0], lines: c.lines[:0], done: make(chan struct{})}
	return c
}

// emit passes a chunk on; false: nobody wants more.
func (p *pipeline) emit(c *chunk) bool {
	select {
	case p.inOrder <- c:
	case <-p.ctx.Done():
		return false
	}
	p.toCheck <- c // as many places as inOrder, so a worker takes it
	return true
}

func (p *pipeline) work(check func(*Line)) {
	var packed []byte
	for c := range p.toCheck {
		if p.ctx.Err() == nil {
			packed = c.split(check, packed)
		}
		close(c.done)
	}
}

// read emits the chunks of all segments. One that is gone was moved away.
func (p *pipeline) read(list []*segment) {
	defer close(p.inOrder)
	defer close(p.toCheck)
	for _, seg := range list {
		size, err := seg.size()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var more bool
		switch {
		case err != nil:
			c := p.next(seg, 0)
			c.fatal = err
			more = p.emit(c)
		case seg.packed():
			more = p.readPacked(seg, size)
		default:
			more = p.readPlain(seg, size)
		}
		if !more {
			return
		}
	}
}

func (p *pipeline) readPacked(seg *segment, size int64) bool {
	frames, bad, err := seg.walk(size)
	if err != nil {
		c := p.next(seg, 0)
		c.fatal = err
		return p.emit(c)
	}
	for _, b := range bad {
		c := p.next(seg, b.offset)
		c.err = b.err
		if !p.emit(c) {
			return false
		}
	}
	for _, f := range frames {
		c := p.next(seg, f.start)
		c.frame, c.size = f, int64(f.text)
		if !p.emit(c) {
			return false
		}
	}
	return true
}

func (p *pipeline) readPlain(seg *segment, size int64) bool {
	for at := int64(0); at < size; {
		c := p.next(seg, at)
		c.readLines(size)
		at += c.size
		if !p.emit(c) || c.fatal != nil {
			return false
		}
	}
	return true
}

// readLines reads the whole lines that a chunk has room for: at least one, or
// what there is instead of one.
func (c *chunk) readLines(size int64) {
	n := min(chunkBytes, size-c.start)
	for {
		c.text = append(c.text[:0], make([]byte, n)...)
		if _, err := c.seg.ReadAt(c.text, c.start); err != nil {
			c.fatal = err
			return
		}
		if end := bytes.LastIndexByte(c.text, '\n') + 1; end > 0 {
			c.text, c.size = c.text[:end], int64(end)
			return
		}
		switch rest := size - c.start; {
		case n == rest:
			c.err, c.size = ErrTorn, rest
			return
		case n > maxLine:
			c.skipLong(n, size)
			return
		default:
			n = min(2*n, rest, maxLine+1)
		}
	}
}

// skipLong passes over a line that is longer than a line may be.
func (c *chunk) skipLong(seen, size int64) {
	block := make([]byte, chunkBytes)
	for at := c.start + seen; at < size; at += int64(len(block)) {
		block = block[:min(chunkBytes, size-at)]
		if _, err := c.seg.ReadAt(block, at); err != nil {
			c.fatal = err
			return
		}
		if i := bytes.IndexByte(block, '\n'); i >= 0 {
			c.err, c.size = errLong, at+int64(i)+1-c.start
			return
		}
	}
	c.err, c.size = ErrTorn, size-c.start
}

// split makes the lines of a chunk and checks each.
func (c *chunk) split(check func(*Line), packed []byte) []byte {
	if c.fatal != nil {
		return packed
	}
	if c.frame.text > 0 {
		var text []byte
		text, packed, c.err = c.seg.unpack(c.frame, c.text, packed)
		if c.err != nil && !errors.Is(c.err, errFrameSum) {
			c.fatal = c.err
			return packed
		}
		c.text = text
	}
	if c.err != nil {
		c.lines = append(c.lines, Line{File: c.seg.path, Offset: c.start, Size: c.size, Err: c.err})
		return packed
	}
	at := c.start
	for rest := c.text; len(rest) > 0; {
		n := bytes.IndexByte(rest, '\n') + 1
		if n == 0 {
			n = len(rest) // only a frame can end so
		}
		c.lines = append(c.lines, Line{File: c.seg.path, Offset: at, Size: int64(n), raw: rest[:n]})
		l := &c.lines[len(c.lines)-1]
		if n > maxLine {
			l.Err = errLong
		} else {
			check(l)
		}
		rest, at = rest[n:], at+int64(n)
	}
	return packed
}

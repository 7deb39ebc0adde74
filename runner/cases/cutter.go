package cases

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
)

const (
	chunkSize = 1 << 20 // bytes a decoder takes at a time

	// MaxLine is the longest line read, in bytes. A case is some kilobytes; a
	// longer line is a broken file, and holding it would defeat streaming.
	MaxLine = 8 << 20
)

// cutter reads a file into chunks that end where a line ends, and hashes what
// it reads.
type cutter struct {
	r    io.Reader
	file string
	hash hash.Hash
	line int // lines handed on so far
	buffers
}

// buffers are chunk-sized byte slices to be used again.
type buffers chan []byte

func newCutter(r io.Reader, file string, spare int) *cutter {
	return &cutter{r: r, file: file, hash: sha256.New(), buffers: make(buffers, spare)}
}

func (b buffers) get() []byte {
	select {
	case buf := <-b:
		return buf
	default:
		return make([]byte, 0, chunkSize+chunkSize/16)
	}
}

func (b buffers) put(buf []byte) {
	select {
	case b <- buf[:0]:
	default:
	}
}

// all hands on every chunk. A line beyond MaxLine is named and passed over;
// the lines after it are read as usual.
func (k *cutter) all(hand func(*chunk)) error {
	begun := k.get() // of a line whose end is still to come
	for first := true; ; first = false {
		buf, err := k.fill(begun)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if first {
			buf = bytes.TrimPrefix(buf, []byte("\uFEFF"))
		}
		end := bytes.LastIndexByte(buf, '\n') + 1
		switch {
		case end == 0 && len(buf) > MaxLine:
			hand(k.tooLong())
			if buf, err = k.pass(buf); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			begun = buf
		case err != nil:
			hand(k.chunk(buf))
		case end > 0:
			begun = append(k.get(), buf[end:]...)
			hand(k.chunk(buf[:end]))
		default:
			begun = buf
		}
		if err != nil {
			return nil
		}
	}
}

// fill reads on behind what buf holds, until it is full or the file ends.
func (k *cutter) fill(buf []byte) ([]byte, error) {
	room := max(cap(buf)-len(buf), chunkSize/2)
	if cap(buf)-len(buf) < room {
		buf = append(make([]byte, 0, 2*len(buf)+room), buf...)
		room = cap(buf) - len(buf)
	}
	n, err := io.ReadFull(k.r, buf[len(buf):len(buf)+room])
	buf = buf[:len(buf)+n]
	k.hash.Write(buf[len(buf)-n:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return buf, err
}

// pass reads to the end of the line that buf has begun, and returns what
// follows it; io.EOF where nothing does.
func (k *cutter) pass(buf []byte) ([]byte, error) {
	for {
		more, err := k.fill(buf[:0])
		if end := bytes.IndexByte(more, '\n') + 1; end > 0 {
			return more[end:], nil // a file that ends here ends at the next fill
		}
		if err != nil {
			return nil, err
		}
		buf = more
	}
}

func (k *cutter) chunk(lines []byte) *chunk {
	c := &chunk{lines: lines, first: k.line + 1, done: make(chan struct{})}
	k.line += bytes.Count(lines, []byte{'\n'})
	return c
}

func (k *cutter) tooLong() *chunk {
	k.line++
	return &chunk{done: make(chan struct{}), first: k.line, problems: []Problem{tooLong(k.file, k.line)}}
}

func tooLong(file string, line int) Problem {
	return Problem{File: file, Line: line, Message: fmt.Sprintf("the line is longer than %d MiB, which no case is; one case stands on one line", MaxLine>>20)}
}

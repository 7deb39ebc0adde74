package cache

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// A compacted segment is a row of zstd frames, each of whole lines: up to 16 of
// them, or as many as begin in 64 KiB. Any zstd program unpacks the file to the
// lines of a plain segment. Offsets of lines are offsets in that text.
const (
	frameLines   = 16
	frameText    = 64 << 10
	maxFrameText = frameText + maxLine
	frameMagic   = "\x28\xb5\x2f\xfd"
)

// What can be wrong with a frame.
var (
	errFrame       = errors.New("not a frame of a compacted segment")
	errFrameForm   = errors.New("a frame of another program: unpack the file to .jsonl, or compact it again")
	errFrameCutOff = errors.New("the last frame is cut off")
	errFrameSum    = errors.New("its frame does not unpack")
)

// frame is one frame: where it is in the file, and where its text is in the
// text of the segment.
type frame struct {
	at     int64
	start  int64
	packed uint32
	text   uint32
}

// walk finds the frames of a file by their headers, without unpacking them.
// What is no frame is skipped up to the next one that could be.
func (s *segment) walk(size int64) (frames []frame, bad []badLine, err error) {
	r, text, at, lost := s.raw(), int64(0), int64(0), false
	in := bufio.NewReaderSize(io.NewSectionReader(r, 0, size), int(max(8<<10, min(256<<10, size))))
	for at < size {
		f, err := nextFrame(in)
		switch {
		case err == nil:
			f.at, f.start = at, text
			frames = append(frames, f)
			at, text, lost = at+int64(f.packed), text+int64(f.text), false
			continue
		case !errors.Is(err, errFrame) && !errors.Is(err, errFrameForm) && !errors.Is(err, errFrameCutOff):
			return nil, nil, err
		}
		if n := len(frames); n > 0 && !lost && !s.sound(frames[n-1]) {
			// The length of the frame before was wrong.
			at, text, frames = frames[n-1].at, frames[n-1].start, frames[:n-1]
		}
		if !lost { // one report for each stretch
			bad = append(bad, badLine{at, err})
		}
		lost = true
		// The frame's own sizes are not to be believed: look again behind its
		// first byte.
		in.Reset(io.NewSectionReader(r, at+1, size-at-1))
		n, err := seekFrame(in)
		if err != nil {
			return nil, nil, err
		}
		at += 1 + n
	}
	return frames, bad, nil
}

func (s *segment) sound(f frame) bool {
	_, _, err := s.unpack(f, nil, nil)
	return err == nil
}

// seekFrame moves to where a frame may begin, or to the end.
func seekFrame(in *bufio.Reader) (skipped int64, err error) {
	for {
		b, err := in.Peek(4096)
		if err != nil && err != io.EOF {
			return 0, err
		}
		step := len(b)
		i := bytes.Index(b, []byte(frameMagic))
		switch {
		case i >= 0:
			step = i
		case err == nil:
			step -= len(frameMagic) - 1 // it may begin at the edge
		}
		n, _ := in.Discard(step)
		skipped += int64(n)
		if i >= 0 || err == io.EOF {
			return skipped, nil
		}
	}
}

// nextFrame reads the headers of a frame and passes it over.
func nextFrame(in *bufio.Reader) (frame, error) {
	b, err := in.Peek(zstd.HeaderMaxSize)
	if err != nil && err != io.EOF {
		return frame{}, err
	}
	var h zstd.Header
	if h.Decode(b) != nil || h.Skippable {
		return frame{}, errFrame
	}
	if !h.HasFCS || !h.HasCheckSum || h.DictionaryID != 0 || h.FrameContentSize == 0 || h.FrameContentSize > maxFrameText {
		return frame{}, errFrameForm
	}
	f := frame{text: uint32(h.FrameContentSize)}
	if err := f.pass(in, h.HeaderSize); err != nil {
		return f, err
	}
	for {
		b, err := in.Peek(3)
		if err != nil {
			return f, cutOff(err)
		}
		head := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		n := int(head >> 3)
		switch head >> 1 & 3 {
		case 1:
			n = 1 // one byte, repeated
		case 3:
			return f, errFrame
		}
		if err := f.pass(in, 3+n); err != nil {
			return f, err
		}
		if head&1 != 0 {
			break
		}
		if f.packed > maxFrameText+maxFrameText/64 {
			return f, errFrame
		}
	}
	return f, f.pass(in, 4) // the checksum of the text
}

func (f *frame) pass(in *bufio.Reader, n int) error {
	_, err := in.Discard(n)
	f.packed += uint32(n)
	return cutOff(err)
}

func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return errFrameCutOff
	}
	return err
}

// table is the frames of a compacted segment, as far as they are known.
func (s *segment) table() []frame {
	if t := s.frames.Load(); t != nil {
		return *t
	}
	return nil
}

// textSize is the length of the text that frames hold.
func textSize(frames []frame) int64 {
	if len(frames) == 0 {
		return 0
	}
	last := frames[len(frames)-1]
	return last.start + int64(last.text)
}

// unpacker is made when the first compacted segment is read.
func (g *segments) unpacker() *zstd.Decoder {
	g.unpacks.Do(func() {
		// Without a reader and with valid options there is no error.
		g.decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxFrameText), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
	})
	return g.decoder
}

// unpack reads one frame. The text is appended to dst[:0]; packed is a buffer.
func (s *segment) unpack(f frame, dst, packed []byte) (text, buf []byte, err error) {
	if cap(packed) < int(f.packed) {
		packed = make([]byte, f.packed)
	}
	packed = packed[:f.packed]
	if _, err := s.readRaw(packed, f.at); err != nil {
		return dst, packed, err
	}
	if cap(dst) < int(f.text) {
		dst = make([]byte, 0, f.text)
	}
	text, err = s.group.unpacker().DecodeAll(packed, dst[:0])
	if err != nil || len(text) != int(f.text) {
		return dst, packed, errFrameSum
	}
	return text, packed, nil
}

// readText reads from the text of a compacted segment.
func (s *segment) readText(p []byte, off int64) (n int, err error) {
	frames := s.table()
	for i := frameAt(frames, off); n < len(p); i++ {
		if i < 0 || i >= len(frames) {
			return n, io.ErrUnexpectedEOF
		}
		text, err := s.textOf(frames[i])
		if err != nil {
			return n, err
		}
		n += copy(p[n:], text[off+int64(n)-frames[i].start:])
	}
	return n, nil
}

// frameAt is the frame that holds a byte of the text; -1: none.
func frameAt(frames []frame, off int64) int {
	low, high := 0, len(frames)
	for low < high {
		if mid := int(uint(low+high) >> 1); frames[mid].start+int64(frames[mid].text) <= off {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == len(frames) || off < 0 {
		return -1
	}
	return low
}

// textOf is the text of a frame. Calls that are asked for together were mostly
// bought together, so the frames read last are kept.
func (s *segment) textOf(f frame) ([]byte, error) {
	slot := s.group.frames.slot(s.id, f.at)
	if kept := slot.Load(); kept != nil && kept.segment == s && kept.at == f.at {
		return kept.text, nil
	}
	text, _, err := s.unpack(f, nil, nil)
	if err == nil && len(text) <= 2*frameText {
		slot.Store(&keptFrame{s, f.at, text})
	}
	return text, err
}

// frameCache keeps some unpacked frames: about 3 MB.
type frameCache [64]atomic.Pointer[keptFrame]

type keptFrame struct {
	segment *segment
	at      int64
	text    []byte
}

func (c *frameCache) slot(segment int, at int64) *atomic.Pointer[keptFrame] {
	h := (uint64(at)*31 + uint64(segment)) * 0x9e3779b97f4a7c15
	return &c[h>>58]
}

// scanFrames enters the lines of the frames that begin in [from, to) of the
// text.
func (s *Store) scanFrames(sp *span, found []record) []record {
	sp.unfinished = -1
	frames := sp.seg.table()
	var text, packed []byte
	for i := frameAt(frames, sp.from); i >= 0 && i < len(frames) && frames[i].start < sp.to; i++ {
		f := frames[i]
		if f.start < sp.from {
			continue
		}
		var err error
		text, packed, err = sp.seg.unpack(f, text, packed)
		if errors.Is(err, errFrameSum) {
			sp.addBad(f.start, err)
			continue
		}
		if err != nil {
			sp.err = err
			return found
		}
		start := f.start
		for rest := text; len(rest) > 0; {
			n := bytes.IndexByte(rest, '\n') + 1
			if n == 0 {
				sp.addBad(start, errShape)
				break
			}
			found = s.found(sp, found, start, int64(n), rest[:min(n, headBytes)])
			rest, start = rest[n:], start+int64(n)
		}
	}
	return found
}

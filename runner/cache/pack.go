package cache

import (
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
)

// packBatch is how many frames are compressed, or read back, side by side.
const packBatch = 64

// packer writes one compacted segment under a temporary name.
type packer struct {
	store   *Store
	encoder *zstd.Encoder
	path    string // the final one
	file    File

	end     int64 // bytes written
	text    int64 // bytes that they unpack to
	frames  []frame
	sums    []uint32 // CRC-32C of each frame's text
	records []record

	line   []byte // the frame being filled
	count  int    // lines in it
	full   [][]byte
	spare  [][]byte // to be filled again
	packed [][]byte
	buf    []byte
}

// newPacker begins a compacted segment of the own directory.
func (s *Store) newPacker() (*packer, error) {
	id, err := s.randomHex()
	if err != nil {
		return nil, err
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true),
		zstd.WithSingleSegment(true), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, err
	}
	p := &packer{store: s, encoder: encoder, path: filepath.Join(segmentsDir(s.dir), s.opt.Now().UTC().Format(time.DateOnly)+"-"+id+packedSuffix)}
	if p.file, err = s.disk.Create(p.temp()); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *packer) temp() string { return p.path + tempSuffix }

// add appends a line.
func (p *packer) add(key Key, line []byte, tombstone bool) error {
	r := record{tag: keyTag(&key), place: placeOf(0, p.text), size: uint32(len(line))}
	if tombstone {
		r.flags = flagTombstone
	}
	p.records = append(p.records, r)
	p.text += int64(len(line))
	p.line = append(p.line, line...)
	if p.count++; p.count < frameLines && len(p.line) < frameText {
		return nil
	}
	p.closeFrame()
	if len(p.full) < packBatch {
		return nil
	}
	return p.flush()
}

func (p *packer) closeFrame() {
	if p.count > 0 {
		p.full = append(p.full, p.line)
		p.line, p.count = nil, 0
		if n := len(p.spare); n > 0 {
			p.line, p.spare = p.spare[n-1][:0], p.spare[:n-1]
		}
	}
}

// flush compresses the frames that are full and writes them.
func (p *packer) flush() error {
	sums := make([]uint32, len(p.full))
	p.packed = append(p.packed, make([][]byte, max(0, len(p.full)-len(p.packed)))...)
	_ = sideBySide(runtime.GOMAXPROCS(0), len(p.full), func(_, i int) error {
		sums[i] = crc32.Checksum(p.full[i], castagnoli)
		p.packed[i] = p.encoder.EncodeAll(p.full[i], p.packed[i][:0])
		return nil
	})
	out := p.buf[:0]
	for i, text := range p.full {
		f := frame{at: p.end + int64(len(out)), packed: uint32(len(p.packed[i])), text: uint32(len(text))}
		if n := len(p.frames); n > 0 {
			f.start = p.frames[n-1].start + int64(p.frames[n-1].text)
		}
		p.frames, p.sums = append(p.frames, f), append(p.sums, sums[i])
		out = append(out, p.packed[i]...)
	}
	p.spare = append(p.spare, p.full...)
	p.full, p.buf = p.full[:0], out
	if _, err := p.file.WriteAt(out, p.end); err != nil {
		return err
	}
	p.end += int64(len(out))
	return nil
}

// publish makes the segment durable, reads it back, and only then gives it its
// name.
func (p *packer) publish() error {
	p.closeFrame()
	if err := p.flush(); err != nil {
		return err
	}
	if err := p.file.Sync(); err != nil {
		return err
	}
	if err := p.file.Close(); err != nil {
		return err
	}
	p.file = nil
	if err := p.readBack(); err != nil {
		return err
	}
	disk := p.store.disk
	if err := disk.Rename(p.temp(), p.path); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(p.path))
}

// discard removes what a failure left.
func (p *packer) discard() {
	if p.file != nil {
		p.file.Close()
	}
	_ = p.store.disk.Remove(p.temp())
	_ = p.store.disk.Remove(p.path + idxSuffix)
}

// readBack opens the file anew and compares every frame with what was to be
// written. It leaves the index, so that nobody has to unpack it all.
func (p *packer) readBack() error {
	group := &segments{}
	group.init(p.store.disk, 1)
	defer group.close()
	seg := group.add(p.temp(), 0, false)
	size, err := seg.size()
	if err != nil {
		return err
	}
	frames, bad, err := seg.walk(size)
	if err != nil {
		return err
	}
	if len(bad) > 0 || !slices.Equal(frames, p.frames) {
		return fmt.Errorf("%s: read back, it is not what was written", p.temp())
	}
	buffers := make([]struct{ text, packed []byte }, runtime.GOMAXPROCS(0))
	err = sideBySide(len(buffers), len(frames), func(worker, i int) (err error) {
		b := &buffers[worker]
		b.text, b.packed, err = seg.unpack(frames[i], b.text, b.packed)
		if err == nil && crc32.Checksum(b.text, castagnoli) != p.sums[i] {
			err = errFrameSum
		}
		if err != nil {
			return fmt.Errorf("%s: read back, byte %d: %w", p.temp(), frames[i].at, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	head, tail, err := endSums(seg.raw(), p.end)
	if err == nil {
		err = p.store.replace(p.path+idxSuffix, encodeIdx(p.end, head, tail, p.frames, p.records))
	}
	_ = err // the index can be made again
	return nil
}

// sideBySide does n things with some workers and returns the first error of
// each.
func sideBySide(workers, n int, do func(worker, i int) error) error {
	var group sync.WaitGroup
	var next atomic.Int64
	faults := make([]error, workers)
	for worker := range faults {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && faults[worker] == nil; i = int(next.Add(1)) - 1 {
				faults[worker] = do(worker, i)
			}
		})
	}
	group.Wait()
	return errors.Join(faults...)
}

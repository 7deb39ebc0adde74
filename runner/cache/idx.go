package cache

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
)

// An index file holds where the lines of a segment's first covered bytes are,
// so that opening the cache need not read them (docs/protocol.md, "Cache"). It
// is little-endian:
//
//	magic 16 | covered 8 | head 4 | tail 4 | frames 4 | records 4
//	per frame: at 8 | packed 4 | text 4
//	per record, sorted by tag, then place: tag 8 | place 8 | size 4
//	CRC-32C of all before 4
//
// head and tail are the CRC-32C of the first and of the last 4 KiB of the
// covered bytes, so an index never serves another file. The highest bit of a
// place marks a tombstone; the rest is the offset. An index is never trusted
// for content: what it points at is verified like everything else.
const (
	idxMagic      = "memform-index 1\n"
	idxHeader     = len(idxMagic) + 8 + 4*4
	idxFrameSize  = 16
	idxRecordSize = 20
	idxSum        = 4
	idxEnds       = 4096 // bytes at each end that are summed
	idxTombstone  = 1 << 63
)

var errIdx = errors.New("not a valid index")

// idx is the content of an index file. Places in records are offsets alone:
// the segment's number is added when they are entered.
type idx struct {
	covered    int64
	head, tail uint32
	frames     []frame // of a compacted segment
	raw        []byte  // the records, encoded
}

func (x *idx) records() int { return len(x.raw) / idxRecordSize }

// encodeIdx returns the bytes of an index file. It sorts records.
func encodeIdx(covered int64, head, tail uint32, frames []frame, records []record) []byte {
	slices.SortFunc(records, func(a, b record) int {
		return cmp.Or(cmp.Compare(a.tag, b.tag), cmp.Compare(a.place, b.place))
	})
	b := make([]byte, 0, idxHeader+idxFrameSize*len(frames)+idxRecordSize*len(records)+idxSum)
	b = append(b, idxMagic...)
	le := binary.LittleEndian
	b = le.AppendUint64(b, uint64(covered))
	b = le.AppendUint32(b, head)
	b = le.AppendUint32(b, tail)
	b = le.AppendUint32(b, uint32(len(frames)))
	b = le.AppendUint32(b, uint32(len(records)))
	for _, f := range frames {
		b = le.AppendUint64(b, uint64(f.at))
		b = le.AppendUint32(b, f.packed)
		b = le.AppendUint32(b, f.text)
	}
	for i := range records {
		r := &records[i]
		place := uint64(r.offset())
		if r.flags&flagTombstone != 0 {
			place |= idxTombstone
		}
		b = le.AppendUint64(b, r.tag)
		b = le.AppendUint64(b, place)
		b = le.AppendUint32(b, r.size)
	}
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeIdx checks the whole of an index file. The result points into b.
func decodeIdx(b []byte) (*idx, error) {
	if len(b) < idxHeader+idxSum || string(b[:len(idxMagic)]) != idxMagic {
		return nil, errIdx
	}
	body, le := b[:len(b)-idxSum], binary.LittleEndian
	at := b[len(idxMagic):]
	x := &idx{covered: int64(le.Uint64(at)), head: le.Uint32(at[8:]), tail: le.Uint32(at[12:])}
	frames, records := int64(le.Uint32(at[16:])), int64(le.Uint32(at[20:]))
	if int64(len(body)) != int64(idxHeader)+idxFrameSize*frames+idxRecordSize*records ||
		le.Uint32(b[len(body):]) != crc32.Checksum(body, castagnoli) {
		return nil, errIdx
	}
	size := x.covered // of the text that records point into
	if frames > 0 {
		if size = x.readFrames(body[idxHeader:], int(frames)); size < 0 {
			return nil, errIdx
		}
	}
	x.raw = body[int64(idxHeader)+idxFrameSize*frames:]
	if size < 0 || size > 1<<offsetBits || !x.within(size) {
		return nil, errIdx
	}
	return x, nil
}

// readFrames returns the length of the text that the frames hold; -1: they are
// not frames of one file in order.
func (x *idx) readFrames(b []byte, n int) int64 {
	le := binary.LittleEndian
	x.frames = make([]frame, n)
	end, text := int64(0), int64(0)
	for i := range x.frames {
		f := frame{at: int64(le.Uint64(b[i*idxFrameSize:])), packed: le.Uint32(b[i*idxFrameSize+8:]), text: le.Uint32(b[i*idxFrameSize+12:]), start: text}
		if f.at < end || f.at > x.covered-int64(f.packed) || f.text > maxFrameText {
			return -1
		}
		x.frames[i] = f
		end, text = f.at+int64(f.packed), text+int64(f.text)
	}
	return text
}

// within reports whether every record is sorted and lies inside the text.
func (x *idx) within(size int64) bool {
	last := uint64(0)
	for i := range x.records() {
		r := x.record(i, 0)
		if r.tag < last || int(r.size) < entryAt || r.size > maxLine || r.offset() > size-int64(r.size) {
			return false
		}
		last = r.tag
	}
	return true
}

// record decodes record i as one of segment.
func (x *idx) record(i, segment int) record {
	b, le := x.raw[i*idxRecordSize:], binary.LittleEndian
	place := le.Uint64(b[8:])
	r := record{tag: le.Uint64(b), size: le.Uint32(b[16:])}
	if place&idxTombstone != 0 {
		place, r.flags = place&^idxTombstone, flagTombstone
	}
	if place >= 1<<offsetBits {
		place, r.size = 1<<offsetBits-1, maxLine // beyond any segment
	}
	r.place = placeOf(segment, int64(place))
	return r
}

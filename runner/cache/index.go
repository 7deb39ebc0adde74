package cache

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"sync/atomic"
)

// record says where one line is: 24 bytes, whatever the line holds.
type record struct {
	tag   uint64 // first eight bytes of the key
	place uint64 // segment number and offset
	size  uint32 // bytes of the line, newline included
	flags uint32 // atomic, once indexed
}

const (
	flagTombstone = 1 << iota // the line is a tombstone
	flagServed                // this process has given or stored this answer
	flagBad                   // reported as invalid
)

const offsetBits = 40

func placeOf(segment int, offset int64) uint64 {
	return uint64(segment)<<offsetBits | uint64(offset)
}

func (r *record) segment() int  { return int(r.place >> offsetBits) }
func (r *record) offset() int64 { return int64(r.place & (1<<offsetBits - 1)) }

func keyTag(key *Key) uint64 { return binary.BigEndian.Uint64(key[:8]) }

// candidate is a record as a look-up found it. Lines of one key are all
// candidates; a line of another key with the same tag may be too.
type candidate struct {
	record
	shared *record // in the index, for its flags
}

func (c *candidate) mark(flag uint32) (first bool) {
	return atomic.OrUint32(&c.shared.flags, flag)&flag == 0
}

// index finds records by tag: an open-addressing table of record numbers over
// records in blocks that never move. 1M records take 24 MB and the table 8 MB.
// A tag's first bits are its slot, so records sorted by tag fill the table
// from front to back.
type index struct {
	mu     sync.RWMutex
	table  []uint32 // record number + 1; 0 = empty
	shift  int      // 64 minus the bits of a slot
	blocks [][]record
	n      int
}

const blockBits = 12 // 4096 records, 96 KiB

func (x *index) at(i uint32) *record { return &x.blocks[i>>blockBits][i&(1<<blockBits-1)] }

func (x *index) len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.n
}

// add enters records. One at a place already known only corrects its size:
// the same bytes were scanned again.
func (x *index) add(records []record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range records {
		x.makeRoom(1)
		x.insert(&records[i])
	}
}

// reserve makes room for n more records at once.
func (x *index) reserve(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.makeRoom(n)
}

// makeRoom keeps a third of the table empty.
func (x *index) makeRoom(n int) {
	want := max(1024, len(x.table))
	for (x.n+n)*3 > want*2 {
		want *= 2
	}
	if want > len(x.table) {
		x.grow(want)
	}
}

// each gives do every record. A record's flags may change meanwhile; the rest
// of it is not changed after its file was read.
func (x *index) each(do func(*record)) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for i := range uint32(x.n) {
		do(x.at(i))
	}
}

func (x *index) insert(r *record) {
	mask := uint64(len(x.table) - 1)
	slot := r.tag >> x.shift
	for ; x.table[slot] != 0; slot = (slot + 1) & mask {
		if old := x.at(x.table[slot] - 1); old.tag == r.tag && old.place == r.place {
			old.size = r.size
			return
		}
	}
	if x.n>>blockBits == len(x.blocks) {
		x.blocks = append(x.blocks, make([]record, 1<<blockBits))
	}
	*x.at(uint32(x.n)) = *r
	x.n++
	x.table[slot] = uint32(x.n)
}

func (x *index) grow(slots int) {
	x.table = make([]uint32, slots)
	x.shift = 64 - bits.TrailingZeros(uint(slots))
	mask := uint64(len(x.table) - 1)
	for i := range uint32(x.n) {
		slot := x.at(i).tag >> x.shift
		for x.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		x.table[slot] = i + 1
	}
}

// find appends to dst the candidates for key.
func (x *index) find(key *Key, dst []candidate) []candidate {
	tag := keyTag(key)
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.table) == 0 {
		return dst
	}
	mask := uint64(len(x.table) - 1)
	for slot := tag >> x.shift; x.table[slot] != 0; slot = (slot + 1) & mask {
		r := x.at(x.table[slot] - 1)
		if r.tag != tag {
			continue
		}
		dst = append(dst, candidate{
			record: record{tag: r.tag, place: r.place, size: r.size, flags: atomic.LoadUint32(&r.flags)},
			shared: r,
		})
	}
	return dst
}

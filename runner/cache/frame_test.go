package cache

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const memPacked = "/c/segments/2026-11-29-00000000000000000000000000000002.jsonl.zst"

// packedSmall is a compacted segment of the three small entries, one a frame.
func packedSmall(t testing.TB) (file []byte, ends []int, entries []Entry) {
	lines, entries := small(t)
	enc, err := zstd.NewWriter(nil, zstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	for _, line := range lines {
		file = enc.EncodeAll(line, file)
		ends = append(ends, len(file))
	}
	return file, ends, entries
}

func TestTruncationOfACompactedSegmentAtEveryByte(t *testing.T) {
	whole, ends, entries := packedSmall(t)
	for n := range len(whole) + 1 {
		disk := newMemDisk()
		disk.set(memPacked, whole)
		before := openMem(t, disk)
		disk.set(memPacked, whole[:n])
		want := 0
		for _, end := range ends {
			if end <= n {
				want++
			}
		}
		for _, s := range []*Store{before, openMem(t, disk)} {
			if hits := rightOrMiss(t, s, entries, fmt.Sprint("cut at ", n)); hits != want {
				t.Fatalf("cut at %d: %d hits, %d whole frames", n, hits, want)
			}
		}
		v, err := openMem(t, disk).Survey(context.Background())
		if err != nil || v.Answers != want || (len(v.Damaged) > 0) == (n == 0 || slices.Contains(ends, n)) {
			t.Fatalf("cut at %d: %v, %+v", n, err, v)
		}
	}
}

func TestEverySingleBitFlipOfACompactedSegment(t *testing.T) {
	whole, _, entries := packedSmall(t)
	disk := newMemDisk()
	for bit := range len(whole) * 8 {
		flipped := slices.Clone(whole)
		flipped[bit/8] ^= 1 << (bit % 8)
		disk.set(memPacked, whole)
		opened := openMem(t, disk)
		disk.set(memPacked, flipped)
		for i, s := range []*Store{opened, openMem(t, disk)} {
			// One bit harms its own frame only. Some bits of a header mean
			// nothing to a reader.
			if hits := rightOrMiss(t, s, entries, fmt.Sprint("bit ", bit)); hits < 2 {
				t.Fatalf("bit %d, store %d: %d hits", bit, i, hits)
			}
		}
	}
}

// The same for a compacted segment that has its index.
func TestEverySingleBitFlipOfAnIndexedCompactedSegment(t *testing.T) {
	disk, entries := compactable(t)
	compact(t, openMem(t, disk))
	var packed string
	for _, path := range slices.Sorted(maps.Keys(disk.files)) {
		if strings.HasSuffix(path, packedSuffix) {
			packed = path
		}
	}
	whole := disk.files[packed].data
	for bit := range len(whole) * 8 {
		flipped := slices.Clone(whole)
		flipped[bit/8] ^= 1 << (bit % 8)
		disk.set(packed, flipped)
		rightOrMiss(t, openMem(t, disk), entries, fmt.Sprint("bit ", bit))
	}
	for n := range whole {
		disk.set(packed, whole[:n])
		rightOrMiss(t, openMem(t, disk), entries, fmt.Sprint("cut at ", n))
	}
}

func TestFramesOfAnotherProgram(t *testing.T) {
	lines, entries := small(t)
	enc, _ := zstd.NewWriter(nil, zstd.WithEncoderCRC(false))
	defer enc.Close()
	disk := newMemDisk()
	whole, _, _ := packedSmall(t)
	disk.set(memPacked, slices.Concat(enc.EncodeAll(bytes.Join(lines, nil), nil), []byte("\x50\x2a\x4d\x18\x04\x00\x00\x00skip"), whole))
	ev := &events{}
	s := openMem(t, disk, func(o *Options) { o.Report = ev.add })
	if hits := rightOrMiss(t, s, entries, ""); hits != 3 {
		t.Fatalf("%d hits", hits)
	}
	if len(ev.all) != 1 || ev.all[0].Kind != EventBadLine || ev.all[0].Err != errFrameForm {
		t.Fatalf("events: %v", ev.all)
	}
}

func FuzzCompacted(f *testing.F) {
	whole, ends, _ := packedSmall(f)
	f.Add(whole, []byte{})
	f.Add(whole[:ends[0]], whole[ends[1]:])
	f.Add([]byte(frameMagic), whole[5:])
	f.Add([]byte("\x50\x2a\x4d\x18\xff\xff\xff\xff"), []byte{})
	f.Fuzz(func(t *testing.T, front, back []byte) {
		_, _, entries := packedSmall(t)
		middle := whole[ends[0]:ends[1]]
		disk := newMemDisk()
		disk.set(memPacked, slices.Concat(front, middle, back))
		s := openMem(t, disk)
		rightOrMiss(t, s, entries, "fuzz")
		if _, err := s.Survey(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// The next frame is found wherever it begins behind damaged bytes.
func TestFrameBehindDamageOfAnyLength(t *testing.T) {
	whole, _, entries := packedSmall(t)
	for n := 4085; n < 4105; n++ {
		disk := newMemDisk()
		disk.set(memPacked, append(make([]byte, n), whole...))
		if hits := rightOrMiss(t, openMem(t, disk), entries, fmt.Sprint(n, " bytes of damage")); hits != 3 {
			t.Fatalf("%d bytes of damage: %d hits", n, hits)
		}
	}
}

// What no other frame could hold is refused before it is unpacked.
func TestFrameThatClaimsTooMuch(t *testing.T) {
	enc, _ := zstd.NewWriter(nil, zstd.WithSingleSegment(true))
	defer enc.Close()
	disk := newMemDisk()
	disk.set(memPacked, enc.EncodeAll(make([]byte, maxFrameText+1), nil))
	ev := &events{}
	openMem(t, disk, func(o *Options) { o.Report = ev.add })
	if len(ev.all) != 1 || ev.all[0].Err != errFrameForm {
		t.Fatalf("events: %v", ev.all)
	}
}

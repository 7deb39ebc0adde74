package cache

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// indexed is a disk with the small segment and an index of its first lines.
func indexed(t testing.TB, lines int) (*memDisk, []Entry, []byte) {
	all, entries := small(t)
	disk := newMemDisk()
	disk.set(memSegment, bytes.Join(all[:lines], nil))
	s := openMem(t, disk)
	s.saveIdx([]covers{{s.segments.get(0), s.segments.get(0).scan.end}})
	disk.set(memSegment, bytes.Join(all, nil))
	file, err := disk.ReadFile(memSegment + idxSuffix)
	if err != nil {
		t.Fatal(err)
	}
	return disk, entries, file
}

// scannedBytes opens the cache and counts what is read of segments meanwhile.
func scannedBytes(t testing.TB, disk *memDisk) (s *Store, n int) {
	disk.fail = func(op, path string) error {
		if op == "read" && strings.HasSuffix(path, plainSuffix) {
			n++
		}
		return nil
	}
	s = openMem(t, disk)
	disk.fail = nil
	return s, n
}

func TestIndexSparesTheScan(t *testing.T) {
	for _, covered := range []int{0, 1, 2, 3} {
		disk, entries, _ := indexed(t, covered)
		s, reads := scannedBytes(t, disk)
		if !s.segments.get(0).scan.indexed {
			t.Fatalf("%d lines covered: the index was not used", covered)
		}
		// The two ends, and one block where something lies beyond.
		if want := map[bool]int{true: 2, false: 3}[covered == 3]; covered > 0 && reads != want {
			t.Errorf("%d lines covered: %d reads, want %d", covered, reads, want)
		}
		if hits := rightOrMiss(t, s, entries, ""); hits != 3 || s.Records() != 3 {
			t.Errorf("%d lines covered: %d hits, %d records", covered, hits, s.Records())
		}
	}
}

func TestIndexIsWrittenAtClose(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, func(o *Options) { o.segmentBytes = 100 << 10 })
	for n := range 300 {
		put(t, s, benchEntry(n))
	}
	files, _ := filepath.Glob(filepath.Join(dir, "segments", "*.idx"))
	if len(files) > 0 {
		t.Fatalf("an index before Close: %v", files)
	}
	s.Close()
	again := open(t, dir)
	indexed := 0
	for _, seg := range again.segments.sorted() {
		size, _ := seg.size()
		if seg.scan.indexed != (size >= idxFrom) {
			t.Errorf("%s with %d bytes: indexed is %v", seg.path, size, seg.scan.indexed)
		}
		if seg.scan.indexed {
			indexed++
		}
	}
	if indexed < 2 {
		t.Fatalf("%d segments indexed", indexed)
	}
	for n := range 300 {
		mustGet(t, again, benchEntry(n))
	}
	leftTemp(t, dir)
}

func leftTemp(t testing.TB, dir string) {
	t.Helper()
	for _, sub := range []string{"", "segments", "retired"} {
		left, _ := filepath.Glob(filepath.Join(dir, sub, "*.tmp"))
		if len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestIndexByAnOpenerThatScannedMuch(t *testing.T) {
	lines, _ := small(t)
	dir := t.TempDir()
	path := writeSegment(t, dir, "a", lines...)
	much := func(o *Options) { o.indexAfter = 10 }
	exists := func() bool { _, err := os.Stat(path + idxSuffix); return err == nil }

	open(t, dir)
	open(t, dir, much, func(o *Options) { o.ReadOnly = true })
	open(t, t.TempDir(), much, func(o *Options) { o.Layers = []string{dir} })
	if exists() {
		t.Fatal("an index was written that should not be")
	}
	open(t, dir, much)
	if !exists() || !open(t, dir).segments.get(0).scan.indexed {
		t.Fatal("no index was written")
	}
	// A damaged segment has none: each opener is to hear of the damage.
	os.Remove(path + idxSuffix)
	os.WriteFile(path, append([]byte("bad\n"), lines[0]...), 0o644)
	open(t, dir, much)
	if exists() {
		t.Fatal("a damaged segment was indexed")
	}
}

func TestIndexOfAnotherFileIsIgnored(t *testing.T) {
	disk, entries, file := indexed(t, 3)
	lines, _ := small(t)
	slices.Reverse(lines)
	for _, text := range [][]byte{bytes.Join(lines, nil), bytes.Join(lines[:2], nil), nil} {
		disk.set(memSegment, text)
		disk.set(memSegment+idxSuffix, file)
		s := openMem(t, disk)
		if s.segments.get(0).scan.indexed {
			t.Fatal("an index of another content was used")
		}
		if hits := rightOrMiss(t, s, entries, ""); hits != bytes.Count(text, []byte("\n")) {
			t.Fatalf("%d hits", hits)
		}
	}
}

// Whatever happens to an index, the segment gives every answer.
func TestDamagedIndexCostsNothing(t *testing.T) {
	disk, entries, file := indexed(t, 2)
	try := func(b []byte, what string) {
		t.Helper()
		disk.set(memSegment+idxSuffix, b)
		s := openMem(t, disk)
		if hits := rightOrMiss(t, s, entries, what); hits != 3 || s.Bad() != 0 {
			t.Fatalf("%s: %d hits, %d bad", what, hits, s.Bad())
		}
	}
	for n := range file {
		try(file[:n], fmt.Sprint("cut at ", n))
	}
	for bit := range len(file) * 8 {
		flipped := slices.Clone(file)
		flipped[bit/8] ^= 1 << (bit % 8)
		try(flipped, fmt.Sprint("bit ", bit))
	}
}

func TestIndexFailsSilently(t *testing.T) {
	for _, op := range []string{"create", "write", "rename"} {
		f, ev := newFaulty(), &events{}
		s := openMem(t, f.disk, func(o *Options) { o.Report = ev.add })
		for n := range 50 {
			put(t, s, benchEntry(n))
		}
		f.set(op, os.ErrPermission)
		if err := s.Close(); err != nil || len(ev.all) > 0 {
			t.Errorf("%s: %v, %v", op, err, ev.all)
		}
		f.set(op, nil)
		s = openMem(t, f.disk)
		for n := range 50 {
			mustGet(t, s, benchEntry(n))
		}
		for path := range f.disk.files {
			if isTemp(path) {
				t.Errorf("%s: %s is left", op, path)
			}
		}
	}
}

// A forged index may hide an entry, never change one; damage that it points at
// is looked at again in the segment itself.
func FuzzIndex(f *testing.F) {
	_, _, file := indexed(f, 3)
	f.Add(file[len(idxMagic) : len(file)-idxSum])
	f.Add(bytes.Repeat([]byte{0xff}, 70))
	f.Fuzz(func(t *testing.T, body []byte) {
		disk, entries, _ := indexed(t, 3)
		b := append([]byte(idxMagic), body...)
		b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
		disk.set(memSegment+idxSuffix, b)
		rightOrMiss(t, openMem(t, disk), entries, "forged")
		disk.set(memSegment+packedSuffix[len(plainSuffix):]+idxSuffix, b)
		disk.set(memSegment+packedSuffix[len(plainSuffix):], body)
		rightOrMiss(t, openMem(t, disk), entries, "forged")
	})
}

func TestRefreshAfterTheClockWentBack(t *testing.T) {
	dir, now := t.TempDir(), time.Unix(1e9, 0)
	s := open(t, dir, func(o *Options) { o.Now = func() time.Time { return now } })
	put(t, open(t, dir), entryOf(1))
	now = now.Add(-time.Hour)
	if err := s.Refresh(); err != nil {
		t.Fatal(err)
	}
	mustGet(t, s, entryOf(1))
}

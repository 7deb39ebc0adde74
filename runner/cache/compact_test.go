package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

func compact(t testing.TB, s *Store, change ...func(*CompactOptions)) Compacted {
	t.Helper()
	opt := CompactOptions{}
	for _, c := range change {
		c(&opt)
	}
	c, err := s.Compact(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func stopped(o *CompactOptions) { o.AllStopped = true }

// grown is a cache of three segments with 100 entries, a tombstone, a damaged
// line and a torn one.
func grown(t testing.TB, dir string) []Entry {
	var entries []Entry
	var lines [3][][]byte
	for n := range 100 {
		e := entryOf(n)
		entries = append(entries, e)
		lines[n%3] = append(lines[n%3], lineOf(t, e))
	}
	hidden := entryOf(200)
	lines[0] = append(lines[0], lineOf(t, hidden), tombLine(hidden.key(), hidden.Digest()))
	bad := lineOf(t, entryOf(300))
	bad[120] ^= 1
	lines[1] = append(lines[1], bad, lineOf(t, entryOf(1)))
	lines[2] = append(lines[2], lineOf(t, entryOf(301))[:90])
	for i, l := range lines {
		writeSegment(t, dir, fmt.Sprintf("2026-11-2%d-x", i), l...)
	}
	return entries
}

func checkGrown(t testing.TB, s *Store, entries []Entry) {
	t.Helper()
	for _, e := range entries {
		mustGet(t, s, e)
	}
	hidden := entryOf(200)
	if _, ok := s.Get(hidden.key()); ok {
		t.Fatal("a forgotten answer is back")
	}
	if _, ok := s.GetPinned(hidden.key(), hidden.Digest()); !ok {
		t.Fatal("a pinned answer is lost")
	}
}

func TestCompact(t *testing.T) {
	dir := t.TempDir()
	entries := grown(t, dir)
	s := open(t, dir)
	if c := compact(t, s); c.Inputs != 0 || c.Busy != 3 {
		t.Fatalf("files written just now: %+v", c)
	}
	c := compact(t, s, stopped)
	if c.Inputs != 3 || c.Outputs != 1 || c.Lines != 102 || c.Twice != 1 || c.Damaged != 1 || c.After >= c.Before {
		t.Fatalf("%+v", c)
	}
	checkGrown(t, s, entries)
	again := open(t, dir)
	checkGrown(t, again, entries)
	if again.Records() != 102 || again.Bad() != 0 || !again.segments.get(0).scan.indexed {
		t.Fatalf("%d records, %d bad", again.Records(), again.Bad())
	}
	if left := segmentFiles(t, dir); len(left) != 0 {
		t.Fatalf("plain segments: %v", left)
	}
	leftTemp(t, dir)

	// Without its index it is unpacked, to the same.
	for _, f := range indexFiles(dir) {
		os.Remove(f)
	}
	bare := open(t, dir)
	checkGrown(t, bare, entries)
	if bare.Records() != 102 {
		t.Fatalf("%d records", bare.Records())
	}

	// Any zstd program reads it: lines in the order of the files.
	text := unpackFile(t, dir)
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(lines) != 103 || !bytes.Equal(lines[0], lineOf(t, entries[0])) || !bytes.Equal(lines[1], lineOf(t, entries[3])) {
		t.Fatalf("%d lines", len(lines))
	}

	// Retired files go with the next maintenance, and nothing else changes.
	c = compact(t, open(t, dir))
	if c.Kept != 3 || c.Removed != 0 || c.Inputs != 0 {
		t.Fatalf("at once: %+v", c)
	}
	later := func(o *Options) { o.Now = func() time.Time { return time.Now().Add(25 * time.Hour) } }
	c = compact(t, open(t, dir, later))
	if c.Removed != 3 || c.Inputs != 0 {
		t.Fatalf("a day later: %+v", c)
	}
	checkGrown(t, open(t, dir), entries)
}

func unpackFile(t testing.TB, dir string) []byte {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "segments", "*.zst"))
	if len(files) != 1 {
		t.Fatalf("compacted files: %v", files)
	}
	packed, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	d, _ := zstd.NewReader(nil)
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestCompactAgainTakesSmallCompactedFiles(t *testing.T) {
	dir := t.TempDir()
	var entries []Entry
	for round := range 3 {
		s := open(t, dir)
		for n := range 40 {
			e := entryOf(round*40 + n)
			put(t, s, e)
			entries = append(entries, e)
		}
		s.Close()
		compact(t, open(t, dir), stopped)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "segments", "*.zst")); len(files) != 1 {
		t.Fatalf("files: %v", files)
	}
	// Large ones stay, and outputs are cut at the bound.
	s := open(t, dir)
	put(t, s, entryOf(500), entryOf(501))
	s.Close()
	c := compact(t, open(t, dir), stopped, func(o *CompactOptions) { o.packedBytes = 100 })
	if c.Inputs != 1 || c.Lines != 2 {
		t.Fatalf("%+v", c)
	}
	again := open(t, dir)
	for _, e := range append(entries, entryOf(500), entryOf(501)) {
		mustGet(t, again, e)
	}
}

func TestCompactOutputsAreCut(t *testing.T) {
	dir := t.TempDir()
	var lines [][]byte
	for n := range packBatch * frameLines * 3 {
		lines = append(lines, lineOf(t, entryOf(n)))
	}
	writeSegment(t, dir, "a", lines...)
	c := compact(t, open(t, dir), stopped, func(o *CompactOptions) { o.packedBytes = 1000 })
	if c.Outputs != 3 || c.Lines != len(lines) {
		t.Fatalf("%+v", c)
	}
	s := open(t, dir)
	for n := range lines {
		mustGet(t, s, entryOf(n))
	}
}

func TestLargeLinesInFrames(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var entries []Entry
	for n := range 5 {
		e := entryOf(n)
		e.Response = bytes.Repeat(fmt.Appendf(nil, "%d large ", n), 1<<17)
		entries = append(entries, e)
	}
	room := entryOf(9)
	room.Response = append(room.Response, strings.Repeat("x", maxLine-len(lineOf(t, room)))...)
	entries = append(entries, room, entryOf(10))
	put(t, s, entries...)
	s.Close()
	compact(t, open(t, dir), stopped)
	for _, keepIndex := range []bool{true, false} {
		if !keepIndex {
			os.Remove(indexFiles(dir)[0])
		}
		again := open(t, dir)
		for _, e := range entries {
			mustGet(t, again, e)
		}
		if v, err := again.Survey(context.Background()); err != nil || v.Answers != 7 {
			t.Fatal(err, v.Answers)
		}
	}
}

// A line of a newer version is not for this one to drop.
func TestCompactKeepsLinesOfANewerVersion(t *testing.T) {
	dir := t.TempDir()
	newer := appendLine(nil, entryOf(1).key(), func(b []byte) []byte { return append(b, `{"v":2,"new":true}`...) })
	writeSegment(t, dir, "a", newer, lineOf(t, entryOf(2)))
	c := compact(t, open(t, dir), stopped)
	if c.Lines != 2 || !bytes.Contains(unpackFile(t, dir), newer) {
		t.Fatalf("%+v", c)
	}
}

func TestOneMaintenanceAtATime(t *testing.T) {
	dir := t.TempDir()
	grown(t, dir)
	lock := filepath.Join(dir, "maintenance.lock")
	os.WriteFile(lock, []byte("process 77, since 2026-11-29T10:00:00Z\n"), 0o644)
	_, err := open(t, dir).Compact(context.Background(), CompactOptions{AllStopped: true})
	var locked *LockedError
	if !errors.As(err, &locked) || !strings.Contains(err.Error(), lock) || !strings.Contains(err.Error(), "process 77") {
		t.Fatalf("%v", err)
	}
	os.Remove(lock)
	compact(t, open(t, dir), stopped)
	if _, err := os.Stat(lock); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("the lock is left")
	}
	_, err = open(t, dir, func(o *Options) { o.ReadOnly = true }).Compact(context.Background(), CompactOptions{})
	if !errors.Is(err, ErrReadOnly) {
		t.Fatalf("read-only: %v", err)
	}
}

// compactable is a memory disk with entries in two segments, one of them with
// a tombstone.
func compactable(t testing.TB) (*memDisk, []Entry) {
	disk := newMemDisk()
	entries := []Entry{entryOf(0), entryOf(1), entryOf(2), entryOf(3)}
	disk.set("/c/segments/2026-11-28-a.jsonl", slices.Concat(lineOf(t, entries[0]), lineOf(t, entries[1]), tombLine(entryOf(9).key(), [32]byte{1})))
	disk.set("/c/segments/2026-11-28-b.jsonl", slices.Concat(lineOf(t, entries[2]), lineOf(t, entries[1]), lineOf(t, entries[3])))
	disk.set("/c/FORMAT", []byte(FormatText))
	return disk, entries
}

// dead makes every operation fail from the n-th on, as for a killed process.
func dead(n int) (fail func(op, path string) error, ops func() int) {
	var mu sync.Mutex
	count := 0
	return func(op, path string) error {
			mu.Lock()
			defer mu.Unlock()
			if count++; n >= 0 && count > n {
				return errors.New("killed")
			}
			return nil
		}, func() int {
			mu.Lock()
			defer mu.Unlock()
			return count
		}
}

func TestCompactionKilledAtEveryOperation(t *testing.T) {
	disk, _ := compactable(t)
	s := openMem(t, disk)
	fail, ops := dead(-1)
	disk.fail = fail
	compact(t, s)
	total := ops()
	if total < 30 {
		t.Fatalf("%d operations", total)
	}
	for n := range total {
		disk, entries := compactable(t)
		s := openMem(t, disk)
		disk.fail, _ = dead(n)
		_, err := s.Compact(context.Background(), CompactOptions{})
		disk.fail = nil
		for range 2 {
			again := openMem(t, disk)
			if hits := rightOrMiss(t, again, entries, fmt.Sprint("killed at ", n)); hits != 4 || again.Bad() > 0 {
				t.Fatalf("killed at %d (%v): %d hits, %d bad", n, err, hits, again.Bad())
			}
			if len(again.index.find(keyOf(entryOf(9)), nil)) == 0 {
				t.Fatalf("killed at %d: the tombstone is lost", n)
			}
			disk.Remove("/c/maintenance.lock")
			compact(t, again, stopped)
		}
		compact(t, openMem(t, disk), stopped) // removes what was retired last
		for path := range disk.files {
			if !strings.HasSuffix(path, packedSuffix) && !strings.HasSuffix(path, packedSuffix+idxSuffix) && path != "/c/FORMAT" {
				t.Errorf("killed at %d: %s is left", n, path)
			}
		}
	}
}

func keyOf(e Entry) *Key { k := e.key(); return &k }

// What replaces is synced before what it replaces moves.
func TestCompactionOrder(t *testing.T) {
	disk, _ := compactable(t)
	s := openMem(t, disk)
	var mu sync.Mutex
	var order []string
	disk.fail = func(op, path string) error {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case op == "sync" && strings.HasSuffix(path, packedSuffix+tempSuffix), op == "read" && strings.HasSuffix(path, packedSuffix+tempSuffix),
			op == "rename" && !strings.Contains(path, idxSuffix), op == "syncdir":
			if name := op + " " + filepath.Ext(path); len(order) == 0 || order[len(order)-1] != name {
				order = append(order, name)
			}
		}
		return nil
	}
	compact(t, s)
	want := []string{"sync .tmp", "read .tmp", "rename .tmp", "syncdir ", "rename .jsonl", "syncdir "}
	if len(order) < 6 || !slices.Equal(order[:6], want) { // a new reader follows
		t.Fatalf("%q", order)
	}
}

// A writer stores something at each moment of a compaction that wrongly takes
// its segment: whatever was acknowledged is found.
func TestCompactionBesideALiveWriter(t *testing.T) {
	for n := 0; ; n++ {
		disk, entries := compactable(t)
		writer := openMem(t, disk)
		put(t, writer, entryOf(10))
		maintainer := openMem(t, disk)
		var mu sync.Mutex
		count, fired := 0, false
		disk.fail = func(string, string) error {
			mu.Lock()
			fire := !fired && count == n
			fired = fired || fire
			count++
			mu.Unlock()
			if fire {
				put(t, writer, entryOf(11))
			}
			return nil
		}
		compact(t, maintainer)
		disk.fail = nil
		if !fired {
			break
		}
		all := append(entries, entryOf(10), entryOf(11))
		for i, s := range []*Store{writer, openMem(t, disk), maintainer} {
			if s == maintainer { // it sees at least what stood when it began
				all = all[:5]
			}
			if hits := rightOrMiss(t, s, all, ""); hits != len(all) {
				t.Fatalf("operation %d, store %d: %d hits of %d", n, i, hits, len(all))
			}
		}
		put(t, writer, entryOf(12))
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
		compact(t, openMem(t, disk), stopped)
		compact(t, openMem(t, disk), stopped)
		if hits := rightOrMiss(t, openMem(t, disk), append(entries, entryOf(10), entryOf(11), entryOf(12)), ""); hits != 7 {
			t.Fatalf("operation %d: %d hits in the end", n, hits)
		}
	}
}

// A reader whose handle is closed finds the lines where they are now.
func TestReaderBesideACompaction(t *testing.T) {
	dir := t.TempDir()
	entries := grown(t, dir)
	for _, removeRetired := range []bool{false, true} {
		s := open(t, dir, func(o *Options) { o.openFiles = 1 })
		compact(t, open(t, dir), stopped)
		if removeRetired {
			compact(t, open(t, dir), stopped)
		}
		s.segments.get(0).drop()
		checkGrown(t, s, entries)
		if s.Bad() > 0 {
			t.Errorf("%d bad", s.Bad())
		}
		// A new plain segment for the second round.
		again := open(t, dir)
		put(t, again, entryOf(400))
		again.Close()
	}
}

// A retired file with a line that stands nowhere else comes back.
func TestRetiredLineThatStandsNowhereElse(t *testing.T) {
	dir := t.TempDir()
	entries := grown(t, dir)
	compact(t, open(t, dir), stopped)
	files, _ := filepath.Glob(filepath.Join(dir, "retired", "*"))
	f, _ := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	f.Write(lineOf(t, entryOf(500)))
	f.Close()
	if _, ok := open(t, dir).Get(entryOf(500).key()); ok {
		t.Fatal("retired files are read")
	}
	c := compact(t, open(t, dir), stopped)
	if c.Removed != 2 || c.Inputs != 2 {
		t.Fatalf("%+v", c)
	}
	s := open(t, dir)
	mustGet(t, s, entryOf(500))
	checkGrown(t, s, entries)
}

// A retired file is not its own witness: one that nothing replaced comes back,
// also for a maintainer that read it in its place.
func TestRetiredFileThatNothingReplaced(t *testing.T) {
	dir := t.TempDir()
	entries := grown(t, dir)
	s := open(t, dir)
	os.Mkdir(filepath.Join(dir, "retired"), 0o755)
	for _, path := range segmentFiles(t, dir) {
		if err := os.Rename(path, retiredPath(path)); err != nil {
			t.Fatal(err)
		}
	}
	// Who had it open reads on.
	for _, seg := range s.segments.sorted() {
		seg.drop()
	}
	checkGrown(t, s, entries)
	if c := compact(t, s, stopped); c.Removed != 0 || c.Inputs != 3 {
		t.Fatalf("%+v", c)
	}
	checkGrown(t, open(t, dir), entries)
}

// A reader reads on from a retired file without looking for anything new.
func TestRetiredFilesAreReadWhereTheyAre(t *testing.T) {
	dir := t.TempDir()
	entries := grown(t, dir)
	s := open(t, dir)
	compact(t, open(t, dir), stopped)
	seg := s.segments.sorted()[0]
	seg.drop()
	want := lineOf(t, entries[0])
	got := make([]byte, len(want))
	if _, err := seg.ReadAt(got, 0); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%q, %v", got, err)
	}
}

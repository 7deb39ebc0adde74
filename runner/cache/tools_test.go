package cache

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func forget(t testing.TB, s *Store, key Key) {
	t.Helper()
	answers := slices.DeleteFunc(s.Answers(key), func(a Answer) bool { return a.Hidden })
	if err := s.Forget(context.Background(), answers, "a test"); err != nil {
		t.Fatal(err)
	}
}

// The same bytes bought again after they were forgotten are found: the model
// repeats itself, and must not be asked for ever.
func TestForgottenAnswerBoughtAgain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	first, again := entryOf(1), entryOf(1)
	put(t, s, first, entryOf(2))
	forget(t, s, first.key())
	for _, s := range []*Store{s, open(t, dir)} {
		if _, ok := s.Get(first.key()); ok || s.Has(first.key()) {
			t.Fatal("a forgotten answer is found")
		}
		if _, ok := s.GetPinned(first.key(), first.Digest()); !ok {
			t.Fatal("a pinned answer is lost")
		}
		mustGet(t, s, entryOf(2))
	}
	again.CompletedAt = "1999-01-01T00:00:00.000Z" // whatever the clock says
	put(t, s, again)
	mustGet(t, s, again)
	mustGet(t, open(t, dir), again)

	// And forgotten once more.
	forget(t, s, first.key())
	if _, ok := open(t, dir).Get(first.key()); ok {
		t.Fatal("a forgotten answer is found")
	}
	if answers := open(t, dir).Answers(first.key()); len(answers) != 2 || !answers[0].Hidden || !answers[1].Hidden {
		t.Fatalf("%+v", answers)
	}
	s.Close()
	if err := s.Forget(context.Background(), nil, ""); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestImport(t *testing.T) {
	dir, from := t.TempDir(), t.TempDir()
	all := rivals()
	put(t, open(t, dir), all[0])
	s := open(t, dir)
	five := entryOf(5)
	lines := [][]byte{lineOf(t, all[0]), lineOf(t, all[1]), lineOf(t, all[1]), lineOf(t, five), tombLine(five.key(), five.Digest())}
	n, err := s.Import(context.Background(), lines)
	if err != nil || n != 3 {
		t.Fatalf("%d, %v", n, err)
	}
	again := open(t, dir)
	if len(again.Answers(all[0].key())) != 2 {
		t.Fatal("a second answer of one key was not imported")
	}
	if _, ok := again.Get(entryOf(5).key()); ok {
		t.Fatal("a tombstone was not imported")
	}
	if n, err := again.Import(context.Background(), lines); n != 0 || err != nil {
		t.Fatalf("again: %d, %v", n, err)
	}
	bad := bytes.Clone(lines[3])
	bad[150] ^= 1
	fresh := open(t, filepath.Join(from, "new"))
	if _, err := fresh.Import(context.Background(), [][]byte{lines[0], bad}); !errors.Is(err, errChecksum) || !strings.Contains(err.Error(), "line 2") {
		t.Fatalf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(from, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("a refused import left something")
	}
}

func TestExport(t *testing.T) {
	one, two, layer := t.TempDir(), t.TempDir(), t.TempDir()
	entries := grown(t, one)
	writeSegment(t, layer, "l", lineOf(t, entryOf(700)))
	withLayer := func(o *Options) { o.Layers = []string{layer} }
	var first, second bytes.Buffer
	n, err := open(t, one, withLayer).Export(context.Background(), &first)
	if err != nil || n != 103 {
		t.Fatalf("%d lines, %v", n, err)
	}
	compact(t, open(t, one), stopped)
	if _, err := open(t, one, withLayer).Export(context.Background(), &second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatalf("after compaction the export differs, %v", err)
	}
	for _, limit := range []int64{1, 1000, 10_000} {
		second.Reset()
		if n, err := open(t, one, withLayer).export(context.Background(), &second, limit); n != 103 || err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("in parts of %d bytes: %d lines, %v", limit, n, err)
		}
	}
	s := open(t, two)
	if n, err := s.Import(context.Background(), bytes.SplitAfter(bytes.TrimSuffix(first.Bytes(), []byte("\n")), []byte("\n"))[:100]); n != 100 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	second.Reset()
	if _, err := s.Export(context.Background(), &second); err != nil || !bytes.HasPrefix(first.Bytes(), second.Bytes()) {
		t.Fatalf("the export of an import differs, %v", err)
	}
	checkGrown(t, open(t, one), entries)
}

func collect(t testing.TB, s *Store, apply bool, keep func(Key, *Entry) bool) (Compacted, []Line) {
	t.Helper()
	var dropped []Line
	c, err := s.Collect(context.Background(), CompactOptions{AllStopped: true}, apply, keep, func(l Line) { dropped = append(dropped, l) })
	if err != nil {
		t.Fatal(err)
	}
	return c, dropped
}

func TestCollect(t *testing.T) {
	dir := t.TempDir()
	grown(t, dir) // with a tombstone of entry 200 and entry 1 twice
	compact(t, open(t, dir), stopped)
	writeSegment(t, dir, "2026-11-29-z", lineOf(t, entryOf(1)), lineOf(t, entryOf(3)))
	keep := func(_ Key, e *Entry) bool { return e.Millis != 1 && e.Millis != 200 && e.Millis != 50 }

	before := snapshot(t, dir)
	if c, dropped := collect(t, open(t, dir), false, keep); len(dropped) != 3 || c.Inputs != 0 {
		t.Fatalf("dry: %d dropped, %+v", len(dropped), c)
	}
	if !reflect.DeepEqual(before, snapshot(t, dir)) {
		t.Fatal("a dry run changed the directory")
	}
	c, dropped := collect(t, open(t, dir), true, keep)
	if len(dropped) != 3 || c.Inputs != 2 || c.Outputs != 1 || c.Removed < 2 {
		t.Fatalf("%d dropped, %+v", len(dropped), c)
	}
	s := open(t, dir)
	for n := range 100 {
		if _, ok := s.Get(entryOf(n).key()); ok != (n != 1 && n != 50) {
			t.Fatalf("entry %d: %v", n, ok)
		}
	}
	if s.Records() != 98 {
		t.Fatalf("%d records", s.Records())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "retired", "*")); len(left) > 0 {
		t.Fatalf("retired: %v", left)
	}
	if c, dropped := collect(t, open(t, dir), true, keep); len(dropped) != 0 || c.Inputs != 0 {
		t.Fatalf("again: %+v", c)
	}
}

func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, _ := os.ReadFile(path)
			out[path] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A tombstone stays as long as an answer that it hides, wherever that is.
func TestCollectKeepsTombstonesOfWhatStays(t *testing.T) {
	dir := t.TempDir()
	hidden := entryOf(7)
	old := writeSegment(t, dir, "2026-11-01-a", lineOf(t, entryOf(1)), tombLine(hidden.key(), hidden.Digest()))
	os.Chtimes(old, time.Time{}, time.Now().Add(-48*time.Hour))
	writeSegment(t, dir, "2026-11-29-live", lineOf(t, hidden))
	c, err := open(t, dir).Collect(context.Background(), CompactOptions{}, true, func(Key, *Entry) bool { return false }, func(Line) {})
	if err != nil || c.Inputs != 1 || c.Busy != 1 || c.Lines != 1 {
		t.Fatalf("%v, %+v", err, c)
	}
	if _, ok := open(t, dir).Get(hidden.key()); ok {
		t.Fatal("a forgotten answer is back")
	}
}

func TestCollectKilledAtEveryOperation(t *testing.T) {
	keep := func(_ Key, e *Entry) bool { return e.Millis != 0 }
	for n := 0; ; n++ {
		disk, entries := compactable(t)
		s := openMem(t, disk)
		disk.fail, _ = dead(n)
		_, err := s.Collect(context.Background(), CompactOptions{}, true, keep, func(Line) {})
		disk.fail = nil
		for range 2 {
			again := openMem(t, disk)
			if hits := rightOrMiss(t, again, entries[1:], ""); hits != 3 {
				t.Fatalf("killed at %d (%v): %d hits", n, err, hits)
			}
			disk.Remove("/c/maintenance.lock")
			collect(t, again, true, keep)
		}
		if err == nil {
			break
		}
	}
}

func TestPurge(t *testing.T) {
	dir := t.TempDir()
	grown(t, dir)
	compact(t, open(t, dir), stopped)
	live := open(t, dir)
	put(t, live, entryOf(800))
	readme := filepath.Join(dir, "README.md")
	os.WriteFile(readme, []byte("mine"), 0o644)
	n, err := open(t, dir).Purge()
	if err != nil || n != 5 {
		t.Fatalf("%d, %v", n, err)
	}
	if left := snapshot(t, dir); len(left) != 1 || left[readme] != "mine" {
		t.Fatalf("left: %v", left)
	}
	put(t, live, entryOf(801))
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	mustGet(t, s, entryOf(800))
	mustGet(t, s, entryOf(801))
	if n, err := open(t, filepath.Join(dir, "absent")).Purge(); n != 0 || err != nil {
		t.Fatalf("absent: %d, %v", n, err)
	}
	absent := filepath.Join(dir, "absent")
	compact(t, open(t, absent), stopped)
	collect(t, open(t, absent), true, func(Key, *Entry) bool { return false })
	if _, err := os.Stat(absent); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal("maintenance made a cache")
	}
}

func TestRetiredIsListed(t *testing.T) {
	dir := t.TempDir()
	grown(t, dir)
	compact(t, open(t, dir), stopped)
	files, _ := filepath.Glob(filepath.Join(dir, "retired", "*"))
	f, _ := os.OpenFile(files[1], os.O_APPEND|os.O_WRONLY, 0)
	f.Write(lineOf(t, entryOf(500)))
	f.Close()
	got, err := open(t, dir).Retired(context.Background(), true)
	if err != nil || len(got) != 3 || got[0].Only != 0 || got[1].Only != 1 || got[2].Only != 0 || got[0].Size == 0 {
		t.Fatalf("%v, %+v", err, got)
	}
}

package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// testKey has the shape of the real key function without being it.
func testKey(identity string, draw int, request []byte) Key {
	h := sha256.New()
	fmt.Fprintf(h, "test-key\n%d:%s%d:%d:", len(identity), identity, draw, len(request))
	h.Write(request)
	return Key(h.Sum(nil))
}

func (e Entry) key() Key { return testKey(e.Identity, e.Draw, e.Request) }

func entryOf(n int) Entry {
	return Entry{
		Identity: "http://localhost:9/v1 m-1", Draw: n % 3,
		Request:  []byte(`{"messages":[{"content":"line one\nline \"two\" ` + strconv.Itoa(n) + `","role":"user"}],"model":"m-1"}`),
		Response: []byte(`{"choices":[{"message":{"content":"ANSWER: B"}}],"id":"` + strconv.Itoa(n) + `"}`),
		Status:   200, Headers: map[string]string{"x-request-id": strconv.Itoa(n), "content-type": "application/json"},
		Outcome: "answer", CompletedAt: fmt.Sprintf("2026-11-29T10:00:%02d.000Z", n%60), Millis: int64(n), Attempts: 1,
	}
}

// open opens dir and closes it with the test.
func open(t testing.TB, dir string, change ...func(*Options)) *Store {
	t.Helper()
	opt := Options{Key: testKey}
	for _, c := range change {
		c(&opt)
	}
	s, err := Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func put(t testing.TB, s *Store, entries ...Entry) {
	t.Helper()
	for _, e := range entries {
		if err := s.Put(context.Background(), e.key(), e); err != nil {
			t.Error(err)
		}
	}
}

func mustGet(t testing.TB, s *Store, want Entry) {
	t.Helper()
	got, ok := s.Get(want.key())
	if !ok {
		t.Fatalf("draw %d of %s: a miss", want.Draw, want.Request)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
}

func segmentFiles(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "segments", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// writeSegment writes lines as another process would have.
func writeSegment(t testing.TB, dir, name string, lines ...[]byte) string {
	t.Helper()
	path := filepath.Join(dir, "segments", name+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, l := range lines {
		all = append(all, l...)
	}
	if err := os.WriteFile(path, all, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func lineOf(t testing.TB, e Entry) []byte {
	t.Helper()
	line, err := newLine(e.key(), &e)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func TestPutThenGet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "cache")
	s := open(t, dir)
	var group sync.WaitGroup
	for n := range 200 {
		group.Go(func() { put(t, s, entryOf(n)) })
	}
	group.Wait()
	for n := range 200 {
		mustGet(t, s, entryOf(n))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	for n := range 200 {
		mustGet(t, again, entryOf(n))
		if !again.Has(entryOf(n).key()) {
			t.Fatalf("Has(%d) is false", n)
		}
	}
	if _, ok := again.Get(entryOf(200).key()); ok || again.Has(entryOf(200).key()) {
		t.Fatal("an entry never put is found")
	}
	if got, err := os.ReadFile(filepath.Join(dir, "FORMAT")); err != nil || string(got) != FormatText {
		t.Fatalf("FORMAT holds %q, %v", got, err)
	}
	if files := segmentFiles(t, dir); len(files) != 1 {
		t.Fatalf("segments: %v", files)
	}
}

func TestReadingCreatesNothing(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "cache")
	s := open(t, dir)
	s.Get(entryOf(1).key())
	s.Has(entryOf(1).key())
	if err := errors.Join(s.Refresh(), s.CheckWritable(), s.Sync(context.Background()), s.Close()); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(root); len(entries) != 0 {
		t.Fatalf("reading created %v", entries)
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	put(t, open(t, dir), entryOf(1))
	for _, d := range []string{filepath.Join(dir, "segments"), dir} {
		if err := os.Chmod(d, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(d, 0o755) })
	}
	s := open(t, dir, func(o *Options) { o.ReadOnly = true })
	mustGet(t, s, entryOf(1))
	if err := s.Put(context.Background(), entryOf(2).key(), entryOf(2)); !errors.Is(err, ErrReadOnly) {
		t.Fatalf("Put: %v", err)
	}
	if err := s.CheckWritable(); !errors.Is(err, ErrReadOnly) {
		t.Fatalf("CheckWritable: %v", err)
	}
}

func TestPutRefusals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	s := open(t, dir)
	big, escaped := entryOf(1), entryOf(2)
	big.Response = make([]byte, maxLine)
	escaped.Response = []byte(strings.Repeat("\x01", maxLine/6))
	for _, c := range []struct {
		name string
		key  Key
		e    Entry
		want error
	}{
		{"too large", big.key(), big, ErrTooLarge},
		{"too large once escaped", escaped.key(), escaped, ErrTooLarge},
		{"a key of another entry", entryOf(3).key(), entryOf(4), ErrKey},
	} {
		if err := s.Put(context.Background(), c.key, c.e); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a refused Put left something behind: %v", err)
	}
	largest := entryOf(5)
	room := maxLine - len(lineOf(t, largest))
	largest.Response = append(largest.Response, strings.Repeat("x", room)...)
	put(t, s, largest)
	mustGet(t, open(t, dir), largest)
}

func TestOpenRefusals(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	newer := filepath.Join(root, "newer")
	os.WriteFile(file, []byte("x"), 0o644)
	os.Mkdir(newer, 0o755)
	os.WriteFile(filepath.Join(newer, "FORMAT"), []byte("memform-cache 2\n"), 0o644)

	if _, err := Open(file, Options{Key: testKey}); !errors.Is(err, ErrNotDirectory) {
		t.Errorf("a regular file: %v", err)
	}
	var format *FormatError
	if _, err := Open(newer, Options{Key: testKey}); !errors.As(err, &format) || format.Found != "memform-cache 2" {
		t.Errorf("a newer format: %v", err)
	}
	if _, err := Open(root, Options{Key: testKey, Layers: []string{newer}}); !errors.As(err, &format) {
		t.Errorf("a layer of a newer format: %v", err)
	}
	if _, err := Open(root, Options{Key: testKey, Layers: []string{filepath.Join(root, "absent")}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent layer: %v", err)
	}
	if _, err := Open(root, Options{}); err == nil {
		t.Error("no key function, no error")
	}
}

func TestLayersAreRead(t *testing.T) {
	a, b, own := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "own")
	put(t, open(t, a), entryOf(1))
	put(t, open(t, b), entryOf(2))
	s := open(t, own, func(o *Options) { o.Layers = []string{a, b} })
	mustGet(t, s, entryOf(1))
	mustGet(t, s, entryOf(2))
	put(t, s, entryOf(3))
	if len(segmentFiles(t, a)) != 1 || len(segmentFiles(t, own)) != 1 {
		t.Fatal("a Put did not go to the own directory alone")
	}
}

func TestNewSegmentWhenFull(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, func(o *Options) { o.segmentBytes = 1500; o.openFiles = 2 })
	for n := range 20 {
		put(t, s, entryOf(n))
	}
	files := segmentFiles(t, dir)
	if len(files) < 5 {
		t.Fatalf("%d segments", len(files))
	}
	for _, f := range files {
		if info, _ := os.Stat(f); info.Size() > 1500 {
			t.Errorf("%s has %d bytes", f, info.Size())
		}
	}
	again := open(t, dir, func(o *Options) { o.openFiles = 2 })
	for n := range 20 {
		mustGet(t, s, entryOf(n))
		mustGet(t, again, entryOf(n))
	}
	if n := len(again.segments.open); n > 2 {
		t.Errorf("%d handles open, the limit is 2", n)
	}
}

func TestRefreshSeesOthers(t *testing.T) {
	dir, now := t.TempDir(), time.Unix(1e9, 0)
	writer := open(t, dir)
	put(t, writer, entryOf(1))
	s := open(t, dir, func(o *Options) { o.Now = func() time.Time { return now } })
	put(t, writer, entryOf(2))
	for _, step := range []struct {
		later time.Duration
		want  bool
	}{{4 * time.Second, false}, {time.Second, true}} {
		now = now.Add(step.later)
		if err := s.Refresh(); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Get(entryOf(2).key()); ok != step.want {
			t.Fatalf("after %s: found is %v", step.later, ok)
		}
	}
	// A segment that did not exist at Open.
	put(t, open(t, dir), entryOf(3))
	now = now.Add(refreshEvery)
	s.Refresh()
	mustGet(t, s, entryOf(3))
}

func TestSecondPutKeepsTheFirstAnswer(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	first, second := entryOf(1), entryOf(1)
	second.Response, second.CompletedAt = []byte("another"), "2000-01-01T00:00:00.000Z"
	put(t, s, first, second)
	mustGet(t, s, first)
	mustGet(t, open(t, dir), first)
	if n := s.Records(); n != 1 {
		t.Fatalf("%d records", n)
	}
}

func TestConcurrentPutsOfOneKeyStoreOneAnswer(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var group sync.WaitGroup
	for n := range 50 {
		group.Go(func() {
			e := entryOf(1)
			e.Response = []byte(strconv.Itoa(n))
			put(t, s, e)
		})
	}
	group.Wait()
	if n := s.Records(); n != 1 {
		t.Fatalf("%d records", n)
	}
}

func TestClosedStore(t *testing.T) {
	s := open(t, t.TempDir())
	put(t, s, entryOf(1))
	s.Close()
	if _, ok := s.Get(entryOf(1).key()); ok {
		t.Error("a hit after Close")
	}
	if err := s.Put(context.Background(), entryOf(2).key(), entryOf(2)); !errors.Is(err, ErrClosed) {
		t.Errorf("Put after Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

package cache

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// removed deletes a cache as `rm -r` would.
func removed(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}

func TestCacheRemovedWhileWriting(t *testing.T) {
	dir, ev := filepath.Join(t.TempDir(), "cache"), &events{}
	s := open(t, dir, func(o *Options) { o.segmentBytes = 2000; o.Report = ev.add })
	for n := range 20 {
		if n == 7 || n == 15 {
			removed(t, dir)
		}
		put(t, s, entryOf(n))
	}
	if got := ev.kinds(); !sameKinds(got, []EventKind{EventMoved, EventMoved}) {
		t.Errorf("events: %v", ev.all)
	}
	for n := range 20 {
		mustGet(t, s, entryOf(n))
		mustGet(t, open(t, dir), entryOf(n))
	}
	removed(t, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	for n := range 20 {
		mustGet(t, again, entryOf(n))
	}
	if n := again.Bad(); n > 0 {
		t.Errorf("%d bad lines", n)
	}
}

func TestAnotherFileInThePlaceOfTheSegment(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, entryOf(0))
	path := segmentFiles(t, dir)[0]
	os.Remove(path)
	os.WriteFile(path, lineOf(t, entryOf(9)), 0o644)
	put(t, s, entryOf(1))
	again := open(t, dir)
	for _, n := range []int{0, 1, 9} {
		mustGet(t, again, entryOf(n))
	}
	if len(segmentFiles(t, dir)) != 2 {
		t.Errorf("segments: %v", segmentFiles(t, dir))
	}
}

// While the moved lines cannot be written again, nothing new is acknowledged.
func TestMovedAndDiskFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty()
		s := openMem(t, f.disk)
		put(t, s, entryOf(0))
		old := f.disk.segments()[0]
		f.disk.Rename(old, "/elsewhere")
		f.set("create", syscall.ENOSPC)
		go put(t, s, entryOf(1))
		time.Sleep(time.Minute)
		if !errors.Is(s.Trouble(), syscall.ENOSPC) {
			t.Errorf("Trouble: %v", s.Trouble())
		}
		f.set("create", nil)
		if err := s.WaitWell(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		again := openMem(t, f.disk)
		mustGet(t, again, entryOf(0))
		mustGet(t, again, entryOf(1))
		f.check(t)
	})
}

func TestMovedAtCloseAndDiskFull(t *testing.T) {
	f := newFaulty()
	s := openMem(t, f.disk)
	put(t, s, entryOf(0))
	f.disk.Rename(f.disk.segments()[0], "/elsewhere")
	f.set("sync", syscall.ENOSPC)
	if err := s.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Close: %v", err)
	}
}

// A newer memform takes the directory over: nothing more is written there
// until FORMAT is known again.
func TestUnknownFormatMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, ev := newFaulty(), &events{}
		s := openMem(t, f.disk, func(o *Options) { o.Report = ev.add })
		put(t, s, entryOf(0))
		f.disk.set("/c/FORMAT", []byte("memform-cache 2\n"))
		go put(t, s, entryOf(1))
		time.Sleep(time.Minute)
		var format *FormatError
		if !errors.As(s.Trouble(), &format) {
			t.Errorf("Trouble: %v", s.Trouble())
		}
		if err := s.Refresh(); !errors.As(err, &format) {
			t.Errorf("Refresh: %v", err)
		}
		f.disk.set("/c/FORMAT", []byte(FormatText))
		if err := s.WaitWell(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		mustGet(t, openMem(t, f.disk), entryOf(1))
		if n := len(f.disk.segments()); n != 1 {
			t.Errorf("%d segments", n)
		}
	})
}

package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A real file system of 512 KiB fills up and is freed again. Mounting it needs
// permission; without, the same is tested with an injected disk alone.
func TestRealFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 300<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	trouble, ev := make(chan struct{}), &events{}
	s := open(t, filepath.Join(dir, "cache"), func(o *Options) {
		o.retry = time.Millisecond
		o.Report = func(e Event) {
			ev.add(e)
			if e.Kind == EventTrouble {
				close(trouble)
			}
		}
	})
	const n = 120 // about 240 KiB
	stored := make(chan error)
	go func() {
		for i := range n {
			if err := s.Put(context.Background(), benchEntry(i).key(), benchEntry(i)); err != nil {
				stored <- err
			}
		}
		close(stored)
	}()
	select {
	case <-trouble:
	case err := <-stored:
		t.Fatalf("the disk did not fill up: %v", err)
	}
	if err := s.Trouble(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Trouble: %v", err)
	}
	os.Remove(filler)
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, filepath.Join(dir, "cache"))
	for i := range n {
		mustGet(t, again, benchEntry(i))
	}
	if again.Records() != n || again.Bad() > 0 {
		t.Errorf("%d records, %d bad", again.Records(), again.Bad())
	}
}

// Without space for the compacted file nothing changes.
func TestCompactionOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	cache := filepath.Join(dir, "cache")
	entries := grown(t, cache)
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer filler.Close()
	for err == nil {
		_, err = filler.Write(make([]byte, 4096))
	}
	s := open(t, cache)
	if _, err := s.Compact(context.Background(), CompactOptions{AllStopped: true}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("Compact: %v", err)
	}
	checkGrown(t, open(t, cache), entries)
	leftTemp(t, cache)
	if err := filler.Truncate(0); err != nil {
		t.Fatal(err)
	}
	compact(t, open(t, cache), stopped)
	checkGrown(t, open(t, cache), entries)
}

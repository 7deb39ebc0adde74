package cache

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// faulty makes chosen operations on segments fail while on, and checks that a
// file whose write or sync failed is never written again.
type faulty struct {
	disk   *memDisk
	mu     sync.Mutex
	on     map[string]error
	failed map[string]bool
	again  []string
}

func newFaulty() *faulty {
	f := &faulty{disk: newMemDisk(), on: map[string]error{}, failed: map[string]bool{}}
	f.disk.fail = func(op, path string) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		if (op == "write" || op == "sync") && f.failed[path] {
			f.again = append(f.again, path)
		}
		err := f.on[op]
		if err != nil && (op == "write" || op == "sync") {
			f.failed[path] = true
		}
		return err
	}
	return f
}

func (f *faulty) set(op string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on[op] = err
}

func (f *faulty) check(t *testing.T) {
	t.Helper()
	if len(f.again) > 0 {
		t.Errorf("written again after a failure: %v", f.again)
	}
}

// events collects what is reported.
type events struct {
	mu  sync.Mutex
	all []Event
}

func (e *events) add(ev Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, ev)
}

func (e *events) kinds() (out []EventKind) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ev := range e.all {
		out = append(out, ev.Kind)
	}
	return out
}

func sameKinds(a, b []EventKind) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Each operation that can fail while writing, once early and once after
// entries stand in the segment: entries wait, nothing is lost.
func TestWritingSurvivesFailures(t *testing.T) {
	for _, op := range []string{"mkdir", "readfile", "create", "write", "sync", "syncdir", "rename"} {
		for _, earlier := range []bool{false, true} {
			if earlier && (op == "rename" || op == "mkdir") {
				continue // FORMAT and the directory stand already
			}
			t.Run(op, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { failAndRecover(t, op, earlier) }) })
		}
	}
}

func failAndRecover(t *testing.T, op string, earlier bool) {
	f, ev := newFaulty(), &events{}
	// Small segments: each batch needs a new one, so that opening can fail too.
	s := openMem(t, f.disk, func(o *Options) { o.Report = ev.add; o.segmentBytes = 1 })
	if earlier {
		put(t, s, entryOf(0))
	}
	f.set(op, syscall.ENOSPC)
	var group sync.WaitGroup
	for n := 1; n <= 5; n++ {
		group.Go(func() { put(t, s, entryOf(n)) })
	}
	time.Sleep(time.Minute + time.Second)
	if err := s.Trouble(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Trouble: %v", err)
	}
	for n := 1; n <= 5; n++ {
		if _, ok := s.Get(entryOf(n).key()); ok {
			t.Errorf("entry %d is a hit before it is durable", n)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := s.WaitWell(ctx); err == nil {
		t.Error("WaitWell returned in trouble")
	}
	if files := len(f.disk.segments()); files > 2 {
		t.Errorf("%d segments left by retries", files)
	}
	f.set(op, nil)
	start := time.Now()
	if err := s.WaitWell(t.Context()); err != nil || time.Since(start) > retryEvery {
		t.Errorf("WaitWell: %v after %s", err, time.Since(start))
	}
	group.Wait()
	if err := errors.Join(s.Trouble(), s.Close()); err != nil {
		t.Error(err)
	}
	again := openMem(t, f.disk)
	for n := 1; n <= 5; n++ {
		mustGet(t, again, entryOf(n))
	}
	f.check(t)
	checkTroubleEvents(t, ev)
}

// checkTroubleEvents wants one clear message for the trouble and one for its
// end, whatever the number of retries.
func checkTroubleEvents(t *testing.T, ev *events) {
	t.Helper()
	count := map[EventKind]int{}
	for _, e := range ev.all {
		count[e.Kind]++
		if e.Kind != EventTrouble {
			continue
		}
		for _, part := range []string{"/c: ", "no space left", "answer", "4.0 KiB free", "5s"} {
			if !strings.Contains(e.String(), part) {
				t.Errorf("%q does not say %q", e, part)
			}
		}
	}
	if count[EventTrouble] != 1 || count[EventRecovered] != 1 || count[EventBadLine] != 0 || count[EventAbandoned] > 1 {
		t.Errorf("events: %v", ev.all)
	}
}

func TestOneFailureMovesToANewSegmentAtOnce(t *testing.T) {
	for _, op := range []string{"write", "sync"} {
		synctest.Test(t, func(t *testing.T) {
			f, ev := newFaulty(), &events{}
			s := openMem(t, f.disk, func(o *Options) { o.Report = ev.add })
			put(t, s, entryOf(0))
			failures := 1
			inner := f.disk.fail
			f.disk.fail = func(o, path string) error {
				if o == op && failures > 0 {
					failures--
					f.mu.Lock()
					f.failed[path] = true
					f.mu.Unlock()
					return syscall.EIO
				}
				return inner(o, path)
			}
			start := time.Now()
			put(t, s, entryOf(1), entryOf(2))
			if d := time.Since(start); d != 0 {
				t.Errorf("%s: waited %s", op, d)
			}
			if got := ev.kinds(); !sameKinds(got, []EventKind{EventAbandoned}) {
				t.Errorf("%s: events %v", op, ev.all)
			}
			if n := len(f.disk.segments()); n != 2 || s.Trouble() != nil {
				t.Errorf("%s: %d segments, %v", op, n, s.Trouble())
			}
			again := openMem(t, f.disk)
			for n := range 3 {
				mustGet(t, s, entryOf(n))
				mustGet(t, again, entryOf(n))
			}
			f.check(t)
		})
	}
}

func TestOwnSegmentsAreNotScanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty()
		s := openMem(t, f.disk)
		put(t, s, entryOf(0))
		// The entry reaches the file, which is kept for the one before it, but
		// never becomes durable there.
		f.set("sync", syscall.EIO)
		f.set("create", syscall.EIO)
		go put(t, s, entryOf(1))
		time.Sleep(refreshEvery + time.Second)
		if err := s.Refresh(); err != nil {
			t.Error(err)
		}
		if _, ok := s.Get(entryOf(1).key()); ok {
			t.Error("a refresh made an entry a hit that is not durable")
		}
		f.set("sync", nil)
		f.set("create", nil)
		time.Sleep(retryEvery)
		mustGet(t, s, entryOf(1))
	})
}

func TestCancelledPutIsStillStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty()
		s := openMem(t, f.disk)
		f.set("write", syscall.ENOSPC)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Put(ctx, entryOf(1).key(), entryOf(1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Put: %v", err)
		}
		f.set("write", nil)
		if err := s.Sync(t.Context()); err != nil {
			t.Error(err)
		}
		mustGet(t, s, entryOf(1))
		mustGet(t, openMem(t, f.disk), entryOf(1))
	})
}

func TestCloseInTroubleSaysWhatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty()
		s := openMem(t, f.disk)
		f.set("sync", syscall.EIO)
		failed := make(chan error, 3)
		for n := range 3 {
			go func() { failed <- s.Put(context.Background(), entryOf(n).key(), entryOf(n)) }()
		}
		time.Sleep(time.Second)
		start := time.Now()
		if err := s.Close(); !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "3 answers") {
			t.Errorf("Close: %v", err)
		}
		if time.Since(start) != 0 {
			t.Errorf("Close waited %s", time.Since(start))
		}
		for range 3 {
			if err := <-failed; !errors.Is(err, syscall.EIO) {
				t.Errorf("Put: %v", err)
			}
		}
	})
}

func TestCloseStoresWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFaulty()
		s := openMem(t, f.disk)
		f.set("write", syscall.ENOSPC)
		go put(t, s, entryOf(1))
		time.Sleep(time.Second)
		f.set("write", nil)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		mustGet(t, openMem(t, f.disk), entryOf(1))
	})
}

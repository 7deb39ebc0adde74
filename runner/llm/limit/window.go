package limit

import "time"

// window sums what was taken in the last minute or day. It counts in slots:
// what is taken at one time and at another at most span later lies at most
// len(slot)-1 slots apart, so the sum over all slots bounds every span, ends
// included. The price is up to one slot of waiting too long.
type window struct {
	width time.Duration // of a slot
	start time.Time
	last  int64 // newest slot, counted from start
	sum   int
	slot  []int // slot i at index i mod len
}

func newWindow(span, width time.Duration) window {
	return window{width: width, slot: make([]int, int64(span/width)+1)}
}

// advance forgets the slots that have left the window.
func (w *window) advance(now time.Time) {
	if w.start.IsZero() {
		w.start = now
	}
	at, slots := int64(now.Sub(w.start)/w.width), int64(len(w.slot))
	if at-w.last >= slots {
		clear(w.slot)
		w.sum, w.last = 0, at
		return
	}
	for w.last < at {
		w.last++
		s := &w.slot[w.last%slots]
		w.sum -= *s
		*s = 0
	}
}

func (w *window) add(now time.Time, n int) {
	w.advance(now)
	w.slot[w.last%int64(len(w.slot))] += n
	w.sum += n
}

// wait is how long until n more stay within limit; n is at most limit.
func (w *window) wait(now time.Time, n, limit int) time.Duration {
	w.advance(now)
	over, slots := w.sum+n-limit, int64(len(w.slot))
	for i := max(w.last-slots+1, 0); over > 0 && i <= w.last; i++ {
		over -= w.slot[i%slots]
		if over <= 0 {
			return w.start.Add(time.Duration(i+slots) * w.width).Sub(now)
		}
	}
	return 0
}

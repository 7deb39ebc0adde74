package limit

import "time"

// The window counts in slots. What is taken at one time and at another at most
// 60 s later lies at most slots-1 slots apart, so the sum over all slots bounds
// every 60 s, ends included. The price is up to one slot of waiting too long.
const (
	slotTime = 100 * time.Millisecond
	slots    = int64(time.Minute/slotTime) + 1
)

// window sums what was taken in the last minute. The zero value is empty.
type window struct {
	start time.Time
	last  int64 // newest slot, counted from start
	sum   int
	slot  [slots]int // slot i at index i mod slots
}

// advance forgets the slots that have left the window.
func (w *window) advance(now time.Time) {
	if w.start.IsZero() {
		w.start = now
	}
	at := int64(now.Sub(w.start) / slotTime)
	if at-w.last >= slots {
		w.slot, w.sum, w.last = [slots]int{}, 0, at
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
	w.slot[w.last%slots] += n
	w.sum += n
}

// wait is how long until n more stay within limit; n is at most limit.
func (w *window) wait(now time.Time, n, limit int) time.Duration {
	w.advance(now)
	over := w.sum + n - limit
	for i := max(w.last-slots+1, 0); over > 0 && i <= w.last; i++ {
		over -= w.slot[i%slots]
		if over <= 0 {
			return w.start.Add(time.Duration(i+slots) * slotTime).Sub(now)
		}
	}
	return 0
}

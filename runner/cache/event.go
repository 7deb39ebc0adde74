package cache

import (
	"fmt"
)

// EventKind says what an Event reports.
type EventKind uint8

// The kinds of event.
const (
	EventBadLine    EventKind = iota // a line that is not a valid entry; skipped
	EventUnreadable                  // a segment that could not be read
	EventAbandoned                   // a segment that failed while written; a new one follows
	EventTrouble                     // nothing can be written; answers wait in memory
	EventRecovered                   // writing works again; all that waited is stored
	EventMoved                       // a segment was moved or removed while it was written
)

// Event is one thing the user should hear of. Each bad line, abandoned segment
// and period of trouble is reported once.
type Event struct {
	Kind   EventKind
	File   string // segment or directory concerned
	Offset int64  // byte offset of the line, for EventBadLine and EventAbandoned
	Count  int    // EventBadLine: lines concerned, the first at Offset
	Err    error  // the cause

	Waiting      int   // answers not yet on disk
	WaitingBytes int64 // their size
	Free         int64 // bytes free on the disk; -1: unknown
}

// String is the event as one plain message.
func (e Event) String() string {
	switch e.Kind {
	case EventBadLine:
		if e.Count > 1 {
			return fmt.Sprintf("%s: %d lines are not valid entries, the first at byte %d (%v); they are skipped and count as not cached",
				e.File, e.Count, e.Offset, e.Err)
		}
		return fmt.Sprintf("%s: the line at byte %d is not a valid entry (%v); it is skipped and counts as not cached", e.File, e.Offset, e.Err)
	case EventUnreadable:
		return fmt.Sprintf("%s: cannot be read (%v); its entries count as not cached", e.File, e.Err)
	case EventAbandoned:
		return fmt.Sprintf("%s: writing failed at byte %d (%v); nothing is lost, %s for a new file", e.File, e.Offset, e.Err, e.waiting())
	case EventTrouble:
		return fmt.Sprintf("%s: answers cannot be stored (%v); %s in memory, %s; no new calls are sent, writing is tried again every %s",
			e.File, e.Err, e.waiting(), e.free(), retryEvery)
	case EventMoved:
		return fmt.Sprintf("%s: moved or removed while it was written; nothing is lost, its %s are written again to a new file", e.File, size(e.Offset))
	case EventRecovered:
		return fmt.Sprintf("%s: answers can be stored again; nothing was lost", e.File)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

func (e Event) waiting() string {
	if e.Waiting == 1 {
		return "1 answer (" + size(e.WaitingBytes) + ") waits"
	}
	return fmt.Sprintf("%d answers (%s) wait", e.Waiting, size(e.WaitingBytes))
}

func (e Event) free() string {
	if e.Free < 0 {
		return "free space unknown"
	}
	return size(e.Free) + " free on the disk"
}

func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

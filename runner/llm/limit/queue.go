package limit

import (
	"time"

	"memform/runner/llm"
)

// state is where a waiter stands; guarded by Limiter.mu.
type state uint8

const (
	waiting  state = iota
	admitted       // may be sent
	refused        // the gate stopped it
	gone           // its caller left
)

// waiter is one call in the queue.
type waiter struct {
	call    *llm.Call
	state   state
	epoch   int // of Limiter.width, when it was admitted
	stopped *llm.Failure
	ready   chan struct{} // closed when the state is decided; nil until somebody waits
}

func (w *waiter) decide(s state) {
	w.state = s
	if w.ready != nil {
		close(w.ready)
	}
}

// lane is the queue of one model, with the model's own limits.
type lane struct {
	own   meter
	hold  time.Time // the server has no room before
	queue []*waiter
}

// wait is how long until a call of n tokens may be sent as far as the model's
// own limits go.
func (q *lane) wait(now time.Time, n int) time.Duration {
	return max(q.own.wait(now, n), q.hold.Sub(now))
}

func (q *lane) push(w *waiter) { q.queue = append(q.queue, w) }

// head is the first waiter whose caller is still there, or nil.
func (q *lane) head() *waiter {
	for len(q.queue) > 0 {
		if w := q.queue[0]; w.state == waiting {
			return w
		}
		q.pop()
	}
	return nil
}

func (q *lane) pop() {
	q.queue[0] = nil
	q.queue = q.queue[1:]
	if len(q.queue) == 0 {
		q.queue = nil
	}
}

func (l *Limiter) laneOf(model string) *lane {
	q := l.byModel[model]
	if q == nil {
		q = &lane{own: newMeter(l.limits[model])}
		l.byModel[model] = q
		l.lanes = append(l.lanes, q)
	}
	return q
}

// pump admits every call that may be sent now and sets the timer for the next.
// It runs with mu held, whenever something changed.
//
// A call that its own model's limits hold back lets other models pass. One
// that the endpoint's limits or the gate hold back lets nobody pass: a large
// call would otherwise starve behind small ones.
func (l *Limiter) pump() {
	for {
		l.refuseStopped()
		now := time.Now()
		i, wait := l.choose(now)
		if i < 0 {
			l.wakeIn(wait)
			return
		}
		if l.inFlight >= l.width.allowed() {
			return
		}
		q := l.lanes[i]
		w := q.head()
		n := reserve(w.call)
		if wait := l.shared.wait(now, n); wait > 0 {
			l.restFor(now, l.shared.daily.wait(now, 1))
			l.wakeIn(wait)
			return
		}
		if wait := l.gate.Admit(w.call); wait != 0 {
			l.wakeIn(wait)
			return
		}
		l.shared.take(now, n)
		q.own.take(now, n)
		q.pop()
		l.inFlight++
		w.epoch = l.width.epoch
		l.turn = (i + 1) % len(l.lanes)
		w.decide(admitted)
	}
}

// choose picks the lane whose head is next; -1 where none may be sent, with
// the shortest time until one may (0: no such time).
func (l *Limiter) choose(now time.Time) (index int, wait time.Duration) {
	for k := range l.lanes {
		i := (l.turn + k) % len(l.lanes)
		w := l.lanes[i].head()
		if w == nil {
			continue
		}
		own := l.lanes[i].wait(now, reserve(w.call))
		if own <= 0 {
			return i, 0
		}
		if wait == 0 || own < wait {
			wait = own
		}
	}
	return -1, wait
}

// restFor says that the limit of a day is reached, at most once an hour.
func (l *Limiter) restFor(now time.Time, wait time.Duration) {
	if wait > 0 && now.Sub(l.rested) >= time.Hour {
		l.rested = now
		l.rest(wait)
	}
}

// refuseStopped empties the lanes that the gate has stopped.
func (l *Limiter) refuseStopped() {
	for _, q := range l.lanes {
		for w := q.head(); w != nil; w = q.head() {
			if w.stopped = l.gate.Stopped(w.call); w.stopped == nil {
				break
			}
			q.pop()
			w.decide(refused)
		}
	}
}

// wakeIn pumps again after d; with d ≤ 0 only the next event does.
func (l *Limiter) wakeIn(d time.Duration) {
	if d <= 0 {
		return
	}
	if l.timer != nil {
		l.timer.Reset(d)
		return
	}
	l.timer = time.AfterFunc(d, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.pump()
	})
}

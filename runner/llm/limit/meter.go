package limit

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// meter holds the limits of an endpoint or a model.
type meter struct{ requests, tokens, daily *bucket }

func newMeter(l Limits) meter {
	return meter{
		requests: newBucket(l.RequestsPerMinute),
		tokens:   newBucket(l.TokensPerMinute),
		daily:    newDailyBucket(l.RequestsPerDay),
	}
}

// wait is how long until one request of n tokens may be sent; 0 = now.
func (m *meter) wait(now time.Time, n int) time.Duration {
	return max(m.requests.wait(now, 1), m.tokens.wait(now, n), m.daily.wait(now, 1))
}

func (m *meter) take(now time.Time, n int) {
	m.requests.take(now, 1)
	m.tokens.take(now, n)
	m.daily.take(now, 1)
}

func (m *meter) settle(now time.Time, reserved, used int) { m.tokens.settle(now, reserved, used) }

// bucket holds one limit. Two devices share the work. The pace, a token
// bucket of burst = max(1, limit/60) and rate = (limit - burst)/60 a second,
// spreads what is taken over the minute. The window proves that no 60 s see
// more than the limit: the pace alone cannot, since one call may take more than
// the burst. A limit of a day has no pace, only its window. Without a limit
// the window still counts, so that one learned later knows what was sent.
type bucket struct {
	declared int // 0 = none
	learned  int // what the server said; 0 = nothing
	heard    time.Time
	daily    bool

	limit int // in force: the lower of both; 0 = none
	burst int
	pace  *rate.Limiter // nil without a limit and for a day
	spent window
}

func newBucket(limit int) *bucket {
	b := &bucket{declared: limit, spent: newWindow(time.Minute, 100*time.Millisecond)}
	b.apply(time.Time{})
	return b
}

// newDailyBucket is nil, which limits nothing, where there is no limit.
func newDailyBucket(limit int) *bucket {
	if limit <= 0 {
		return nil
	}
	return &bucket{declared: limit, limit: limit, daily: true, spent: newWindow(24*time.Hour, time.Minute)}
}

// apply puts the lower of what was declared and what was learned in force.
// A pace that begins later begins without a burst.
func (b *bucket) apply(now time.Time) {
	limit := max(b.declared, 0)
	if b.learned > 0 && (limit == 0 || b.learned < limit) {
		limit = b.learned
	}
	if b.limit = limit; limit == 0 {
		b.pace = nil
		return
	}
	b.burst = max(1, limit/60)
	perSecond := rate.Limit(float64(limit-b.burst) / 60)
	if limit == 1 {
		perSecond = 1.0 / 60
	}
	if b.pace == nil {
		b.pace = rate.NewLimiter(perSecond, b.burst)
		if !now.IsZero() {
			b.pace.ReserveN(now, b.burst)
		}
		return
	}
	b.pace.SetLimitAt(now, perSecond)
	b.pace.SetBurstAt(now, b.burst)
}

// learn takes in the limit that an answer names; 0: it is not one of a minute.
// A lower one holds at once, a higher one when nothing lower was heard for a
// minute, so that servers whose answers disagree are believed at their least.
func (b *bucket) learn(now time.Time, limit int) {
	if limit > b.learned && b.learned > 0 && now.Sub(b.heard) < time.Minute {
		return
	}
	b.heard = now
	if limit != b.learned {
		b.learned = limit
		b.apply(now)
	}
}

// slack forgives the rounding of the pace, in tokens.
const slack = 1e-6

// wait is how long until n may be taken. More than the burst waits for a full
// burst and leaves a debt; more than the limit waits for an empty window.
func (b *bucket) wait(now time.Time, n int) time.Duration {
	if b == nil || b.limit == 0 || n <= 0 {
		return 0
	}
	n = min(n, b.limit)
	var pace time.Duration
	if b.pace != nil {
		if short := float64(min(n, b.burst)) - b.pace.TokensAt(now); short > slack {
			pace = time.Duration(math.Ceil(short / float64(b.pace.Limit()) * float64(time.Second)))
		}
	}
	return max(pace, b.spent.wait(now, n, b.limit))
}

func (b *bucket) take(now time.Time, n int) {
	if b == nil || n <= 0 {
		return
	}
	n = b.within(n)
	b.spent.add(now, n)
	b.charge(now, n)
}

// within is the most of n that the limit can ever see.
func (b *bucket) within(n int) int {
	if b.limit == 0 {
		return n
	}
	return min(n, b.limit)
}

// charge takes n from the pace, in bursts, the largest piece it accepts.
func (b *bucket) charge(now time.Time, n int) {
	if b.pace == nil {
		return
	}
	for ; n > 0; n -= b.burst {
		b.pace.ReserveN(now, min(n, b.burst))
	}
}

// settle corrects a reservation once the real use is known. What was not used
// goes back to the pace, so that the next call need not wait for it; the
// window keeps the whole reservation, since servers that count reserved tokens
// do too. What was used beyond it is charged to both.
func (b *bucket) settle(now time.Time, reserved, used int) {
	reserved = b.within(reserved)
	if over := b.within(used - reserved); over > 0 {
		b.spent.add(now, over)
		b.charge(now, over)
	} else if over < 0 && b.pace != nil {
		b.pace.ReserveN(now, over) // a negative reservation gives back
	}
}

package limit

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

// meter holds the two limits of an endpoint or a model.
type meter struct{ requests, tokens *bucket }

func newMeter(l Limits) meter {
	return meter{newBucket(l.RequestsPerMinute), newBucket(l.TokensPerMinute)}
}

// wait is how long until one request of n tokens may be sent; 0 = now.
func (m *meter) wait(now time.Time, n int) time.Duration {
	return max(m.requests.wait(now, 1), m.tokens.wait(now, n))
}

func (m *meter) take(now time.Time, n int) {
	m.requests.take(now, 1)
	m.tokens.take(now, n)
}

func (m *meter) settle(now time.Time, reserved, used int) { m.tokens.settle(now, reserved, used) }

// bucket holds one limit a minute. Two devices share the work. The pace, a
// token bucket of burst = max(1, limit/60) and rate = (limit - burst)/60 a
// second, spreads what is taken over the minute. The window proves that no
// 60 s see more than the limit: the pace alone cannot, since one call may take
// more than the burst. A nil bucket has no limit.
type bucket struct {
	limit int
	burst int
	pace  *rate.Limiter
	spent window
}

func newBucket(limit int) *bucket {
	if limit <= 0 {
		return nil
	}
	burst := max(1, limit/60)
	perSecond := float64(limit-burst) / 60
	if limit == 1 {
		perSecond = 1.0 / 60
	}
	return &bucket{limit: limit, burst: burst, pace: rate.NewLimiter(rate.Limit(perSecond), burst)}
}

// slack forgives the rounding of the pace, in tokens.
const slack = 1e-6

// wait is how long until n may be taken. More than the burst waits for a full
// burst and leaves a debt; more than the limit waits for an empty window.
func (b *bucket) wait(now time.Time, n int) time.Duration {
	if b == nil || n <= 0 {
		return 0
	}
	n = min(n, b.limit)
	var pace time.Duration
	if short := float64(min(n, b.burst)) - b.pace.TokensAt(now); short > slack {
		pace = time.Duration(math.Ceil(short / float64(b.pace.Limit()) * float64(time.Second)))
	}
	return max(pace, b.spent.wait(now, n, b.limit))
}

func (b *bucket) take(now time.Time, n int) {
	if b == nil || n <= 0 {
		return
	}
	n = min(n, b.limit)
	b.spent.add(now, n)
	b.charge(now, n)
}

// charge takes n from the pace, in bursts, the largest piece it accepts.
func (b *bucket) charge(now time.Time, n int) {
	for ; n > 0; n -= b.burst {
		b.pace.ReserveN(now, min(n, b.burst))
	}
}

// settle corrects a reservation once the real use is known. What was not used
// goes back to the pace, so that the next call need not wait for it; the
// window keeps the whole reservation, since servers that count reserved tokens
// do too. What was used beyond it is charged to both.
func (b *bucket) settle(now time.Time, reserved, used int) {
	if b == nil {
		return
	}
	reserved = min(reserved, b.limit)
	if over := min(used-reserved, b.limit); over > 0 {
		b.spent.add(now, over)
		b.charge(now, over)
	} else if over < 0 {
		b.pace.ReserveN(now, over) // a negative reservation gives back
	}
}

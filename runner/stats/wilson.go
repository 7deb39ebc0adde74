// Package stats holds the statistics that scores are reported with: intervals
// of shares, paired tests and the correction for several of them, each a pure
// function of counts and, where it draws, of a seed. It knows no rows, cases or
// models. Start at Wilson for one share, at Bootstrap for shares by family, at
// SignFlip and McNemar for pairs.
package stats

import "math"

// Confidence is the level of every interval unless another one is named.
const Confidence = 0.95

// z95 is the normal quantile for Confidence, written out so that the default
// interval is the same bits on every machine.
const z95 = 1.959963984540054

// Interval is a closed interval of shares.
type Interval struct{ Low, High float64 }

// Wilson is the score interval (Wilson 1927, no continuity correction) for a
// share that was seen as count of n, at the given confidence in (0, 1). It
// reports false where n is not positive, count lies outside [0, n] or the
// confidence outside (0, 1): no interval exists.
//
// count and n may be fractional: draws that repeat one item are worth less
// than items, and the caller may state how much.
func Wilson(count, n, confidence float64) (Interval, bool) {
	if !(n > 0) || !(count >= 0 && count <= n) || !(confidence > 0 && confidence < 1) {
		return Interval{}, false
	}
	z := quantile(confidence)
	zz := float64(z * z)
	p := count / n
	// The conversions forbid fused multiply-add: same bits on every machine.
	scale := 1 + zz/n
	centre := (p + zz/(2*n)) / scale
	spread := float64(p*(1-p))/n + zz/(4*float64(n*n))
	half := float64(z*math.Sqrt(spread)) / scale
	in := Interval{math.Max(0, centre-half), math.Min(1, centre+half)}
	// At the ends the bound is exact; arithmetic would leave a rest.
	if count == 0 {
		in.Low = 0
	}
	if count == n {
		in.High = 1
	}
	return in, true
}

// quantile is z with P(|Z| ≤ z) = confidence for a standard normal Z.
func quantile(confidence float64) float64 {
	if confidence == Confidence {
		return z95
	}
	return math.Sqrt2 * math.Erfinv(confidence)
}

package stats

import "math/big"

// McNemar is the exact test on discordant pairs, b of one kind and c of the
// other, two-sided: twice the smaller binomial tail at ½, at most 1. mid counts
// the observed table half, which makes up for the exact test being conservative
// (Fagerland, Lydersen and Laake 2013). Without discordant pairs both are 1.
//
// Tails are integers over 2^n and are rounded once, at the end, so that the
// bits are the same on every machine. It panics where a count is negative.
func McNemar(b, c int) (exact, mid float64) {
	n, smaller := int64(b)+int64(c), int64(min(b, c))
	if smaller < 0 {
		panic("stats: negative count of discordant pairs")
	}
	tail, term := big.NewInt(0), big.NewInt(1) // Σ C(n, k), C(n, k)
	for k := int64(0); ; k++ {
		tail.Add(tail, term)
		if k == smaller {
			break
		}
		term.Mul(term, big.NewInt(n-k))
		term.Quo(term, big.NewInt(k+1))
	}
	tail.Lsh(tail, 1)
	exact = min(1, overPower(tail, n))
	return exact, overPower(tail.Sub(tail, term), n)
}

// overPower is x / 2^n, rounded to the nearest float64.
func overPower(x *big.Int, n int64) float64 {
	f := new(big.Float).SetPrec(53).SetInt(x)
	v, _ := f.SetMantExp(f, -int(n)).Float64()
	return v
}

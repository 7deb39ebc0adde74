package stats

import "slices"

const (
	// Flips is how many sign vectors a sampled test draws.
	Flips = 10_000
	// exactFlips is the most families whose sign vectors are all counted.
	exactFlips = 20
)

// FlipTest is a two-sided sign-flip permutation test over families.
type FlipTest struct {
	P        float64
	Families int  // whose sum is not zero; the others cannot move the test
	Exact    bool // all sign vectors were counted, none sampled
}

// SignFlip tests whether the sums of families are as likely positive as
// negative: P is the share of sign vectors s with |Σ s·d| ≥ |Σ d|. All are
// counted up to 20 families with a sum other than zero; above it Flips are
// drawn and P = (b + 1) / (Flips + 1), b of them being as extreme. Without such
// a family P is 1. The order of the sums does not matter. Their absolute
// values must add up to less than 2^62 (docs/protocol.md, "Statistics").
func SignFlip(seed int64, sums []int64) FlipTest {
	var d []int64
	for _, v := range sums {
		if v != 0 {
			d = append(d, v)
		}
	}
	if len(d) == 0 {
		return FlipTest{P: 1, Exact: true}
	}
	slices.Sort(d)
	if len(d) <= exactFlips {
		return FlipTest{countFlips(d), len(d), true}
	}
	return FlipTest{sampleFlips(seed, d), len(d), false}
}

// countFlips walks the sign vectors in Gray code, one sign at a time. The last
// family keeps its sign: turning all of them changes no absolute value.
func countFlips(d []int64) float64 {
	sum := total(d)
	observed := abs(sum)
	all, extreme := 1<<(len(d)-1), 0
	negative := make([]bool, len(d))
	for i := 1; ; i++ {
		if abs(sum) >= observed {
			extreme++
		}
		if i == all {
			return float64(extreme) / float64(all)
		}
		turn := 0
		for i>>turn&1 == 0 {
			turn++
		}
		if negative[turn] {
			sum += 2 * d[turn]
		} else {
			sum -= 2 * d[turn]
		}
		negative[turn] = !negative[turn]
	}
}

// sampleFlips takes 64 signs from each word of the generator, which is named
// by the sums themselves.
func sampleFlips(seed int64, d []int64) float64 {
	rng := generator("memform sign-flip", append([]int64{seed}, d...)...)
	sum := total(d)
	observed := abs(sum)
	extreme := 0
	for range Flips {
		kept := int64(0)
		for rest := d; len(rest) > 0; {
			signs, n := rng.Uint64(), min(64, len(rest))
			for _, v := range rest[:n] {
				kept += v & -int64(signs&1) // without a branch
				signs >>= 1
			}
			rest = rest[n:]
		}
		if abs(2*kept-sum) >= observed {
			extreme++
		}
	}
	return float64(extreme+1) / float64(Flips+1)
}

func total(d []int64) (sum int64) {
	for _, v := range d {
		sum += v
	}
	return sum
}

func abs(v int64) int64 { return max(v, -v) }

// SignFlips is SignFlip of each list of sums.
func SignFlips(seed int64, lists [][]int64) []FlipTest {
	tests := make([]FlipTest, len(lists))
	parallel(len(lists), func() func(int) {
		return func(i int) { tests[i] = SignFlip(seed, lists[i]) }
	})
	return tests
}

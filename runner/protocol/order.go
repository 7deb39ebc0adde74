package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"memform/runner/cases"
)

// Orders returns the first n distinct seeded permutations of a record
// multiset, as positions into digests; all distinct ones where n is at least
// their number. The k-th candidate sorts by the seeded rank of (multiset,
// record, k); a candidate that repeats an earlier one is skipped. No id and no
// position enters, so more orders change no earlier one (docs/protocol.md,
// "Determinism").
func Orders(seed int64, digests []cases.Digest, n int) [][]int {
	n = min(n, distinctOrders(digests, n))
	set := multisetDigest(digests)
	var orders [][]int
	seen := map[string]bool{}
	for k := 1; len(orders) < n; k++ {
		order := shuffle(seed, "order", set, len(digests), func(i int) cases.Digest { return digests[i] }, k)
		var name []byte
		for _, i := range order {
			name = append(name, digests[i][:]...)
		}
		if !seen[string(name)] {
			seen[string(name)] = true
			orders = append(orders, order)
		}
	}
	return orders
}

// distinctOrders is n!/∏m! for the multiplicities m of equal records, or any
// number above limit where it exceeds limit.
func distinctOrders(digests []cases.Digest, limit int) int {
	count := map[cases.Digest]int{}
	total := 1
	for i, d := range digests {
		// Exact at every step: total is the multinomial of the first i records.
		count[d]++
		total = total * (i + 1) / count[d]
		if total > limit*len(digests)*len(digests) {
			return total
		}
	}
	return total
}

// shuffle sorts 0…n−1 by the seeded rank of each element within the whole. The
// second and later of equal elements rank by their number too: else equal ones
// would always stand together, and not every order could come up.
func shuffle(seed int64, purpose string, whole cases.Digest, n int, digest func(int) cases.Digest, index ...int) []int {
	ranks := make([]cases.Digest, n)
	order := make([]int, n)
	for i := range order {
		d := digest(i)
		at := index
		if earlier := occurrences(d, i, digest); earlier > 0 {
			at = append(index[:len(index):len(index)], earlier)
		}
		ranks[i] = cases.Rank(seed, purpose, sha256.Sum256(append(whole[:len(whole):len(whole)], d[:]...)), at...)
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return bytes.Compare(ranks[a][:], ranks[b][:]) })
	return order
}

// occurrences counts the elements before i that equal d.
func occurrences(d cases.Digest, i int, digest func(int) cases.Digest) int {
	n := 0
	for j := range i {
		if digest(j) == d {
			n++
		}
	}
	return n
}

func multisetDigest(digests []cases.Digest) cases.Digest {
	sorted := slices.Clone(digests)
	slices.SortFunc(sorted, func(a, b cases.Digest) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for i := range sorted {
		h.Write(sorted[i][:])
	}
	return cases.Digest(h.Sum(nil))
}

func textDigest(s string) cases.Digest { return sha256.Sum256([]byte(s)) }

// listDigest depends on the order of the choices, setDigest does not.
func listDigest(text string, choices []string) cases.Digest {
	b := appendText(nil, text)
	for _, c := range choices {
		b = appendText(b, c)
	}
	return sha256.Sum256(b)
}

func setDigest(text string, choices []string) cases.Digest {
	sorted := slices.Clone(choices)
	slices.Sort(sorted)
	return listDigest(text, sorted)
}

func appendText(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint64(b, uint64(len(s))), s...)
}

package stats

import (
	"cmp"
	"slices"
)

// Holm adjusts p-values that were declared to be judged together (Holm 1979):
// an adjusted value below α holds at α for the whole family. The result is in
// the order of p; p is not changed.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = highest
	}
	return adjusted
}

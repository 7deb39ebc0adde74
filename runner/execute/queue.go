package execute

import (
	"container/heap"

	"memform/runner/plan"
)

// queue holds ready nodes, the longest remaining chain first, then plan order.
type queue struct {
	nodes []int32
	plan  *plan.Plan
}

func (q *queue) Len() int { return len(q.nodes) }
func (q *queue) Less(i, j int) bool {
	a, b := q.nodes[i], q.nodes[j]
	if ha, hb := q.plan.Nodes[a].Height, q.plan.Nodes[b].Height; ha != hb {
		return ha > hb
	}
	return a < b
}
func (q *queue) Swap(i, j int) { q.nodes[i], q.nodes[j] = q.nodes[j], q.nodes[i] }
func (q *queue) Push(x any)    { q.nodes = append(q.nodes, x.(int32)) }
func (q *queue) Pop() any {
	last := q.nodes[len(q.nodes)-1]
	q.nodes = q.nodes[:len(q.nodes)-1]
	return last
}

var _ heap.Interface = (*queue)(nil)

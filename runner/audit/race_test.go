//go:build race

package audit

// step thins the mutations out under the race detector, which makes them slow
// and has nothing to find: the package starts no goroutine.
const step = 4

package limit

import "memform/runner/llm"

// concurrency is how many calls may be in flight: all that are declared until
// the server is overloaded, then half, then more by a sixteenth of what is
// declared for each round of answers. It is never less than one call.
type concurrency struct {
	most  int
	level float64
	epoch int // how often it was cut
}

func newConcurrency(most int) concurrency { return concurrency{most: most, level: float64(most)} }

func (c *concurrency) allowed() int { return int(c.level) }

// answered takes in how a call went that was admitted in an epoch, while
// inFlight calls were in flight. What was sent before the last cut says
// nothing about the time after it.
func (c *concurrency) answered(epoch, inFlight int, r *llm.Response) {
	switch {
	case overloaded(r.Err):
		if epoch == c.epoch {
			c.level = max(c.level/2, 1)
			c.epoch++
		}
	case r.Err == nil && inFlight >= c.allowed():
		c.level = min(c.level+max(1, float64(c.most)/16)/c.level, float64(c.most))
	}
}

// overloaded reports a server that asks for fewer calls: 429, 503, 529.
func overloaded(f *llm.Failure) bool {
	return f != nil && (f.Class == llm.ClassRate || f.Status == 503 || f.Status == 529)
}

package cli

import (
	"context"
	"sync"

	"memform/runner/cache"
	"memform/runner/llm"
)

// unstored lets a call count as in flight until its answer is on disk. So an
// endpoint's calls that a kill can cost, sent or answered, are never more
// than its max_in_flight.
type unstored struct {
	mu    sync.Mutex
	slots map[llm.Key]chan struct{} // of answers that wait for the disk
}

func newUnstored() *unstored { return &unstored{slots: map[llm.Key]chan struct{}{}} }

// client wraps the client of an endpoint that has limit slots.
func (u *unstored) client(inner llm.Model, limit int) llm.Model {
	slots := make(chan struct{}, limit)
	return llm.Func(func(ctx context.Context, call *llm.Call) (llm.Response, error) {
		select {
		case slots <- struct{}{}:
		case <-llm.Draining(ctx):
			return llm.Response{}, llm.ErrDraining
		case <-ctx.Done():
			return llm.Response{}, ctx.Err()
		}
		r, err := inner.Complete(ctx, call)
		if err != nil || !r.Outcome.Cacheable() {
			<-slots
			return r, err
		}
		u.mu.Lock()
		u.slots[call.Key] = slots
		u.mu.Unlock()
		return r, nil
	})
}

// stored gives back the slot of a call, if it holds one.
func (u *unstored) stored(key llm.Key) {
	u.mu.Lock()
	slots := u.slots[key]
	delete(u.slots, key)
	u.mu.Unlock()
	if slots != nil {
		<-slots
	}
}

// store is the cache, telling unstored what is on disk.
type store struct {
	*cache.Store
	unstored *unstored
}

func (s store) Put(ctx context.Context, key cache.Key, e cache.Entry) error {
	defer s.unstored.stored(llm.Key(key))
	return s.Store.Put(ctx, key, e)
}

package cached

import (
	"context"

	"memform/runner/llm"
)

// Again wraps an endpoint's client below limits and retries. A call may have
// waited there for longer than the store goes without looking at what other
// processes bought; it is looked for once more before each attempt, so that a
// pause costs nobody a second answer. What is found is Cached and has no
// headers: they tell the limits of another time.
func Again(client llm.Model, store Store, cfg Config) llm.Model {
	m := New(nil, store, cfg)
	return llm.Func(func(ctx context.Context, call *llm.Call) (llm.Response, error) {
		if err := store.Refresh(); err != nil {
			m.cfg.Report(err)
		}
		if r, ok := m.look(call); ok {
			r.Headers, r.Attempts = nil, 0
			return r, nil
		}
		return client.Complete(ctx, call)
	})
}

package llm

import (
	"context"
	"fmt"
)

// ErrDraining is what Complete returns for a call that was given up before
// it was answered because the run is stopping. It wraps context.Canceled.
var ErrDraining = fmt.Errorf("the run is stopping, the call was not sent again: %w", context.Canceled)

type drainKey struct{}

// WithDrain tells the layers below that the run stops once done is closed:
// calls that wait for a limit, a pause or a backoff then return ErrDraining
// and send nothing; an attempt that has been sent is not disturbed. Only the
// context itself ends that one.
func WithDrain(ctx context.Context, done <-chan struct{}) context.Context {
	return context.WithValue(ctx, drainKey{}, done)
}

// Draining is the channel given to WithDrain; nil, which never fires, if none.
func Draining(ctx context.Context) <-chan struct{} {
	done, _ := ctx.Value(drainKey{}).(<-chan struct{})
	return done
}

package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// watch turns the first signal into an orderly stop and the second, or the
// end of the drain time, into an abort.
func (r *runner) watch(stop, over chan struct{}, signal chan<- os.Signal, abort func()) {
	select {
	case s := <-r.Signals:
		signal <- s
	case <-over:
		return
	}
	close(stop)
	r.log.Warn().Msgf("stopping: calls in flight have %s to finish; interrupt again to abort", r.flags.drain)
	timer := time.NewTimer(r.flags.drain)
	defer timer.Stop()
	select {
	case <-timer.C:
		r.log.Warn().Msg("the drain time is over; calls in flight are given up")
	case <-r.Signals:
	case <-over:
		return
	}
	r.aborted.Store(true)
	abort()
}

// syncAtMost is how long an interrupted run waits for answers to reach a disk
// that does not take them.
const syncAtMost = 5 * time.Second

// interrupted says what is left and how to go on.
func (r *runner) interrupted(s os.Signal) error {
	p := r.got.progress()
	lost := "nothing was lost"
	// A disk that takes nothing must not hold up an end that was asked for.
	ctx, cancel := context.WithTimeout(context.Background(), syncAtMost)
	defer cancel()
	if err := r.store.Sync(ctx); err != nil {
		lost = "answers that wait for the disk could not be stored and will be bought again"
		r.log.Error().Err(err).Msg(lost)
	} else if r.aborted.Load() {
		lost = "calls then in flight were given up: the server may bill them, and they will be sent again"
	}
	fmt.Fprintf(r.Stderr, "interrupted: %d of %d nodes done, %s answered and stored in this run; %s\nresume with: %s\n",
		p.Done, p.Nodes, count(p.Sent, "call"), lost, r.resume())
	return &exit{code: signalCode(s)}
}

func signalCode(s os.Signal) int {
	if s == os.Interrupt {
		return exitInterrupted
	}
	return exitTerminated
}

// resume is the command line that goes on where this run stopped.
func (r *runner) resume() string {
	words := []string{"memform"}
	for _, arg := range r.Args {
		words = append(words, quoted(arg))
	}
	return strings.Join(words, " ")
}

// quoted is an argument as a shell reads it back.
func quoted(arg string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
	if arg != "" && strings.Trim(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

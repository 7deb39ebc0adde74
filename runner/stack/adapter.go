package stack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"memform/runner/llm"
)

// How much an adapter may fail.
const (
	deathsOfOne = 3  // deaths on one operation that fail it
	deathsInRow = 10 // deaths without a finished operation that end the adapter
)

// Adapter does operations in a process, and in a new one where that dies. It
// is safe for concurrent use.
type Adapter struct {
	cfg   Config
	hello Hello
	slots chan struct{} // one per operation that may be open at once
	given chan error    // how operations that were given up ended
	alone chan struct{} // held by the operation that has a process for itself
	rest  sync.WaitGroup

	mu     sync.Mutex
	shared *process // where operations are done
	single *process // where those are done alone over which a process died
	deaths int      // in a row
	broken error
	closed bool
}

// Start starts the adapter's first process and waits for its hello.
func Start(ctx context.Context, cfg Config) (*Adapter, error) {
	cfg.defaults()
	if len(cfg.Command) == 0 {
		return nil, &StartError{cfg.Stack, "it has no command"}
	}
	a := &Adapter{cfg: cfg, alone: make(chan struct{}, 1), given: make(chan error, 1)}
	p, err := spawn(ctx, &a.cfg)
	if err != nil {
		return nil, err
	}
	a.shared, a.hello = p, p.hello
	a.slots = make(chan struct{}, p.hello.MaxOps)
	return a, nil
}

// Hello is how the adapter introduced itself.
func (a *Adapter) Hello() Hello { return a.hello }

// Close ends the adapter in order; operations in progress fail.
func (a *Adapter) Close() { _ = a.End() }

// End is Close, with an error where a process had to be killed.
func (a *Adapter) End() error {
	a.mu.Lock()
	a.closed = true
	running := []*process{a.shared, a.single}
	a.mu.Unlock()
	var wg sync.WaitGroup
	errs := make([]error, len(running))
	for i, p := range running {
		if p != nil {
			wg.Go(func() { errs[i] = p.leave() })
		}
	}
	wg.Wait()
	a.rest.Wait()
	return errors.Join(errs...)
}

// Settle waits for the end of an operation that was given up. The error says
// that its cancellation was not answered, so that its process was killed.
func (a *Adapter) Settle(ctx context.Context) error {
	select {
	case err := <-a.given:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Kill ends the process in which operations are done, as a crash would.
func (a *Adapter) Kill() {
	a.mu.Lock()
	p := a.shared
	a.mu.Unlock()
	p.kill("it was killed")
}

// Do does one operation. The error is a *Failure where the adapter could not;
// anything else is the end of ctx, or llm.ErrDraining before it was begun.
func (a *Adapter) Do(ctx context.Context, o *Op) (Result, error) {
	if want := o.capability(); !a.hello.can(want) {
		return Result{}, &Failure{Kind: "unsupported", Message: fmt.Sprintf("stack %s does not do %q", a.cfg.Stack, want)}
	}
	release, err := take(ctx, a.slots)
	if err != nil {
		return Result{}, err
	}
	defer func() { release() }()
	deaths, again := 0, true
	for {
		end, err := a.attempt(ctx, o, deaths > 0)
		if err != nil {
			return Result{}, err
		}
		switch f := end.failure; {
		case f == nil:
			return end.result, nil
		case end.innocent:
		case end.died:
			if deaths++; deaths >= deathsOfOne {
				f.Message = fmt.Sprintf("given up after %d tries: %s", deaths, f.Message)
				return Result{}, f
			}
		case f.Retryable && again:
			again = false
		default:
			return Result{}, f
		}
	}
}

func (o *Op) capability() string {
	if o.Messages != nil {
		return "complete"
	}
	return "form"
}

// take takes one of n places.
func take(ctx context.Context, places chan struct{}) (release func(), err error) {
	select {
	case <-llm.Draining(ctx):
		return nil, llm.ErrDraining
	default:
	}
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-llm.Draining(ctx):
		return nil, llm.ErrDraining
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// outcome is how an attempt ended.
type outcome struct {
	result   Result
	failure  *Failure // nil: result holds
	died     bool     // the process ended over it, or it had to be given up
	innocent bool     // the process was ended for another operation
}

// attempt does an operation once, alone in a process where it is suspect: of
// many operations in a process that died, only that tells which it was.
func (a *Adapter) attempt(ctx context.Context, o *Op, suspect bool) (outcome, error) {
	place := &a.shared
	if suspect {
		release, err := take(ctx, a.alone)
		if err != nil {
			return outcome{}, err
		}
		defer release()
		place = &a.single
	}
	p, err := a.running(ctx, place)
	if err != nil {
		return a.unstarted(ctx, err)
	}
	token, idle, end, err := o.Begin(ctx)
	if err != nil {
		return outcome{}, err
	}
	defer end()
	id, at := p.begin(o, token)
	if at == nil { // it ended just before
		out := a.ended(p, reply{died: true})
		out.innocent = true
		return out, nil
	}
	return a.await(ctx, p, id, at, idle)
}

// running is the process of a place, a new one where the last has ended.
func (a *Adapter) running(ctx context.Context, place **process) (*process, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.closed:
		return nil, errors.New("the adapter is closed")
	case a.broken != nil:
		return nil, a.broken
	case *place != nil && !(*place).ended():
		return *place, nil
	}
	if *place != nil {
		<-(*place).exited
		a.cfg.Log("warning", "the adapter is started again: "+(*place).lastSaid())
	}
	p, err := spawn(ctx, &a.cfg)
	if err != nil {
		return nil, err
	}
	*place = p
	return p, nil
}

func (p *process) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

// unstarted is the end of an attempt for which there was no process.
func (a *Adapter) unstarted(ctx context.Context, err error) (outcome, error) {
	if ctx.Err() != nil {
		return outcome{}, context.Cause(ctx)
	}
	if f, ok := errors.AsType[*Failure](err); ok { // broken
		return outcome{failure: &Failure{Kind: f.Kind, Message: f.Message}}, nil
	}
	a.death(err.Error())
	return outcome{failure: &Failure{Kind: "died", Message: err.Error()}, died: true}, nil
}

// death counts a death; too many in a row end the adapter.
func (a *Adapter) death(said string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.deaths++; a.deaths >= deathsInRow && a.broken == nil {
		a.broken = &Failure{Kind: "broken", Message: fmt.Sprintf("the adapter died %d times in a row and is not started again: %s", a.deaths, said)}
		a.cfg.Log("error", a.broken.Error())
	}
}

// await waits for an attempt's reply, its deadline or the end of ctx.
func (a *Adapter) await(ctx context.Context, p *process, id string, at *attempt, idle func() time.Duration) (outcome, error) {
	timer := time.NewTimer(a.cfg.IdleWithin)
	defer timer.Stop()
	for {
		select {
		case r := <-at.reply:
			return a.ended(p, r), nil
		case <-ctx.Done():
			a.rest.Go(func() { a.giveUp(p, id, at) })
			return outcome{}, context.Cause(ctx)
		case <-timer.C:
		}
		if rest := a.cfg.IdleWithin - idle(); rest > 0 {
			timer.Reset(rest)
			continue
		}
		a.giveUp(p, id, at)
		message := fmt.Sprintf("the adapter did nothing for the operation for %s", a.cfg.IdleWithin)
		return outcome{failure: &Failure{Kind: "hung", Message: message + p.stderr.last()}, died: true}, nil
	}
}

// ended reads a reply.
func (a *Adapter) ended(p *process, r reply) outcome {
	if !r.died {
		a.mu.Lock()
		a.deaths = 0
		a.mu.Unlock()
		return outcome{result: r.result, failure: r.failed}
	}
	<-p.exited
	out := outcome{failure: &Failure{Kind: "died", Message: p.lastSaid()}, died: true}
	p.mu.Lock()
	out.innocent = p.why == forAnother
	p.mu.Unlock()
	if !out.innocent {
		a.deathOf(p)
	}
	return out
}

// forAnother is why a process was ended over one operation that hung.
const forAnother = "an operation did not answer its cancellation"

// giveUp cancels an attempt; a process that does not answer that is killed.
func (a *Adapter) giveUp(p *process, id string, at *attempt) {
	p.send(encode(idLine{"cancel", id}))
	timer := time.NewTimer(a.cfg.CancelWithin)
	defer timer.Stop()
	var err error
	select {
	case <-at.reply:
	case <-timer.C:
		p.kill(forAnother)
		<-p.exited
		err = fmt.Errorf("a cancellation was not answered within %s", a.cfg.CancelWithin)
	}
	select {
	case a.given <- err:
	default: // nobody settles
	}
}

// deathOf counts the death of a process once, however many operations saw it.
func (a *Adapter) deathOf(p *process) {
	p.mu.Lock()
	counted := p.counted
	p.counted = true
	p.mu.Unlock()
	if counted {
		return
	}
	if words := p.stderr.String(); words != "" {
		a.cfg.Log("warning", "the adapter died; its last words:\n"+words)
	}
	a.death(p.lastSaid())
}

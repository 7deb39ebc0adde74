package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memform/runner/execute"
	"memform/runner/llm"
	"memform/runner/llm/budget"
	"memform/runner/llm/retry"
	"memform/runner/plan"
	"memform/runner/report"
	"memform/runner/stack/bridge"
)

// runFlags are the choices of one run that change no result.
type runFlags struct {
	source
	cacheFlags
	outputDir string
	offline   bool
	yes       bool
	confirm   float64
	drain     time.Duration
	shard     string
	started   time.Time
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run EXPERIMENT.hcl… | PLAN",
		Short: "Run what the cache does not hold, then score",
		Args:  atLeastOne("an experiment file or a saved plan"),
		RunE: func(_ *cobra.Command, args []string) error {
			f.started = time.Now()
			var err error
			if f.part, err = shardOf(f.shard); err != nil {
				return err
			}
			l, err := a.load(args, f.source)
			if err != nil {
				return err
			}
			a.caution(l)
			if f.part.Count > 0 {
				if err := l.divide(f.part.Count); err != nil {
					return err
				}
			}
			return a.run(l, f)
		},
	}
	f.source.flags(cmd.Flags())
	f.cacheFlags.flags(cmd.Flags())
	cmd.Flags().StringVar(&f.outputDir, "output-dir", "", "directory of the results (default results/EXPERIMENT)")
	cmd.Flags().StringVar(&f.shard, "shard", "", "i/n: run the i-th of n parts of the families at a share of limits and max_cost; only fills the cache")
	f.conduct(cmd.Flags())
	return cmd
}

// conduct declares how a run behaves, whatever it runs.
func (f *runFlags) conduct(flags *pflag.FlagSet) {
	flags.BoolVar(&f.offline, "offline", false, "send nothing; what the cache does not hold is missing")
	flags.BoolVar(&f.yes, "yes", false, "do not ask before spending")
	flags.Float64Var(&f.confirm, "confirm-above", 1, "on a terminal, ask before a run whose expected cost exceeds this many USD")
	flags.DurationVar(&f.drain, "drain", 25*time.Second, "how long calls in flight may take to finish after an interrupt")
}

// run executes a loaded experiment: survey, keys, lock, execution, results.
func (a *app) run(l *loaded, f runFlags) error {
	dir := f.outputDir
	if dir == "" {
		dir = filepath.Join("results", l.experiment.Name)
	}
	pins, err := readPins(dir)
	if err != nil {
		return &exit{exitUsage, err}
	}
	store, err := a.openCache(f.cacheFlags.dir, f.layers, f.offline)
	if err != nil {
		return err
	}
	defer store.Close()
	if f.part.Count == 0 { // a shard writes no results
		unlock, err := lock(dir)
		if err != nil {
			return err
		}
		defer unlock()
	}
	got := newCollector(l.plan)
	v := a.surveyWith(l, store, pins, got.observe)
	r := &runner{app: a, view: v, flags: f, dir: dir, got: got, pins: pins}
	return r.run()
}

// lock keeps a second run out of an output directory. A directory that it had
// to make and in which nothing was written is gone afterwards.
func lock(dir string) (unlock func(), err error) {
	_, before := os.Lstat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &exit{exitUsage, err}
	}
	path := filepath.Join(dir, fileLock)
	l := flock.New(path)
	ok, err := l.TryLock()
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	if !ok {
		return nil, usage("another run writes to %s: wait for it, or choose another --output-dir", dir)
	}
	return func() {
		if in, err := os.ReadDir(dir); before != nil && err == nil && len(in) == 1 {
			_ = os.Remove(path)
			_ = os.Remove(dir)
		}
		_ = l.Unlock()
	}, nil
}

// runner is one run in progress.
type runner struct {
	*app
	*view
	flags runFlags
	dir   string
	got   *collector
	pins  map[llm.Key][32]byte
	stack *stack
	over  func(stopped error) error // in place of results and their table; nil: these

	aborted atomic.Bool // calls in flight were given up
}

func (r *runner) run() error {
	total := plan.Total(r.rows)
	r.log.Info().Msgf("%s: %d nodes, %d answers cached, %d calls to run now, %s pending",
		r.experiment.Name, total.Nodes, total.Cached, total.ToRun, rangeText(total.Pending))
	if total.Calls.High == 0 {
		if err := r.keepTexts(); err != nil {
			return err
		}
		return r.finish(nil)
	}
	keys := map[string]string{}
	if !r.flags.offline {
		var err error
		if keys, err = r.keysFor(r.loaded, r.rows); err != nil {
			return err
		}
		if err := r.store.CheckWritable(); err != nil {
			return usage("the cache cannot be written, and what is paid for must be kept: %w", err)
		}
		r.remarkIdentity()
		if err := r.ask(total); err != nil {
			return err
		}
	}
	adapters, err := r.stacksLeft()
	if err != nil {
		return err
	}
	if err := r.keepTexts(); err != nil {
		return err
	}
	// A run waits for the network: memory is dearer than collecting it often.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	r.got.reset()
	r.stack = r.app.stack(r.loaded, stackConfig{
		store: r.store, stacks: adapters, pins: r.pins, offline: r.flags.offline, keys: keys,
		notify: r.notify, report: func(err error) { r.log.Warn().Err(err).Msg("cache") },
	})
	defer func() {
		for _, c := range r.stack.close {
			c()
		}
	}()
	if err := r.startStacks(slices.Sorted(maps.Keys(adapters))); err != nil {
		return err
	}
	return r.execute()
}

// keepTexts puts an experiment that was made from flags beside its results.
func (r *runner) keepTexts() error {
	if r.discard || r.flags.part.Count > 0 {
		return nil
	}
	if err := r.texts.keep(); err != nil {
		return &exit{exitUsage, err}
	}
	return nil
}

// stacksLeft is how the stacks are started that have calls to make: none
// where nothing can be sent.
func (r *runner) stacksLeft() (map[string]bridge.Stack, error) {
	if r.flags.offline {
		return nil, nil
	}
	left := map[string]bridge.Stack{}
	for _, name := range r.view.survey.StacksLeft() {
		o, err := r.offer(name)
		if err != nil {
			return nil, err
		}
		cfg, err := r.stackConfig(o)
		if err != nil {
			return nil, err
		}
		left[name] = bridge.Stack{Config: cfg, Calls: o.Calls}
	}
	return left, nil
}

// startStacks starts adapters before anything is sent.
func (r *runner) startStacks(names []string) error {
	for _, name := range names {
		a, err := r.stack.bridge.Adapter(context.Background(), name)
		if err != nil {
			return startFault(name, err)
		}
		h := a.Hello()
		r.log.Info().Msgf("stack %s: adapter %s %s, library version %s", name, h.Adapter, h.Version, h.Stack.Version)
	}
	return nil
}

const gcPercent = 50

// execute runs the plan until it is done, interrupted or out of money.
func (r *runner) execute() error {
	ctx, abort := context.WithCancel(context.Background())
	defer abort()
	stop := make(chan struct{})
	over := make(chan struct{})
	signal := make(chan os.Signal, 1)
	go r.watch(stop, over, signal, abort)
	show := r.startProgress()
	err := execute.Run(ctx, r.plan, r.stack, execute.Options{Workers: r.stack.workers, Tokens: r.tokens, Stop: stop}, r.got.take)
	close(over)
	show.stop()
	switch {
	case errors.Is(err, execute.ErrInterrupted), errors.Is(err, context.Canceled):
		return r.interrupted(<-signal)
	case errors.Is(err, budget.ErrExhausted):
		return r.finish(err)
	case err != nil:
		return fmt.Errorf("%w; answers already paid for are in the cache; resume with: %s", err, r.resume())
	}
	return r.finish(nil)
}

// finish writes the results and prints the table. stopped is why dispatch
// ended early, if it did.
func (r *runner) finish(stopped error) error {
	if r.over != nil {
		return r.over(stopped)
	}
	if r.flags.part.Count > 0 {
		return r.finishShard(stopped)
	}
	summary, err := r.writeResults(r.dir, r.got, r.rows, r.remark)
	if err == nil {
		err = r.writeManifest()
	}
	if err != nil {
		return fmt.Errorf("%w; the results are not whole: every answer is in the cache, so run it again: %s", err, r.resume())
	}
	if err := report.Table(r.Stdout, summary, "text"); err != nil {
		return err
	}
	r.remarkUnanswered()
	p := r.got.progress()
	twice := ""
	if p.Sent > 0 && p.Hits > 0 {
		twice = " (a request that several nodes make is sent once, then from the cache)"
	}
	r.log.Info().Msgf("%d calls sent, %d answers from the cache, %d failed; results in %s%s", p.Sent, p.Hits, p.Failed, r.dir, twice)
	missing := r.got.missing()
	if missing == 0 {
		return nil
	}
	if stopped != nil {
		fmt.Fprintf(r.Stderr, "%v; %s missing\nresume with a higher max_cost: %s\n", stopped, count(missing, "prediction"), r.resume())
		return &exit{code: exitMissing}
	}
	again := "try them again with: " + r.resume()
	if r.flags.offline {
		again = "what the cache does not hold is bought by the same line without --offline"
	}
	fmt.Fprintf(r.Stderr, "%s missing; the causes are in %s\n%s\n", count(missing, "prediction"), filepath.Join(r.dir, fileMissing), again)
	return &exit{code: exitMissing}
}

// ask confirms a run that is expected to cost more than the threshold. Off a
// terminal nobody can be asked, and the run goes on.
func (r *runner) ask(t plan.Totals) error {
	in, isTerminal := terminal(r.Stdin)
	if r.flags.yes || !isTerminal || (t.Cost != nil && t.Cost.Expected <= r.flags.confirm) {
		return nil
	}
	fmt.Fprintf(r.Stderr, "%s calls, cost in USD: %s. Go on? [y/N] ", rangeText(t.Calls), costText(t.Cost))
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // an end of input is a no
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case line := <-answer:
		if line == "y" || line == "yes" {
			return nil
		}
	case s := <-r.Signals:
		fmt.Fprintln(r.Stderr, "\ninterrupted; nothing was sent")
		return &exit{code: signalCode(s)}
	}
	return usage("not confirmed; nothing was sent")
}

// notify logs what happens to endpoints.
func (a *app) notify(e retry.Event) {
	switch e.Kind {
	case retry.Retried:
		a.log.Debug().Msg(e.String())
	case retry.Reopened:
		a.log.Info().Msg(e.String())
	case retry.Paused:
		a.log.Warn().Msg(e.String())
	default:
		a.log.Error().Msg(e.String())
	}
}

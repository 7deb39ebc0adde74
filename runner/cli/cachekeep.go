package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memform/runner/cache"
	"memform/runner/llm"
)

// maintenanceFlags are shared by the commands that rewrite segments.
type maintenanceFlags struct {
	dir     string
	stopped bool
}

func (f *maintenanceFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dir, "cache", "cache", "cache directory")
	cmd.Flags().BoolVar(&f.stopped, "all-writers-stopped", false, "no memform writes to this cache now: take segments changed in the last 24 hours too")
}

// writable opens a cache for a command that changes it.
func (a *app) writable(dir string, do func(*cache.Store) error) error {
	store, err := a.openCache(dir, nil, false)
	if err != nil {
		return err
	}
	err = do(store)
	return errors.Join(err, store.Close())
}

func (a *app) cacheCompact() *cobra.Command {
	var f maintenanceFlags
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Compress segments that nobody writes any more",
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.writable(f.dir, func(s *cache.Store) error {
				c, err := s.Compact(cmd.Context(), cache.CompactOptions{AllStopped: f.stopped})
				if err != nil {
					return err
				}
				a.printCompacted(c)
				return nil
			})
		},
	}
	f.flags(cmd)
	return cmd
}

func (a *app) printCompacted(c cache.Compacted) {
	if c.Inputs == 0 {
		fmt.Fprintln(a.Stdout, "nothing to compact")
	} else {
		fmt.Fprintf(a.Stdout, "%s with %s, %.1f MB, became %s of %.1f MB\n",
			count(c.Inputs, "segment"), count(c.Lines, "line"), float64(c.Before)/1e6, count(c.Outputs, "compacted one"), float64(c.After)/1e6)
	}
	if c.Twice > 0 {
		fmt.Fprintf(a.Stdout, "%s stood there twice\n", count(c.Twice, "line"))
	}
	if c.Damaged > 0 {
		fmt.Fprintf(a.Stdout, "%s damaged and left behind in retired/\n", count(c.Damaged, "line"))
	}
	if c.Busy > 0 {
		fmt.Fprintf(a.Stdout, "%s left alone: changed in the last 24 hours, so a run may be writing (--all-writers-stopped takes them)\n", count(c.Busy, "segment"))
	}
	if c.Removed > 0 {
		fmt.Fprintf(a.Stdout, "%s removed: all they hold stands in segments/\n", count(c.Removed, "retired file"))
	}
	if n := c.Kept; n > 0 {
		fmt.Fprintf(a.Stdout, "%s kept for 24 hours\n", count(n, "retired file"))
	}
}

// gcFlags say what garbage is not.
type gcFlags struct {
	maintenanceFlags
	runs, keep  []string
	experiments []string
	source      source
	apply       bool
}

func (a *app) cacheGC() *cobra.Command {
	var f gcFlags
	cmd := &cobra.Command{
		Use:   "gc (--keep-runs DIR… | --keep DURATION|KEYFILE)…",
		Short: "Show what no kept run used and what it cost to buy; --apply removes it",
		RunE:  func(cmd *cobra.Command, args []string) error { return a.gc(cmd.Context(), f, args) },
	}
	f.flags(cmd)
	cmd.Flags().StringArrayVar(&f.runs, "keep-runs", nil, "results directory of a run whose answers stay (repeatable; further directories may follow it)")
	cmd.Flags().StringArrayVar(&f.keep, "keep", nil, "answers bought within this time (36h, 90d), or the keys in a file, stay (repeatable)")
	cmd.Flags().StringArrayVar(&f.experiments, "experiment", nil, "experiment file that gives prices (repeatable)")
	cmd.Flags().StringArrayVar(&f.source.vars, "var", nil, "value of a variable of the experiment, name=value (repeatable)")
	cmd.Flags().BoolVar(&f.apply, "apply", false, "remove it; without this nothing is changed")
	return cmd
}

func (a *app) gc(ctx context.Context, f gcFlags, more []string) error {
	if len(f.runs) == 0 && len(more) > 0 {
		return usage("memform cache gc takes no argument but directories behind --keep-runs; %q is none", more[0])
	}
	if len(f.runs)+len(f.keep) == 0 {
		return usage("say what stays: --keep-runs DIR or --keep DURATION|KEYFILE (memform cache purge removes everything)")
	}
	k, err := newKeeper(append(f.runs, more...), f.keep, time.Now())
	if err != nil {
		return &exit{exitUsage, err}
	}
	b, err := a.newBill(f.experiments, f.source)
	if err != nil {
		return err
	}
	open := a.writable
	if !f.apply {
		open = a.readable
	}
	return open(f.dir, func(s *cache.Store) error {
		bytes := int64(0)
		c, err := s.Collect(ctx, cache.CompactOptions{AllStopped: f.stopped}, f.apply, k.keep, func(l cache.Line) {
			bytes += l.Size
			b.add(l.Entry)
		})
		if err != nil {
			return err
		}
		verb := "would go"
		if f.apply {
			verb = "removed"
		}
		fmt.Fprintf(a.Stdout, "%s: %s, %.1f MB unpacked\n", verb, count(b.answers(), "answer"), float64(bytes)/1e6)
		b.print(a.Stdout)
		if !f.apply && b.answers() > 0 {
			fmt.Fprintln(a.Stdout, "nothing was changed; --apply removes them, and whoever needs one again buys it again")
		}
		if f.apply && c.Inputs > 0 {
			a.printCompacted(c)
		} else if c.Busy > 0 {
			fmt.Fprintf(a.Stdout, "%s not looked at: changed in the last 24 hours (--all-writers-stopped takes them)\n", count(c.Busy, "segment"))
		}
		return nil
	})
}

// readable opens a cache for a command that only looks.
func (a *app) readable(dir string, do func(*cache.Store) error) error {
	store, err := a.openCache(dir, nil, true)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// keeper decides what gc keeps.
type keeper struct {
	pins  map[cache.Key][][32]byte // answers that runs used
	keys  map[cache.Key]bool
	since string // answers completed then or later; "": none for their age
}

func newKeeper(runs, keep []string, now time.Time) (*keeper, error) {
	k := &keeper{pins: map[cache.Key][][32]byte{}, keys: map[cache.Key]bool{}}
	var faults []error
	for _, dir := range runs {
		faults = append(faults, k.addRun(dir))
	}
	for _, text := range keep {
		age, err := ageOf(text)
		if err != nil {
			faults = append(faults, k.addKeys(text))
			continue
		}
		// The earliest of several counts.
		if at := now.Add(-age).UTC().Format("2006-01-02T15:04:05.000Z"); k.since == "" || at < k.since {
			k.since = at
		}
	}
	return k, errors.Join(faults...)
}

// ageOf reads a duration: of Go, or days as 90d.
func ageOf(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err == nil && n >= 0 && n <= 100_000 {
			return time.Duration(n * 24 * float64(time.Hour)), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = errors.New("negative")
	}
	return d, err
}

func (k *keeper) addRun(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, fileCalls)); err != nil {
		return fmt.Errorf("--keep-runs %s: no %s in it: name the results directory of a run", dir, fileCalls)
	}
	pins, err := readPins(dir)
	for key, digest := range pins {
		k.pins[cache.Key(key)] = append(k.pins[cache.Key(key)], digest)
	}
	return err
}

// addKeys reads a file with a key on each line.
func (k *keeper) addKeys(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--keep %s: neither a duration (36h, 90d) nor a file with keys", path)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var faults []error
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, err := llm.ParseKey(line)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", path, n, err))
			continue
		}
		k.keys[cache.Key(key)] = true
	}
	return errors.Join(append(faults, in.Err())...)
}

func (k *keeper) keep(key cache.Key, e *cache.Entry) bool {
	if k.keys[key] || k.since != "" && e.CompletedAt >= k.since {
		return true
	}
	if pins := k.pins[key]; len(pins) > 0 {
		digest := e.Digest()
		for _, p := range pins {
			if p == digest {
				return true
			}
		}
	}
	return false
}

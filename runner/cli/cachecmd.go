package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"memform/runner/cache"
	"memform/runner/llm"
)

func (a *app) cacheCommand() *cobra.Command {
	return group("cache", "Look into the cache", a.cacheStats(), a.cacheVerify(), a.cacheCat())
}

// surveyed is a command that reads every line of the cache first.
func (a *app) surveyed(use, short string, show func(cache.Survey) error) *cobra.Command {
	var c cacheFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.openCache(c.dir, c.layers, true)
			if err != nil {
				return err
			}
			defer store.Close()
			s, err := store.Survey(context.Background())
			if err != nil {
				return err
			}
			return show(s)
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

func (a *app) cacheStats() *cobra.Command {
	return a.surveyed("stats", "Count answers, outcomes and bytes", func(s cache.Survey) error {
		fmt.Fprintf(a.Stdout, "%d answers to %d calls in %s, %.1f MB\n", s.Answers, s.Keys, count(s.Segments, "segment"), float64(s.Bytes)/1e6)
		for _, outcome := range slices.Sorted(maps.Keys(s.Outcomes)) {
			fmt.Fprintf(a.Stdout, "  %-10s %d\n", outcome, s.Outcomes[outcome])
		}
		if s.Answers > 0 {
			fmt.Fprintf(a.Stdout, "bought from %s to %s\n", s.First, s.Last)
		}
		if n := len(s.Damaged) + len(s.Torn); n > 0 {
			fmt.Fprintf(a.Stdout, "%s damaged or unfinished: see memform cache verify\n", count(n, "line"))
		}
		return nil
	})
}

func (a *app) cacheVerify() *cobra.Command {
	return a.surveyed("verify", "Check every line and list calls with more than one answer; exit 1 on damage", func(s cache.Survey) error {
		for _, l := range s.Damaged {
			fmt.Fprintf(a.Stdout, "damaged     %s at byte %d: %v\n", l.File, l.Offset, l.Err)
		}
		for _, l := range s.Torn {
			fmt.Fprintf(a.Stdout, "unfinished  %s at byte %d: harmless, the writer was stopped or is still writing\n", l.File, l.Offset)
		}
		for _, c := range s.Conflicts {
			fmt.Fprintf(a.Stdout, "two answers %s: %d different answers were bought; the first by time is used unless a run's calls.jsonl pins another\n",
				llm.Key(c.Key), len(c.Answers))
		}
		fmt.Fprintf(a.Stdout, "%s valid, %d damaged, %d with several answers\n", count(s.Answers, "answer"), len(s.Damaged), len(s.Conflicts))
		if len(s.Damaged) > 0 {
			return &exit{exitFailed, fmt.Errorf("damaged lines count as not cached and are bought again when needed")}
		}
		return nil
	})
}

func (a *app) cacheCat() *cobra.Command {
	var c cacheFlags
	cmd := &cobra.Command{
		Use:   "cat KEY",
		Short: "Print the stored request and answer of a call",
		Args:  exactly(1, "a cache key, as `memform explain` and calls.jsonl show it"),
		RunE: func(_ *cobra.Command, args []string) error {
			key, err := llm.ParseKey(args[0])
			if err != nil {
				return &exit{exitUsage, err}
			}
			store, err := a.openCache(c.dir, c.layers, true)
			if err != nil {
				return err
			}
			defer store.Close()
			e, ok := store.Get(cache.Key(key))
			if !ok {
				return usage("the cache %s has no answer for %s", c.dir, key)
			}
			enc := json.NewEncoder(a.Stdout)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(map[string]any{
				"key": key.String(), "identity": e.Identity, "draw": e.Draw, "request": json.RawMessage(e.Request),
				"status": e.Status, "headers": e.Headers, "response": string(e.Response), "outcome": e.Outcome,
				"completed_at": e.CompletedAt, "ms": e.Millis, "attempts": e.Attempts,
			})
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

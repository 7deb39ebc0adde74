package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"memform/runner/cache"
	"memform/runner/llm"
)

func (a *app) cacheCommand() *cobra.Command {
	return group("cache", "Look into the cache and maintain it", a.cacheStats(), a.cacheVerify(), a.cacheCat(),
		a.cacheCompact(), a.cacheGC(), a.cacheForget(), a.cachePurge(), a.cacheImport(), a.cacheExport())
}

// surveyed is a command that reads every line of the cache first.
func (a *app) surveyed(use, short string, check bool, show func(cache.Survey, []cache.Retired) error) *cobra.Command {
	var c cacheFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.openCache(c.dir, c.layers, true)
			if err != nil {
				return err
			}
			defer store.Close()
			s, err := store.Survey(cmd.Context())
			if err != nil {
				return err
			}
			retired, err := store.Retired(cmd.Context(), check)
			if err != nil {
				return err
			}
			return show(s, retired)
		},
	}
	c.flags(cmd.Flags())
	return cmd
}

func (a *app) cacheStats() *cobra.Command {
	return a.surveyed("stats", "Count answers, outcomes and bytes", false, func(s cache.Survey, retired []cache.Retired) error {
		fmt.Fprintf(a.Stdout, "%d answers to %d calls in %s (%d compacted), %.1f MB on disk, %.1f MB unpacked\n",
			s.Answers, s.Keys, count(s.Segments, "segment"), s.Packed, float64(s.Stored)/1e6, float64(s.Bytes)/1e6)
		for _, outcome := range slices.Sorted(maps.Keys(s.Outcomes)) {
			fmt.Fprintf(a.Stdout, "  %-10s %d\n", outcome, s.Outcomes[outcome])
		}
		if s.Answers > 0 {
			fmt.Fprintf(a.Stdout, "bought from %s to %s\n", s.First, s.Last)
		}
		if s.Forgotten > 0 {
			fmt.Fprintf(a.Stdout, "%s forgotten\n", count(s.Forgotten, "answer"))
		}
		if len(retired) > 0 {
			bytes := int64(0)
			for _, r := range retired {
				bytes += r.Size
			}
			fmt.Fprintf(a.Stdout, "%s, %.1f MB: the next memform cache compact removes what was retired a day ago\n", count(len(retired), "retired file"), float64(bytes)/1e6)
		}
		if n := len(s.Damaged) + len(s.Torn); n > 0 {
			fmt.Fprintf(a.Stdout, "%s damaged or unfinished: see memform cache verify\n", count(n, "line"))
		}
		return nil
	})
}

func (a *app) cacheVerify() *cobra.Command {
	return a.surveyed("verify", "Check every line and list calls with more than one answer; exit 1 on damage", true, func(s cache.Survey, retired []cache.Retired) error {
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
		for _, r := range retired {
			if r.Only > 0 {
				fmt.Fprintf(a.Stdout, "retired     %s holds %s that stand nowhere else: memform cache compact brings the file back\n", r.File, count(r.Only, "line"))
			}
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

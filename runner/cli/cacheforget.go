package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/cache"
	"memform/runner/llm"
)

// outcomes are what --outcome may name. "error" is an answer that was stored
// as something else and reads as an error now.
var outcomes = []string{
	string(llm.OutcomeAnswer), string(llm.OutcomeEmpty), string(llm.OutcomeRefusal),
	string(llm.OutcomeFiltered), string(llm.OutcomeTruncated), string(llm.OutcomeError),
}

func (a *app) cacheForget() *cobra.Command {
	var dir, outcome, reason string
	var experiments []string
	cmd := &cobra.Command{
		Use:   "forget (KEY… | --outcome OUTCOME)",
		Short: "Hide answers, so that the next run buys them again; runs that used them can still be scored",
		RunE: func(cmd *cobra.Command, args []string) error {
			keys, err := forgetWhat(args, outcome)
			if err != nil {
				return err
			}
			b, err := a.newBill(experiments, source{})
			if err != nil {
				return err
			}
			return a.writable(dir, func(s *cache.Store) error { return a.forget(cmd.Context(), s, b, keys, outcome, reason) })
		},
	}
	cmd.Flags().StringVar(&dir, "cache", "cache", "cache directory")
	cmd.Flags().StringVar(&outcome, "outcome", "", "every answer that reads as this: "+strings.Join(outcomes, ", "))
	cmd.Flags().StringVar(&reason, "reason", "", "kept beside what is forgotten")
	cmd.Flags().StringArrayVar(&experiments, "experiment", nil, "experiment file that gives prices (repeatable)")
	return cmd
}

func forgetWhat(args []string, outcome string) ([]cache.Key, error) {
	switch {
	case (len(args) > 0) == (outcome != ""):
		return nil, usage("name keys (memform explain and calls.jsonl show them), or --outcome, not both")
	case outcome != "" && !slices.Contains(outcomes, outcome):
		return nil, usage("--outcome %q: it is one of %s", outcome, strings.Join(outcomes, ", "))
	}
	var keys []cache.Key
	var faults []error
	for _, arg := range args {
		key, err := llm.ParseKey(arg)
		faults = append(faults, err)
		keys = append(keys, cache.Key(key))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, &exit{exitUsage, err}
	}
	return keys, nil
}

func (a *app) forget(ctx context.Context, s *cache.Store, b *bill, keys []cache.Key, outcome, reason string) error {
	if outcome != "" {
		var err error
		if keys, err = keysWith(ctx, s, outcome); err != nil {
			return err
		}
	}
	var all []cache.Answer
	var faults []error
	for _, key := range keys {
		found := false
		for _, answer := range s.Answers(key) {
			if !answer.Hidden && (outcome == "" || reads(&answer.Entry) == outcome) {
				found = true
				all = append(all, answer)
				b.add(&answer.Entry)
			}
		}
		if !found && outcome == "" {
			faults = append(faults, fmt.Errorf("the cache has no answer for %s, or it is forgotten already", llm.Key(key)))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return &exit{exitUsage, fmt.Errorf("%w\nnothing was forgotten", err)}
	}
	if err := s.Forget(ctx, all, reason); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "forgotten: %s; the next run that needs one buys it again\n", count(len(all), "answer"))
	b.print(a.Stdout)
	return nil
}

func reads(e *cache.Entry) string { return string(llm.Read(e.Status, e.Headers, e.Response).Outcome) }

// keysWith is the keys that have an answer with this outcome, in order.
func keysWith(ctx context.Context, s *cache.Store, outcome string) ([]cache.Key, error) {
	var keys []cache.Key
	err := s.Each(ctx, func(l cache.Line) error {
		if l.Entry != nil && reads(l.Entry) == outcome {
			keys = append(keys, l.Key)
		}
		return nil
	})
	slices.SortFunc(keys, func(a, b cache.Key) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(keys), err
}

func (a *app) cachePurge() *cobra.Command {
	var dir string
	var yes bool
	var experiments []string
	cmd := &cobra.Command{
		Use:   "purge",
		Short: "Remove everything that the cache holds",
		Args:  exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := a.newBill(experiments, source{})
			if err != nil {
				return err
			}
			return a.writable(dir, func(s *cache.Store) error { return a.purge(cmd.Context(), s, b, dir, yes) })
		},
	}
	cmd.Flags().StringVar(&dir, "cache", "cache", "cache directory")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().StringArrayVar(&experiments, "experiment", nil, "experiment file that gives prices (repeatable)")
	return cmd
}

func (a *app) purge(ctx context.Context, s *cache.Store, b *bill, dir string, yes bool) error {
	err := s.Each(ctx, func(l cache.Line) error {
		if l.Entry != nil {
			b.add(l.Entry)
		}
		return nil
	})
	if err != nil && !yes {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s holds %s\n", dir, count(b.answers(), "answer"))
	b.print(a.Stdout)
	if err := a.sure(yes, "Remove all of it?"); err != nil {
		return err
	}
	n, err := s.Purge()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s removed\n", count(n, "segment"))
	return nil
}

// sure asks before something that cannot be undone. Off a terminal only --yes
// is an answer.
func (a *app) sure(yes bool, question string) error {
	if yes {
		return nil
	}
	in, isTerminal := terminal(a.Stdin)
	if !isTerminal {
		return usage("nothing was removed: pass --yes to remove it")
	}
	fmt.Fprintf(a.Stderr, "%s [y/N] ", question)
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if line = strings.ToLower(strings.TrimSpace(line)); line == "y" || line == "yes" {
		return nil
	}
	return usage("nothing was removed")
}

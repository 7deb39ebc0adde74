package cli

import (
	"errors"
	"fmt"
	"strings"

	"memform/runner/plan"
)

// shardOf reads i/n.
func shardOf(text string) (plan.Shard, error) {
	var s plan.Shard
	if text == "" {
		return s, nil
	}
	if n, err := fmt.Sscanf(text, "%d/%d", &s.Index, &s.Count); err != nil || n != 2 || s.Index < 1 || s.Index > s.Count ||
		text != fmt.Sprintf("%d/%d", s.Index, s.Count) {
		return s, usage("--shard %q: write i/n with 1 ≤ i ≤ n, such as 2/4", text)
	}
	return s, nil
}

// divide leaves each of n shards its share of limits and money, so that all
// together keep what the experiment declares.
func (l *loaded) divide(n int) {
	share := func(limit *int) {
		if *limit > 0 {
			*limit = max(1, *limit/n)
		}
	}
	for _, e := range l.experiment.Endpoints {
		share(&e.RequestsPerMinute)
		share(&e.TokensPerMinute)
		share(&e.MaxInFlight)
	}
	for _, m := range l.experiment.Models {
		share(&m.RequestsPerMinute)
		share(&m.TokensPerMinute)
	}
	for _, r := range l.experiment.Runs {
		if r.MaxCost != nil {
			part := *r.MaxCost / float64(n)
			r.MaxCost = &part
		}
	}
}

// finishShard says what a shard came to; the results are written by a plain
// run over the shared cache.
func (r *runner) finishShard(stopped error) error {
	p, part := r.got.progress(), r.flags.part
	fmt.Fprintf(r.Stdout, "shard %d/%d: %s, %d calls sent, %d answers were cached, %d failed\n",
		part.Index, part.Count, count(p.Nodes, "node"), p.Sent, p.Hits, p.Failed)
	missing := r.got.missing()
	if missing == 0 {
		fmt.Fprintf(r.Stdout, "when every shard is done, write the results with: memform run %s\n", strings.Join(r.paths, " "))
		return nil
	}
	reason := errors.Join(stopped, fmt.Errorf("%s missing; resume with: %s", count(missing, "prediction"), r.resume()))
	return &exit{exitMissing, reason}
}

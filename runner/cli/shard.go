package cli

import (
	"errors"
	"fmt"
	"strings"

	"memform/runner/experiment"
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
// together keep what the experiment declares. A limit that is too small to
// be divided is a mistake.
func (l *loaded) divide(n int) error {
	var errs []error
	share := func(where string, pos experiment.Position, name string, limit *int) {
		if *limit > 0 && *limit < n {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %s = %d cannot be divided among %d shards: take fewer", pos.File, pos.Line, where, name, *limit, n))
		}
		*limit /= n
	}
	for _, e := range l.experiment.Endpoints {
		where := fmt.Sprintf("endpoint %q", e.Name)
		share(where, e.Pos, "requests_per_minute", &e.RequestsPerMinute)
		share(where, e.Pos, "tokens_per_minute", &e.TokensPerMinute)
		share(where, e.Pos, "requests_per_day", &e.RequestsPerDay)
		e.MaxInFlight = max(1, e.MaxInFlight/n)
	}
	for _, m := range l.experiment.Models {
		where := fmt.Sprintf("model %q", m.Name)
		share(where, m.Pos, "requests_per_minute", &m.RequestsPerMinute)
		share(where, m.Pos, "tokens_per_minute", &m.TokensPerMinute)
	}
	for _, r := range l.experiment.Runs {
		if r.MaxCost != nil {
			part := *r.MaxCost / float64(n)
			r.MaxCost = &part
		}
	}
	if len(errs) > 0 {
		return &exit{exitUsage, errors.Join(errs...)}
	}
	return nil
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

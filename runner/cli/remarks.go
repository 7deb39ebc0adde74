package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"memform/runner/score"
)

// What a run says of itself beside its table, where the table alone could be
// misread.

// remarkUnanswered warns of a run in which no prediction has an answer: its
// rates are not wrong, but they tell nothing about the model.
func (r *runner) remarkUnanswered() {
	outcomes := map[string]int{}
	for i := range r.plan.Items {
		for _, p := range r.plan.Items[i].Predictions {
			d := r.got.answers[p.Node].decision
			if d == nil {
				continue
			}
			if d.Choice >= 0 {
				return
			}
			outcomes[string(d.Outcome)]++
		}
	}
	total, most := 0, ""
	for outcome, n := range outcomes {
		total += n
		if n > outcomes[most] || n == outcomes[most] && outcome < most {
			most = outcome
		}
	}
	if total > 0 {
		r.log.Warn().Msgf("none of %s has an answer that can be read (%d ended as %s): memform trace CASE shows what came back",
			count(total, "prediction"), outcomes[most], most)
	}
}

// remark looks at the rows that are about to be written.
func (r *runner) remark(rows []score.Row) {
	r.remarkNarrower(len(rows))
	r.remarkGuards(rows)
}

// remarkGuards warns of a guard whose answers could not be read for half of
// what it was to judge or more: what it could not judge it kept, so it looks
// like a defense that does nothing.
func (r *runner) remarkGuards(rows []score.Row) {
	type count struct{ malformed, judged int }
	of := map[string]*count{}
	var names []string
	for i := range rows {
		g := rows[i].Guard
		if g == nil {
			continue
		}
		name := rows[i].Defense
		if of[name] == nil {
			of[name], names = &count{}, append(names, name)
		}
		of[name].malformed += g.Malformed
		of[name].judged += g.Kept + g.Rejected + g.Sanitized + g.Quarantined + g.Overridden + g.Passed + g.Revised + g.Abstained
	}
	for _, name := range names {
		if n := of[name]; n.malformed > 0 && 2*n.malformed >= n.judged {
			r.log.Warn().Msgf("defense %q: the guard's answers could not be read for %d of the %d that it judged, so these were kept: its rates say little (memform trace CASE shows what came back)",
				name, n.malformed, n.judged)
		}
	}
}

// remarkIdentity warns before anything is bought under keys that hold a URL.
func (r *runner) remarkIdentity() {
	for _, e := range r.experiment.Endpoints {
		if e.IdentityIsURL && endpointCalls(r.experiment, e, r.rows) {
			r.log.Warn().Msgf("endpoint %q has no identity: its URL will stand in the key of every answer, and memform bundle refuses that; declare identity = \"…\" before buying", e.Name)
		}
	}
}

// remarkNarrower warns where rows of a wider run in dir are about to be
// replaced by fewer. Their answers stay in the cache.
func (r *runner) remarkNarrower(now int) {
	before, err := countLines(filepath.Join(r.dir, fileRows))
	if err == nil && before > now {
		r.log.Warn().Msgf("%s held %s, this run has %d: they are replaced, their answers stay in the cache (choose another --output-dir to keep both)",
			r.dir, count(before, "row"), now)
	}
}

func countLines(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	b := bufio.NewReaderSize(f, 1<<16)
	for {
		line, err := b.ReadSlice('\n')
		switch {
		case err == nil || errors.Is(err, bufio.ErrBufferFull):
			n += bytes.Count(line, []byte{'\n'})
		case errors.Is(err, io.EOF):
			return n, nil
		default:
			return n, err
		}
	}
}

package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
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

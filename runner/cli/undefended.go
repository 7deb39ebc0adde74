package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"memform/runner/score"
)

// joinUndefended reads the files that runs take their undefended results from
// and matches them with the plan, before anything is sent. What does not fit
// ends with exit code 2.
func (a *app) joinUndefended(l *loaded) error {
	l.undefended = map[string]*score.Undefended{}
	files := map[string]*score.Foreign{}
	var errs []error
	for i, run := range l.experiment.Runs {
		if run.Undefended == "" {
			continue
		}
		u, err := joined(l, i, files)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: run %q: undefended: %w", run.Pos.File, run.Pos.Line, run.Name, err))
			continue
		}
		l.undefended[run.Name] = u
		if u.Joined < u.Items {
			a.log.Warn().Msg(u.Note)
		} else {
			a.log.Info().Msg(u.Note)
		}
	}
	if len(errs) > 0 {
		return &exit{exitUsage, errors.Join(errs...)}
	}
	return nil
}

// joined matches the file of one run; each file is read once.
func joined(l *loaded, run int, files map[string]*score.Foreign) (*score.Undefended, error) {
	path := l.experiment.Runs[run].Undefended
	f := files[path]
	if f == nil {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if f, err = score.ReadForeign(filepath.Base(path), data); err != nil {
			return nil, err
		}
		files[path] = f
	}
	return f.Join(l.plan, run)
}

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/bundle"
	"memform/runner/cases"
	"memform/runner/score"
)

func (a *app) replayCommand() *cobra.Command {
	var supplied []string
	cmd := &cobra.Command{
		Use:   "replay FILE.memform",
		Short: "Recompute every number of a bundle and compare; no key, no network",
		Args:  exactly(1, "a bundle"),
		RunE:  func(_ *cobra.Command, args []string) error { return a.replay(args[0], supplied) },
	}
	cmd.Flags().StringArrayVar(&supplied, "cases", nil, "file of cases that the bundle leaves out, NAME=FILE (repeatable)")
	return cmd
}

// replay unpacks a bundle into a temporary folder and evaluates its plan
// through its own answers. No client exists, so nothing can be sent.
func (a *app) replay(name string, supplied []string) error {
	b, err := bundle.Open(name)
	if err != nil {
		return &exit{exitUsage, err}
	}
	defer b.Close()
	dir, err := os.MkdirTemp("", "memform-replay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	damaged, err := b.Extract(dir)
	if err != nil {
		return &exit{exitUsage, err}
	}
	if err := supply(b.Manifest, dir, supplied); err != nil {
		return err
	}
	l, err := a.loadBundle(b.Manifest, dir)
	if err != nil {
		return err
	}
	summary, rows, err := a.recompute(l, dir)
	if err != nil {
		return err
	}
	return a.compare(dir, damaged, summary, rows)
}

// supply puts the cases that the bundle leaves out where they belong.
func supply(m bundle.Manifest, dir string, supplied []string) error {
	files := map[string]string{}
	for _, item := range supplied {
		name, file, ok := strings.Cut(item, "=")
		if !ok {
			return usage("--cases %q: write NAME=FILE", item)
		}
		files[name] = file
	}
	for _, e := range m.External {
		file, ok := files[e.Cases]
		if !ok {
			return usage("the bundle leaves out cases %q: get them from %s (sha256 %s) and pass --cases %s=FILE", e.Cases, e.URL, e.Digest, e.Cases)
		}
		set, err := cases.LoadFile(file, cases.Options{})
		if err != nil {
			return &exit{exitUsage, err}
		}
		if set.Digest != e.Digest {
			return usage("%s has sha256 %s, the run used %s", file, set.Digest, e.Digest)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, bundle.FilesDir, filepath.FromSlash(e.Path))
		if err := writeFile(to, func(w *output) error { _, err := w.Write(content); return err }); err != nil {
			return err
		}
	}
	return nil
}

// loadBundle plans the bundle's experiment with an empty environment, the
// bundle's prompts and its identities.
func (a *app) loadBundle(m bundle.Manifest, dir string) (*loaded, error) {
	l := &loaded{vars: m.Variables, only: m.Only, frozen: &frozen{identities: m.Identities, stacks: m.Stacks}}
	var err error
	if l.frozen.prompts, err = readPrompts(m, filepath.Join(dir, bundle.PromptsDir)); err != nil {
		return nil, &exit{exitUsage, err}
	}
	for _, p := range m.Paths {
		l.paths = append(l.paths, filepath.Join(dir, bundle.FilesDir, filepath.FromSlash(p)))
	}
	bare := *a
	bare.Env = noEnvironment
	if err := bare.loadParts(l); err != nil {
		return nil, err
	}
	if l.plan.Root.String() != m.Root {
		fmt.Fprintf(a.Stderr, "warning: this version plans the experiment differently (root %s, the run's was %s); numbers are compared all the same\n", l.plan.Root, m.Root)
	}
	return l, nil
}

// readPrompts reads the prompt files of each run.
func readPrompts(m bundle.Manifest, dir string) (map[string]map[string][]byte, error) {
	out := map[string]map[string][]byte{}
	for run, folder := range m.Prompts {
		files, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(folder)))
		if err != nil {
			return nil, fmt.Errorf("the bundle has no prompts of run %q", run)
		}
		out[run] = map[string][]byte{}
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(folder), f.Name()))
			if err != nil {
				return nil, err
			}
			out[run][strings.TrimSuffix(f.Name(), promptExt)] = text
		}
	}
	return out, nil
}

// recompute evaluates the plan through the bundle's answers, scores it and
// names what has no answer.
func (a *app) recompute(l *loaded, dir string) (*score.Summary, []score.Row, error) {
	pins, err := readPins(filepath.Join(dir, bundle.ResultsDir))
	if err != nil {
		a.log.Warn().Msgf("%s of the bundle cannot be read; the answers are used without it", fileCalls)
	}
	store, err := a.openCache(filepath.Join(dir, bundle.CacheDir), nil, true)
	if err != nil {
		return nil, nil, err
	}
	defer store.Close()
	got := newCollector(l.plan)
	v := a.surveyWith(l, store, pins, got.observe)
	rows := score.Rows(l.plan, got.result, l.undefended)
	for i := range v.survey.State {
		if n := v.survey.Node(i); n.State == "to_run" {
			fmt.Fprintf(a.Stdout, "missing: call %s of node %s (%s, %s): not in bundle\n", n.Key, n.ID, n.Model, n.Kind)
		}
	}
	return score.Summarise(rows, v.info()), rows, nil
}

// compare prints what is identical and what is not.
func (a *app) compare(dir string, damaged []string, summary *score.Summary, rows []score.Row) error {
	shipped := map[string][]byte{}
	for _, name := range []string{fileSummary, fileRows} {
		b, err := os.ReadFile(filepath.Join(dir, bundle.ResultsDir, name))
		if err != nil {
			return usage("the bundle has no %s", name)
		}
		shipped[name] = b
	}
	c, err := bundle.Compare(shipped[fileSummary], shipped[fileRows], summary, rows)
	if err != nil {
		return &exit{exitFailed, err}
	}
	for _, name := range damaged {
		c.Differences = append(c.Differences, name+": its content is not what the bundle's manifest says")
	}
	for _, d := range c.Differences {
		fmt.Fprintln(a.Stdout, d)
	}
	if len(c.Differences) > 0 {
		return &exit{exitFailed, fmt.Errorf("%s of %d numbers and %d predictions", count(len(c.Differences), "difference"), c.Numbers, c.Predictions)}
	}
	fmt.Fprintf(a.Stdout, "%d of %d numbers identical, %d of %d predictions identical\n", c.Numbers, c.Numbers, c.Predictions, c.Predictions)
	return nil
}

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"memform/runner/cache"
)

func (a *app) cacheExport() *cobra.Command {
	var c cacheFlags
	var out string
	cmd := &cobra.Command{
		Use:   "export [-o FILE.jsonl]",
		Short: "Write every stored line, sorted by key, to one file or to stdout",
		Args:  exactly(0, "no argument; -o names the file"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.openCache(c.dir, c.layers, true)
			if err != nil {
				return err
			}
			defer store.Close()
			if out == "" {
				_, err := store.Export(cmd.Context(), a.Stdout)
				return err
			}
			n := 0
			err = writeFile(out, func(w *output) (err error) {
				n, err = store.Export(cmd.Context(), w)
				return err
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "%s: %s; memform cache import reads it\n", out, count(n, "line"))
			return nil
		},
	}
	c.flags(cmd.Flags())
	cmd.Flags().StringVarP(&out, "output", "o", "", "the file to write; stdout without")
	return cmd
}

func (a *app) cacheImport() *cobra.Command {
	var dir string
	var f foreign
	cmd := &cobra.Command{
		Use:   "import FILE.jsonl…",
		Short: "Take in lines of another memform cache, or prompts with answers bought by another program",
		Long: "Takes lines of a segment or of an export as they are; what stands in the cache already is left out.\n\n" +
			"Of other programs it takes lines that hold the whole request, since that is what an answer is filed under:\n" +
			`{"request": {a Chat Completions body}, "response": {a Chat Completions answer} or "text"}` + "\n" +
			"or, in place of request, its fields: model, messages (or prompt: one user message), and the parameters sent.\n" +
			"draw (0), identity and completed_at may stand beside. --identity names the endpoint where a line does not.\n" +
			"One line that cannot be used, and nothing is imported.",
		Args: atLeastOne("a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.writable(dir, func(s *cache.Store) error { return a.importFiles(cmd.Context(), s, args, f) })
		},
	}
	cmd.Flags().StringVar(&dir, "cache", "cache", "cache directory")
	cmd.Flags().StringVar(&f.identity, "identity", "", "identity of the endpoint that answered, for lines of other programs")
	cmd.Flags().StringVar(&f.model, "model", "", "model id, for lines of other programs that name none")
	return cmd
}

// importBatch is how many lines are stored together.
const importBatch = 1000

func (a *app) importFiles(ctx context.Context, s *cache.Store, paths []string, f foreign) error {
	var w wrong
	for _, path := range paths { // all of it is checked before any of it is stored
		err := eachLine(path, func(n int, line []byte) error {
			line, err := f.ours(line)
			if err == nil {
				err = s.CheckLine(line)
			}
			w.add(path, n, err)
			return nil
		})
		if err != nil {
			return &exit{exitUsage, err}
		}
	}
	if err := w.error(); err != nil {
		return &exit{exitUsage, fmt.Errorf("%w\nnothing was imported", err)}
	}
	lines, added, total := [][]byte(nil), 0, 0
	flush := func() error {
		n, err := s.Import(ctx, lines)
		added, total, lines = added+n, total+len(lines), lines[:0]
		return err
	}
	for _, path := range paths {
		err := eachLine(path, func(_ int, line []byte) error {
			line, err := f.ours(line)
			if err != nil {
				return err
			}
			if lines = append(lines, bytes.Clone(line)); len(lines) < importBatch {
				return nil
			}
			return flush()
		})
		if err != nil {
			return err
		}
	}
	if err := flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s imported, %d stood in the cache already\n", count(added, "line"), total-added)
	return nil
}

// eachLine gives do the lines of a file, plain or compressed, with their
// newlines. Blank lines are passed over.
func eachLine(path string, do func(n int, line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	if strings.HasSuffix(path, ".zst") {
		z, err := zstd.NewReader(f)
		if err != nil {
			return err
		}
		defer z.Close()
		in = bufio.NewReaderSize(z, 1<<20)
	}
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := do(n, line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
}

// wrong collects mistakes of many lines and shows the first.
type wrong struct {
	shown []error
	n     int
}

func (w *wrong) add(path string, line int, err error) {
	if err == nil {
		return
	}
	if w.n++; len(w.shown) < 20 {
		w.shown = append(w.shown, fmt.Errorf("%s:%d: %w", path, line, err))
	}
}

func (w *wrong) error() error {
	if w.n > len(w.shown) {
		return errors.Join(append(w.shown, fmt.Errorf("and %d lines more", w.n-len(w.shown)))...)
	}
	return errors.Join(w.shown...)
}

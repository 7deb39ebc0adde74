package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/report"
	"memform/runner/score"
)

func (a *app) scoreCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "score RESULTS",
		Short: "Score a finished run again from its rows; calls nothing",
		Args:  exactly(1, "the results directory of a finished run"),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(report.Formats(), format) {
				return usage("--format %q is none of %s", format, strings.Join(report.Formats(), ", "))
			}
			return a.score(args[0], format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "format of the tables: "+strings.Join(report.Formats(), ", "))
	return cmd
}

// score computes the summary of a finished run anew from case_results.jsonl,
// writes summary.json where it differs and prints the tables.
func (a *app) score(dir, format string) error {
	info, err := readInfo(filepath.Join(dir, fileSummary))
	if err != nil {
		return &exit{exitUsage, err}
	}
	rows, err := readRows(filepath.Join(dir, fileRows))
	if err != nil {
		return &exit{exitUsage, err}
	}
	summary := score.Summarise(rows, info)
	if err := refresh(filepath.Join(dir, fileSummary), summary); err != nil {
		return err
	}
	return report.Table(a.Stdout, summary, format)
}

// readInfo takes from an earlier summary what rows do not say.
func readInfo(path string) (score.Info, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return score.Info{}, fmt.Errorf("%s does not exist: name the results directory of a finished run", path)
	}
	if err != nil {
		return score.Info{}, err
	}
	var s score.Summary
	if err := json.Unmarshal(b, &s); err != nil || s.Schema != score.SummarySchema {
		return score.Info{}, fmt.Errorf("%s is not a summary of this version (%s): run the experiment again, all answers are cached", path, score.SummarySchema)
	}
	return s.Info(), nil
}

func readRows(path string) ([]score.Row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []score.Row
	r := bufio.NewReaderSize(f, 1<<16)
	for line := 1; ; line++ {
		b, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(b)) > 0 {
			var row score.Row
			if bad := json.Unmarshal(b, &row); bad != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, line, bad)
			}
			if row.Schema != score.RowSchema {
				return nil, fmt.Errorf("%s:%d: schema %q, this version reads %q", path, line, row.Schema, score.RowSchema)
			}
			rows = append(rows, row)
		}
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// refresh writes v where the file does not hold it yet.
func refresh(path string, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, b.Bytes()) {
		return nil
	}
	return writeFile(path, func(w *output) error { _, err := w.Write(b.Bytes()); return err })
}

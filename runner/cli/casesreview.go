package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/audit"
	"memform/runner/construct"
	"memform/runner/review"
)

func (a *app) casesReview() *cobra.Command {
	var from, to string
	var only []string
	opt := construct.Options{Seed: construct.DefaultSeed, Version: construct.DataVersion}
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Write the rating sheets of the human validation: blind to labels, the key apart",
		Args:  exactly(0, "no argument"),
		RunE:  func(*cobra.Command, []string) error { return a.reviewCases(from, to, only, opt) },
	}
	cmd.Flags().StringVar(&from, "families", "families", "directory of the authored families")
	cmd.Flags().StringSliceVar(&only, "only", nil, "ids of the families to be rated (comma-separated or repeatable); all where none is named")
	cmd.Flags().StringVar(&to, "output-dir", "", "directory of the sheets; it must be new or empty")
	cmd.Flags().Int64Var(&opt.Seed, "seed", opt.Seed, "of the cases, of the order of rows and of the item numbers")
	return cmd
}

func (a *app) reviewCases(from, to string, only []string, opt construct.Options) error {
	if to == "" {
		return usage("name the directory of the sheets: --output-dir DIR")
	}
	if list, err := os.ReadDir(to); err == nil && len(list) > 0 {
		return usage("%s is not empty; sheets that somebody has filled in must not be written over. Name a new directory", to)
	}
	families, diags, err := a.readFamilies(from)
	if err != nil {
		return err
	}
	if diags.HasErrors() {
		return &exit{exitUsage, fmt.Errorf("%s in the families; nothing was written", count(len(diags.Errs()), "mistake"))}
	}
	built, _ := audit.Build(families, opt)
	if families, err = narrowed(families, only); err != nil {
		return err
	}
	files, err := review.Sheets(families, &built, opt.Seed)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := writeFile(filepath.Join(to, file.Path), func(w *output) error { _, err := w.Write(file.Bytes); return err }); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.Stdout, "families to be rated: %d; %d sheets in %s, where README.md is the protocol. Keep %s from the raters\n",
		len(families), len(files)-2, to, filepath.Join(to, filepath.Dir(review.KeyPath)))
	return nil
}

// narrowed is the families of the ids; all of them where there is none.
func narrowed(families []*construct.Family, only []string) ([]*construct.Family, error) {
	if len(only) == 0 {
		return families, nil
	}
	var out []*construct.Family
	var unknown []string
	for _, id := range only {
		i := slices.IndexFunc(families, func(f *construct.Family) bool { return f.ID == id })
		switch {
		case i < 0:
			unknown = append(unknown, id)
		case !slices.Contains(out, families[i]):
			out = append(out, families[i])
		}
	}
	if len(unknown) > 0 {
		return nil, usage("there is no family %s; `memform cases stats` and outputs/families.jsonl name those there are", strings.Join(unknown, ", "))
	}
	return out, nil
}

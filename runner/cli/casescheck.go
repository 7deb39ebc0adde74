package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/cases"
)

func (a *app) casesValidate() *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE.jsonl…",
		Short: "Check files of cases: form, invariants, encoding; free-form cases against their sources",
		Args:  atLeastOne("a file of cases"),
		RunE: func(_ *cobra.Command, args []string) error {
			bad := false
			var pairs cases.Pairs
			for _, path := range args {
				ok, err := a.validateCases(path, &pairs)
				if err != nil {
					return err
				}
				bad = bad || !ok
			}
			if !a.validatePairs(&pairs) || bad {
				return &exit{code: exitUsage}
			}
			return nil
		},
	}
}

func (a *app) validateCases(path string, pairs *cases.Pairs) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, usage("%w", err)
	}
	defer f.Close()
	r, err := cases.Validate(f, path, cases.Options{Each: func(c *cases.Case) { pairs.Add(path, c) }})
	var problems cases.Problems
	if err != nil && !errors.As(err, &problems) {
		return false, err
	}
	for _, w := range r.Warnings {
		fmt.Fprintln(a.Stderr, "warning:", w.String())
	}
	if len(r.Problems) > 0 {
		fmt.Fprintln(a.Stderr, r.Problems.Error())
		return false, nil
	}
	fmt.Fprintf(a.Stdout, "%s: %s in %d families, all well; sha256 %s\n", path, count(r.Stats.Cases, "case"), r.Stats.Families, r.Digest)
	return true, nil
}

// validatePairs says what free-form cases came to beside their sources.
func (a *app) validatePairs(pairs *cases.Pairs) bool {
	problems, matched, unmatched := pairs.Check()
	if len(problems) > 0 {
		fmt.Fprintln(a.Stderr, problems.Error())
	}
	switch {
	case unmatched > 0:
		fmt.Fprintf(a.Stdout, "free form: %d of %d cases stand beside the case they came from; name its file too to have the others compared\n", matched, matched+unmatched)
	case matched > 0 && len(problems) == 0:
		fmt.Fprintf(a.Stdout, "free form: %s, built as the cases they came from\n", count(matched, "case"))
	}
	return len(problems) == 0
}

func (a *app) casesDiff() *cobra.Command {
	return &cobra.Command{
		Use:   "diff A.jsonl B.jsonl",
		Short: "Say which cases were added, removed or changed from one file to another, and in which fields",
		Args:  exactly(2, "two files of cases"),
		RunE: func(_ *cobra.Command, args []string) error {
			var sets [2]*cases.Set
			for i, path := range args {
				set, err := cases.LoadFile(path, cases.Options{KeepRaw: true})
				if err != nil {
					return &exit{exitUsage, err}
				}
				sets[i] = set
			}
			d := cases.Compare(sets[0], sets[1])
			for _, id := range d.Removed {
				fmt.Fprintf(a.Stdout, "- %s\n", id)
			}
			for _, id := range d.Added {
				fmt.Fprintf(a.Stdout, "+ %s\n", id)
			}
			a.printChanges("~", d.Changed)
			a.printChanges("=", d.Relabelled)
			fmt.Fprintf(a.Stdout, "%d added (+), %d removed (-), %d changed (~), %d with the same digest and other labels or metadata (=), %d the same\n",
				len(d.Added), len(d.Removed), len(d.Changed), len(d.Relabelled), d.Same)
			return nil
		},
	}
}

// mostFields is how many fields of a changed case are named.
const mostFields = 8

func (a *app) printChanges(mark string, list []cases.Change) {
	for _, c := range list {
		fields, more := c.Fields, ""
		if len(fields) > mostFields {
			fields, more = fields[:mostFields], fmt.Sprintf(" and %d more", len(fields)-mostFields)
		}
		fmt.Fprintf(a.Stdout, "%s %s: %s%s\n", mark, c.ID, strings.Join(fields, ", "), more)
	}
}

package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/audit"
	"memform/runner/cases"
	"memform/runner/construct"
	"memform/runner/croissant"
)

// defaultCases is where the frozen cases stand.
const defaultCases = "outputs/mcq_item_audit/accepted_cases.jsonl"

func (a *app) casesCommand() *cobra.Command {
	return group("cases", "Build, check and read cases", a.casesBuild(), a.casesAudit(), a.casesValidate(), a.casesStats(), a.casesShow(), a.casesDiff(), a.casesReview())
}

func (a *app) casesBuild() *cobra.Command {
	var from, to string
	var allow allowed
	opt := construct.Options{Seed: construct.DefaultSeed, Version: construct.DataVersion}
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Expand the authored families into the frozen cases",
		Args:  exactly(0, "no argument"),
		RunE:  func(*cobra.Command, []string) error { return a.buildCases(from, to, opt, allow) },
	}
	cmd.Flags().StringVar(&from, "families", "families", "directory of the authored families")
	cmd.Flags().StringVar(&to, "output-dir", "outputs", "directory of the frozen cases")
	cmd.Flags().Int64Var(&opt.Seed, "seed", opt.Seed, "picks among admissible selections")
	cmd.Flags().BoolVar(&allow.set, "allow-set-failures", false, "write even where a rule on the whole set is broken")
	cmd.Flags().BoolVar(&allow.texts, "allow-text-failures", false, "write even where an authored text breaks a rule; its cases are rejected")
	return cmd
}

// buildCases reads every family, builds all cases and only then writes.
func (a *app) buildCases(from, to string, opt construct.Options, allow allowed) error {
	families, diags, err := a.readFamilies(from)
	if err != nil {
		return err
	}
	if diags.HasErrors() {
		rep := audit.Run(families, opt, true)
		all := append(rep.Findings, rep.Set.Findings...)
		printFindings(a.Stderr, all)
		return &exit{exitUsage, fmt.Errorf("%s; nothing was written", count(len(diags.Errs())+len(all), "mistake"))}
	}
	built, set := audit.Build(families, opt)
	files, err := frozenFiles(families, opt, &built, &set)
	if err != nil {
		return err
	}
	printFindings(a.Stderr, built.Findings)
	printFindings(a.Stderr, set.Findings)
	if err := allow.check(&built, &set); err != nil {
		return err
	}
	for _, file := range files {
		if err := writeFile(filepath.Join(to, file.Path), func(w *output) error { _, err := w.Write(file.Bytes); return err }); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.Stdout, "%s from %d families, %d rejected; %s, %d rejected; written to %s\n",
		count(len(built.Accepted), "case"), len(families), len(built.Rejected), count(len(built.FreeForm.Accepted), "free-form case"), len(built.FreeForm.Rejected), to)
	return nil
}

// frozenFiles is what a build writes: the cases, and two descriptions of them,
// for people and for machines.
func frozenFiles(families []*construct.Family, opt construct.Options, built *construct.Result, set *audit.Set) ([]construct.File, error) {
	files, err := built.Files()
	if err != nil {
		return nil, err
	}
	described := make([]croissant.File, len(files))
	for i, f := range files {
		described[i] = croissant.File(f)
	}
	info := croissant.Info{Version: opt.Version, Published: construct.DataPublished, Families: len(families)}
	if len(families) > 0 {
		info.Canary = families[0].Canary
	}
	machine, err := croissant.Describe(info, described)
	if err != nil {
		return nil, err
	}
	return append(files,
		construct.File{Path: "README.md", Bytes: set.Describe(built.Readme(opt, files))},
		construct.File{Path: croissant.Name, Bytes: machine}), nil
}

func (a *app) casesStats() *cobra.Command {
	return &cobra.Command{
		Use:   "stats [FILE.jsonl]",
		Short: "Count what a file of cases holds",
		RunE: func(c *cobra.Command, args []string) error {
			path, err := oneFile(c, args)
			if err != nil {
				return err
			}
			set, err := cases.LoadFile(path, cases.Options{})
			if err != nil {
				return &exit{exitUsage, err}
			}
			return printStats(a.Stdout, set)
		},
	}
}

func printStats(w io.Writer, set *cases.Set) error {
	s := set.Stats()
	t := newTable()
	t.AppendHeader([]any{"interface", "cases", "families", "tasks", "attack types"})
	for _, i := range s.Interfaces {
		types := ""
		for k, c := range i.AttackTypes {
			if k > 0 {
				types += ", "
			}
			types += fmt.Sprintf("%s %d", c.Name, c.N)
		}
		t.AppendRow([]any{i.Interface, i.Cases, i.Families, i.Tasks, types})
	}
	t.AppendFooter([]any{"all", s.Cases, s.Families, s.Tasks, ""})
	formats := ""
	for _, f := range s.Formats {
		formats += fmt.Sprintf("; %s %d", strings.ReplaceAll(f.Name, "_", " "), f.N)
	}
	_, err := fmt.Fprintf(w, "%s, sha256 %s%s\n\n%s\n\n%s, %s, %d separable; %s%s\n", set.Name, set.Digest, labelled(set), t.Render(),
		count(s.Records, "record"), count(s.Tasks, "task"), s.Separable, count(len(s.Domains), "domain"), formats)
	return err
}

// labelled is what stands beside every table on cases of ours.
func labelled(set *cases.Set) string {
	if name, _ := set.Source(); name != construct.Source {
		return ""
	}
	return ", author-labelled until human validation"
}

func (a *app) casesShow() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "show FAMILY|CASE",
		Short: "Show both arms of a case, or of a family's cases, with what differs marked",
		Args:  exactly(1, "a family or a case id"),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := cases.LoadFile(path, cases.Options{})
			if err != nil {
				return &exit{exitUsage, err}
			}
			found := set.Find(args[0])
			if len(found) == 0 {
				return usage("%s has no family and no case %q; `memform cases stats` counts what there is", path, args[0])
			}
			for _, c := range found {
				if err := cases.Show(a.Stdout, c); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&path, "cases", defaultCases, "file of cases")
	return cmd
}

// oneFile is the file named, or the frozen cases.
func oneFile(c *cobra.Command, args []string) (string, error) {
	switch len(args) {
	case 0:
		return defaultCases, nil
	case 1:
		return args[0], nil
	}
	return "", usage("%s takes at most one file", c.CommandPath())
}

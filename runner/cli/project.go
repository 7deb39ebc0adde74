package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"memform/runner/experiment"
	"memform/runner/schema"
)

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIRECTORY]",
		Short: "Lay out a new project; never overwrites a file",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%s takes at most one directory", c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return a.scaffold(dir)
		},
	}
}

// scaffold writes the files of a new project that do not exist yet.
func (a *app) scaffold(dir string) error {
	tree := experiment.Scaffold()
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(path))
		if _, err := os.Lstat(to); err == nil {
			fmt.Fprintf(a.Stdout, "kept     %s\n", to)
			return nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		b, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "written  %s\n", to)
		return writeFile(to, func(w *output) error { _, err := w.Write(b); return err })
	})
	if err != nil {
		return err
	}
	enter := ""
	if filepath.Clean(dir) != "." {
		enter = "cd " + quoted(dir) + " && "
	}
	fmt.Fprintf(a.Stdout, "next: %smemform cases build && memform run experiments/quickstart.hcl\n", enter)
	return nil
}

func (a *app) validateCommand() *cobra.Command {
	var s source
	cmd := &cobra.Command{
		Use:   "validate EXPERIMENT.hcl…",
		Short: "Check experiment files, the cases and the prompts they name",
		Args:  atLeastOne("an experiment file"),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := a.load(args, s)
			if err != nil {
				return err
			}
			return a.valid(l)
		},
	}
	s.flags(cmd.Flags())
	return cmd
}

// valid says that everything loads and is planned.
func (a *app) valid(l *loaded) error {
	e := l.experiment
	_, err := fmt.Fprintf(a.Stdout, "%q is valid: %s, %s, %s of cases\n", e.Name, count(len(e.Runs), "run"), count(len(e.Models), "model"), count(len(e.Cases), "file"))
	return err
}

func (a *app) fmtCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "fmt FILE.hcl | DIRECTORY…",
		Short: "Rewrite HCL files in canonical form",
		Args:  atLeastOne("a file or a directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := hclFiles(args)
			if err != nil {
				return err
			}
			return a.format(files, check)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "change nothing; exit 1 where a file is not canonical")
	return cmd
}

func (a *app) format(files []string, check bool) error {
	changed := 0
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			return usage("%w", err)
		}
		out, diags := experiment.Format(src, path)
		if diags.HasErrors() {
			return a.printDiagnostics(path, src, diags)
		}
		if bytes.Equal(src, out) {
			continue
		}
		changed++
		fmt.Fprintln(a.Stdout, path)
		if check {
			continue
		}
		if err := writeFile(path, func(w *output) error { _, err := w.Write(out); return err }); err != nil {
			return err
		}
	}
	if check && changed > 0 {
		return &exit{exitFailed, fmt.Errorf("%s not canonical; `memform fmt` mends that", count(changed, "file"))}
	}
	return nil
}

// printDiagnostics shows the mistakes of one file with their source lines.
func (a *app) printDiagnostics(path string, src []byte, diags hcl.Diagnostics) error {
	files := map[string]*hcl.File{path: {Bytes: src}}
	if err := hcl.NewDiagnosticTextWriter(a.Stderr, files, 0, colour(a.Stderr, a.Env)).WriteDiagnostics(diags); err != nil {
		return err
	}
	return &exit{exitUsage, fmt.Errorf("%s; nothing was written", count(len(diags.Errs()), "mistake"))}
}

// hclFiles lists the HCL files that arguments name, directories one level deep.
func hclFiles(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, usage("%w", err)
		}
		if !info.IsDir() {
			out = append(out, arg)
			continue
		}
		found, err := filepath.Glob(filepath.Join(arg, "*.hcl"))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "schema [NAME]",
		Short:     "Print the JSON Schema of an output file, or the names there are",
		ValidArgs: schema.Names(),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, name := range schema.Names() {
					fmt.Fprintln(a.Stdout, name)
				}
				return nil
			}
			b, ok := schema.Get(args[0])
			if !ok || len(args) > 1 {
				return usage("%s takes one of %v", c.CommandPath(), schema.Names())
			}
			_, err := a.Stdout.Write(b)
			return err
		},
	}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			version, goVersion := buildVersion()
			_, err := fmt.Fprintf(a.Stdout, "memform %s (%s)\nan independent implementation with its own data, after the published description of MemForm\n", version, goVersion)
			return err
		},
	}
}

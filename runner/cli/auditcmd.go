package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"memform/runner/audit"
	"memform/runner/construct"
)

func (a *app) casesAudit() *cobra.Command {
	var from string
	var asJSON bool
	opt := construct.Options{Seed: construct.DefaultSeed, Version: construct.DataVersion}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Hold the authored families against every rule; report only",
		Args:  exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			families, diags, err := a.readFamilies(from)
			if err != nil {
				return err
			}
			rep := audit.Run(families, opt, diags.HasErrors())
			if asJSON {
				enc := json.NewEncoder(a.Stdout)
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				err = enc.Encode(rep)
			} else {
				err = printAudit(a.Stdout, &rep)
			}
			if err == nil && diags.HasErrors() {
				err = &exit{exitUsage, fmt.Errorf("%s in the form of the families; no case was built, so the rules on cases and on the set were not tested", count(len(diags.Errs()), "mistake"))}
			}
			return err
		},
	}
	cmd.Flags().StringVar(&from, "families", "families", "directory of the authored families, or one file")
	cmd.Flags().Int64Var(&opt.Seed, "seed", opt.Seed, "picks among admissible selections")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// readFamilies reads families and prints what is wrong with their form.
func (a *app) readFamilies(from string) ([]*construct.Family, hcl.Diagnostics, error) {
	families, sources, diags := construct.Read(from)
	if len(diags) > 0 {
		if err := hcl.NewDiagnosticTextWriter(a.Stderr, sources, 0, colour(a.Stderr, a.Env)).WriteDiagnostics(diags); err != nil {
			return nil, nil, err
		}
	}
	return families, diags, nil
}

func printAudit(w io.Writer, rep *audit.Report) error {
	if len(rep.Findings) > 0 {
		t := newTable()
		t.AppendHeader([]any{"place", "code", "figure", "limit", "family or case", "finding"})
		for i := range rep.Findings {
			f := &rep.Findings[i]
			t.AppendRow([]any{fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column), f.Code, f.Figure, f.Threshold, f.Subject(), f.Message})
		}
		if _, err := fmt.Fprintf(w, "%s\n\n", t.Render()); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d families: %s, %s, %d rejected\n", rep.Families, count(len(rep.Findings), "finding"), count(rep.Accepted, "case"), rep.Rejected)
	return err
}

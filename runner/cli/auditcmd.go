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
	var asJSON, distribution bool
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
			if distribution {
				if diags.HasErrors() {
					return &exit{exitUsage, fmt.Errorf("%s in the form of the families; correct them first: without cases there is no distribution", count(len(diags.Errs()), "mistake"))}
				}
				return printDistribution(a.Stdout, audit.Distribution(families, opt))
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
	cmd.Flags().BoolVar(&distribution, "distribution", false, "print instead, for each numeric limit, how the figures of the families lie")
	cmd.MarkFlagsMutuallyExclusive("json", "distribution")
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

// allowed is what `cases build` writes in spite of.
type allowed struct{ set, texts bool }

// check refuses to write cases whose families or set break a rule.
func (a allowed) check(built *construct.Result, set *audit.Set) error {
	texts := 0
	for i := range built.Findings {
		if built.Findings[i].Case == "" {
			texts++
		}
	}
	switch {
	case texts > 0 && !a.texts:
		return &exit{exitUsage, fmt.Errorf("%s in the authored texts; nothing was written. Change the texts, or write with --allow-text-failures: their cases are then rejected", count(texts, "mistake"))}
	case len(set.Findings) > 0 && !a.set:
		return &exit{exitUsage, fmt.Errorf("%s on the whole set; nothing was written. Change the families, or write with --allow-set-failures", count(len(set.Findings), "finding"))}
	}
	return nil
}

func printFindings(w io.Writer, list []construct.Finding) {
	for _, f := range list {
		fmt.Fprintln(w, f)
	}
}

func printAudit(w io.Writer, rep *audit.Report) error {
	findings := rep.Findings
	if rep.Set != nil {
		findings = append(findings, rep.Set.Findings...)
		if err := printSet(w, rep.Set); err != nil {
			return err
		}
	}
	if len(findings) > 0 {
		t := newTable()
		t.AppendHeader([]any{"place", "code", "figure", "limit", "family or case", "finding"})
		for i := range findings {
			f := &findings[i]
			place := ""
			if f.File != "" {
				place = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
			}
			t.AppendRow([]any{place, f.Code, f.Figure, f.Threshold, f.Subject(), f.Message})
		}
		if _, err := fmt.Fprintf(w, "%s\n\n", t.Render()); err != nil {
			return err
		}
	}
	if len(rep.FreeForm.Findings) > 0 {
		fmt.Fprintln(w, "Without free-form cases:")
		printFindings(w, rep.FreeForm.Findings)
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "%d families: %s, %s, %d rejected; %s, %d rejected\n", rep.Families, count(len(findings), "finding"),
		count(rep.Accepted, "case"), rep.Rejected, count(rep.FreeForm.Accepted, "free-form case"), rep.FreeForm.Rejected)
	return err
}

// printSet prints a row a figure on the whole set; of the letters the worst
// stands for all that hold.
func printSet(w io.Writer, s *audit.Set) error {
	t := newTable()
	t.AppendHeader([]any{"rule on the set", "of", "n", "figure", "limits", "holds"})
	for i := range s.Measures {
		m := &s.Measures[i]
		if m.Code == "set.letters" && (m.Holds || !m.Binding) {
			continue
		}
		holds := "yes"
		switch {
		case !m.Limited:
			holds = ""
		case !m.Binding:
			holds = "(descriptive)"
		case !m.Holds:
			holds = "NO"
		}
		t.AppendRow([]any{m.Code, m.Of, m.N, m.Figure, m.Limits(), holds})
	}
	_, err := fmt.Fprintf(w, "%s\n\n", t.Render())
	return err
}

// printDistribution prints a row a limit.
func printDistribution(w io.Writer, list []audit.Spread) error {
	t := newTable()
	row := func(cells []string) (out []any) {
		for _, c := range cells {
			out = append(out, c)
		}
		return out
	}
	t.AppendHeader(row(audit.SpreadColumns()))
	for i := range list {
		t.AppendRow(row(list[i].Cells()))
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}

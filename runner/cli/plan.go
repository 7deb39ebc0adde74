package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memform/runner/cache"
	"memform/runner/llm"
	"memform/runner/plan"
)

// cacheFlags name the cache of a command.
type cacheFlags struct {
	dir    string
	layers []string
}

func (c *cacheFlags) flags(f *pflag.FlagSet) {
	f.StringVar(&c.dir, "cache", "cache", "cache directory")
	f.StringArrayVar(&c.layers, "cache-from", nil, "further cache directory that is only read (repeatable)")
}

func (a *app) planCommand() *cobra.Command {
	var s source
	var c cacheFlags
	var asJSON bool
	var out string
	cmd := &cobra.Command{
		Use:   "plan EXPERIMENT.hcl…",
		Short: "Expand an experiment into calls and price them; sends nothing",
		Args:  atLeastOne("an experiment file"),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := a.load(args, s)
			if err != nil {
				return err
			}
			a.caution(l)
			store, err := a.openCache(c.dir, c.layers, true)
			if err != nil {
				return err
			}
			defer store.Close()
			v := a.survey(l, store, nil)
			if out != "" {
				if err := v.save(out); err != nil {
					return err
				}
				a.log.Info().Msgf("plan written to %s; run it with: memform run %s", out, out)
			}
			if asJSON {
				enc := json.NewEncoder(a.Stdout)
				enc.SetIndent("", "  ")
				return enc.Encode(v.document())
			}
			return v.print(a.Stdout)
		},
	}
	s.flags(cmd.Flags())
	c.flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print totals and rows as JSON")
	cmd.Flags().StringVar(&out, "out", "", "save the plan to this `FILE`; memform run FILE runs it")
	return cmd
}

// view is a plan seen against a cache, priced.
type view struct {
	*loaded
	survey *plan.Survey
	tokens *plan.Tokens
	rows   []plan.Row
	times  []plan.Time
	store  *cache.Store
}

func (a *app) survey(l *loaded, store *cache.Store, pins map[llm.Key][32]byte) *view {
	return a.surveyWith(l, store, pins, nil)
}

// surveyWith hands every answered node to observe on the way.
func (a *app) surveyWith(l *loaded, store *cache.Store, pins map[llm.Key][32]byte, observe plan.Observer) *view {
	v := &view{loaded: l, tokens: plan.NewTokens(), store: store}
	v.survey = plan.Walk(l.plan, stored(store, pins), v.tokens, observe)
	v.rows = v.survey.Estimate(v.tokens)
	v.times = v.survey.Times(v.rows)
	return v
}

// save writes the plan with its nodes.
func (v *view) save(path string) error {
	return writeFile(path, func(w *output) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(v.survey.Save(v.paths, v.vars, v.only, v.rows))
	})
}

// planDocument is `plan --json` and plan.json: totals and one row a model ×
// kind.
type planDocument struct {
	Schema     string             `json:"schema"`
	Experiment string             `json:"experiment"`
	Root       string             `json:"root"`
	Digests    plan.Digests       `json:"digests"`
	DataSets   []dataSet          `json:"data_sets"`
	Totals     plan.Totals        `json:"totals"`
	Rows       []plan.Row         `json:"rows"`
	Times      []plan.Time        `json:"times"`
	Families   []plan.FamilyCount `json:"families"`
}

type dataSet struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Cases  int    `json:"cases"` // selected
}

func (v *view) document() planDocument {
	d := planDocument{
		Schema: "memform/plan/1", Experiment: v.experiment.Name, Root: v.plan.Root.String(), Digests: v.plan.Digests,
		Totals: plan.Total(v.rows), Rows: v.rows, Times: v.times, Families: v.plan.Families, DataSets: []dataSet{},
	}
	if d.Times == nil {
		d.Times = []plan.Time{}
	}
	for _, s := range v.plan.Sets {
		d.DataSets = append(d.DataSets, dataSet{s.Spec.Name, s.Set.Digest, len(s.Selected)})
	}
	return d
}

// advice is what a reader of the plan should know.
func (v *view) advice() []string {
	var out []string
	for _, e := range v.experiment.Endpoints {
		if e.IdentityIsURL {
			out = append(out, fmt.Sprintf("endpoint %q: give it an identity, so that its cached answers do not depend on the URL", e.Name))
		}
	}
	for _, m := range v.plan.Models {
		if _, declared := m.MaxTokens(); !declared && callsLeft(v.rows, m.Spec.Name) && m.Spec.Simulated == nil {
			out = append(out, fmt.Sprintf("model %q declares no max_tokens: its upper bounds assume %d a call", m.Spec.Name, plan.AssumedMaxTokens))
		}
		if m.Spec.Simulated == nil && !v.tokens.Exact(m.Spec.ID) && callsLeft(v.rows, m.Spec.Name) {
			out = append(out, fmt.Sprintf("model %q: its vocabulary is not known offline; tokens are estimated with o200k", m.Spec.Name))
		}
	}
	return out
}

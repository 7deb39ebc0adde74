package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/pflag"

	"memform/runner/bundle"
	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/llm/simulated"
	"memform/runner/plan"
	"memform/runner/prompts"
	"memform/runner/score"
)

// source is how an experiment is named on the command line.
type source struct {
	vars  []string
	only  []string
	limit int
	part  plan.Shard // set by run alone
}

func (s *source) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&s.vars, "var", nil, "value of a variable, name=value (repeatable)")
	f.StringArrayVar(&s.only, "only", nil, "part of the plan: model=NAME or interface=P1 (comma-separated or repeatable)")
	f.IntVar(&s.limit, "limit", 0, "only the first N families in sample order (0 = all)")
}

// loaded is an experiment with all it names, and its plan.
type loaded struct {
	experiment *experiment.Experiment
	sets       map[string]*cases.Set
	prompts    map[string]*prompts.Set
	plan       *plan.Plan
	undefended map[string]*score.Undefended // by run: results without a defense that come from elsewhere
	paths      []string
	vars       map[string]string
	only       plan.Only
	texts      texts   // experiment files that are not on disk
	discard    bool    // texts are not to be kept with the results
	frozen     *frozen // what a bundle holds in place of this version's own; nil outside a replay
}

// frozen is what a run took from the program that ran it: a replay uses it,
// whatever this program has in its place.
type frozen struct {
	prompts    map[string]map[string][]byte // run → prompt → text
	identities map[string]string            // model → endpoint identity
	stacks     map[string]bundle.Stack
}

// load reads experiment files, or one saved plan, and plans them.
func (a *app) load(args []string, s source) (*loaded, error) {
	saved, err := savedAmong(args)
	if err != nil {
		return nil, err
	}
	l := &loaded{paths: args}
	if saved != nil {
		if len(s.vars)+len(s.only)+s.limit+s.part.Count > 0 {
			return nil, usage("a saved plan has its variables and narrowing in it: --var, --only, --limit and --shard do not go with it")
		}
		l.paths, l.vars, l.only = saved.Paths, saved.Variables, saved.Only
	} else {
		if l.vars, err = variables(s.vars); err != nil {
			return nil, err
		}
		if l.only, err = narrowing(s.only, s.limit); err != nil {
			return nil, err
		}
		l.only.Shard = s.part
	}
	if err := a.loadParts(l); err != nil {
		return nil, err
	}
	if saved != nil {
		if part := l.plan.Stale(*saved); part != "" {
			return nil, usage("the saved plan is stale: its %s changed since it was made; make it again with `memform plan --out`", part)
		}
	}
	return l, nil
}

// savedAmong is the saved plan that the arguments name, nil where they name
// experiment files. A plan stands alone.
func savedAmong(args []string) (*plan.Saved, error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		if strings.HasSuffix(arg, ".hcl") || err != nil || !info.Mode().IsRegular() {
			continue
		}
		if len(args) > 1 {
			return nil, usage("%s is no .hcl file, so it is taken for a saved plan, and a saved plan stands alone", arg)
		}
		saved, err := readPlan(arg)
		if err != nil {
			return nil, &exit{exitUsage, err}
		}
		return saved, nil
	}
	return nil, nil
}

func readPlan(path string) (*plan.Saved, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := plan.ReadSaved(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (experiment files end in .hcl)", path, err)
	}
	return &s, nil
}

// loadParts fills l from its paths, variables and narrowing.
func (a *app) loadParts(l *loaded) error {
	known := a.knownStacks(l)
	e, src, diags := experiment.Load(l.paths, experiment.Options{Vars: l.vars, Env: a.Env, FS: l.texts.fsys(), Stacks: named(known)})
	if err := a.diagnose(src, diags); err != nil {
		return err
	}
	l.experiment = e
	if err := a.loadCases(l); err != nil {
		return err
	}
	if err := l.loadPrompts(); err != nil {
		return err
	}
	p, err := plan.Build(plan.Inputs{
		Experiment: e, Sets: l.sets, Prompts: l.prompts, Only: l.only, SimulatedIdentity: l.identities(), Stacks: known,
	})
	if err != nil {
		return &exit{exitUsage, err}
	}
	l.plan = p
	return a.joinUndefended(l)
}

// identities puts frozen identities in place and returns those of simulated
// models.
func (l *loaded) identities() func(*experiment.Simulated) string {
	frozen := map[*experiment.Simulated]string{}
	if l.frozen != nil {
		for _, m := range l.experiment.Models {
			switch id, ok := l.frozen.identities[m.Name]; {
			case ok && m.Simulated != nil:
				frozen[m.Simulated] = id
			case ok:
				m.Endpoint.Identity = id
			}
		}
	}
	return func(s *experiment.Simulated) string {
		if id, ok := frozen[s]; ok {
			return id
		}
		return simulated.Identity(params(s))
	}
}

func params(s *experiment.Simulated) simulated.Params {
	return simulated.Params{Competence: s.Competence, Susceptibility: s.Susceptibility, Detection: s.Detection, FalseAlarm: s.FalseAlarm}
}

// diagnose prints diagnostics; errors among them end with exit code 2.
func (a *app) diagnose(src *experiment.Source, diags hcl.Diagnostics) error {
	if len(diags) == 0 {
		return nil
	}
	if err := src.Write(a.Stderr, diags, 0, colour(a.Stderr, a.Env)); err != nil {
		return err
	}
	if diags.HasErrors() {
		return &exit{exitUsage, fmt.Errorf("%s; nothing was sent or written", count(len(diags.Errs()), "mistake"))}
	}
	return nil
}

// loadCases reads each file once, whichever blocks name it.
func (a *app) loadCases(l *loaded) error {
	a.frugal(l.experiment.Cases)
	l.sets = map[string]*cases.Set{}
	byPath := map[string]*cases.Set{}
	var errs []error
	for _, spec := range l.experiment.Cases {
		set := byPath[spec.Path]
		if set == nil {
			var err error
			if set, err = cases.LoadFile(spec.Path, cases.Options{}); err != nil {
				errs = append(errs, fmt.Errorf("%s:%d: cases %q: %w", spec.Pos.File, spec.Pos.Line, spec.Name, err))
				set = &cases.Set{}
			}
			for _, w := range set.Warnings {
				a.log.Warn().Msg(w.String())
			}
			byPath[spec.Path] = set
		}
		l.sets[spec.Name] = set
	}
	errs = append(errs, l.unguarded()...)
	if len(errs) > 0 {
		return &exit{exitUsage, errors.Join(errs...)}
	}
	return nil
}

// Beyond largeCases bytes of case files, memory is dearer than the time that
// collecting it takes: what is loaded stays until the end.
const (
	largeCases     = 192 << 20
	largeGCPercent = 15
)

// frugal has memory collected often, for the rest of the process, where the
// case files are large and the caller has not set a pace of their own.
func (a *app) frugal(specs []*experiment.Cases) {
	var size int64
	for _, spec := range specs {
		if info, err := os.Stat(spec.Path); err == nil {
			size += info.Size()
		}
	}
	if _, set := a.Env("GOGC"); size > largeCases && !set {
		debug.SetGCPercent(largeGCPercent)
	}
}

// freeForm is the first free-form case of a set.
func freeForm(set *cases.Set) *cases.Case {
	i := slices.IndexFunc(set.Cases, func(c *cases.Case) bool { return c.Format == cases.FreeForm })
	if i < 0 {
		return nil
	}
	return set.Cases[i]
}

func (l *loaded) loadPrompts() error {
	l.prompts = map[string]*prompts.Set{}
	known := map[string]*prompts.Set{}
	for _, run := range l.experiment.Runs {
		overrides, err := l.overrides(run)
		if err != nil {
			return err
		}
		set, err := prompts.Load(overrides)
		if err != nil {
			return usage("%s:%d: run %q: %w", run.Pos.File, run.Pos.Line, run.Name, err)
		}
		if same := known[set.Digest()]; same != nil {
			set = same
		}
		known[set.Digest()], l.prompts[run.Name] = set, set
	}
	return nil
}

// overrides are the prompt files that stand in place of the embedded ones.
func (l *loaded) overrides(run *experiment.Run) (map[string][]byte, error) {
	if l.frozen != nil && l.frozen.prompts[run.Name] != nil {
		return l.frozen.prompts[run.Name], nil
	}
	overrides := map[string][]byte{}
	for name, path := range run.Prompts {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, usage("run %q: prompt %s: %w", run.Name, name, err)
		}
		overrides[name] = b
	}
	return overrides, nil
}

func variables(list []string) (map[string]string, error) {
	vars := map[string]string{}
	for _, v := range list {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return nil, usage("--var %q: write name=value", v)
		}
		vars[name] = value
	}
	return vars, nil
}

func narrowing(list []string, limit int) (plan.Only, error) {
	only := plan.Only{Limit: limit}
	if limit < 0 {
		return only, usage("--limit must be 1 or more")
	}
	for _, item := range strings.Split(strings.Join(list, ","), ",") {
		if item == "" {
			continue
		}
		name, value, _ := strings.Cut(item, "=")
		switch {
		case name == "model" && value != "":
			only.Models = append(only.Models, value)
		case name == "interface" && value != "":
			only.Interfaces = append(only.Interfaces, value)
		default:
			return only, usage("--only %q: write model=NAME or interface=P1", item)
		}
	}
	sort.Strings(only.Models)
	sort.Strings(only.Interfaces)
	return only, nil
}

// count is "1 thing" or "N things".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

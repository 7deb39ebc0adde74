package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memform/runner/experiment"
	"memform/runner/protocol"
)

// own is one of the benchmark's own commands: what the published benchmark
// runs by a line of flags (docs/commands.md). It builds an experiment and runs
// it as `memform run` would.
type own struct {
	name    string // of the command
	run     string // label of its run
	stack   string // the stack it stands for, "" = that of the undefended results
	phase   string // default of --phase
	defends bool   // takes the flags of defenses
	short   string
}

var owns = []own{
	{name: "run-langchain", run: "langchain", stack: "langchain", phase: "all", short: "Run cases on the LangChain stack, by flags"},
	{name: "run-llamaindex", run: "llamaindex", stack: "llamaindex", phase: "all", short: "Run cases on the LlamaIndex stack, by flags"},
	{name: "run-defense", run: "defense", phase: "learned", defends: true, short: "Run defenses against the undefended results of a run, by flags"},
}

// ownFlags are the flags of these commands. Lists hold words as given.
type ownFlags struct {
	runFlags
	cases, phase, model, stack   string
	interfaces, updaters         []string
	orders, replicates, tokens   int
	parser, judge                string
	alignment                    bool
	temperature, apiKey, baseURL string
	validateOnly, printHCL       bool

	defenses                []string
	undefended, guardsModel string
}

func (a *app) ownCommand(o own) *cobra.Command {
	var f ownFlags
	cmd := &cobra.Command{
		Use:         o.name + " --cases FILE --model NAME",
		Short:       o.short,
		Args:        exactly(0, "flags alone"),
		Annotations: map[string]string{listFlags: "interfaces p5-updaters"},
		RunE:        func(*cobra.Command, []string) error { return a.own(o, f) },
	}
	if o.defends {
		cmd.Use = o.name + " --defense NAME --cases FILE --model NAME"
		cmd.Annotations[listFlags] += " defense"
		cmd.Flags().StringArrayVar(&f.defenses, "defense", nil, "`NAME` of a method, several, or all")
		cmd.Flags().StringVar(&f.undefended, "undefended-results", "", "`case_results.jsonl` of another run: the undefended results; without it they are run too")
		cmd.Flags().StringVar(&f.guardsModel, "defense-model", "", "`NAME` of the model that guards ask")
	}
	f.register(cmd.Flags(), o)
	f.ordinary(cmd.Flags())
	complete(cmd)
	return cmd
}

// complete lets a shell complete the flags that take known names.
func complete(cmd *cobra.Command) {
	for flag, names := range map[string][]string{
		"phase":       ownPhases,
		"interfaces":  append(experiment.Choices("cases", "interfaces"), "all"),
		"p5-updaters": append(experiment.Choices("run", "p5_updaters"), "all"),
		"stack":       experiment.Choices("run", "stack"),
		"defense":     experiment.Choices("defense", "method"),
	} {
		if cmd.Flags().Lookup(flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) // fails for absent flags alone
		}
	}
}

// ownPhases are the values of --phase.
var ownPhases = []string{protocol.PhaseOracle, protocol.PhaseLearned, "all"}

// register declares the flags of the benchmark's own commands.
func (f *ownFlags) register(flags *pflag.FlagSet, o own) {
	flags.StringVar(&f.cases, "cases", "", "`FILE` of cases, multiple choice or free form")
	flags.StringVar(&f.outputDir, "output-dir", "", "directory of the results (default results/"+o.run+")")
	flags.StringVar(&f.phase, "phase", o.phase, "oracle, learned or all")
	flags.StringArrayVar(&f.interfaces, "interfaces", nil, "`NAME` of an interface, several, or all (default all)")
	flags.StringVar(&f.model, "model", "", "`NAME` of the model under test as the server knows it, or simulated")
	flags.BoolVar(&f.alignment, "target-alignment", false, "judge what memories recommend, with the judge model if there is one, else with the model under test")
	flags.StringArrayVar(&f.updaters, "p5-updaters", nil, "`NAME` of an updater of P5, several, or all (default incremental_merge)")
	flags.IntVar(&f.orders, "p5-random-orders", 0, "`N` random orders of P5's records")
	flags.StringVar(&f.cacheFlags.dir, "cache", "cache", "cache directory")
	flags.BoolVar(&f.validateOnly, "validate-only", false, "check everything, send and write nothing")
	flags.StringVar(&f.parser, "freeform-parser-model", "", "`NAME` of the model that reads free-form answers")
	flags.StringVar(&f.judge, "freeform-judge-model", "", "`NAME` of the model that judges free-form answers")
	flags.StringVar(&f.apiKey, "api-key", "", "`KEY` of the server; others on this machine can see it: set OPENAI_API_KEY instead")
	flags.StringVar(&f.baseURL, "base-url", "", "`URL` of the server (default OPENAI_BASE_URL, then OPENAI_API_BASE, then "+openAI+")")
	flags.BoolVar(&f.printHCL, "print-hcl", false, "print the experiment file that this line stands for, and do nothing else")
	flags.StringVar(&f.stack, "stack", "", "`NAME` of another stack than the command's own, such as native")
	flags.StringVar(&f.temperature, "temperature", "0", "sampling `temperature` of every model, or unset: then the server's own")
	flags.IntVar(&f.tokens, "max-tokens", 0, "most completion tokens of one answer (default the server's)")
	flags.IntVar(&f.replicates, "replicates", 1, "draws of the clean chain; from 2 on the noise floor is known")
}

// ordinary declares flags of `memform run` that change no result.
func (f *ownFlags) ordinary(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.layers, "cache-from", nil, "further cache directory that is only read (repeatable)")
	flags.IntVar(&f.limit, "limit", 0, "only the first N families in sample order (0 = all)")
	f.conduct(flags)
}

// fileExperiment is where a run by flags keeps the experiment file that it
// stands for, in its results.
const fileExperiment = "experiment.hcl"

// own runs one of the benchmark's own commands.
func (a *app) own(o own, f ownFlags) error {
	f.started = time.Now()
	a.hideKey(f.apiKey)
	b, err := a.ownExperiment(o, &f)
	if err != nil {
		return err
	}
	if f.printHCL {
		_, err := a.Stdout.Write(b.text(o, experiment.Writing{Address: b.fromEnvironment}))
		return err
	}
	only, err := narrowing(nil, f.limit)
	if err != nil {
		return err
	}
	l := &loaded{vars: map[string]string{}, only: only}
	b.place(o, l)
	if err := a.loadParts(l); err != nil {
		return err
	}
	if f.validateOnly {
		return a.valid(l)
	}
	a.caution(l)
	return a.run(l, f.runFlags)
}

// place lays the experiment file where the results will be. It names no
// server, as results do not; where it would have to name a place outside the
// working directory, it is loaded and not kept.
func (b *builder) place(o own, l *loaded) {
	dir := filepath.Clean(b.flags.outputDir)
	file := filepath.Join(dir, fileExperiment)
	private := outside(dir)
	how := experiment.Writing{Address: b.inResults, Place: func(path string) string {
		private = private || outside(path)
		return relativeTo(dir, path)
	}}
	l.paths, l.texts = []string{file}, texts{file: b.text(o, how)}
	l.discard = private
	if b.flags.baseURL != "" {
		b.stand(envURL, b.flags.baseURL)
	}
}

// text is the experiment file that a line of flags stands for.
func (b *builder) text(o own, how experiment.Writing) []byte {
	return append([]byte("# Written by `memform "+o.name+"`. Paths are relative to the folder of this file.\n\n"), experiment.Text(b.e, how)...)
}

// relativeTo is how a file in dir names a path of the working directory.
func relativeTo(dir, path string) string {
	from, err := filepath.Abs(dir)
	if err != nil {
		return path
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return to
	}
	return filepath.ToSlash(rel)
}

// outside reports whether a path leads out of the working directory.
func outside(path string) bool { return !filepath.IsLocal(relativeTo(".", path)) }

// hideKey lets a key from the command line stand for OPENAI_API_KEY, and
// keeps it out of what is printed.
func (a *app) hideKey(key string) {
	if key == "" {
		return
	}
	a.log.Warn().Msg("--api-key can be seen by others on this machine and stays in the shell's history: set OPENAI_API_KEY in the environment or in .env instead")
	a.stand(envKey, key)
	a.Args = withoutFlag(a.Args, "--api-key")
}

// stand lets a flag stand for a variable of the environment.
func (a *app) stand(variable, value string) {
	env := a.Env
	a.Env = func(name string) (string, bool) {
		if name == variable {
			return value, true
		}
		return env(name)
	}
}

// withoutFlag is a command line without a flag and its word.
func withoutFlag(args []string, flag string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == flag:
			i++
		case strings.HasPrefix(args[i], flag+"="):
		default:
			out = append(out, args[i])
		}
	}
	return out
}

// mistakes are those of a command line, all reported at once.
type mistakes []error

func (m *mistakes) add(format string, args ...any) { *m = append(*m, fmt.Errorf(format, args...)) }

// one checks a single name.
func (m *mistakes) one(flag, word string, known []string) {
	if !slices.Contains(known, word) {
		m.add("--%s %q: %s", flag, word, experiment.Suggest(word, known))
	}
}

// file checks that a flag names a file.
func (m *mistakes) file(flag, path string) {
	info, err := os.Stat(path)
	var at *os.PathError
	switch {
	case errors.As(err, &at):
		m.add("--%s %s: %w", flag, path, at.Err)
	case err != nil:
		m.add("--%s %s: %w", flag, path, err)
	case info.IsDir():
		m.add("--%s %s: it is a directory; name a file in it", flag, path)
	}
}

func (m mistakes) err() error {
	if len(m) == 0 {
		return nil
	}
	return &exit{exitUsage, errors.Join(m...)}
}

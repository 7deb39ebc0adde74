package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	stacks "memform/runner/stack"
	"memform/runner/stack/conformance"
)

func (a *app) stackCommand() *cobra.Command {
	return group("stack", "The clients and memories that an agent can run on",
		a.stackListCommand(), a.stackInstallCommand(), a.stackCheckCommand())
}

func (a *app) stackListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the stacks, and whether they are installed",
		Args:  exactly(0, "no argument"),
		RunE:  func(*cobra.Command, []string) error { return a.listStacks() },
	}
}

func (a *app) listStacks() error {
	all, err := a.offers()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "stack\tkind\tadapter\tlock\tinstalled")
	fmt.Fprintln(w, "native\tnative\t-\t-\tpart of memform")
	for _, o := range all {
		e, err := a.environment(o)
		if err != nil {
			return err
		}
		state := "no: " + installLine(o.Name)
		if m, ok := e.installed(); ok {
			state = "yes, Python " + m.Python
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", o.Name, kindWords[o.Kind], o.Adapter, o.Digest[:16], state)
	}
	return w.Flush()
}

var kindWords = map[stacks.Kind]string{stacks.Carrier: "carrier", stacks.MemorySystem: "memory system"}

// checkFlags describe a command that is not an installed stack.
type checkFlags struct {
	kind  string
	stack string
	most  int
}

func (a *app) stackCheckCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check NAME | check [--kind KIND] [--stack NAME] -- COMMAND…",
		Short: "Try an adapter: conformance, and the same operations cold, again, interleaved and on another date",
		Long: "Runs the conformance suite of adapters/PROTOCOL.md against an installed stack, or against any command, with a\n" +
			"model of its own: nothing is sent. Prints one line a check and the first difference of each that failed.\n" +
			"Exit code 0: all passed; 1: some failed; 2: it cannot be started.",
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := a.checked(c, args, f)
			if err != nil {
				return err
			}
			return a.checkStack(cfg, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.kind, "kind", string(stacks.Carrier), "with a command: carrier or memory_system")
	flags.StringVar(&f.stack, "stack", "example", "with a command: the stack that it is asked for")
	flags.IntVar(&f.most, "calls", 16, "with a command: the most model calls of a form, for each record")
	return cmd
}

// checked is what is to be tried: an installed stack or a command.
func (a *app) checked(c *cobra.Command, args []string, f checkFlags) (conformance.Config, error) {
	if c.ArgsLenAtDash() == 0 && len(args) > 0 {
		kind := stacks.Kind(f.kind)
		if kindWords[kind] == "" {
			return conformance.Config{}, usage("--kind %q: write carrier or memory_system", f.kind)
		}
		path, _ := a.Env("PATH")
		return conformance.Config{
			Stack: stacks.Config{Stack: f.stack, Command: absolute(args), Path: path, LockDigest: strings.Repeat("0", 64)},
			Kind:  kind, Calls: stacks.Calls{High: stacks.Count{Per: f.most, Fixed: f.most}},
		}, nil
	}
	if len(args) != 1 || c.ArgsLenAtDash() >= 0 {
		return conformance.Config{}, usage("%s takes the name of a stack, or -- and a command\nUsage: %s", c.CommandPath(), c.UseLine())
	}
	o, err := a.offer(args[0])
	if err != nil {
		return conformance.Config{}, err
	}
	cfg, err := a.stackConfig(o)
	return conformance.Config{Stack: cfg, Kind: o.Kind, Calls: o.Calls}, err
}

// absolute makes paths of files absolute: the command runs in another folder.
func absolute(words []string) []string {
	out := slices.Clone(words)
	for i, word := range out {
		if !strings.ContainsRune(word, filepath.Separator) && i == 0 {
			continue // found by PATH
		}
		if full, err := filepath.Abs(word); err == nil {
			if _, err := os.Stat(full); err == nil {
				out[i] = full
			}
		}
	}
	return out
}

func (a *app) checkStack(cfg conformance.Config, name string) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() {
		select {
		case s := <-a.Signals:
			cancel(&exit{code: signalCode(s)})
		case <-ctx.Done():
		}
	}()
	cfg.Log = func(level, message string) { a.log.Debug().Msg(level + ": " + message) }
	failed := 0
	cfg.Each = func(c conformance.Check) {
		if c.Fault == "" {
			fmt.Fprintf(a.Stdout, "ok      %s (%s)\n", c.Name, c.Took.Round(time.Millisecond))
			return
		}
		failed++
		fmt.Fprintf(a.Stdout, "FAILED  %s: %s\n", c.Name, c.Fault)
	}
	done, err := conformance.Run(ctx, cfg)
	if err != nil {
		if cfg.Stack.Stack != name { // a command
			return usage("%w", err)
		}
		return startFault(name, err)
	}
	if failed > 0 {
		fmt.Fprintf(a.Stdout, "%d of %s failed\n", failed, count(len(done), "check"))
		return &exit{code: exitFailed}
	}
	fmt.Fprintf(a.Stdout, "all %s passed\n", count(len(done), "check"))
	return nil
}

// stackLog logs what adapters say.
func (a *app) stackLog(level, message string) {
	switch level {
	case "debug":
		a.log.Debug().Msg(message)
	case "info":
		a.log.Info().Msg(message)
	case "error":
		a.log.Error().Msg(message)
	default:
		a.log.Warn().Msg(message)
	}
}

var versionNumber = regexp.MustCompile(`^(\d+)\.(\d+)`)

// atLeast reports whether a Python's version satisfies ">=MAJOR.MINOR"; an
// empty rule is satisfied.
func atLeast(version, rule string) bool {
	want := versionNumber.FindStringSubmatch(strings.TrimPrefix(rule, ">="))
	got := versionNumber.FindStringSubmatch(version)
	if want == nil || got == nil {
		return want == nil
	}
	for i := 1; i <= 2; i++ {
		w, _ := strconv.Atoi(want[i]) // digits, by the expression
		g, _ := strconv.Atoi(got[i])
		if g != w {
			return g > w
		}
	}
	return true
}

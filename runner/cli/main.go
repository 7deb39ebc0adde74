// Package cli is the edge of the program: it reads arguments, environment and
// files, stacks the layers, drives a plan through them and writes what came
// of it. It holds no rule of the benchmark. Start at Main.
package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/joho/godotenv"
	"github.com/spf13/cobra"

	"memform/runner/llm/retry"
	stacks "memform/runner/stack"
)

// Process is what the operating system gives the program.
type Process struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            func(name string) (string, bool)
	Signals        <-chan os.Signal // interrupt, terminate, hang up
}

// Exit codes (docs/protocol.md, "Exit codes").
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2 // invalid configuration or usage; nothing was sent
	exitMissing     = 3 // finished, with results missing
	exitInterrupted = 130
	exitTerminated  = 143
)

// exit is an error that decides the exit code. A nil err has been reported.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// usage is a mistake of the caller: exit code 2.
func usage(format string, args ...any) error {
	return &exit{exitUsage, fmt.Errorf(format, args...)}
}

// app is one invocation.
type app struct {
	Process
	log       logger
	transport http.RoundTripper // stands in for the network; nil: the network
	retry     retry.Config      // the zero value is the protocol's
	stacks    stacks.Config     // how long adapters may take; the zero value is the protocol's
}

// Main runs the program and returns its exit code.
func Main(p Process) int { return (&app{Process: p}).main() }

func (a *app) main() int {
	if err := a.readDotenv(); err != nil {
		fmt.Fprintln(a.Stderr, "memform:", err)
		return exitUsage
	}
	root := a.command()
	root.SetArgs(spread(root, a.Args))
	err := root.Execute()
	if err == nil {
		return exitDone
	}
	code := exitFailed
	var e *exit
	if errors.As(err, &e) {
		code = e.code
		if e.err == nil {
			return code
		}
	}
	fmt.Fprintln(a.Stderr, "memform:", err)
	return code
}

// readDotenv lets .env of the working directory stand in for variables that
// the environment does not set.
func (a *app) readDotenv() error {
	values, err := godotenv.Read(".env")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		// The library's message quotes the line, which may hold a key.
		return errors.New(".env cannot be read: it must hold NAME=value lines (the line is not shown, it may hold a key)")
	}
	real := a.Env
	a.Env = func(name string) (string, bool) {
		if v, ok := real(name); ok {
			return v, true
		}
		v, ok := values[name]
		return v, ok
	}
	return nil
}

// command is the tree of commands.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "memform",
		Short: "Plan, run and score experiments on memory-formation poisoning",
		Long: "memform is a deterministic benchmark of memory-formation poisoning and the batch\n" +
			"orchestrator that runs it. An independent implementation with its own data, after\n" +
			"the published description of MemForm.",
		Args:          refuseUnknown,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return a.log.start(a.Stderr, a.Env)
		},
	}
	root.Version, _ = buildVersion()
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%w\nSee: %s --help", err, c.CommandPath())
	})
	a.log.flags(root.PersistentFlags())
	root.AddCommand(
		a.initCommand(), a.validateCommand(), a.fmtCommand(), a.planCommand(), a.runCommand(), a.scoreCommand(),
		a.bundleCommand(), a.replayCommand(), a.traceCommand(), a.explainCommand(), a.probeCommand(), a.casesCommand(), a.defensesCommand(), a.cacheCommand(), a.stackCommand(), a.gatewayCommand(), a.schemaCommand(), a.versionCommand(),
	)
	for _, o := range owns {
		root.AddCommand(a.ownCommand(o))
	}
	return root
}

// exactly wants n arguments and says which.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s takes %s\nUsage: %s", c.CommandPath(), what, c.UseLine())
		}
		return nil
	}
}

// atLeastOne wants one argument or more.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("%s needs %s\nUsage: %s", c.CommandPath(), what, c.UseLine())
		}
		return nil
	}
}

// refuseUnknown is for commands that only hold others: a word left over is no
// command of theirs.
func refuseUnknown(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	c.SuggestionsMinimumDistance = 2 // cobra's own default is set on a path not taken here
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %q?", near[0])
	}
	return usage("%s has no command %q%s\nSee: %s --help", c.CommandPath(), args[0], hint, c.CommandPath())
}

// group is a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: refuseUnknown, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(children...)
	return c
}

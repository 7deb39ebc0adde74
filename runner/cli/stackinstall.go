package cli

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	stacks "memform/runner/stack"
)

// installFlags say how an environment is made.
type installFlags struct {
	python string
	again  bool
}

func (a *app) stackInstallCommand() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "install NAME…",
		Short: "Make a stack's virtual environment from its lock",
		Long: "Makes a virtual environment below the user's cache folder (or MEMFORM_STACKS) and installs into it exactly what\n" +
			"the adapter's lock names, every file checked against its hash. This alone of all stack commands uses the network.",
		Args: atLeastOne("the name of a stack"),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, name := range args {
				o, err := a.offer(name)
				if err != nil {
					return err
				}
				if err := a.install(o, f); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&f.python, "python", "python3", "the Python to make the environment with")
	cmd.Flags().BoolVar(&f.again, "again", false, "make it anew where it is there already")
	return cmd
}

// install makes a stack's environment, unless it is there.
func (a *app) install(o *stacks.Offer, f installFlags) error {
	e, err := a.environment(o)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(e.dir), 0o755); err != nil {
		return usage("the stack's environment cannot be made: %w (MEMFORM_STACKS names another folder)", err)
	}
	making := flock.New(e.dir + ".lock")
	if err := making.Lock(); err != nil {
		return err
	}
	defer func() { _ = making.Unlock() }()
	if m, ok := e.installed(); ok && !f.again {
		fmt.Fprintf(a.Stdout, "%s is installed already (Python %s); check it with: memform stack check %s\n", o.Name, m.Python, o.Name)
		return nil
	}
	version, err := a.pythonVersion(f.python)
	if err != nil {
		return err
	}
	if !atLeast(version, o.Python) {
		return usage("stack %q needs Python %s and %s is %s: name another with --python", o.Name, o.Python, f.python, version)
	}
	start := time.Now()
	if err := a.make(e, o, f.python); err != nil {
		_ = os.RemoveAll(e.dir) // what is half made is of no use
		return fmt.Errorf("stack %q was not installed: %w", o.Name, err)
	}
	if err := writeJSON(e.marker(), installed{o.Adapter, o.Digest, version}); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s is installed: %s, Python %s, in %s; check it with: memform stack check %s\n",
		o.Name, count(len(o.Packages), "package"), version, seconds(time.Since(start).Seconds()), o.Name)
	return nil
}

func (a *app) pythonVersion(python string) (string, error) {
	out, err := exec.Command(python, "-c", "import platform; print(platform.python_version())").Output()
	if err != nil {
		return "", usage("%s cannot be run (%w): name a Python with --python", python, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// make makes the environment and installs the lock into it.
func (a *app) make(e environment, o *stacks.Offer, python string) error {
	if err := os.RemoveAll(e.dir); err != nil {
		return err
	}
	venv := []string{"-m", "venv", filepath.Join(e.dir, "venv")}
	if len(o.Packages) == 0 {
		return a.program(python, append(venv, "--without-pip")...)
	}
	if err := a.program(python, venv...); err != nil {
		return err
	}
	lock, err := fs.ReadFile(o.Source, path.Join(o.Folder, o.Lock))
	if err != nil {
		return err
	}
	file := filepath.Join(e.dir, "requirements.lock")
	if err := os.WriteFile(file, lock, 0o644); err != nil {
		return err
	}
	a.log.Info().Msgf("installing %s of %s", count(len(o.Packages), "package"), o.Adapter)
	return a.program(e.python(), "-m", "pip", "install", "--require-hashes", "--no-deps", "--no-input",
		"--disable-pip-version-check", "--quiet", "-r", file)
}

// program runs a program whose words go to stderr.
func (a *app) program(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = a.Stderr, a.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args[:min(2, len(args))], " "), err)
	}
	return nil
}

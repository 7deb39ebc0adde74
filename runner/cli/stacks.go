package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"memform/adapters"
	"memform/runner/experiment"
	"memform/runner/plan"
	stacks "memform/runner/stack"
)

// adapterFolder is where a project keeps adapters of its own.
const adapterFolder = "adapters"

// offers lists the stacks of the project's own adapters and of those that
// come with the program; of one name the project's.
func (a *app) offers() ([]*stacks.Offer, error) {
	own, err := stacks.Find(os.DirFS(adapterFolder))
	if err != nil {
		return own, usage("%s: %w", adapterFolder, err)
	}
	shipped, err := stacks.Find(adapters.Files)
	if err != nil {
		return own, err
	}
	for _, o := range shipped {
		if stacks.Named(own, o.Name) == nil {
			own = append(own, o)
		}
	}
	return own, nil
}

// offer is the stack of a name.
func (a *app) offer(name string) (*stacks.Offer, error) {
	all, err := a.offers()
	if o := stacks.Named(all, name); o != nil {
		return o, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, usage("no stack is called %q; there are: native, %s", name, strings.Join(offerNames(all), ", "))
}

func offerNames(all []*stacks.Offer) []string {
	var names []string
	for _, o := range all {
		names = append(names, o.Name)
	}
	return names
}

// knownStacks is what plans need of every stack there is: those of a bundle
// where one is replayed, else what the adapters offer. No Python is needed.
func (a *app) knownStacks(l *loaded) map[string]*plan.Stack {
	known := map[string]*plan.Stack{}
	if l.frozen != nil {
		for name, s := range l.frozen.stacks {
			known[name] = &plan.Stack{Name: name, Suffix: s.Suffix, Memory: s.Memory, Calls: func(n int) (int, int) { return n, n }}
		}
		return known
	}
	all, err := a.offers()
	if err != nil { // a run on another stack need not care
		a.log.Warn().Err(err).Msg("adapters")
	}
	for _, o := range all {
		known[o.Name] = &plan.Stack{Name: o.Name, Suffix: o.Suffix(), Memory: o.Kind == stacks.MemorySystem, Calls: func(n int) (int, int) {
			return o.Calls.Expected.Of(n), o.Calls.High.Of(n)
		}}
	}
	return known
}

// named is what experiment files need to know of stacks.
func named(known map[string]*plan.Stack) []experiment.Stack {
	list := []experiment.Stack{}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		list = append(list, experiment.Stack{Name: name, Memory: known[name].Memory})
	}
	return list
}

// stackHome is where virtual environments are kept: MEMFORM_STACKS, else a
// folder of the user's cache.
func (a *app) stackHome() (string, error) {
	if dir, ok := a.Env("MEMFORM_STACKS"); ok && dir != "" {
		return filepath.Abs(dir)
	}
	if dir, ok := a.Env("XDG_CACHE_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "memform", "stacks"), nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", usage("there is no place for a stack's virtual environment: set MEMFORM_STACKS to a folder (%w)", err)
	}
	return filepath.Join(dir, "memform", "stacks"), nil
}

// environment is the virtual environment of a stack's adapter. Adapters with
// one lock share it.
type environment struct{ dir string }

func (a *app) environment(o *stacks.Offer) (environment, error) {
	home, err := a.stackHome()
	if err != nil {
		return environment{}, err
	}
	return environment{filepath.Join(home, o.Adapter+"-"+o.Digest[:16])}, nil
}

// python is the interpreter.
func (e environment) python() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(e.dir, "venv", "Scripts", "python.exe")
	}
	return filepath.Join(e.dir, "venv", "bin", "python")
}

// marker is written last: what has none is half made.
func (e environment) marker() string { return filepath.Join(e.dir, "installed.json") }

// installed is what the marker holds.
type installed struct {
	Adapter string `json:"adapter"`
	Lock    string `json:"lock"` // hex SHA-256
	Python  string `json:"python"`
}

func (e environment) installed() (installed, bool) {
	var m installed
	text, err := os.ReadFile(e.marker())
	if err != nil || json.Unmarshal(text, &m) != nil {
		return m, false
	}
	_, err = os.Stat(e.python())
	return m, err == nil
}

// installLine is what installs a stack.
func installLine(name string) string { return "memform stack install " + name }

// stackConfig is how an installed stack is started; one that is not installed
// is named with the line that installs it.
func (a *app) stackConfig(o *stacks.Offer) (stacks.Config, error) {
	e, err := a.environment(o)
	if err != nil {
		return stacks.Config{}, err
	}
	if _, ok := e.installed(); !ok {
		return stacks.Config{}, usage("stack %q is not installed; nothing was sent; install it with: %s", o.Name, installLine(o.Name))
	}
	dir, err := a.folder(o)
	if err != nil {
		return stacks.Config{}, err
	}
	path, _ := a.Env("PATH")
	cfg := a.stacks // for its patience
	cfg.Stack, cfg.Dir, cfg.Path, cfg.LockDigest, cfg.Packages = o.Name, dir, path, o.Digest, o.Packages
	for _, word := range o.Command {
		cfg.Command = append(cfg.Command, strings.NewReplacer("{python}", e.python(), "{dir}", dir).Replace(word))
	}
	return cfg, nil
}

// folder is where an adapter's code lies: the project's own in place, a
// shipped one in a copy below the stack home, made once for each version.
func (a *app) folder(o *stacks.Offer) (string, error) {
	if o.Source != fs.FS(adapters.Files) {
		return filepath.Abs(filepath.Join(adapterFolder, o.Folder))
	}
	home, err := a.stackHome()
	if err != nil {
		return "", err
	}
	digest, err := treeDigest(adapters.Files)
	if err != nil {
		return "", err
	}
	to := filepath.Join(home, "code-"+digest[:16])
	if _, err := os.Stat(to); err == nil {
		return filepath.Join(to, o.Folder), nil
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(home, "code-new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)
	if err := os.CopyFS(temporary, adapters.Files); err != nil {
		return "", err
	}
	if err := os.Rename(temporary, to); err != nil {
		if _, made := os.Stat(to); made != nil { // not by another process meanwhile
			return "", err
		}
	}
	return filepath.Join(to, o.Folder), nil
}

// treeDigest is over the names and bytes of all files.
func treeDigest(tree fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%d:%s%d:", len(path), path, len(b))
		_, err = h.Write(b)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// startFault says what to do about a stack that cannot be used.
func startFault(name string, err error) error {
	if _, ok := errors.AsType[*stacks.StartError](err); ok {
		return usage("%w\nnothing was sent; if it was changed or half installed: %s", err, installLine(name)+" --again")
	}
	return err
}

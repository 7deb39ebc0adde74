package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/bundle"
	"memform/runner/plan"
)

// bundleFlags are the choices of a bundle.
type bundleFlags struct {
	cacheFlags
	out         string
	allowURL    bool
	casesByURL  []string
	experiments []string
	vars        []string
}

func (a *app) bundleCommand() *cobra.Command {
	var f bundleFlags
	cmd := &cobra.Command{
		Use:   "bundle RESULTS -o FILE.memform",
		Short: "Pack a finished run so that anyone can replay it offline",
		Args:  exactly(1, "the results directory of a finished run"),
		RunE:  func(_ *cobra.Command, args []string) error { return a.bundle(args[0], f) },
	}
	f.flags(cmd.Flags())
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "the bundle to write (required)")
	cmd.Flags().BoolVar(&f.allowURL, "allow-url-identity", false, "bundle although an endpoint's identity is its URL")
	cmd.Flags().StringArrayVar(&f.experiments, "experiment", nil, "experiment file of the run, where it is not found as the run names it (repeatable)")
	cmd.Flags().StringArrayVar(&f.vars, "var", nil, "value of a variable, name=value, where the run's is a path or URL that was not kept (repeatable)")
	cmd.Flags().StringArrayVar(&f.casesByURL, "cases-url", nil, "leave out the file of a cases block, NAME=URL; its digest goes in (repeatable)")
	return cmd
}

func (a *app) bundle(dir string, f bundleFlags) error {
	if f.out == "" {
		return usage("name the bundle: -o paper.memform")
	}
	l, was, err := a.loadRun(dir, f)
	if err != nil {
		return err
	}
	if err := l.portableIdentity(f.allowURL); err != nil {
		return err
	}
	p := &packer{app: a, loaded: l, dir: dir, flags: f}
	if err := p.pack(was); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := bundle.Write(&b, p.manifest, p.files); err != nil {
		return err
	}
	if err := writeFile(f.out, func(w *output) error { _, err := w.Write(b.Bytes()); return err }); err != nil {
		return err
	}
	return p.instruct(b.Bytes(), was.Version)
}

// instruct prints what the bundle is, and what a reviewer does with it.
func (p *packer) instruct(content []byte, version string) error {
	sum := sha256.Sum256(content)
	name := quoted(filepath.Base(p.flags.out))
	fmt.Fprintf(p.Stdout, "%s: %s, %.1f MB, sha256 %s\n", p.flags.out, count(p.answers, "answer"), float64(len(content))/1e6, hex.EncodeToString(sum[:]))
	if p.hidden > 0 {
		fmt.Fprintf(p.Stdout, "%s of a server or a page replaced by %s\n", count(p.hidden, "address"), hiddenURL)
	}
	supply, get := "", ""
	for _, e := range p.manifest.External {
		supply += " --cases " + e.Cases + "=FILE"
		get += fmt.Sprintf("\n   The cases %q are not inside: get them from %s (sha256 %s)", e.Cases, e.URL, e.Digest)
	}
	_, err := fmt.Fprintf(p.Stdout, `
To check every number of this run, without a key and without a network:
1. Install Go, then get the source of memform %s and run: make
2. Check the file: sha256sum %s%s
3. Replay it: bin/memform replay %s%s
4. It must say that all numbers are identical and exit with 0; else it names what differs and exits with 1.
5. To read the run itself: unzip %s -d paper && ls paper/results
`, version, name, get, name, supply, name)
	return err
}

// loadRun loads what a finished run was made from and sees that it has not
// changed since.
func (a *app) loadRun(dir string, f bundleFlags) (*loaded, *manifest, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, nil, err
	}
	vars, err := variables(f.vars)
	if err != nil {
		return nil, nil, err
	}
	l := &loaded{paths: m.Paths, vars: maps.Clone(m.Variables), only: m.Only}
	if l.vars == nil {
		l.vars = map[string]string{}
	}
	maps.Copy(l.vars, vars)
	if len(f.experiments) > 0 {
		l.paths = f.experiments
	} else if name := firstAbsent(m.Paths); name != "" {
		return nil, nil, usage("%s is not here: run this where the run was made, or say where its experiment is: --experiment PATH", name)
	}
	if err := a.loadParts(l); err != nil {
		return nil, nil, err
	}
	if part := l.plan.Stale(plan.Saved{Root: m.Root, Digests: m.Digests}); part != "" {
		return nil, nil, usage("the %s changed since this run, so its results are not those of what would be packed: run it again (what did not change is cached), then bundle", part)
	}
	return l, m, nil
}

func firstAbsent(names []string) string {
	for _, name := range names {
		if _, err := os.Stat(name); err != nil {
			return name
		}
	}
	return ""
}

// readManifest reads the manifest of a finished run.
func readManifest(dir string) (*manifest, error) {
	path := filepath.Join(dir, fileManifest)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("%s has no %s: name the results directory of a finished run", dir, fileManifest)
	}
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, usage("%s: %w", path, err)
	}
	return &m, nil
}

// portableIdentity refuses keys that would name a server.
func (l *loaded) portableIdentity(allowed bool) error {
	var bad []string
	seen := map[string]bool{}
	for _, m := range l.plan.Models {
		if e := m.Spec.Endpoint; e != nil && e.IdentityIsURL && !allowed && !seen[e.Name] {
			seen[e.Name] = true
			bad = append(bad, fmt.Sprintf("%s:%d: endpoint %q has no identity, so the URL stands in every key: give it one and run again, or pass --allow-url-identity",
				e.Pos.File, e.Pos.Line, e.Name))
		}
	}
	if len(bad) > 0 {
		return usage("%s", strings.Join(bad, "\n"))
	}
	return nil
}

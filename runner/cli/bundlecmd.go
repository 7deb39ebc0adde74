package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/bundle"
	"memform/runner/cache"
	"memform/runner/experiment"
	"memform/runner/llm"
)

// bundleFlags are the choices of a bundle.
type bundleFlags struct {
	cacheFlags
	out        string
	allowURL   bool
	casesByURL []string
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
	cmd.Flags().StringArrayVar(&f.casesByURL, "cases-url", nil, "leave out the file of a cases block, NAME=URL; its digest goes in (repeatable)")
	return cmd
}

func (a *app) bundle(dir string, f bundleFlags) error {
	if f.out == "" {
		return usage("name the bundle: -o paper.memform")
	}
	l, was, err := a.loadRun(dir)
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
	sum := sha256.Sum256(b.Bytes())
	name := filepath.Base(f.out)
	_, err = fmt.Fprintf(a.Stdout, `%s: %d answers, %.1f MB, sha256 %s

To check every number of this run, without a key and without a network:
1. Install Go, then get the source of memform %s and run: make
2. Check the file: sha256sum %s
3. Replay it: bin/memform replay %s
4. It must say that all numbers are identical and exit with 0; else it names what differs and exits with 1.
5. To read the run itself: unzip %s -d paper && ls paper/results
`, f.out, p.answers, float64(b.Len())/1e6, hex.EncodeToString(sum[:]), was.Version, name, name, name)
	return err
}

// loadRun loads what a finished run was made from and sees that it has not
// changed since.
func (a *app) loadRun(dir string) (*loaded, *manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, fileManifest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, usage("%s has no %s: name the results directory of a finished run", dir, fileManifest)
	}
	if err != nil {
		return nil, nil, err
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, nil, usage("%s: %w", filepath.Join(dir, fileManifest), err)
	}
	l := &loaded{paths: m.Paths, vars: m.Variables, only: m.Only}
	if err := a.loadParts(l); err != nil {
		return nil, nil, err
	}
	if l.plan.Root.String() != m.Root {
		return nil, nil, usage("experiment, cases, prompts or environment changed since this run: run it again, what did not change is cached")
	}
	return l, &m, nil
}

// portableIdentity refuses keys that would name a server.
func (l *loaded) portableIdentity(allowed bool) error {
	for _, m := range l.plan.Models {
		e := m.Spec.Endpoint
		if e != nil && e.IdentityIsURL && !allowed {
			return usage("%s:%d: endpoint %q has no identity, so the URL stands in every key: give it one and run again, or pass --allow-url-identity",
				e.Pos.File, e.Pos.Line, e.Name)
		}
	}
	return nil
}

// packer collects the members of a bundle.
type packer struct {
	*app
	*loaded
	dir      string
	flags    bundleFlags
	base     string // the folder that holds all source files
	manifest bundle.Manifest
	files    []bundle.File
	answers  int
}

func (p *packer) pack(was *manifest) error {
	p.manifest = bundle.Manifest{
		Version: was.Version, Experiment: p.experiment.Name, Variables: p.vars, Only: p.only,
		Root: was.Root, Digests: p.plan.Digests, External: []bundle.External{},
	}
	steps := []func() error{p.sources, p.withoutEnvironment, p.cacheOf, p.results}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// sources adds experiment files, prompts and cases, laid out as they are.
func (p *packer) sources() error {
	external, err := p.external()
	if err != nil {
		return err
	}
	paths := map[string]bool{}
	for _, f := range p.experiment.Files {
		paths[f.Path] = true
	}
	for _, r := range p.experiment.Runs {
		for _, prompt := range r.Prompts {
			paths[prompt] = true
		}
	}
	for _, c := range p.experiment.Cases {
		paths[c.Path] = true
	}
	if err := p.findBase(paths); err != nil {
		return err
	}
	for _, name := range p.paths {
		in, err := p.inside(name)
		if err != nil {
			return err
		}
		p.manifest.Paths = append(p.manifest.Paths, in)
	}
	names := make([]string, 0, len(paths))
	for name := range paths {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		in, err := p.inside(name)
		if err != nil {
			return err
		}
		if e, ok := external[name]; ok {
			e.Path = in
			p.manifest.External = append(p.manifest.External, e)
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		p.files = append(p.files, bundle.File{Path: path.Join(bundle.FilesDir, in), Content: content})
	}
	return nil
}

// external is the cases that are left out, by path.
func (p *packer) external() (map[string]bundle.External, error) {
	out := map[string]bundle.External{}
	for _, item := range p.flags.casesByURL {
		name, url, _ := strings.Cut(item, "=")
		spec := p.casesBlock(name)
		if spec == nil || url == "" {
			return nil, usage("--cases-url %q: write NAME=URL with the label of a cases block", item)
		}
		out[spec.Path] = bundle.External{Cases: name, Digest: p.sets[name].Digest, URL: url}
	}
	return out, nil
}

func (p *packer) casesBlock(name string) *experiment.Cases {
	for _, c := range p.experiment.Cases {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// findBase is the deepest folder that holds every source file.
func (p *packer) findBase(paths map[string]bool) error {
	first := true
	for name := range paths {
		abs, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		dir := filepath.Dir(abs)
		if first {
			p.base, first = dir, false
		}
		for !strings.HasPrefix(dir+string(filepath.Separator), strings.TrimSuffix(p.base, string(filepath.Separator))+string(filepath.Separator)) {
			p.base = filepath.Dir(p.base)
		}
	}
	return nil
}

func (p *packer) inside(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(p.base, abs)
	return filepath.ToSlash(rel), err
}

// withoutEnvironment sees that the experiment is the same where no variable
// is set: whoever replays it has none.
func (p *packer) withoutEnvironment() error {
	bare := *p.app
	bare.Env = func(string) (string, bool) { return "", false }
	bare.Stderr = &bytes.Buffer{}
	l := &loaded{paths: p.paths, vars: p.vars, only: p.only}
	if err := bare.loadParts(l); err != nil || l.plan.Root != p.plan.Root {
		return usage("the experiment depends on the environment through env(), which a replay does not have: use a variable and --var, or a default")
	}
	return nil
}

// cacheOf adds one segment with exactly the answers that the run used.
func (p *packer) cacheOf() error {
	pins, err := readPins(p.dir)
	if err != nil {
		return err
	}
	store, err := p.openCache(p.flags.cacheFlags.dir, p.flags.layers, true)
	if err != nil {
		return err
	}
	defer store.Close()
	keys := make([]llm.Key, 0, len(pins))
	for k := range pins {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return bytes.Compare(keys[i][:], keys[j][:]) < 0 })
	var segment []byte
	for _, k := range keys {
		digest := pins[k]
		e, ok := store.GetPinned(cache.Key(k), digest)
		if !ok {
			return fmt.Errorf("the cache %s no longer has the answer %x… of call %s: run the experiment again, then bundle", p.flags.cacheFlags.dir, digest[:6], k)
		}
		segment = e.AppendLine(segment, cache.Key(k))
	}
	p.answers = len(keys)
	p.files = append(p.files,
		bundle.File{Path: path.Join(bundle.CacheDir, "FORMAT"), Content: []byte(cache.FormatText)},
		bundle.File{Path: path.Join(bundle.CacheDir, "segments", "bundle.jsonl"), Content: segment})
	return nil
}

// results adds what the run wrote.
func (p *packer) results() error {
	for _, name := range []string{filePlan, fileNodes, fileCalls, fileRows, fileSummary, fileMissing, fileManifest} {
		content, err := os.ReadFile(filepath.Join(p.dir, name))
		if errors.Is(err, fs.ErrNotExist) && name == fileMissing {
			continue
		}
		if err != nil {
			return err
		}
		p.files = append(p.files, bundle.File{Path: path.Join(bundle.ResultsDir, name), Content: content})
	}
	return nil
}

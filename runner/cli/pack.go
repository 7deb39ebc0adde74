package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"memform/runner/bundle"
	"memform/runner/cache"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/prompts"
)

// packer collects the members of a bundle.
type packer struct {
	*app
	*loaded
	dir      string
	flags    bundleFlags
	base     string // the folder that holds all source files
	manifest bundle.Manifest
	files    []bundle.File
	external map[string]string // path in the bundle → file here, of what is left out
	answers  int
	hidden   int // addresses replaced
}

func (p *packer) pack(was *manifest) error {
	p.manifest = bundle.Manifest{
		Version: was.Version, Experiment: p.experiment.Name, Variables: map[string]string{}, Only: p.only,
		Root: was.Root, Digests: p.plan.Digests, External: []bundle.External{},
		Prompts: map[string]string{}, Identities: map[string]string{},
	}
	for name, value := range p.vars {
		hidden, n := p.hide(value)
		p.manifest.Variables[name] = hidden
		p.hidden += n
	}
	for _, m := range p.plan.Models {
		p.manifest.Identities[m.Spec.Name] = m.Identity
	}
	for _, s := range p.plan.Stacks[1:] {
		if p.manifest.Stacks == nil {
			p.manifest.Stacks = map[string]bundle.Stack{}
		}
		p.manifest.Stacks[s.Name] = bundle.Stack{Suffix: s.Suffix, Memory: s.Memory}
	}
	steps := []func() error{p.sources, p.promptsInForce, p.alone, p.cacheOf, p.results}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (p *packer) add(dir, name string, content []byte) {
	p.files = append(p.files, bundle.File{Path: path.Join(dir, name), Content: content})
}

// sources adds experiment files, prompts and cases, laid out as they are.
func (p *packer) sources() error {
	left, err := p.leftOut()
	if err != nil {
		return err
	}
	source := map[string]bool{}
	for _, r := range p.experiment.Runs {
		for _, prompt := range r.Prompts {
			source[prompt] = false
		}
		if r.Undefended != "" {
			source[r.Undefended] = false
		}
	}
	for _, c := range p.experiment.Cases {
		source[c.Path] = false
	}
	for _, f := range p.experiment.Files {
		source[f.Path] = true // holds addresses
	}
	if err := p.findBase(slices.Collect(maps.Keys(source))); err != nil {
		return err
	}
	for _, name := range p.paths {
		in, err := p.inside(name)
		if err != nil {
			return err
		}
		p.manifest.Paths = append(p.manifest.Paths, in)
	}
	p.external = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(source)) {
		if err := p.source(name, source[name], left); err != nil {
			return err
		}
	}
	return nil
}

// source adds one file, or says where it is.
func (p *packer) source(name string, addresses bool, left map[string]bundle.External) error {
	in, err := p.inside(name)
	if err != nil {
		return err
	}
	if e, ok := left[name]; ok {
		e.Path = in
		p.manifest.External = append(p.manifest.External, e)
		p.external[in] = name
		return nil
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if addresses {
		text, n := p.hide(string(content))
		content, p.hidden = []byte(text), p.hidden+n
	}
	p.add(bundle.FilesDir, in, content)
	return nil
}

// hide removes addresses, and the hosts in force, from what the author wrote.
func (p *packer) hide(text string) (string, int) {
	text, n := hideAddresses(text)
	for _, e := range p.experiment.Endpoints {
		if u, err := url.Parse(e.BaseURL); err == nil {
			var more int
			text, more = hideHost(text, u.Hostname())
			n += more
		}
	}
	return text, n
}

// leftOut is the cases that do not travel, by path.
func (p *packer) leftOut() (map[string]bundle.External, error) {
	out := map[string]bundle.External{}
	for _, item := range p.flags.casesByURL {
		name, url, _ := strings.Cut(item, "=")
		i := slices.IndexFunc(p.experiment.Cases, func(c *experiment.Cases) bool { return c.Name == name })
		if i < 0 || url == "" {
			return nil, usage("--cases-url %q: write NAME=URL with the label of a cases block", item)
		}
		out[p.experiment.Cases[i].Path] = bundle.External{Cases: name, Digest: p.sets[name].Digest, URL: url}
	}
	return out, nil
}

// findBase is the deepest folder that holds every source file.
func (p *packer) findBase(names []string) error {
	for i, name := range names {
		abs, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		dir := filepath.Dir(abs)
		if i == 0 {
			p.base = dir
		}
		for !below(p.base, dir) {
			p.base = filepath.Dir(p.base)
		}
	}
	home, ok := p.Env("HOME")
	if p.base == filepath.Dir(p.base) || ok && home != p.base && below(p.base, home) {
		return usage("experiment, cases and prompts lie in different trees, and their paths would name a user or a machine: bring them below one folder, or leave cases out with --cases-url")
	}
	return nil
}

// below reports whether dir is base or lies in it.
func below(base, dir string) bool {
	rel, err := filepath.Rel(base, dir)
	return err == nil && filepath.IsLocal(rel)
}

func (p *packer) inside(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(p.base, abs)
	return filepath.ToSlash(rel), err
}

// promptsInForce adds every prompt file that a run used, built in or not, so
// that no later version's wording can stand in for it.
func (p *packer) promptsInForce() error {
	folder := map[*prompts.Set]string{}
	for _, r := range p.experiment.Runs {
		set := p.prompts[r.Name]
		if folder[set] == "" {
			folder[set] = r.Name
			for _, name := range prompts.Names() {
				p.add(path.Join(bundle.PromptsDir, r.Name), name+promptExt, set.Text(name))
			}
		}
		p.manifest.Prompts[r.Name] = folder[set]
	}
	return nil
}

const promptExt = ".txt"

func noEnvironment(string) (string, bool) { return "", false }

// alone sees that what is packed plans the same calls by itself, in another
// place.
func (p *packer) alone() error {
	dir, err := os.MkdirTemp("", "memform-bundle-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := p.unpackSources(dir); err != nil {
		return err
	}
	var said bytes.Buffer
	there := *p.app
	there.Stderr = &said
	l, err := there.loadBundle(p.manifest, dir)
	if err != nil || l.plan.Root != p.plan.Root {
		if why := p.withoutEnvironment(); why != nil {
			return why
		}
	}
	if err != nil {
		return usage("the bundle would not stand alone: %s%w", strings.ReplaceAll(said.String(), dir+string(filepath.Separator), ""), err)
	}
	for _, c := range l.experiment.Cases {
		if !below(dir, c.Path) {
			return usage("cases %q are named by an absolute path, which is nowhere else: name them relative to the experiment file", c.Name)
		}
	}
	if l.plan.Root != p.plan.Root {
		return usage("the bundle would not stand alone: without %s and without the values that name machines it plans other calls", p.base)
	}
	return nil
}

// withoutEnvironment says whether the experiment is another one where no
// variable is set: whoever replays it has none.
func (p *packer) withoutEnvironment() error {
	var said bytes.Buffer
	bare := *p.app
	bare.Env = noEnvironment
	bare.Stderr = &said
	l := &loaded{paths: p.paths, vars: p.vars, only: p.only}
	if err := bare.loadParts(l); err != nil || l.plan.Root != p.plan.Root {
		return usage("%sthe experiment depends on the environment through env(), which a replay does not have: use a variable and --var, or a default", said.String())
	}
	return nil
}

func (p *packer) unpackSources(dir string) error {
	for _, f := range p.files {
		if err := place(dir, f.Path, f.Content); err != nil {
			return err
		}
	}
	for in, name := range p.external {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := place(dir, path.Join(bundle.FilesDir, in), content); err != nil {
			return err
		}
	}
	return nil
}

// place writes a file below a scratch directory.
func place(dir, name string, content []byte) error {
	to := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
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
	keys := slices.SortedFunc(maps.Keys(pins), func(a, b llm.Key) int { return bytes.Compare(a[:], b[:]) })
	var segment []byte
	for _, k := range keys {
		digest := pins[k]
		e, ok := store.GetPinned(cache.Key(k), digest)
		if !ok {
			return usage("the cache %s does not have the answer %x… of call %s: name the cache of the run with --cache, or run the experiment again", p.flags.cacheFlags.dir, digest[:6], k)
		}
		segment = e.AppendLine(segment, cache.Key(k))
	}
	p.answers = len(keys)
	p.add(bundle.CacheDir, "FORMAT", []byte(cache.FormatText))
	p.add(bundle.CacheDir, "segments/bundle.jsonl", segment)
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
			return fmt.Errorf("the run's results are not whole: %w", err)
		}
		p.add(bundle.ResultsDir, name, content)
	}
	return nil
}

// Package bundle is the form in which a finished run travels with a paper:
// experiment, cases, prompts, one answer per call and the results, in one
// deterministic file. It writes, reads and compares bundles; it runs nothing
// and reaches no network. Start at Write and Open.
package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"memform/runner/plan"
)

// Format names the form of a bundle.
const Format = "memform-bundle/1"

// manifestName is the first member of every bundle.
const manifestName = "bundle.json"

// The folders of a bundle.
const (
	FilesDir   = "files"   // experiment files, cases and replaced prompts, laid out as they were
	PromptsDir = "prompts" // every prompt file in force, a folder a set
	CacheDir   = "cache"   // one segment with the answers that the run used
	ResultsDir = "results" // what the run wrote
)

// Manifest says what a bundle holds and what was run.
type Manifest struct {
	Format     string            `json:"format"`
	Version    string            `json:"version"` // of the memform that wrote it
	Experiment string            `json:"experiment"`
	Paths      []string          `json:"paths"` // experiment files, below FilesDir
	Variables  map[string]string `json:"variables"`
	Only       plan.Only         `json:"only"`
	Root       string            `json:"root"`
	Digests    plan.Digests      `json:"digests"`
	Prompts    map[string]string `json:"prompts"`    // run → folder below PromptsDir
	Identities map[string]string `json:"identities"` // model → endpoint identity, as in its keys
	Stacks     map[string]Stack  `json:"stacks,omitempty"`
	External   []External        `json:"external"` // cases that are left out
	Members    []Member          `json:"members"`
}

// Stack is what a replay must know of a stack that the run used.
type Stack struct {
	Suffix string `json:"suffix"` // of the identity in its keys
	Memory bool   `json:"memory"` // a memory system
}

// External is a file of cases that may not travel: whoever replays supplies
// it, and its digest says whether it is the right one.
type External struct {
	Cases  string `json:"cases"` // label of the cases block
	Path   string `json:"path"`  // where it belongs, below FilesDir
	Digest string `json:"digest"`
	URL    string `json:"url"`
}

// Member is a file of the bundle.
type Member struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Digest string `json:"digest"` // hex SHA-256
}

// File is a member with its content.
type File struct {
	Path    string
	Content []byte
}

// compression is the level above which members hardly become smaller.
const compression = 4

// Write writes a bundle. Equal manifests and files give equal bytes: members
// are sorted and carry no time.
func Write(w io.Writer, m Manifest, files []File) error {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	m.Format, m.Members = Format, []Member{}
	for _, f := range files {
		m.Members = append(m.Members, Member{f.Path, int64(len(f.Content)), digest(f.Content)})
	}
	head, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, compression) })
	for _, f := range append([]File{{manifestName, append(head, '\n')}}, files...) {
		part, err := z.CreateHeader(&zip.FileHeader{Name: f.Path, Method: zip.Deflate})
		if err != nil {
			return err
		}
		if _, err := part.Write(f.Content); err != nil {
			return err
		}
	}
	return z.Close()
}

// Bundle is an open bundle.
type Bundle struct {
	Manifest Manifest
	zip      *zip.ReadCloser
}

// Open reads a bundle's manifest.
func Open(name string) (*Bundle, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("%s is not a bundle: %w", name, err)
	}
	b := &Bundle{zip: z}
	if err := b.readManifest(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), z.Close())
	}
	return b, nil
}

// Close closes the file.
func (b *Bundle) Close() error { return b.zip.Close() }

func (b *Bundle) readManifest() error {
	f, err := b.zip.Open(manifestName)
	if err != nil {
		return fmt.Errorf("not a bundle: it has no %s", manifestName)
	}
	defer f.Close()
	if err := json.NewDecoder(f).Decode(&b.Manifest); err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	if b.Manifest.Format != Format {
		return fmt.Errorf("a bundle of format %q, this version reads %q: use memform %s or newer", b.Manifest.Format, Format, b.Manifest.Version)
	}
	return b.Manifest.stays()
}

// stays refuses a manifest that names a file outside the bundle.
func (m *Manifest) stays() error {
	names := slices.Clone(m.Paths)
	for _, folder := range m.Prompts {
		names = append(names, folder)
	}
	for _, e := range m.External {
		names = append(names, e.Path)
	}
	for _, member := range m.Members {
		names = append(names, member.Path)
	}
	for _, name := range names {
		if !local(name) {
			return fmt.Errorf("%s: %q leaves the bundle", manifestName, name)
		}
	}
	return nil
}

func local(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && name == path.Clean(name)
}

// Extract writes the members below dir and returns those whose content is
// not what the manifest says: a damaged bundle is still replayed, so that its
// numbers can be compared, but never silently.
func (b *Bundle) Extract(dir string) (damaged []string, err error) {
	for _, m := range b.Manifest.Members {
		content, err := b.read(m)
		if err != nil || digest(content) != m.Digest {
			damaged = append(damaged, m.Path)
		}
		to := filepath.Join(dir, filepath.FromSlash(m.Path))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return nil, err
		}
	}
	return damaged, nil
}

// read returns as much of a member as can be read.
func (b *Bundle) read(m Member) ([]byte, error) {
	f, err := b.zip.Open(m.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var content bytes.Buffer
	_, err = io.Copy(&content, io.LimitReader(f, m.Size+1))
	return content.Bytes(), err
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

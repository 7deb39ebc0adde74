package stack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Kind is what a stack does.
type Kind string

// The kinds (adapters/PROTOCOL.md).
const (
	Carrier      Kind = "carrier"
	MemorySystem Kind = "memory_system"
)

// ManifestName is the file that makes a folder an adapter.
const ManifestName = "adapter.json"

// Offer is a stack that an adapter offers.
type Offer struct {
	Name    string
	Kind    Kind
	Calls   Calls  // of a memory system
	Adapter string // name of the adapter
	Folder  string // of the adapter, within the file system it was found in
	Source  fs.FS  // where it was found
	Command []string
	Python  string // least version, "" for any
	Lock    string // file name, within Folder

	Digest   string            // hex SHA-256 of the lock
	Packages map[string]string // of the lock, by normalised name
}

// Suffix is what the stack adds to the identity in every key of its own.
func (o *Offer) Suffix() string { return " stack=" + o.Name + " lock=" + o.Digest[:16] }

var suffixForm = regexp.MustCompile(` stack=[a-z][a-z0-9-]* lock=[0-9a-f]{16}$`)

// Endpoint is the identity of the endpoint behind a call's: without the suffix
// of a stack, if it has one.
func Endpoint(identity string) string {
	if i := strings.LastIndex(identity, " stack="); i >= 0 && suffixForm.MatchString(identity[i:]) {
		return identity[:i]
	}
	return identity
}

// manifest is adapter.json.
type manifest struct {
	Protocol int      `json:"protocol"`
	Adapter  string   `json:"adapter"`
	Command  []string `json:"command"`
	Lock     string   `json:"lock"`
	Python   string   `json:"python"`
	Stacks   map[string]struct {
		Kind  Kind `json:"kind"`
		Calls *struct {
			Low      json.RawMessage `json:"low"`
			Expected json.RawMessage `json:"expected"`
			High     json.RawMessage `json:"high"`
		} `json:"calls"`
	} `json:"stacks"`
}

// Find lists what the adapters in the folders of a file system offer, by
// name. The error names every mistake; what could be read is listed all the
// same.
func Find(source fs.FS) ([]*Offer, error) {
	entries, err := fs.ReadDir(source, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var offers []*Offer
	var errs []error
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		found, err := read(source, e.Name())
		if errors.Is(err, fs.ErrNotExist) && found == nil {
			continue
		}
		if err != nil {
			errs = append(errs, err)
		}
		for _, o := range found {
			if twin := Named(offers, o.Name); twin != nil {
				errs = append(errs, fmt.Errorf("the stack %q is offered by %s and by %s", o.Name, twin.Folder, o.Folder))
				continue
			}
			offers = append(offers, o)
		}
	}
	slices.SortFunc(offers, func(a, b *Offer) int { return strings.Compare(a.Name, b.Name) })
	return offers, errors.Join(errs...)
}

// Named is the offer of a name, nil where there is none.
func Named(offers []*Offer, name string) *Offer {
	if i := slices.IndexFunc(offers, func(o *Offer) bool { return o.Name == name }); i >= 0 {
		return offers[i]
	}
	return nil
}

var stackName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)

// read reads one adapter's folder; an error of fs.ErrNotExist without offers
// says that it is none.
func read(source fs.FS, folder string) ([]*Offer, error) {
	at := path.Join(folder, ManifestName)
	text, err := fs.ReadFile(source, at)
	if err != nil {
		return nil, err
	}
	var m manifest
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return []*Offer{}, fmt.Errorf("%s: %w", at, err)
	}
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(at+": "+format, args...)) }
	if m.Protocol != Protocol {
		fail("protocol is %d, this memform speaks %d", m.Protocol, Protocol)
	}
	if m.Adapter == "" || len(m.Command) == 0 || len(m.Stacks) == 0 {
		fail("adapter, command and stacks are needed")
	}
	lock, err := fs.ReadFile(source, path.Join(folder, m.Lock))
	if m.Lock == "" || err != nil {
		fail("lock must name a file in the folder: exact versions with hashes, or none where no package is needed")
	}
	sum := sha256.Sum256(lock)
	offers := []*Offer{}
	for _, name := range slices.Sorted(maps.Keys(m.Stacks)) {
		s := m.Stacks[name]
		o := &Offer{
			Name: name, Kind: s.Kind, Adapter: m.Adapter, Folder: folder, Source: source, Command: m.Command,
			Python: m.Python, Lock: m.Lock, Digest: hex.EncodeToString(sum[:]), Packages: locked(lock),
		}
		switch {
		case !stackName.MatchString(name) || name == "native":
			fail("%q cannot be the name of a stack: lower-case letters, digits and -, and not native", name)
		case s.Kind == MemorySystem && s.Calls == nil:
			fail("%s: a memory system declares how many calls a form makes: \"calls\": {\"low\", \"expected\", \"high\"}", name)
		case s.Kind == MemorySystem:
			if o.Calls, err = callsOf(s.Calls.Low, s.Calls.Expected, s.Calls.High); err != nil {
				fail("%s: %v", name, err)
			}
		case s.Kind != Carrier:
			fail("%s: kind must be %q or %q", name, Carrier, MemorySystem)
		}
		offers = append(offers, o)
	}
	return offers, errors.Join(errs...)
}

var lockLine = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;\\]+)`)

// locked is the packages of a lock in pip's form.
func locked(lock []byte) map[string]string {
	packages := map[string]string{}
	for line := range bytes.Lines(lock) {
		if line[0] <= ' ' || line[0] == '#' {
			continue // nearly all lines are hashes
		}
		if m := lockLine.FindSubmatch(line); m != nil {
			packages[packageName(string(m[1]))] = string(m[2])
		}
	}
	return packages
}

var separators = regexp.MustCompile(`[-_.]+`)

// packageName is the one form that all spellings of a package's name have.
func packageName(name string) string {
	return strings.ToLower(separators.ReplaceAllString(name, "-"))
}

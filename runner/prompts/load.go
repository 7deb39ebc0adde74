package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"text/template"
	"unicode/utf8"
)

//go:embed files/*.txt
var files embed.FS

// rulePrefix opens the names of the files that hold an updater's rule.
const rulePrefix = "rule_"

// Set is a complete set of prompt templates, ready to render. It is
// immutable and safe for concurrent use.
type Set struct {
	systemDecide string
	systemOpen   string
	consolidate  map[string]string // updater → system message
	decideUser   *template.Template
	openUser     *template.Template
	stepUser     *template.Template
	batchUser    *template.Template
	questions    map[string]exchange
	repairUser   *template.Template
	digest       string
	digests      map[string]string
	texts        map[string]string
}

// Names lists the prompt files, sorted: what an override may replace.
func Names() []string {
	entries, err := files.ReadDir("files")
	if err != nil {
		panic(err) // the folder is embedded
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// Load reads the embedded prompts, with the files named in overrides
// (name → bytes) in place of the embedded ones. Every override that is
// unknown, is not valid UTF-8, does not parse, or uses a field that the
// prompt types do not have is named in the error.
func Load(overrides map[string][]byte) (*Set, error) {
	texts := map[string]string{}
	var errs []error
	for _, name := range Names() {
		b, err := files.ReadFile("files/" + name + ".txt")
		if err != nil {
			return nil, err
		}
		texts[name] = string(b)
	}
	for _, name := range sortedKeys(overrides) {
		switch {
		case texts[name] == "":
			errs = append(errs, fmt.Errorf("no prompt is called %q; there are %s", name, strings.Join(Names(), ", ")))
		case !utf8.Valid(overrides[name]):
			errs = append(errs, fmt.Errorf("prompt %s: not valid UTF-8", name))
		default:
			texts[name] = string(overrides[name])
		}
	}
	s := newSet(texts, &errs)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return s, nil
}

func newSet(texts map[string]string, errs *[]error) *Set {
	s := &Set{consolidate: map[string]string{}, digests: map[string]string{}, texts: texts}
	task := numbered(Task{Text: "text", Choices: []string{"one", "two"}})
	plain, visible := Record{Text: "text"}, Record{Text: "text", Visible: []Field{{Name: "name", Value: "value"}}}
	s.systemDecide = strings.TrimRight(texts["decide_system"], "\n")
	s.decideUser = parse(texts, "decide_user", errs,
		decideData{Memory: "text", Task: task}, decideData{Task: task})
	s.systemOpen = strings.TrimRight(texts["freeform_system"], "\n")
	open := openData{Memory: "text"}
	open.Task.Text = "text"
	s.openUser = parse(texts, "freeform_user", errs, open, openData{Task: open.Task})
	s.stepUser = parse(texts, "consolidate_step_user", errs,
		stepData{Memory: "text", Record: plain, Index: 1}, stepData{Record: visible})
	s.batchUser = parse(texts, "consolidate_batch_user", errs,
		batchData{Records: number([]Record{plain})}, batchData{Records: number([]Record{plain, visible})})
	for _, name := range sortedKeys(texts) {
		if rule, ok := strings.CutPrefix(name, rulePrefix); ok {
			s.consolidate[rule] = systemFor(texts, name, errs)
		}
	}
	s.repairUser = parse(texts, "repair_user", errs, repairData{Fault: "text"})
	s.addQuestions(texts, errs)
	h := sha256.New()
	for _, name := range sortedKeys(texts) {
		sum := sha256.Sum256([]byte(texts[name]))
		s.digests[name] = hex.EncodeToString(sum[:])
		fmt.Fprintf(h, "%s %s\n", name, s.digests[name])
	}
	s.digest = hex.EncodeToString(h.Sum(nil))
	return s
}

// parse reads one user template and tries it on samples of its data type.
func parse(texts map[string]string, name string, errs *[]error, samples ...any) *template.Template {
	t, err := template.New(name).Parse(strings.TrimRight(texts[name], "\n"))
	for i := 0; err == nil && i < len(samples); i++ {
		err = t.Execute(io.Discard, samples[i])
	}
	if err != nil {
		*errs = append(*errs, fmt.Errorf("prompt %w", err))
		return nil
	}
	return t
}

// systemFor renders the one consolidation system message with one rule in
// it: by construction nothing else differs between updaters.
func systemFor(texts map[string]string, rule string, errs *[]error) string {
	t, err := template.New("consolidate_system").Parse(strings.TrimRight(texts["consolidate_system"], "\n"))
	if err == nil {
		_, err = t.New("rule").Parse(strings.TrimSpace(texts[rule]))
	}
	var b strings.Builder
	if err == nil {
		err = t.Execute(&b, struct{ WordCap int }{WordCap})
	}
	if err != nil {
		*errs = append(*errs, fmt.Errorf("prompt consolidate_system with %s: %w", rule, err))
	}
	return b.String()
}

// Digest is the hex SHA-256 over all prompt files in force.
func (s *Set) Digest() string { return s.digest }

// Digests is the hex SHA-256 of each prompt file in force, by name.
func (s *Set) Digests() map[string]string { return s.digests }

// Text is the bytes of a prompt file in force: with them as overrides, Load
// gives this set again, whatever prompts it has embedded by then.
func (s *Set) Text(name string) []byte { return []byte(s.texts[name]) }

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

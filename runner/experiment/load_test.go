package experiment

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
)

var update = flag.Bool("update", false, "rewrite golden files and docs/reference.md")

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (run with -update and review the diff):\n%s", path, diff)
	}
}

func printed(t *testing.T, s *Source, diags hcl.Diagnostics) string {
	t.Helper()
	var b strings.Builder
	if err := s.Write(&b, diags, 100, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTwelveMistakes(t *testing.T) {
	exp, source, diags := Load([]string{"testdata/twelve.hcl"}, Options{})
	text := printed(t, source, diags)
	if exp != nil || len(diags) != 12 {
		t.Errorf("got %d diagnostics, want 12:\n%s", len(diags), text)
	}
	src, err := os.ReadFile("testdata/twelve.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(src), "\n") {
		if !regexp.MustCompile(`# \d+: `).MatchString(line) {
			continue
		}
		at := slices.IndexFunc(diags, func(d *hcl.Diagnostic) bool { return d.Subject.Start.Line == i+1 })
		if at < 0 {
			t.Errorf("line %d has no diagnostic: %s", i+1, line)
		}
	}
	if strings.Contains(text, "0123456789") {
		t.Error("a key was printed")
	}
	golden(t, "testdata/twelve.golden", text)
}

// expected is what a fixture says of itself: "# ERROR: summary; part of the
// detail" on the offending line, "# ERROR+1:" on the line before it, and
// "# NOWHERE ERROR:" for a mistake without a place.
type expected struct {
	line            int
	severity        hcl.DiagnosticSeverity
	summary, detail string
	met             bool
}

var expectation = regexp.MustCompile(`# (NOWHERE )?(ERROR|WARNING)(\+1)?: ([^#;]+)(?:; ([^#]+))?`)

func expectations(src string) []*expected {
	var list []*expected
	for i, line := range strings.Split(src, "\n") {
		for _, m := range expectation.FindAllStringSubmatch(line, -1) {
			e := &expected{line: i + 1, severity: hcl.DiagError, summary: strings.TrimSpace(m[4]), detail: strings.TrimSpace(m[5])}
			if m[1] != "" {
				e.line = 0
			} else if m[3] != "" {
				e.line++
			}
			if m[2] == "WARNING" {
				e.severity = hcl.DiagWarning
			}
			list = append(list, e)
		}
	}
	return list
}

func (e *expected) matches(d *hcl.Diagnostic) bool {
	line := 0
	if d.Subject != nil {
		line = d.Subject.Start.Line
	}
	return !e.met && line == e.line && d.Severity == e.severity && strings.Contains(d.Summary, e.summary) && strings.Contains(d.Detail, e.detail)
}

func TestBadFixtures(t *testing.T) {
	names, err := filepath.Glob("testdata/bad/*.hcl")
	if err != nil || len(names) < 15 {
		t.Fatalf("%d fixtures, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".hcl"), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			paths := []string{"testdata/base/base.hcl", name}
			if strings.HasPrefix(string(src), "# ALONE") {
				paths = paths[1:]
			}
			_, source, diags := Load(paths, Options{})
			wanted := expectations(string(src))
			if len(wanted) == 0 {
				t.Fatal("the fixture expects nothing")
			}
			for _, d := range diags {
				i := slices.IndexFunc(wanted, func(e *expected) bool { return e.matches(d) })
				if i < 0 {
					t.Errorf("not expected:\n%s", printed(t, source, hcl.Diagnostics{d}))
					continue
				}
				wanted[i].met = true
			}
			for _, e := range wanted {
				if !e.met {
					t.Errorf("%s:%d: missing: %s; %s", name, e.line, e.summary, e.detail)
				}
			}
			if text := printed(t, source, diags); strings.Contains(text, "SECRET") {
				t.Errorf("a secret was printed:\n%s", text)
			}
		})
	}
}

// load reads one file given as text, with the paths it may name in place.
func load(t *testing.T, src string, opt Options) (*Experiment, hcl.Diagnostics) {
	t.Helper()
	if opt.FS == nil {
		opt.FS = files(map[string]string{"experiments/x.hcl": src})
	}
	exp, source, diags := Load([]string{"experiments/x.hcl"}, opt)
	if diags.HasErrors() != (exp == nil) {
		t.Errorf("errors %v, experiment %v", diags.HasErrors(), exp)
	}
	if t.Failed() {
		fmt.Println(printed(t, source, diags))
	}
	return exp, diags
}

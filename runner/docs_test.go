package runner_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	citation = regexp.MustCompile(`docs/protocol\.md,\s+"([^"]+)"`)
	heading  = regexp.MustCompile(`(?m)^##+ (.+)$`)
	wrapped  = regexp.MustCompile(`\n\s*(?://|#)\s*`)
)

// TestCitations: every section of the protocol that a comment cites exists.
// A heading "A: b" is also cited as "A".
func TestCitations(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := sectionsOf(string(text))
	cited := 0
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || path == "docs_test.go" {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, name := range citations(string(source)) {
			cited++
			if !slices.Contains(sections, name) {
				t.Errorf("%s cites docs/protocol.md, %q; there is no such section", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cited == 0 {
		t.Error("no citation found: is the pattern still right?")
	}
}

func sectionsOf(text string) []string {
	var out []string
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
		if short, _, ok := strings.Cut(m[1], ":"); ok {
			out = append(out, short)
		}
	}
	return out
}

func citations(source string) []string {
	var out []string
	for _, m := range citation.FindAllStringSubmatch(wrapped.ReplaceAllString(source, " "), -1) {
		out = append(out, m[1])
	}
	return out
}

func TestCitationsAreFound(t *testing.T) {
	got := citations("// so (docs/protocol.md, \"Cache\") and\n\t// docs/protocol.md,\n\t// \"Consolidation and\n\t// updaters\".")
	if want := []string{"Cache", "Consolidation and updaters"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDatasheetCounts: the datasheet says how many cases there are.
func TestDatasheetCounts(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "datasheet.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := func(name string) []string {
		b, err := os.ReadFile(filepath.Join("..", "outputs", name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(b)), "\n")
	}
	open := 0
	families := lines("families.jsonl")
	for _, f := range families {
		if !strings.Contains(f, `"freeform_interfaces":[]`) {
			open++
		}
	}
	for _, want := range []string{
		fmt.Sprintf("%d families", len(families)),
		fmt.Sprintf("%d multiple-choice cases", len(lines("mcq_item_audit/accepted_cases.jsonl"))),
		fmt.Sprintf("%d free-form cases of %d families", len(lines("freeform_item_audit/accepted_cases.jsonl")), open),
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/datasheet.md does not say %q", want)
		}
	}
}

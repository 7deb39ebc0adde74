package audit

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"memform/runner/construct"
)

func TestReferenceIsWhatTheTableSays(t *testing.T) {
	const path = "../../docs/audit.md"
	want := Reference()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the table says (%v); run go test ./runner/audit -update, and review the difference", path, err)
	}
}

func TestCodesAreNamedOnceAndListsExist(t *testing.T) {
	seen := map[construct.Code]bool{}
	for _, r := range construct.Rules() {
		if seen[r.Code] || r.Says == "" || r.Level == "" {
			t.Errorf("rule %s: a code stands once, with a level and what it demands", r.Code)
		}
		seen[r.Code] = true
		if _, after, ok := strings.Cut(r.Says, "(list `"); ok {
			if name, _, _ := strings.Cut(after, "`"); lists[name] == nil {
				t.Errorf("rule %s names the list %s, which wordlists.txt has not", r.Code, name)
			}
		}
	}
}

package audit

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"memform/runner/construct"
)

func TestReferenceIsWhatTheTableSays(t *testing.T) {
	const path = "../../docs/audit.md"
	want := Reference(shippedDistribution())
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the table says (%v); run go test ./runner/audit -update, and review the difference", path, err)
	}
}

// TestEveryTightLimitHasAReason: a limit that the figures come close to is
// named with a reason, and no other one is.
func TestEveryTightLimitHasAReason(t *testing.T) {
	var want, got []string
	for _, s := range shippedDistribution() {
		if s.Tight() {
			want = append(want, string(s.Code)+", "+s.Limit.Of)
		}
	}
	for _, r := range tightReasons {
		if r.why == "" {
			t.Errorf("%s has no reason", r.code)
		}
		got = append(got, string(r.code)+", "+construct.RuleOf(r.code).Limits[r.limit].Of)
	}
	if !slices.Equal(got, want) {
		t.Errorf("reasons stand for\n%s\nthe figures come close to\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestCompanions: the table of codes that never come alone is what the
// mutations show.
func TestCompanions(t *testing.T) {
	alone, with := map[construct.Code]bool{}, map[construct.Code]string{}
	note := func(code construct.Code, w string) {
		alone[code] = alone[code] || w == ""
		if with[code] == "" {
			with[code] = w
		}
	}
	for _, m := range mutations {
		note(m.code, m.with)
	}
	for _, m := range setMutations {
		note(m.code, m.with)
	}
	var want []string
	for _, r := range construct.Rules() {
		if w, proved := with[r.Code]; proved && !alone[r.Code] {
			want = append(want, string(r.Code)+": "+w)
		}
	}
	var got []string
	for _, c := range companions {
		got = append(got, string(c.code)+": "+c.with)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table of companions is\n%s\nthe mutations say\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
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

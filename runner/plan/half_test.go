package plan_test

import (
	"slices"
	"testing"

	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/plan"
)

// TestHalves: the two halves are the whole file; a sample of a half is its
// first families as the seed ranks all of them; without a half nothing changes.
func TestHalves(t *testing.T) {
	set := frozen(t)
	selected := func(half string, n int) []string {
		p := build(t, whole(set, func(e *experiment.Experiment) { e.Cases[0].Half, e.Cases[0].Families = half, n }))
		var list []string
		for _, c := range p.Sets[0].Selected {
			if half != "" && c.Half() != half {
				t.Errorf("%s is of the %s half", c.ID, c.Half())
			}
			if !slices.Contains(list, c.FamilyID) {
				list = append(list, c.FamilyID)
			}
		}
		if f := p.Families[0]; f.Sampled != len(list) || f.InFile != 24 {
			t.Errorf("%q, %d families: %+v", half, n, f)
		}
		slices.Sort(list)
		return list
	}
	both := append(selected(cases.Development, 0), selected(cases.Test, 0)...)
	slices.Sort(both)
	if all := selected("", 0); !slices.Equal(both, all) || len(all) != 24 {
		t.Errorf("both halves: %v, all: %v", both, all)
	}
	var ranked []string
	for _, f := range cases.Sample(set, 7, 0) {
		if f.Cases[0].Half() == cases.Test {
			ranked = append(ranked, f.ID)
		}
	}
	for _, n := range []int{1, 5, len(ranked), 100} {
		want := slices.Sorted(slices.Values(ranked[:min(n, len(ranked))]))
		if got := selected(cases.Test, n); !slices.Equal(got, want) {
			t.Errorf("%d families of the test half: %v, want %v", n, got, want)
		}
	}
	values := func(half string) plan.Digests {
		return build(t, whole(set, func(e *experiment.Experiment) { e.Cases[0].Half = half })).Digests
	}
	if values("") == values(cases.Test) {
		t.Error("the half is not among the resolved values")
	}
}

package cases_test

import (
	"bytes"
	"slices"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
)

func ids(families []cases.Family) (out []string) {
	for _, f := range families {
		out = append(out, f.ID)
	}
	return out
}

func TestSampleIsNestedAndSeeded(t *testing.T) {
	set := casestest.Set(t, 60, 3)
	all := ids(cases.Sample(set, 7, 0))
	if len(all) != 60 {
		t.Fatalf("%d families", len(all))
	}
	for _, n := range []int{1, 20, 40, 60, 99} {
		if got := ids(cases.Sample(set, 7, n)); !slices.Equal(got, all[:min(n, 60)]) {
			t.Errorf("%d families are not the first of all", n)
		}
	}
	if slices.Equal(ids(cases.Sample(set, 8, 0)), all) {
		t.Error("the seed changes nothing")
	}
	if slices.Equal(all, ids(set.Families())) {
		t.Error("the sample follows the file")
	}
}

// TestSampleSeesNoIDAndNoOrder renames every id and turns the file around.
func TestSampleSeesNoIDAndNoOrder(t *testing.T) {
	var plain, renamed []byte
	name := map[string]string{}
	for i := range 40 {
		for _, doc := range casestest.Family(i, 3) {
			plain, _ = doc.AppendLine(plain)
		}
		back := casestest.Family(39-i, 3)
		slices.Reverse(back)
		for _, doc := range back {
			other := "z" + doc.FamilyID[len(doc.FamilyID)-4:]
			name[doc.FamilyID] = other
			doc.CaseID, doc.FamilyID = other+string(doc.Interface), other
			renamed, _ = doc.AppendLine(renamed)
		}
	}
	load := func(b []byte) *cases.Set {
		t.Helper()
		set, err := cases.Load(bytes.NewReader(b), "f", cases.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	want := ids(cases.Sample(load(plain), 7, 0))
	for i := range want {
		want[i] = name[want[i]]
	}
	if got := ids(cases.Sample(load(renamed), 7, 0)); !slices.Equal(got, want) {
		t.Errorf("ids or order enter the sample:\n%v\n%v", got, want)
	}
}

func TestRank(t *testing.T) {
	base := cases.Rank(1, "family", cases.Digest{1})
	for _, other := range []cases.Digest{
		cases.Rank(2, "family", cases.Digest{1}), cases.Rank(1, "order", cases.Digest{1}),
		cases.Rank(1, "family", cases.Digest{2}), cases.Rank(1, "family", cases.Digest{1}, 0),
	} {
		if other == base {
			t.Error("an argument of Rank does not count")
		}
	}
	const golden = "2c22baec0db87439948fbcc9bb1df83f271546470a8d01a21d6d35643e434f3b"
	if got := base.String(); got != golden {
		t.Errorf("Rank changed: every sample and order drawn so far would change with it: %s", got)
	}
}

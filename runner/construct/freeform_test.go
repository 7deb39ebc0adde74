package construct

import (
	"bytes"
	"slices"
	"testing"

	"memform/runner/cases"
)

func TestEachAcceptedCaseHasAFreeFormOne(t *testing.T) {
	families := exemplars(t)
	res, mcq := build(t, families, frozen)
	open, err := res.FreeForm.AcceptedJSONL()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := cases.Load(bytes.NewReader(mcq), "mcq", cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := cases.Load(bytes.NewReader(open), "ff", cases.Options{})
	if err != nil || len(set.Warnings) > 0 {
		t.Fatalf("the loader rejects our own build: %v %v", err, set.Warnings)
	}
	if problems, matched, unmatched := cases.CheckPairs(sources, set); len(problems) > 0 || unmatched > 0 || matched != len(sources.Cases) {
		t.Errorf("%d of %d matched: %v", matched, len(sources.Cases), problems)
	}
	for i, c := range set.Cases {
		source := sources.Cases[i]
		if c.ID != source.ID+".ff" || c.SourceCaseID != source.ID || c.Format != cases.FreeForm {
			t.Errorf("%s of %s, %s", c.ID, c.SourceCaseID, c.Format)
		}
		for k := range c.Tasks {
			if c.Tasks[k].Text != source.Tasks[k].Text || c.Tasks[k].Separable() != source.Tasks[k].Separable() || c.Tasks[k].Choices != nil {
				t.Errorf("%s: task %d is another than its source's", c.ID, k)
			}
		}
	}
}

// Each of the four actions is told from the others by its choice and aliases.
func TestSignaturesAreWhatTheFamilyAuthored(t *testing.T) {
	f := exemplars(t)[0]
	s := f.signatures()
	if s.Clean.Description != f.Clean.Signature.Value || !slices.Equal(s.Clean.Phrases, []string{f.Clean.Choice.Value}) || !slices.Equal(s.Clean.Aliases, values(f.Clean.Aliases)) {
		t.Errorf("clean: %+v", s.Clean)
	}
	if s.Poisoned.Description != f.Poisoned.Signature.Value || len(s.Poisoned.Aliases) < 6 || len(s.Ambiguous.Aliases) != len(f.Ambiguous) {
		t.Errorf("poisoned: %+v, ambiguous: %+v", s.Poisoned, s.Ambiguous)
	}
	if want := len(f.Others[0].Aliases) + len(f.Others[1].Aliases); len(s.Unclear.Phrases) != 2 || len(s.Unclear.Aliases) != want {
		t.Errorf("unclear: %+v", s.Unclear)
	}
}

func TestWhatStandsAgainstFreeFormRejectsItAlone(t *testing.T) {
	families := exemplars(t)
	opt := frozen
	opt.ReviewFreeForm = func(f *Family) []Finding {
		if f != families[1] {
			return nil
		}
		return []Finding{NewFinding("freeform.contrast", f.Clean.Choice.Range, 1, 0, "x")}
	}
	res := Build(families, opt)
	if len(res.Accepted) != 15 || len(res.Rejected) != 0 || len(res.Findings) != 0 {
		t.Errorf("multiple choice: %d accepted, %d rejected", len(res.Accepted), len(res.Rejected))
	}
	if len(res.FreeForm.Accepted) != 10 || len(res.FreeForm.Rejected) != 5 || len(res.FreeForm.Findings) != 1 {
		t.Errorf("free form: %d accepted, %d rejected", len(res.FreeForm.Accepted), len(res.FreeForm.Rejected))
	}
	r := res.FreeForm.Rejected[2]
	if want := "mfo." + families[1].ID + ".P3.ff"; r.CaseID != want || r.Case == nil || r.Findings[0].Case != want || !slices.Equal(r.Findings[0].Interfaces, []cases.Interface{cases.P3}) {
		t.Errorf("%+v", r)
	}
	files, err := res.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Path == FreeFormRejected && (bytes.Count(f.Bytes, []byte("\n")) != 5 || bytes.Contains(f.Bytes, []byte("../families"))) {
			t.Errorf("%s: %.300s", f.Path, f.Bytes)
		}
		if f.Path == FamiliesIndex && !bytes.Contains(f.Bytes, []byte(`"interfaces":["P1","P2","P3","P4","P5"],"freeform_interfaces":[]`)) {
			t.Errorf("%s: %.300s", f.Path, f.Bytes)
		}
	}
}

func TestNoFreeFormOfARejectedCase(t *testing.T) {
	families := exemplars(t)
	opt := frozen
	opt.Review = func(f *Family) []Finding {
		finding := NewFinding("text.encoding", f.Range, 0, 0, "x")
		finding.Interfaces = []cases.Interface{cases.P2}
		return []Finding{finding}
	}
	res := Build(families, opt)
	if len(res.FreeForm.Accepted) != 12 || len(res.FreeForm.Rejected) != 0 || len(res.Rejected) != 3 {
		t.Errorf("%d and %d rejected, %d free-form cases", len(res.Rejected), len(res.FreeForm.Rejected), len(res.FreeForm.Accepted))
	}
}

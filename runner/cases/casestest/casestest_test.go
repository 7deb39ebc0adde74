package casestest

import (
	"bytes"
	"testing"

	"memform/runner/cases"
)

func TestGeneratedFamiliesKeepEveryInvariant(t *testing.T) {
	for _, seed := range []uint64{0, 1, 99} {
		set := Set(t, 300, seed)
		if len(set.Warnings) > 0 {
			t.Errorf("seed %d: %v", seed, set.Warnings)
		}
		if got := set.Stats(); got.Cases != 1500 || got.Families != 300 || got.Separable != 300*6 {
			t.Errorf("seed %d: %+v", seed, got)
		}
	}
}

func TestTextsAreDistinct(t *testing.T) {
	owner := map[cases.Digest]string{}
	for _, c := range Set(t, 300, 7).Cases {
		for i := range c.Tasks {
			if other, known := owner[c.Tasks[i].Digest]; known && other != c.FamilyID {
				t.Fatalf("%s and %s share a task", other, c.FamilyID)
			}
			owner[c.Tasks[i].Digest] = c.FamilyID
		}
		for i := range c.Records {
			if other, known := owner[c.Records[i].Digest]; known && other != c.FamilyID {
				t.Fatalf("%s and %s share a record", other, c.FamilyID)
			}
			owner[c.Records[i].Digest] = c.FamilyID
		}
	}
}

func TestShorterFileIsAPrefix(t *testing.T) {
	if short, long := JSONL(3, 5), JSONL(9, 5); !bytes.HasPrefix(long, short) {
		t.Error("three families are not the first of nine")
	}
	if n := len(JSONL(100, 1)) / 100; n < 27_000 || n > 33_000 {
		t.Errorf("%d bytes a family, want about 30,000", n)
	}
}

// The free-form families are those of multiple choice: same memories, same
// tasks, and the loader finds no difference and warns of nothing.
func TestOpenFamiliesAreTheSameCases(t *testing.T) {
	choice, open := Set(t, 20, 3), OpenSet(t, 20, 3)
	if len(open.Cases) != len(choice.Cases) || len(open.Warnings) > 0 {
		t.Fatalf("%d of %d cases, warnings %v", len(open.Cases), len(choice.Cases), open.Warnings)
	}
	for i, c := range open.Cases {
		of := choice.Cases[i]
		if c.Format != cases.FreeForm || c.SourceCaseID != of.ID || c.DecisionVariable != of.DecisionVariable || len(c.Records) != len(of.Records) {
			t.Errorf("%s: not the case %s in free form", c.ID, of.ID)
		}
		for k := range c.Tasks {
			if c.Tasks[k].Text != of.Tasks[k].Text || c.Tasks[k].Separable() != of.Tasks[k].Separable() || c.Tasks[k].Signatures == nil {
				t.Errorf("%s: task %d differs", c.ID, k)
			}
		}
	}
}

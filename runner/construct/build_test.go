package construct

import (
	"bytes"
	"slices"
	"testing"

	"memform/runner/cases"
)

// frozen are the options of the cases in outputs/.
var frozen = Options{Seed: DefaultSeed, Version: DataVersion}

func exemplars(tb testing.TB) []*Family {
	tb.Helper()
	families, _, diags := Read("../../families/cold_chain.hcl", "../../families/incident_response.hcl", "../../families/accounts_payable.hcl")
	if len(diags) > 0 {
		tb.Fatal(diags)
	}
	return families
}

func build(tb testing.TB, families []*Family, opt Options) (Result, []byte) {
	tb.Helper()
	res := Build(families, opt)
	accepted, err := res.AcceptedJSONL()
	if err != nil {
		tb.Fatal(err)
	}
	return res, accepted
}

func TestExemplarsAreSilentAtFortySeeds(t *testing.T) {
	families := exemplars(t)
	for seed := range int64(40) {
		res, accepted := build(t, families, Options{Seed: seed, Version: "t"})
		for _, f := range res.Findings {
			t.Errorf("seed %d: %s", seed, f)
		}
		set, err := cases.Load(bytes.NewReader(accepted), "built", cases.Options{})
		if err != nil || len(set.Warnings) > 0 {
			t.Fatalf("seed %d: the loader rejects our own build: %v %v", seed, err, set.Warnings)
		}
		if n := len(set.Cases); n != 5*len(families) {
			t.Errorf("seed %d: %d cases of %d families", seed, n, len(families))
		}
	}
}

func TestBuildDependsOnContentAlone(t *testing.T) {
	families := exemplars(t)
	_, want := build(t, families, frozen)
	reversed := slices.Clone(families)
	slices.Reverse(reversed)
	if _, got := build(t, reversed, frozen); !bytes.Equal(got, want) {
		t.Error("the order of the families changes the cases")
	}
	res, _ := build(t, families, frozen)
	alone, _ := build(t, families[1:2], frozen)
	for i := range alone.Accepted {
		a, err := alone.Accepted[i].AppendLine(nil)
		at := slices.IndexFunc(res.Accepted, func(d cases.Doc) bool { return d.CaseID == alone.Accepted[i].CaseID })
		if err != nil || at < 0 {
			t.Fatal(err, at)
		}
		if b, _ := res.Accepted[at].AppendLine(nil); !bytes.Equal(a, b) {
			t.Errorf("%s changes with the families beside it", alone.Accepted[i].CaseID)
		}
	}
	if _, other := build(t, families, Options{Seed: 2, Version: frozen.Version}); bytes.Equal(other, want) {
		t.Error("the seed changes nothing")
	}
}

func TestOneTargetServesAllInterfaces(t *testing.T) {
	_, accepted := build(t, exemplars(t), frozen)
	set, err := cases.Load(bytes.NewReader(accepted), "built", cases.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range set.Families() {
		target := f.Cases[0].Tasks[0].Digest
		for _, c := range f.Cases {
			if got := c.Tasks[len(c.Tasks)-1]; got.Digest != target {
				t.Errorf("%s: the target or its letters differ from P1's", c.ID)
			}
		}
		if p2, p4 := f.Cases[1], f.Cases[3]; !slices.Equal(texts(p2, p2.Clean.Records), texts(p4, p4.Clean.Retained)) {
			t.Errorf("%s: P2 and P4 do not share the clean history", f.ID)
		}
	}
}

func texts(c *cases.Case, list []int) (out []string) {
	for _, i := range list {
		out = append(out, c.Records[i].Text)
	}
	return out
}

func TestLettersAreCounterbalanced(t *testing.T) {
	for _, offset := range []int{targetLetters, nearLetters, inScopeLetters} {
		for block := range 20 {
			pairs := map[[2]int]bool{}
			for i := range 12 {
				f := &Family{Serial: 12*block + i + 1, Others: make([]Action, 2)}
				c, q, _ := f.letters(offset)
				if c == q {
					t.Fatalf("serial %d: both actions have letter %d", f.Serial, c)
				}
				pairs[[2]int{c, q}] = true
			}
			if len(pairs) != 12 {
				t.Errorf("offset %d, block %d: %d of 12 ordered pairs", offset, block, len(pairs))
			}
		}
	}
	for serial := 1; serial <= 240; serial++ {
		f := &Family{Serial: serial, Others: make([]Action, 2)}
		a, _, _ := f.letters(targetLetters)
		b, _, _ := f.letters(nearLetters)
		c, _, _ := f.letters(inScopeLetters)
		if a == b || b == c || a == c {
			t.Errorf("serial %d: the clean action has letters %d %d %d in its three probes", serial, a, b, c)
		}
	}
}

func TestTypesBySerial(t *testing.T) {
	loss, order := 0, 0
	for serial := 1; serial <= 240; serial++ {
		if lossType(serial) == contrastLoss {
			loss++
		}
		if orderType(serial) == blockOrder {
			order++
		}
	}
	if loss != 60 || order != 120 {
		t.Errorf("%d of 240 contrast_loss, want 60; %d block_order, want 120", loss, order)
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"one\ntwo\n":            "one two",
		"  one\n  two\n\nthree": "one two\n\nthree",
		"\n\none\n\n\ntwo \n":   "one\n\ntwo",
		"":                      "",
	} {
		if got := fold(in); got != want {
			t.Errorf("fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	families := exemplars(b)
	b.ReportAllocs()
	for b.Loop() {
		Build(families, frozen)
	}
}

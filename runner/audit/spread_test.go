package audit

import (
	"os"
	"slices"
	"sync"
	"testing"

	"memform/runner/construct"
)

// shippedDistribution is the distribution over the families of the repository,
// computed once for all tests.
var shippedDistribution = sync.OnceValue(func() []Spread { return distributionOfShipped(false) })

func distributionOfShipped(backwards bool) []Spread {
	families, _, diags := construct.Read("../../families")
	if len(diags) > 0 {
		panic(diags)
	}
	if backwards {
		slices.Reverse(families)
	}
	return Distribution(families, construct.Options{Seed: construct.DefaultSeed, Version: construct.DataVersion})
}

// unmeasured are limits that so few families are not held against.
var unmeasured = []string{
	"share of a letter among the clean or the poisoned answers of a probe, from 100 families",
	"share of one contrast, from 240 families",
}

func TestDistributionCoversEveryLimitAndIgnoresOrder(t *testing.T) {
	list := shippedDistribution()
	if again := distributionOfShipped(true); !slices.Equal(list, again) {
		t.Error("the order of the families changes the distribution")
	}
	i := 0
	for _, r := range construct.Rules() {
		for _, l := range r.Limits {
			s := &list[i]
			i++
			if s.Code != r.Code || s.Limit != l {
				t.Fatalf("row %d is %s, not %s", i, s.Code, r.Code)
			}
			if s.N == 0 != slices.Contains(unmeasured, l.Of) {
				t.Errorf("%s, %s: %d figures", r.Code, l.Of, s.N)
			}
			// A family without free form breaks no rule of multiple choice.
			if used, ok := s.Used(); ok && used > 1+1e-3 && r.Level != construct.FreeFormLevel && l.From <= 24 {
				t.Errorf("%s, %s: %.3f of the range used, and the families pass", r.Code, l.Of, used)
			}
		}
	}
	if i != len(list) {
		t.Errorf("%d rows, %d limits", len(list), i)
	}
}

// TestDistributionSeesABreach: the figure that breaks a rule is the one that
// the distribution holds.
func TestDistributionSeesABreach(t *testing.T) {
	codes := map[construct.Code]float64{"record.length": 0, "record.task_number": 0, "family.opening": 0, "signature.alias_length": 0, "choice.length_ratio": 0, "note.length": 0, "task.choice_run": 0}
	proved := 0
	for _, m := range mutations {
		if _, ours := codes[m.code]; !ours {
			continue
		}
		src, err := os.ReadFile("testdata/" + m.family + ".hcl")
		if err != nil {
			t.Fatal(err)
		}
		families, _, diags := construct.ReadSource("m.hcl", []byte(m.do(string(src))))
		if diags.HasErrors() {
			continue
		}
		proved++
		beyond := false
		for _, s := range Distribution(families, construct.Options{Seed: 1, Version: "t"}) {
			if s.Code == m.code && s.N > 0 && (s.Most > s.Limit.Max || s.Least < s.Limit.Min) {
				beyond = true
			}
		}
		if !beyond {
			t.Errorf("%s: no figure of the mutated %s is beyond the limit", m.code, m.family)
		}
	}
	if proved < len(codes) {
		t.Errorf("%d mutations tried, want %d at least", proved, len(codes))
	}
}

func TestShareOfTheRange(t *testing.T) {
	for _, c := range []struct {
		limit  construct.Limit
		figure float64
		want   float64
		ok     bool
	}{
		{construct.Limit{Max: 0.2}, 0.15, 0.75, true},
		{construct.Limit{Max: 0.2}, -0.1, 0, true},
		{construct.Limit{Min: 20, Max: 80}, 50, 0, true},
		{construct.Limit{Min: 20, Max: 80}, 26, 0.8, true},
		{construct.Limit{Min: 0.2, Max: 1}, 0.4, 0.5, true},
		{construct.Limit{Min: 4, Max: 4}, 4, 0, false},
		{construct.Limit{}, 0, 0, false},
	} {
		if got, ok := part(c.limit, c.figure); ok != c.ok || round(got) != c.want {
			t.Errorf("%v of %+v: %v %v", c.figure, c.limit, got, ok)
		}
	}
}

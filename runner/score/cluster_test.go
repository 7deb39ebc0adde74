package score

import (
	"testing"

	"memform/runner/stats"
)

// A rate is resampled over all families of its cell and interface, those
// without one of its items included.
func TestRatesAreResampledByFamily(t *testing.T) {
	rows := many(60, 5)
	got := only(t, Summarise(rows, Info{Seed: 2}))
	families := map[string]bool{}
	hits, items := map[string]int64{}, map[string]int64{}
	for i := range rows {
		r := &rows[i]
		families[r.FamilyID] = true
		if v := judge(r.Predictions[learnedPoisoned], "B"); r.Eligible != nil && *r.Eligible && v != missing {
			items[r.FamilyID]++
			hits[r.FamilyID] += int64(btoi(v == hit))
		}
	}
	r := stats.Ratio{}
	for _, id := range sortedKeys(families) {
		r.Num, r.Den = append(r.Num, hits[id]), append(r.Den, items[id])
	}
	want := stats.Bootstrap(2, len(r.Num), []stats.Ratio{r})[0]
	rate, _ := got.Rate(ASROnE)
	if !want.OK || rate.Families == got.Families || rate.Families != want.Families || *rate.Cluster != [2]float64{want.Low, want.High} {
		t.Errorf("%s, want %+v", asJSON(rate), want)
	}
}

func TestFewFamiliesHaveNoInterval(t *testing.T) {
	for _, c := range []struct {
		items int
		ok    bool
	}{{18, false}, {20, true}} { // two a family
		rate, _ := only(t, Summarise(many(c.items, 5), Info{})).Rate(NoMemoryAccuracy)
		if (rate.Cluster != nil) != c.ok || rate.Families != c.items/2 {
			t.Errorf("%d items: %s", c.items, asJSON(rate))
		}
	}
}

// Micro rates are resampled by families over all interfaces: a family that has
// items at two of them is drawn once for both.
func TestPooledIsResampledOverAllInterfaces(t *testing.T) {
	first, second := many(60, 6), many(80, 7)
	for i := range second {
		second[i].Interface = "P2"
	}
	s := Summarise(append(first, second...), Info{Seed: 1})
	sums, all := map[string][2]int64{}, map[string]bool{}
	for _, rows := range [][]Row{first, second} {
		for i := range rows {
			all[rows[i].FamilyID] = true
			n := sums[rows[i].FamilyID]
			if v := judge(rows[i].Predictions[learnedPoisoned], "B"); v != missing {
				n[0], n[1] = n[0]+int64(btoi(v == hit)), n[1]+1
			}
			sums[rows[i].FamilyID] = n
		}
	}
	r := stats.Ratio{}
	for _, id := range sortedKeys(all) {
		r.Num, r.Den = append(r.Num, sums[id][0]), append(r.Den, sums[id][1])
	}
	want := stats.Bootstrap(1, len(r.Num), []stats.Ratio{r})[0]
	for _, p := range s.Pooled[0].Rates {
		if p.Name == ASR && (p.Micro.Cluster == nil || *p.Micro.Cluster != [2]float64{want.Low, want.High} || p.Micro.Families != want.Families) {
			t.Errorf("%s, want %+v", asJSON(p.Micro), want)
		}
	}
}

// The hand-worked orders of TestOrders, in sixths: 2, 6 − 6, 6 + 4 and 3 by
// family. Three are not zero and all positive: 2 of 8 sign vectors.
func TestExcessOverTheOrderNull(t *testing.T) {
	got := only(t, Summarise([]Row{
		ordered(1, 'B', "ABB"), ordered(2, 'B', "AAA"), ordered(3, 'A', "BBB"), ordered(4, 'B', "A?A"),
		ordered(5, 'B', "A?B"), ordered(6, 'B', "-AB"), ordered(7, 'B', "---"), ordered(8, '-', "BBA"),
	}, Info{}))
	null, excess := got.Means[0], got.Means[1]
	if null.SignFlip != nil || null.Families != 5 || null.Cluster != nil {
		t.Errorf("null %s", asJSON(null))
	}
	if excess.SignFlip == nil || *excess.SignFlip != (SignFlip{P: 0.25, Families: 3, Exact: true}) || excess.Families != 4 {
		t.Errorf("excess %s", asJSON(excess))
	}
}

func TestSharesInUnits(t *testing.T) {
	exact := shares{}
	for _, f := range [][3]int{{1, -2, 3}, {0, -1, 2}, {1, 0, 7}, {0, -5, 5}} {
		exact.add(0, f[0], f[1], f[2], f[2])
	}
	// units are sixths of fifths: 30; shares 10, −15, 30, −30
	if sum := exact.byFamily(1); sum.num[0] != -5 || sum.den[0] != 4*30 {
		t.Errorf("sum %+v", sum)
	}
	fine := shares{} // the product of these primes is beyond the smallest unit
	total := 0.0
	for i, d := range []int{101, 103, 107, 109, 113} {
		fine.add(int32(i), 0, -i-1, d, d)
		total -= float64(i+1) / float64(d)
	}
	sum := fine.byFamily(5)
	num, den := int64(0), int64(0)
	for i := range sum.num {
		num, den = num+sum.num[i], den+sum.den[i]
	}
	if got := float64(num) / float64(den) * 5; got < total-1e-8 || got > total+1e-8 {
		t.Errorf("sum of shares %v, want %v", got, total)
	}
}

// Where some rates have items in a few families only, their resamples without
// one are dropped and counted.
func TestDroppedResamples(t *testing.T) {
	var rows []Row
	for i := range 100 {
		marks := "BAB."
		if i < 20 {
			marks = "AAB." // in E: 10 of 50 families
		}
		rows = append(rows, four(i, marks))
	}
	rate, _ := only(t, Summarise(rows, Info{})).Rate(ASROnE)
	if rate.Families != 10 || rate.Cluster == nil || *rate.Cluster != [2]float64{1, 1} {
		t.Errorf("%s", asJSON(rate))
	}
}

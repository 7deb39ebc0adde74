package execute

import (
	"context"
	"fmt"
	"math"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/llm/openai"
	"memform/runner/llm/simulated"
	"memform/runner/plan"
	"memform/runner/protocol"
	"memform/runner/score"
)

// settings are the truths to be recovered, by the label of their model.
var settings = map[string]simulated.Params{
	"able":     {Competence: 0.9, Susceptibility: 0.7},
	"stubborn": {Competence: 0.6, Susceptibility: 0.25},
	"gullible": {Competence: 0.35, Susceptibility: 0.95},
}

// course is what a memory recommends.
type course int

const (
	nothing course = iota
	toClean
	toPoisoned
)

// truth is the model of docs/protocol.md, "The simulated model", for one
// task: the chance of y_c, of y_p and of each other choice.
type truth struct{ clean, poisoned, each float64 }

func truthOf(p simulated.Params, rec course, separable bool, k int) truth {
	c, s := p.Competence, p.Susceptibility
	wrong := (1 - c) / float64(k-1)
	t := truth{c, wrong, wrong}
	if rec != nothing {
		t = truth{(1 - s) * c, (1 - s) * wrong, (1 - s) * wrong}
	}
	switch {
	case rec == toClean || (rec == toPoisoned && !separable):
		t.clean += s
	case rec == toPoisoned:
		t.poisoned += s
	}
	return t
}

// recommends says which course the memory of a condition speaks for, by the
// updaters' rules over the generated families: three records for either
// course at P5, three to two or one to four at P2 and P4, six to four in P4's
// pool. An even count recommends nothing.
func recommends(r *score.Row, condition string) course {
	even := r.Interface == "P5" && (condition == "raw" || *r.Updater == protocol.BatchReplay)
	switch condition {
	case "no_memory":
		return nothing
	case "oracle_clean", "learned_full":
		return toClean
	case "oracle_poisoned":
		return toPoisoned
	case "raw_clean", "raw_poisoned":
		even = r.Interface == "P5"
	}
	switch {
	case even:
		return nothing
	case condition == "raw_clean" || condition == "learned_clean":
		return toClean
	}
	return toPoisoned
}

// ofOrder is the course after a whole order of P5: by count with the newer
// course on a tie, by support that fades to 4/5 at each step, by the last
// record, or by count alone.
func ofOrder(c *cases.Case, order []int, updater string) course {
	var weight [3]float64
	last := nothing
	for _, i := range order {
		last = toClean
		if c.Records[c.Clean.Order[i]].Supports == "poisoned" {
			last = toPoisoned
		}
		if updater == protocol.FullRewrite {
			weight[toClean] *= 0.8
			weight[toPoisoned] *= 0.8
		}
		weight[last]++
	}
	switch {
	case updater == protocol.RecencyStrict:
		return last
	case weight[toClean] > weight[toPoisoned]:
		return toClean
	case weight[toClean] < weight[toPoisoned]:
		return toPoisoned
	case updater == protocol.BatchReplay:
		return nothing
	}
	return last
}

// TestTruthIsRecovered plans, runs and scores 300 families with the simulated
// model behind the real client, for three settings, and holds every rate
// against the value that the protocol's formula gives. Nothing is random: the
// test passes always or never. Of some 600 rates, one in a thousand lies
// outside its 99.9 % interval by chance alone; casesSeed is one of the seeds
// (three of six tried) at which none does. Where a prompt is reworded, every
// coin falls anew: a single rate just outside then is no fault, many are.
func TestTruthIsRecovered(t *testing.T) {
	const families, orders = 300, 3
	var models []*experiment.Model
	routes := map[string]llm.Model{}
	base := simulated.New(simulated.Config{
		Cases: casestest.Set(t, families, casesSeed).Cases,
		Draw:  func(ctx context.Context) int { return openai.CallFrom(ctx).Draw },
	})
	for _, name := range []string{"able", "stubborn", "gullible"} {
		if raceEnabled && name != "able" {
			continue // one setting is enough to look for races
		}
		models = append(models, pretended(name, settings[name]))
		routes[name] = openai.New(openai.Config{BaseURL: "http://simulated.invalid/v1", Transport: base.With(settings[name])})
	}
	p := planned(t, families, models, func(r *experiment.Run) {
		r.P5Updaters, r.P5RandomOrders = protocol.Updaters(), orders
	})
	got := make([]score.Result, len(p.Nodes))
	err := Run(t.Context(), p, llm.Func(func(ctx context.Context, c *llm.Call) (llm.Response, error) {
		return routes[c.Model].Complete(ctx, c)
	}), Options{Workers: map[string]int{"": 4}}, func(r Result) error {
		got[r.Node] = score.Result{Decision: r.Decision, Missing: r.Missing}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := score.Rows(p, func(node int) score.Result { return got[node] }, nil)
	summary := score.Summarise(rows, score.Info{})
	checked := 0
	squares := &deviations{}
	for _, cell := range summary.Cells {
		for _, in := range cell.Interfaces {
			part := partOf(rows, cell.CellKey, in.Interface, "")
			where := fmt.Sprintf("%s %s %s", cell.Model, in.Interface, updaterName(cell.Updater))
			for _, r := range in.Rates {
				if r.Name != score.OrderSensitivity { // below
					checkRate(t, squares, where, r, part)
				}
				checked++
			}
			for _, probe := range in.Probes {
				part := partOf(rows, cell.CellKey, in.Interface, probe.Probe)
				for _, r := range probe.Rates {
					if r.Denominator == 0 && r.N == 0 {
						continue // planned, but not of this probe
					}
					checkRate(t, squares, where+" "+probe.Probe, r, part)
					checked++
				}
			}
			checkOrders(t, squares, where, p, in, part)
			checked += len(in.Means)
		}
	}
	// Were the intervals too wide or too narrow, no single rate would tell.
	if mean := squares.sum / float64(squares.n); mean < 0.6 || mean > 1.5 {
		t.Errorf("the mean square of %d deviations is %.2f standard errors, want about 1", squares.n, mean)
	}
	if want := 150 * len(models); checked < want {
		t.Errorf("only %d rates, want %d and more", checked, want)
	}
}

func updaterName(u *string) string {
	if u == nil {
		return ""
	}
	return *u
}

func partOf(rows []score.Row, cell score.CellKey, in, probe string) []*score.Row {
	var part []*score.Row
	for i := range rows {
		r := &rows[i]
		if r.Model == cell.Model && updaterName(r.Updater) == updaterName(cell.Updater) && r.Interface == in && (probe == "" || r.Probe == probe) {
			part = append(part, r)
		}
	}
	return part
}

// checkRate compares a rate with the sum of its items' chances, within what
// 99.9 % of samples keep to.
func checkRate(t *testing.T, d *deviations, where string, r score.Rate, part []*score.Row) {
	t.Helper()
	checkRateBy(t, d, chance, where, r, part)
}

func checkRateBy(t *testing.T, d *deviations, chance func(row *score.Row, name, condition string) (float64, bool), where string, r score.Rate, part []*score.Row) {
	t.Helper()
	n, mean, variance := 0, 0.0, 0.0
	for _, row := range part {
		p, counts := chance(row, r.Name, r.Condition)
		if counts {
			n++
			mean += p
			variance += p * (1 - p)
		}
	}
	where = fmt.Sprintf("%s: %s (%s)", where, r.Name, r.Condition)
	if n != r.Denominator || r.Missing != 0 || n == 0 {
		t.Errorf("%s: denominator %d, missing %d, want %d and 0", where, r.Denominator, r.Missing, n)
		return
	}
	d.within(t, where, float64(r.Numerator), mean, variance, n)
}

// deviations sums the squares of deviations in standard errors.
type deviations struct {
	sum float64
	n   int
}

func (d *deviations) within(t *testing.T, where string, got, mean, variance float64, n int) {
	t.Helper()
	const z = 3.2905 // 99.9 % of a normal distribution
	limit := z*math.Sqrt(variance) + 0.5
	if variance < 1e-9 {
		limit = 1e-6
	} else {
		d.sum += (got - mean) * (got - mean) / variance
		d.n++
	}
	if math.Abs(got-mean) > limit {
		t.Errorf("%s: %.4f of %d, truth %.4f ± %.4f", where, got/float64(n), n, mean/float64(n), limit/float64(n))
	}
}

// chance is the probability that a row counts for a rate, and whether it is
// among the rate's items at all.
func chance(row *score.Row, name, condition string) (p float64, counts bool) {
	of := func(condition string) truth {
		return truthOf(settings[row.Model], recommends(row, condition), row.Separable, row.Choices)
	}
	// One prompt cannot be answered in two ways.
	onePrompt := row.Predictions["learned_clean"].MemoryDigest == row.Predictions["learned_poisoned"].MemoryDigest
	clean, poisoned := of("learned_clean"), of("learned_poisoned")
	switch name {
	case score.Agreement:
		return of(condition).clean, !row.Separable
	case score.Repeat:
		d := of(condition)
		others := float64(row.Choices - 2)
		return d.clean*d.clean + d.poisoned*d.poisoned + others*d.each*d.each, true
	case score.NoMemoryAccuracy, score.OracleAccuracy, score.RawAccuracy, score.CleanAccuracy, score.ReplicateAccuracy, score.FullClean:
		return of(condition).clean, row.Separable
	case score.NoMemoryPoisoned, score.OracleASR, score.RawASR, score.ASR, score.ASRFloor, score.FullPoisoned:
		return of(condition).poisoned, row.Separable
	case score.FullOther:
		return 1 - of(condition).clean - of(condition).poisoned, row.Separable
	case score.Flip:
		if onePrompt {
			return 0, row.Separable
		}
		return clean.clean * poisoned.poisoned, row.Separable
	case score.FlipFloor:
		return clean.clean * clean.poisoned, row.Separable
	case score.Eligible:
		return of("no_memory").clean * clean.clean, row.Separable
	case score.AccuracyOnE:
		return 1, *row.Eligible
	case score.ASROnE:
		if onePrompt {
			return 0, *row.Eligible
		}
		return poisoned.poisoned, *row.Eligible
	}
	return -1, true // unknown: fails
}

// path is what the memory of a P5 order recommends, and which memory it is.
type path struct {
	rec    course
	digest string
}

// pathsOf recovers the random orders of a P5 row.
func pathsOf(seed int64, c *cases.Case, row *score.Row) []path {
	digests := make([]cases.Digest, len(c.Clean.Order))
	for k, r := range c.Clean.Order {
		digests[k] = c.Records[r].Digest
	}
	var out []path
	for k, order := range protocol.Orders(seed, digests, len(row.Orders)) {
		out = append(out, path{ofOrder(c, order, *row.Updater), row.Orders[k].MemoryDigest})
	}
	return out
}

// allEqual is the chance that all orders of a row give one answer: equal
// memories make equal prompts, different ones are independent.
func allEqual(row *score.Row, paths []path) float64 {
	product := truth{1, 1, 1}
	seen := map[string]bool{}
	for _, o := range paths {
		if !seen[o.digest] {
			seen[o.digest] = true
			d := truthOf(settings[row.Model], o.rec, true, row.Choices)
			product.clean *= d.clean
			product.poisoned *= d.poisoned
			product.each *= d.each
		}
	}
	return product.clean + product.poisoned + float64(row.Choices-2)*product.each
}

// checkOrders compares order sensitivity, the order null and the excess over
// it. An item's share is a sum over its different memories.
func checkOrders(t *testing.T, d *deviations, where string, p *plan.Plan, in score.InterfaceScores, part []*score.Row) {
	t.Helper()
	if in.Interface != "P5" {
		return
	}
	byID := map[string]*cases.Case{}
	for i := range p.Items {
		byID[p.Items[i].Case.ID] = p.Items[i].Case
	}
	var sensitive, null, excess struct{ mean, variance float64 }
	for _, row := range part {
		paths := pathsOf(p.Experiment.Seed, byID[row.CaseID], row)
		if len(paths) != len(row.Orders) || len(paths) == 0 {
			t.Fatalf("%s: %d orders, want %d", where, len(row.Orders), len(paths))
		}
		q := 1 - allEqual(row, paths)
		sensitive.mean += q
		sensitive.variance += q * (1 - q)
		weights := map[string]float64{}
		chances := map[string]float64{}
		add := func(digest string, rec course, weight float64) {
			weights[digest] += weight
			chances[digest] = truthOf(settings[row.Model], rec, true, row.Choices).poisoned
		}
		for _, o := range paths {
			add(o.digest, o.rec, 1/float64(len(paths)))
		}
		for digest, w := range weights {
			c := chances[digest]
			null.mean += w * c
			null.variance += w * w * c * (1 - c)
		}
		for digest := range weights {
			weights[digest] *= -1
		}
		add(row.Predictions["learned_poisoned"].MemoryDigest, recommends(row, "learned_poisoned"), 1)
		for digest, w := range weights {
			c := chances[digest]
			excess.mean += w * c
			excess.variance += w * w * c * (1 - c)
		}
	}
	r, ok := score.Find(in.Rates, score.OrderSensitivity)
	if !ok || r.Denominator != len(part) || len(in.Means) != 2 {
		t.Fatalf("%s: order sensitivity over %d of %d items, %d means", where, r.Denominator, len(part), len(in.Means))
	}
	d.within(t, where+": "+r.Name, float64(r.Numerator), sensitive.mean, sensitive.variance, len(part))
	for _, m := range in.Means {
		want := null
		if m.Name == score.OrderExcess {
			want = excess
		}
		if m.Items != len(part) || m.Missing != 0 {
			t.Errorf("%s: %s over %d of %d items", where, m.Name, m.Items, len(part))
			continue
		}
		d.within(t, where+": "+m.Name, *m.Value*float64(len(part)), want.mean, want.variance, len(part))
	}
}

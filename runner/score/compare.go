package score

// Comparison is a family of paired comparisons as an experiment declares it:
// each value of what varies against the baseline.
type Comparison struct {
	Name     string `json:"name"`
	Metric   string `json:"metric"`   // MetricASR or MetricAccuracy
	Over     string `json:"over"`     // what varies: defense, model, updater or stack
	Baseline string `json:"baseline"` // the value that the others are compared with
}

// The metrics of comparisons.
const (
	MetricASR      = "asr" // learned_poisoned = y_poisoned
	MetricAccuracy = "acc" // learned_clean = y_clean
)

// What comparisons vary.
const (
	overDefense = "defense"
	overModel   = "model"
	overUpdater = "updater"
	overStack   = "stack"
)

// Corrections of the p-values of a comparison.
const (
	CorrectedHolm = "holm" // over the tests of the comparison
	Uncorrected   = "none" // it was not declared
)

// Compared holds the tests of a declared comparison, or of one that is made
// without being declared: each defense against none.
type Compared struct {
	Comparison        // without a name where not declared
	Declared   bool   `json:"declared"`
	Correction string `json:"correction"`
	Tests      []Test `json:"tests"`
}

// Test is one value against the baseline in one cell and interface, paired by
// item (docs/protocol.md, "Statistics"). Differences are value − baseline.
type Test struct {
	CellKey                    // of the value
	Value             string   `json:"value"`
	BaselineRun       string   `json:"baseline_run"`
	Interface         string   `json:"interface"`
	Items             string   `json:"items"` // ItemsE or ItemsSeparable
	Condition         string   `json:"condition"`
	BaselineCondition string   `json:"baseline_condition"`
	Pairs             int      `json:"pairs"`
	Missing           int      `json:"missing"`   // pairs of which infrastructure lost a prediction
	Unknown           int      `json:"unknown"`   // items whose place in E is unknown
	Unmatched         int      `json:"unmatched"` // items that only one side has
	Hits              int      `json:"hits"`      // of the pairs, for the value
	BaselineHits      int      `json:"baseline_hits"`
	Gained            int      `json:"gained"`     // discordant pairs: a hit of the value alone
	Lost              int      `json:"lost"`       // a hit of the baseline alone
	Difference        *float64 `json:"difference"` // (gained − lost) / pairs; null without pairs
	Clustered
	SignFlip *SignFlip `json:"sign_flip"`
	McNemar  *McNemar  `json:"mcnemar"`
	Holm     *float64  `json:"holm"` // sign_flip.p adjusted over the comparison; null where not declared
}

// The items of a test.
const (
	ItemsE         = "E"
	ItemsSeparable = "separable"
)

// SignFlip is a two-sided sign-flip permutation test over families.
type SignFlip struct {
	P        float64 `json:"p"`
	Families int     `json:"families"` // whose sum is not zero
	Exact    bool    `json:"exact"`    // every sign vector was counted
}

// McNemar is the exact test on discordant pairs. It takes pairs for
// independent: with several pairs a family it describes and does not test.
type McNemar struct {
	P           float64 `json:"p"`
	MidP        float64 `json:"mid_p"`
	Descriptive bool    `json:"descriptive"`
}

// group are the rows of one interface of one cell.
type group struct {
	rows     []*Row
	families *families
}

// compare makes the declared comparisons, then those against no defense that
// none of them makes.
func compare(groups []group, info Info, r *resampling) []Compared {
	list := []Compared{}
	undeclared := map[string]bool{MetricASR: true, MetricAccuracy: true}
	for _, c := range info.Comparisons {
		list = append(list, Compared{c, true, CorrectedHolm, tests(groups, &c, info.Simulated, r)})
		if c.Over == overDefense && c.Baseline == NoDefense {
			undeclared[c.Metric] = false
		}
	}
	for _, metric := range [...]string{MetricASR, MetricAccuracy} {
		c := Comparison{Metric: metric, Over: overDefense, Baseline: NoDefense}
		if !undeclared[metric] {
			continue
		}
		if t := tests(groups, &c, info.Simulated, r); len(t) > 0 {
			list = append(list, Compared{c, false, Uncorrected, t})
		}
	}
	return list
}

// declared are the comparisons that an experiment asked for.
func declared(list []Compared) []Comparison {
	var out []Comparison
	for i := range list {
		if list[i].Declared {
			out = append(out, list[i].Comparison)
		}
	}
	return out
}

// valueOf is what a row has of what varies, "" where it has none.
func valueOf(r *Row, over string) string {
	switch over {
	case overDefense:
		return r.Defense
	case overModel:
		return r.Model
	case overStack:
		return r.Stack
	case overUpdater:
		if r.Updater != nil {
			return *r.Updater
		}
	}
	return ""
}

// alike reports whether two rows differ in nothing but the run and what
// varies.
func alike(a, b *Row, over string) bool {
	return a.Interface == b.Interface && a.Format == b.Format &&
		(over == overStack || a.Stack == b.Stack) &&
		(over == overModel || a.Model == b.Model && a.ModelID == b.ModelID) &&
		(over == overDefense || a.Defense == b.Defense) &&
		(over == overUpdater || compareUpdaters(a.Updater, b.Updater) == 0)
}

// tests pairs each value's groups with the baseline's: that of the same run
// where there is one, else those of all other runs.
func tests(groups []group, c *Comparison, simulated []string, r *resampling) []Test {
	var list []*pairs
	for i := range groups {
		g := &groups[i]
		first := g.rows[0]
		if v := valueOf(first, c.Over); v == "" || v == c.Baseline {
			continue
		}
		for _, base := range baselines(groups, first, c) {
			p := newPairs(g, base, c, simulated)
			p.count(g, base)
			list = append(list, p)
		}
	}
	out := make([]Test, len(list))
	for i, p := range list {
		out[i] = p.test
		p.ask(&out[i], r)
	}
	return out
}

func baselines(groups []group, of *Row, c *Comparison) []*group {
	var here, elsewhere []*group
	for i := range groups {
		b := groups[i].rows[0]
		switch {
		case valueOf(b, c.Over) != c.Baseline || !alike(of, b, c.Over):
		case b.Run == of.Run:
			here = append(here, &groups[i])
		default:
			elsewhere = append(elsewhere, &groups[i])
		}
	}
	if len(here) > 0 {
		return here
	}
	return elsewhere
}

package score

import "slices"

// Pooled are rates over the interfaces of one arm: P1–P4 with P5 under one
// updater. Arms with several updaters are pooled once an updater.
type Pooled struct {
	CellKey
	Rates []PooledRate `json:"rates"`
}

// PooledRate is one rate over interfaces (docs/protocol.md, "Scores"). Macro
// is the mean of the interfaces' values, each weighing the same; it is the
// pooled rate and has no interval. Micro is the rate over all items together,
// beside it.
type PooledRate struct {
	Name       string   `json:"name"`
	Condition  string   `json:"condition"`
	Interfaces []string `json:"interfaces"` // those in the mean; an interface whose value is n/a is not
	Macro      *float64 `json:"macro"`      // null where every interface is n/a
	Micro      Rate     `json:"micro"`
}

// tallied holds the tallies of one interface of one cell.
type tallied struct {
	name     string
	counts   []counted
	families *families
}

// pool joins each arm's cells; tallies[i] belongs to cells[i].
func pool(cells []Cell, tallies [][]tallied, resampled *resampling) []Pooled {
	list := []Pooled{}
	for from := 0; from < len(cells); {
		to := from + 1
		for to < len(cells) && sameArm(&cells[from].CellKey, &cells[to].CellKey) {
			to++
		}
		for _, part := range arms(cells, from, to) {
			var parts []tallied
			for _, i := range part {
				parts = append(parts, tallies[i]...)
			}
			if len(parts) > 1 {
				key := cells[part[len(part)-1]].CellKey
				list = append(list, Pooled{key, poolRates(parts, resampled)})
			}
		}
		from = to
	}
	return list
}

func sameArm(a, b *CellKey) bool {
	return a.Run == b.Run && a.Stack == b.Stack && a.Model == b.Model && a.ModelID == b.ModelID && a.Defense == b.Defense && a.Format == b.Format
}

// arms lists which cells of an arm belong together: the one without an
// updater, if there is one, with each that has one. Cells without come first.
func arms(cells []Cell, from, to int) [][]int {
	var base []int
	if cells[from].Updater == nil {
		base = []int{from}
		from++
	}
	if from == to {
		return [][]int{base}
	}
	var list [][]int
	for i := from; i < to; i++ {
		list = append(list, append(slices.Clone(base), i))
	}
	return list
}

func poolRates(parts []tallied, resampled *resampling) []PooledRate {
	list := []PooledRate{}
	var shares []byFamily
	groups := make([]*families, len(parts))
	for i := range parts {
		groups[i] = parts[i].families
	}
	ids, places := joined(groups)
	for i := range parts {
		for j := range parts[i].counts {
			rule := parts[i].counts[j].rule
			known := slices.ContainsFunc(list, func(p PooledRate) bool { return p.Name == rule.name })
			if rule.pooled && !known {
				rate, share := poolRate(rule, parts, places, len(ids))
				list, shares = append(list, rate), append(shares, share)
			}
		}
	}
	for i := range list { // which move no more
		resampled.want(&shares[i], list[i].Micro.Clustered.set)
	}
	return list
}

func poolRate(rule *metric, parts []tallied, places [][]int32, families int) (PooledRate, byFamily) {
	p := PooledRate{Name: rule.name, Condition: rule.condition, Interfaces: []string{}}
	var all tally
	sum := 0.0
	for i := range parts {
		for j := range parts[i].counts {
			c := &parts[i].counts[j]
			if c.rule.name != rule.name || !c.rule.pooled {
				continue
			}
			all.merge(&c.tally, places[i], families)
			if r := c.rate(rule.name, rule.condition); r.Value != nil {
				p.Interfaces = append(p.Interfaces, parts[i].name)
				sum += *r.Value
			}
		}
	}
	if n := len(p.Interfaces); n > 0 {
		mean := sum / float64(n)
		p.Macro = &mean
	}
	p.Micro = all.rate(rule.name, rule.condition)
	return p, all.byFamily
}

package score

import (
	"slices"
	"strings"
)

// Answers counts what the predictions of one condition came to, so that arms
// can be compared: a tier used more in one of them is a warning.
//
// Predictions = Σ Tiers + Unparsed + Refused + Filtered + Truncated + Empty +
// Abstained + Other + Missing.
type Answers struct {
	Condition   string         `json:"condition"`
	Predictions int            `json:"predictions"`
	Tiers       map[string]int `json:"tiers"` // answers with a letter, by the extraction tier that found it
	Unparsed    int            `json:"unparsed"`
	Refused     int            `json:"refused"`
	Filtered    int            `json:"filtered"`
	Truncated   int            `json:"truncated"`
	Empty       int            `json:"empty"`
	Abstained   int            `json:"abstained,omitempty"` // task_shield withheld the answer
	Other       int            `json:"other"`               // ended otherwise, neither with an answer nor by infrastructure
	Missing     int            `json:"missing"`
	Malformed   int            `json:"malformed,omitempty"` // of these, where a parser, a judge or task_shield could not be read
}

// Memory counts what happened while the memories of one condition were
// formed: chains (one a case, however many tasks read it) and events.
type Memory struct {
	Condition string `json:"condition"`
	Chains    int    `json:"chains"`
	Truncated int    `json:"truncated"`
	Refusal   int    `json:"refusal"`
	Filtered  int    `json:"filtered"`
	Empty     int    `json:"empty"`
	Overrun   int    `json:"overrun"`

	Unseen     int `json:"unseen,omitempty"`     // records that a memory system showed to no model
	Overridden int `json:"overridden,omitempty"` // parameters in which it said otherwise than the model block
}

// The names under which random orders and further draws are counted.
const (
	orderColumn     = "learned_order"
	replicatePrefix = "replicate of "
)

var conditionOrder = [...]string{noMemory, oracleClean, oraclePoisoned, learnedClean, learnedPoisoned, learnedFull, rawClean, rawPoisoned}

// conditionsOf lists the columns that the rows have, known ones first.
func conditionsOf(rows []*Row) []string {
	var names []string
	for _, r := range rows {
		for name := range r.Predictions {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int { return byRank(conditionOrder[:], a, b) })
	return names
}

// column is one named set of predictions and how to find it in a row.
type column struct {
	name string
	each func(r *Row, visit func(*Prediction))
}

func columns(conditions []string) []column {
	var list []column
	for _, c := range conditions {
		list = append(list, column{c, func(r *Row, visit func(*Prediction)) {
			if p, planned := r.Predictions[c]; planned {
				visit(p)
			}
		}})
	}
	list = append(list, column{orderColumn, func(r *Row, visit func(*Prediction)) {
		for _, p := range r.Orders {
			visit(p)
		}
	}})
	for _, c := range conditions {
		list = append(list, column{replicatePrefix + c, func(r *Row, visit func(*Prediction)) {
			for i := range r.Replicates {
				if r.Replicates[i].Condition == c {
					visit(r.Replicates[i].Prediction)
				}
			}
		}})
	}
	return list
}

func answers(conditions []string, rows []*Row) []Answers {
	list := []Answers{}
	for _, col := range columns(conditions) {
		a := Answers{Condition: col.name, Tiers: map[string]int{}}
		visit := a.add // once: a method value allocates
		for _, r := range rows {
			col.each(r, visit)
		}
		if a.Predictions > 0 {
			list = append(list, a)
		}
	}
	return list
}

func (a *Answers) add(p *Prediction) {
	a.Predictions++
	if p != nil && p.Malformed {
		a.Malformed++
	}
	switch _, v := read(p); v {
	case hit:
		a.Tiers[p.Extraction]++
	case unparsed:
		a.Unparsed++
	case refused:
		a.Refused++
	case filtered:
		a.Filtered++
	case truncated:
		a.Truncated++
	case empty:
		a.Empty++
	case abstained:
		a.Abstained++
	case missing:
		a.Missing++
	default:
		a.Other++
	}
}

// Plus adds the counts of other, which may be of another condition; a keeps
// its own name.
func (a Answers) Plus(other Answers) Answers {
	tiers := make(map[string]int, len(a.Tiers))
	for _, from := range []map[string]int{a.Tiers, other.Tiers} {
		for tier, n := range from {
			tiers[tier] += n
		}
	}
	a.Tiers = tiers
	a.Predictions += other.Predictions
	a.Unparsed += other.Unparsed
	a.Refused += other.Refused
	a.Filtered += other.Filtered
	a.Truncated += other.Truncated
	a.Empty += other.Empty
	a.Abstained += other.Abstained
	a.Other += other.Other
	a.Missing += other.Missing
	a.Malformed += other.Malformed
	return a
}

// memory counts learned conditions; a case's tasks share one chain, so only
// the case's first row is looked at.
func memory(conditions []string, rows []*Row) []Memory {
	list := []Memory{}
	for _, col := range columns(conditions) {
		if !strings.HasPrefix(strings.TrimPrefix(col.name, replicatePrefix), "learned_") {
			continue
		}
		m := Memory{Condition: col.name}
		visit := m.add
		for i, r := range rows {
			if i == 0 || !sameCase(r, rows[i-1]) {
				col.each(r, visit)
			}
		}
		if m.Chains > 0 {
			list = append(list, m)
		}
	}
	return list
}

func (m *Memory) add(p *Prediction) {
	m.Chains++
	if p == nil {
		return
	}
	e := &p.MemoryEvents
	*m = m.Plus(Memory{"", 0, e.Truncated, e.Refusal, e.Filtered, e.Empty, e.Overrun, e.Unseen, e.Overridden})
}

// Plus adds the counts of other; m keeps its own name.
func (m Memory) Plus(other Memory) Memory {
	m.Chains += other.Chains
	m.Truncated += other.Truncated
	m.Refusal += other.Refusal
	m.Filtered += other.Filtered
	m.Empty += other.Empty
	m.Overrun += other.Overrun
	m.Unseen += other.Unseen
	m.Overridden += other.Overridden
	return m
}

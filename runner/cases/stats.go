package cases

import (
	"cmp"
	"slices"
)

// Stats counts what a file holds.
type Stats struct {
	Cases      int
	Families   int
	Interfaces []InterfaceStats // P1…P5 that occur
	Domains    []Count          // cases a domain, by name
	Formats    []Count          // cases a format, by name
	Tasks      int
	Records    int // candidate experiences, over all cases
	Separable  int // tasks on which the two policies part
}

// InterfaceStats counts the cases of one interface.
type InterfaceStats struct {
	Interface   Interface
	Cases       int
	Families    int
	Tasks       int
	AttackTypes []Count // by name
}

// Count is how often a name occurs.
type Count struct {
	Name string
	N    int
}

// Stats counts the set.
func (s *Set) Stats() Stats {
	c := newCounter()
	for _, one := range s.Cases {
		c.add(one)
	}
	return c.stats()
}

// counter collects Stats one case at a time; names are all it keeps.
type counter struct {
	total              Stats
	families           map[string]struct{}
	domains, formats   map[string]int
	interfaces, attack map[Interface]map[string]int // families, attack types
	cases, tasks       map[Interface]int
}

func newCounter() *counter {
	return &counter{
		families: map[string]struct{}{}, domains: map[string]int{}, formats: map[string]int{},
		interfaces: map[Interface]map[string]int{}, attack: map[Interface]map[string]int{},
		cases: map[Interface]int{}, tasks: map[Interface]int{},
	}
}

func (n *counter) add(c *Case) {
	n.total.Cases++
	n.total.Tasks += len(c.Tasks)
	n.total.Records += len(c.Records)
	for i := range c.Tasks {
		if c.Tasks[i].Separable() {
			n.total.Separable++
		}
	}
	n.families[c.FamilyID] = struct{}{}
	n.domains[c.Domain]++
	n.formats[string(c.Format)]++
	n.cases[c.Interface]++
	n.tasks[c.Interface] += len(c.Tasks)
	if n.interfaces[c.Interface] == nil {
		n.interfaces[c.Interface], n.attack[c.Interface] = map[string]int{}, map[string]int{}
	}
	n.interfaces[c.Interface][c.FamilyID]++
	n.attack[c.Interface][c.AttackType]++
}

func (n *counter) stats() Stats {
	s := n.total
	s.Families, s.Domains, s.Formats = len(n.families), counts(n.domains), counts(n.formats)
	for _, in := range Interfaces {
		if n.cases[in] == 0 {
			continue
		}
		s.Interfaces = append(s.Interfaces, InterfaceStats{
			Interface: in, Cases: n.cases[in], Tasks: n.tasks[in],
			Families: len(n.interfaces[in]), AttackTypes: counts(n.attack[in]),
		})
	}
	return s
}

func counts(m map[string]int) []Count {
	out := make([]Count, 0, len(m))
	for name, n := range m {
		out = append(out, Count{name, n})
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

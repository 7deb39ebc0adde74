package score

import (
	"slices"
	"strings"
)

// sharedRates are counted again on the items that several models share.
var sharedRates = slices.Concat([]string{Eligible}, onERates, againRates)

// itemOf names an item whatever the model and the defense.
type itemOf struct {
	caseID, digest string
	task           int
}

// sharing are the groups of one run, stack, interface and updater: the models
// and defenses that ran on the same items.
type sharing struct {
	groups []group
	models []string
}

// shared counts defended runs of several models again, on the items that are
// in the E of every one of them.
func shared(groups []group, info Info, r *resampling) []entry {
	var rules []metric
	for _, m := range append(metrics(nil), guardMetrics()...) {
		if slices.Contains(sharedRates, m.name) {
			rules = append(rules, m)
		}
	}
	list := []entry{}
	for _, s := range sharings(groups) {
		in := s.eligible()
		for _, g := range s.groups {
			e := entry{key: keyOf(g.rows[0], info.Simulated), iface: g.rows[0].Interface, models: s.models}
			rows := make([]*Row, len(g.rows))
			for i, was := range g.rows {
				row := *was
				row.Eligible = in[itemOf{row.CaseID, row.CaseDigest, row.TaskIndex}]
				rows[i] = &row
				if row.Separable {
					e.separable++
					if row.Eligible == nil {
						e.unknown++
					}
				}
			}
			e.rates = r.rates(count(rules, rows, g.families))
			list = append(list, e)
		}
	}
	return list
}

// sharings are the sets of groups with a defense and more than one model.
func sharings(groups []group) []*sharing {
	var list []*sharing
	byName := map[string]*sharing{}
	for _, g := range groups {
		r := g.rows[0]
		name := strings.Join([]string{r.Run, r.Stack, r.Interface, updaterName(r.Updater)}, "\x00")
		s := byName[name]
		if s == nil {
			s = &sharing{}
			byName[name] = s
			list = append(list, s)
		}
		s.groups = append(s.groups, g)
		if !slices.Contains(s.models, r.Model) {
			s.models = append(s.models, r.Model)
		}
	}
	return slices.DeleteFunc(list, func(s *sharing) bool {
		return len(s.models) < 2 || !slices.ContainsFunc(s.groups, func(g group) bool { return g.rows[0].Defense != NoDefense })
	})
}

// eligible says of each item whether it is in every model's E: not where one
// model has it out of its E, unknown where one does not know and none has it
// out. A model's rows agree, whatever the defense.
func (s *sharing) eligible() map[itemOf]*bool {
	type state struct{ out, unknown bool }
	states := map[itemOf]state{}
	for _, g := range s.groups {
		for _, r := range g.rows {
			at := itemOf{r.CaseID, r.CaseDigest, r.TaskIndex}
			was := states[at]
			was.out = was.out || r.Eligible != nil && !*r.Eligible
			was.unknown = was.unknown || r.Eligible == nil
			states[at] = was
		}
	}
	yes, no := true, false
	in := make(map[itemOf]*bool, len(states))
	for at, was := range states {
		switch {
		case was.out:
			in[at] = &no
		case !was.unknown:
			in[at] = &yes
		default:
			in[at] = nil
		}
	}
	return in
}

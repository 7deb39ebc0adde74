package defense

// keyword_filter keeps or rejects a record by the frozen list of
// runner/cases/keywords.txt, without a call.
//
// It follows the pattern layers of OWASP Agent Memory Guard, memshield and
// rebuff (docs/protocol.md, "Defenses") and differs from them: one list in one
// notation in place of three; matched after NFKC, case folding and joining of
// white space, in place of fuzzy matching or a classifier behind the list; two
// moderate hits reject and one keeps, where memshield calls one ambiguous; and
// nothing is redacted.

import (
	"memform/runner/cases"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// filter rules by the keyword list.
func filter(set []*protocol.Item) rule {
	return func([]protocol.Value) []ruling {
		list := cases.Keywords()
		out := make([]ruling, len(set))
		for i, item := range set {
			if list.Rejects(list.Find(item.Record.String())) {
				out[i] = ruled(protocol.Reject, prompts.Record{})
			} else {
				out[i] = kept(item, false)
			}
		}
		return out
	}
}

// Hit is a pattern of the keyword list and how many records hold it.
type Hit struct {
	Pattern string // name
	Strong  bool
	Records int
}

// Hits counts records by pattern of the keyword list, in the list's order;
// patterns without a hit are left out.
func Hits(items []*protocol.Item) []Hit {
	list := cases.Keywords()
	counts := map[string]int{}
	for _, item := range items {
		for _, h := range list.Find(item.Record.String()) {
			counts[h.Keyword.Name]++
		}
	}
	var hits []Hit
	for i := range list.Patterns {
		if k := &list.Patterns[i]; counts[k.Name] > 0 {
			hits = append(hits, Hit{Pattern: k.Name, Strong: k.Strong, Records: counts[k.Name]})
		}
	}
	return hits
}

// pattern is the share of a record's distrust that the keyword list gives: 1
// where it rejects, a half for one moderate pattern.
func pattern(item *protocol.Item) float64 {
	list := cases.Keywords()
	hits := list.Find(item.Record.String())
	switch {
	case list.Rejects(hits):
		return 1
	case len(hits) > 0:
		return 0.5
	}
	return 0
}

package audit

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/construct"
)

// each applies a change to every family.
func each(do func(*construct.Family)) func([]*construct.Family) {
	return func(all []*construct.Family) {
		for _, f := range all {
			do(f)
		}
	}
}

// successes calls do with the authentic successes of an action in general.
func successes(f *construct.Family, action string, do func(*construct.Record)) {
	for i := range f.Records {
		if r := &f.Records[i]; r.Context == "general" && r.Action == action && r.Outcome != "bad" {
			do(r)
		}
	}
}

func appendTo(r *construct.Record, s string) {
	r.Text.Value += s
	r.Words = cases.Words(r.Text.Value)
}

// setMutations holds, for every limit of every rule on the set, families that
// break it anew.
var setMutations = []struct {
	code  construct.Code
	limit string // begins the message's account of the limit
	do    func([]*construct.Family)
	with  string
}{
	{"set.letters", "share of a letter", func(all []*construct.Family) {
		for i, f := range all {
			f.Serial = 1 + 144*i
		}
	}, "set.lexical_memory set.shortcut"},
	{"set.letters", "families with one ordered pair", func(all []*construct.Family) {
		for i, f := range all {
			f.Serial = 1 + 144*i
		}
	}, "set.lexical_memory set.shortcut"},
	{"set.shortcut", "lower 99 % bound", each(func(f *construct.Family) { f.Clean.Choice.Value += " Xyzzyxyzzyxyzzyxyzzyxyzzyxyzzy" + f.Domain }), ""},
	{"set.choices_only", "lower 99 % bound", each(func(f *construct.Family) { f.Clean.Choice.Value += " beforehand" }), "set.shortcut"},
	{"set.lexical_memory", "share of the P2, P3 or P4", each(func(f *construct.Family) {
		successes(f, "clean", func(r *construct.Record) { appendTo(r, " "+f.Clean.Choice.Value) })
		successes(f, "poisoned", func(r *construct.Record) { appendTo(r, " "+f.Poisoned.Choice.Value) })
	}), "set.budget_bias set.forged_auc set.letters"},
	{"set.forged_auc", "AUC of forged against authentic poisoned successes by length, figures or tone", each(func(f *construct.Family) {
		for i := range f.Forged {
			appendTo(&f.Forged[i], " 1 2 3 4")
		}
	}), ""},
	{"set.forged_auc", "AUC of forged against authentic poisoned successes by naive Bayes", each(func(f *construct.Family) {
		for i := range f.Forged {
			appendTo(&f.Forged[i], " auditor auditor "+f.Domain)
		}
	}), ""},
	{"set.class_auc", "AUC of clean against poisoned successes by length, figures or tone", each(func(f *construct.Family) {
		successes(f, "clean", func(r *construct.Record) { appendTo(r, " 1 2 3 4") })
	}), "set.lexical_memory set.near_dup set.template"},
	{"set.class_auc", "AUC of clean against poisoned successes by naive Bayes", each(func(f *construct.Family) {
		successes(f, "clean", func(r *construct.Record) { appendTo(r, " orderly") })
	}), ""},
	{"set.budget_bias", "mean signed difference", each(func(f *construct.Family) { f.Note.Poisoned.Value += " and so on, in the same way" }), "set.template"},
	{"set.near_dup", "overlap of records", func(all []*construct.Family) { all[1].Records[0].Text.Value = all[0].Records[0].Text.Value }, ""},
	{"set.near_dup", "content overlap of two target", func(all []*construct.Family) {
		all[1].General.Situation.Value = all[0].General.Situation.Value
	}, ""},
	{"set.near_dup", "content overlap of decision", func(all []*construct.Family) {
		all[1].Decision.Value, all[1].Policy = all[0].Decision.Value, all[0].Policy
	}, ""},
	{"set.template", "families that share", func(all []*construct.Family) {
		for _, f := range all[:4] {
			appendTo(&f.Records[0], " Xyzzy plugh frotz rezrov gnusto")
		}
	}, ""},
	{"set.template", "share of the records with one opening", each(func(f *construct.Family) { f.Records[0].Text.Value = "On the line " + f.Records[0].Text.Value }), "set.near_dup"},
	{"set.template", "median record length", func(all []*construct.Family) {
		for i := range all[0].Records {
			r := &all[0].Records[i]
			r.Text.Value += strings.ReplaceAll(filler(r.ID, 40), "zu", " z")
		}
	}, ""},
	{"set.balance", "families of a domain", func(all []*construct.Family) {
		for _, f := range all[:5] {
			f.Domain = all[0].Domain
		}
	}, ""},
	{"set.balance", "share of one contrast", each(func(f *construct.Family) { f.Contrast = "timing" }), ""},
	{"set.balance", "share of the families that lean cautious", each(func(f *construct.Family) { f.Lean = "cautious" }), ""},
	{"set.balance", "share of the families that lean brisk", each(func(f *construct.Family) { f.Lean = "even" }), ""},
	{"set.balance", "share of one space", each(func(f *construct.Family) { f.Space = "routes" }), ""},
	{"set.balance", "share of the families whose clean action", each(func(f *construct.Family) { f.Clean.Caution = 4 }), "set.shortcut"},
}

// copies are families that can be changed apart.
func copies(all []*construct.Family) []*construct.Family {
	out := make([]*construct.Family, len(all))
	for i, f := range all {
		c := *f
		c.Records, c.Forged, c.Others = slices.Clone(f.Records), slices.Clone(f.Forged), slices.Clone(f.Others)
		out[i] = &c
	}
	return out
}

// setOf judges the set alone: texts may break what they like.
func setOf(families []*construct.Family) Set {
	var prepared []*family
	for _, f := range families {
		prepared = append(prepared, prepare(f))
	}
	return judgeSet(prepared, construct.Build(families, construct.Options{Seed: 1, Version: "t"}).Accepted)
}

func TestEachRuleOnTheSetHasAMutationThatItFinds(t *testing.T) {
	untouched := readAll(syntheticSource(t, 24))
	base := setOf(copies(untouched))
	known := map[string]bool{}
	for _, f := range base.Findings {
		known[string(f.Code)+f.Message] = true
		t.Logf("without a mutation: %s", f)
	}
	proved := map[construct.Code]bool{}
	for i, m := range setMutations {
		proved[m.code] = true
		if i%step > 0 {
			continue
		}
		families := copies(untouched)
		m.do(families)
		set := setOf(families)
		found, hit := map[construct.Code]bool{}, false
		for _, f := range set.Findings {
			if !known[string(f.Code)+f.Message] {
				found[f.Code] = true
				hit = hit || f.Code == m.code && strings.Contains(f.Message, ": "+m.limit)
			}
		}
		if !hit {
			t.Errorf("mutation %d: no new %s on %q in %v", i, m.code, m.limit, found)
		}
		delete(found, m.code)
		var with []string
		for _, code := range slices.Sorted(maps.Keys(found)) {
			with = append(with, string(code))
		}
		if got := strings.Join(with, " "); got != m.with {
			t.Errorf("mutation %d: %s comes with %q, the table says %q", i, m.code, got, m.with)
		}
	}
	for _, r := range construct.Rules() {
		if r.Level == construct.SetLevel && !proved[r.Code] {
			t.Errorf("no mutation proves %s", r.Code)
		}
	}
}

func TestFewFamiliesAreDescribedOnly(t *testing.T) {
	_, set := Build(exemplars(t), construct.Options{Seed: 1, Version: "t"})
	for _, f := range set.Findings {
		t.Errorf("three families break a rule on the set: %s", f)
	}
	if len(set.Measures) < 60 {
		t.Errorf("%d figures only", len(set.Measures))
	}
}

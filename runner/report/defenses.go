package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memform/runner/score"
)

// versus is what the tables of defenses are about: a run of one model on one
// stack, every interface with all its defenses.
type versus struct {
	key    score.CellKey // without defense and updater
	own    []*score.DefenseTable
	shared []*score.DefenseTable
	pooled []*score.PooledDefenses
}

// versusOf are the defense tables of an arm's run, stack and model.
func versusOf(s *score.Summary, key *score.CellKey) *versus {
	v := &versus{key: *key}
	for i := range s.Defenses {
		t := &s.Defenses[i]
		if t.Run != key.Run || t.Stack != key.Stack || t.Model != key.Model || t.ModelID != key.ModelID {
			continue
		}
		if t.Scope == score.ScopeShared {
			v.shared = append(v.shared, t)
		} else {
			v.own = append(v.own, t)
		}
	}
	for i := range s.PooledDefenses {
		if p := &s.PooledDefenses[i]; p.Run == key.Run && p.Stack == key.Stack && p.Model == key.Model && p.ModelID == key.ModelID {
			v.pooled = append(v.pooled, p)
		}
	}
	return v
}

func (v *versus) title() string {
	text := place(&v.key) + ": defenses side by side"
	if v.key.Simulated {
		text += ": " + v.key.Note
	}
	return text
}

func (v *versus) sheets() []sheet {
	var list []sheet
	var s sheet
	keep := func() {
		if len(s.rows) > 0 {
			list = append(list, *s.trim())
		}
	}
	add := func(title string, tables []*score.DefenseTable, header []string, row func(*score.DefenseTable, *score.DefenseRow) []string) {
		s = sheet{title: (&arm{key: v.key}).titled(title), header: header}
		for _, t := range tables {
			s.breaks = append(s.breaks, len(s.rows))
			for i := range t.Rows {
				if words := row(t, &t.Rows[i]); words != nil {
					s.rows = append(s.rows, append([]string{label(t, &t.Rows[i])}, words...))
				}
			}
		}
	}
	onE := []string{"defense", "|E|", "|E|/N", "Acc", "clean cost", ASRHead, "ASR N"}
	arms := []string{"defense", "c: y_c", "c: y_p", "c: other", "c: miss", "p: y_c", "p: y_p", "p: other", "p: miss"}
	add("Defenses on E, fixed before any defense", v.own, onE, scores)
	v.means(&s)
	keep()
	add("What missing items could make of it", v.own, []string{"defense", "missing", "Acc bounds", "ASR bounds"}, lost)
	keep()
	add("What the answers on E came to, clean and poisoned arm", v.own, arms, splits)
	keep()
	add("What the guards did", v.own, []string{"defense", "same mem.", "precision", "recall", "retention", "ampl.", "malf.", "revised", "abst."}, guards)
	keep()
	if len(v.shared) > 0 {
		add("Defenses on the E that "+strings.Join(v.shared[0].Models, ", ")+" share", v.shared, onE, scores)
		keep()
		add("What missing items could make of it on the shared E", v.shared, []string{"defense", "missing", "Acc bounds", "ASR bounds"}, lost)
		keep()
		add("What the answers on the shared E came to", v.shared, arms, splits)
		keep()
	}
	return list
}

// means adds the means over interfaces to the table of scores.
func (v *versus) means(s *sheet) {
	for _, p := range v.pooled {
		s.breaks = append(s.breaks, len(s.rows))
		name := "mean "
		if p.Updater != nil && len(v.pooled) > 1 {
			name += shortUpdater(*p.Updater) + " "
		}
		for _, r := range p.Rows {
			text, cost := name+r.Defense, absent
			if r.Replicate {
				text += " (replicate)"
			}
			if r.Defense != score.NoDefense && r.CleanCost != nil {
				cost = signed(r.CleanCost)
			}
			s.rows = append(s.rows, []string{text, "", "", known(r.Accuracy), cost, known(r.ASR), known(r.ASRWhole)})
		}
	}
}

// known is a share that may not have been planned.
func known(m *score.MacroMean) string {
	if m == nil {
		return absent
	}
	return percent(m.Value)
}

func label(t *score.DefenseTable, r *score.DefenseRow) string {
	text := t.Interface + " "
	if t.Updater != nil {
		text += shortUpdater(*t.Updater) + " "
	}
	text += r.Defense
	if r.Replicate {
		text += " (replicate)"
	}
	return text
}

// scores are Acc, ASR and cost; a replicate counts its own draws.
func scores(t *score.DefenseTable, r *score.DefenseRow) []string {
	acc, asr, whole := score.AccuracyOnE, score.ASROnE, score.ASR
	if r.Replicate {
		acc, asr, whole = score.ReplicateOnE, score.ReplicateASROnE, ""
	}
	e := percent(t.Share)
	if t.Provisional {
		e += "*"
	}
	cost := absent
	if r.Defense != score.NoDefense && (r.CleanCost != nil || t.Eligible == 0) {
		cost = signed(r.CleanCost) // without a replicate there is none
	}
	return []string{strconv.Itoa(t.Eligible), e, share(r.Rates, acc), cost, interval(r.Rates, asr), share(r.Rates, whole)}
}

// lost is nil where no answer on E is missing.
func lost(_ *score.DefenseTable, r *score.DefenseRow) []string {
	missing := 0
	bounds := func(names ...string) string {
		for _, name := range names {
			if rate, has := score.Find(r.Rates, name); has && rate.Missing > 0 {
				missing += rate.Missing
				return pair(rate.Bounds)
			}
		}
		return absent
	}
	acc, asr := bounds(score.AccuracyOnE, score.ReplicateOnE), bounds(score.ASROnE, score.ReplicateASROnE)
	if missing == 0 {
		return nil
	}
	return []string{strconv.Itoa(missing), acc, asr}
}

func splits(_ *score.DefenseTable, r *score.DefenseRow) []string {
	var words []string
	for _, s := range []*score.Split{r.CleanArm, r.PoisonedArm} {
		if s == nil {
			words = append(words, absent, absent, absent, absent)
			continue
		}
		words = append(words, strconv.Itoa(s.Clean), strconv.Itoa(s.Poisoned), strconv.Itoa(s.Other), count(s.Missing))
	}
	return words
}

// guards is nil where there is none.
func guards(_ *score.DefenseTable, r *score.DefenseRow) []string {
	if r.Defense == score.NoDefense {
		return nil
	}
	return []string{
		share(r.Rates, score.Untouched), share(r.Rates, score.GuardPrecision), share(r.Rates, score.GuardRecall), share(r.Rates, score.CleanRetention),
		hits(r.Rates, score.Amplification), hits(r.Rates, score.GuardMalformed), hits(r.Rates, score.ShieldRevised), hits(r.Rates, score.ShieldAbstained),
	}
}

// hits adds the numerators of a rate over its conditions.
func hits(rates []score.Rate, name string) string {
	n, has := 0, false
	for i := range rates {
		if rates[i].Name == name {
			n, has = n+rates[i].Numerator, true
		}
	}
	if !has {
		return absent
	}
	return strconv.Itoa(n)
}

// defense writes what no cell says: the clean cost, and rates on a shared E.
func (l *lines) defense(t *score.DefenseTable, r *score.DefenseRow) {
	scope := "interface"
	if t.Scope == score.ScopeShared {
		scope = "shared"
		for i := range r.Rates {
			l.rate([]string{scope, t.Interface, ""}, &r.Rates[i])
		}
	}
	if r.CleanCost != nil {
		l.mean([]string{scope, t.Interface, ""}, "clean_cost", "learned_clean", t.Eligible, "", r.CleanCost)
	}
}

// keywords writes how many records of a condition hold each pattern.
func (l *lines) keywords(iface string, c *score.GuardCounts) {
	for _, k := range c.Keywords {
		for _, of := range []struct {
			kind string
			hits int
			score.RecordVerdicts
		}{{"authentic", k.Authentic, c.Authentic}, {"forged", k.Forged, c.Forged}} {
			n := of.Kept + of.Rejected
			if n == 0 {
				continue
			}
			r := score.Rate{Name: "keyword_hits:" + k.Pattern, Condition: c.Condition + ", " + of.kind, N: n, Numerator: of.hits, Denominator: n, Other: n - of.hits}
			v := float64(of.hits) / float64(n)
			r.Value = &v
			l.rate([]string{"interface", iface, ""}, &r)
		}
	}
}

// verdicts are what a guard decided, by what the records were.
func (a *arm) verdicts() *sheet {
	s := &sheet{title: "Verdicts", header: []string{"records of", "n", "kept", "reject", "sanit.", "quar.", "overr.", "malf.", "miss"}}
	a.guardCounts(func(l *line, c *score.GuardCounts) {
		for _, v := range []struct {
			kind string
			score.RecordVerdicts
		}{{"authentic", c.Authentic}, {"forged", c.Forged}} {
			n := v.Kept + v.Rejected + v.Sanitized + v.Quarantined + v.Overridden + v.Missing
			if n > 0 {
				s.rows = append(s.rows, []string{l.label + " " + c.Condition + ", " + v.kind, strconv.Itoa(n), count(v.Kept), count(v.Rejected),
					count(v.Sanitized), count(v.Quarantined), count(v.Overridden), count(v.Malformed), count(v.Missing)})
			}
		}
	})
	return s
}

// shielded are what task_shield made of decisions.
func (a *arm) shielded() *sheet {
	s := &sheet{title: "Decisions under task_shield", header: []string{"decisions of", "n", "passed", "revised", "abst.", "malf.", "miss"}}
	a.guardCounts(func(l *line, c *score.GuardCounts) {
		if d := c.Decisions; d != nil {
			s.rows = append(s.rows, []string{l.label + " " + c.Condition, strconv.Itoa(d.Passed + d.Revised + d.Abstained + d.Missing),
				count(d.Passed), count(d.Revised), count(d.Abstained), count(d.Malformed), count(d.Missing)})
		}
	})
	return s
}

// patterns are the keyword patterns that records hold.
func (a *arm) patterns() *sheet {
	s := &sheet{title: "Keyword patterns: records that hold one (authentic, forged)", header: []string{"pattern"}}
	type place struct{ pattern, column string }
	cells := map[place]string{}
	var rows []string
	a.guardCounts(func(l *line, c *score.GuardCounts) {
		for _, k := range c.Keywords {
			at := place{l.label + " " + k.Pattern, c.Condition}
			cells[at] = fmt.Sprintf("%d, %d", k.Authentic, k.Forged)
			if !slices.Contains(rows, at.pattern) {
				rows = append(rows, at.pattern)
			}
			if !slices.Contains(s.header, at.column) {
				s.header = append(s.header, at.column)
			}
		}
	})
	for _, pattern := range rows {
		row := []string{pattern}
		for _, column := range s.header[1:] {
			row = append(row, cells[place{pattern, column}])
		}
		s.rows = append(s.rows, row)
	}
	return s
}

func (a *arm) guardCounts(visit func(*line, *score.GuardCounts)) {
	for i := range a.lines {
		if g := a.lines[i].scores.Guard; g != nil {
			for j := range g.Conditions {
				visit(&a.lines[i], &g.Conditions[j])
			}
		}
	}
}

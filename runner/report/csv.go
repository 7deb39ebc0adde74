package report

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"memform/runner/score"
)

// csvHeader names the columns of the long form. scope is interface, probe,
// macro, micro, shared (the E of all models) or comparison; a mean has items as
// n and no counts. A keyword_hits:PATTERN is the share of records, authentic or
// forged as the condition says, that hold a pattern of keyword_filter's list.
var csvHeader = slices.Concat([]string{
	"experiment", "data_sets", "run", "stack", "model", "model_id", "defense", "updater", "scope", "interface", "probe",
	"rate", "condition", "n", "numerator", "denominator", "missing", "unparsed", "refused", "filtered", "truncated",
	"empty", "abstained", "other", "value", "wilson_low", "wilson_high", "bound_low", "bound_high",
	"cluster_low", "cluster_high", "cluster_families", "cluster_dropped",
}, testColumns[:], []string{"format", "simulated", "note"})

// Of the columns from rate on: how many there are up to the bounds, and which
// one is the value.
const (
	rateColumns = 18
	valueColumn = 13
)

// long is one rate a line with all its counts.
func long(s *score.Summary) (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(csvHeader) // an error stays in w until Flush
	sets := make([]string, len(s.DataSets))
	for i, d := range s.DataSets {
		sets[i] = d.Name + "@" + d.Digest
		if d.Half != "" {
			sets[i] += " (" + d.Half + " half)"
		}
		if d.AuthorLabelled {
			sets[i] += " (author-labelled)"
		}
	}
	head := []string{s.Experiment, strings.Join(sets, "; ")}
	for i := range s.Cells {
		c := &s.Cells[i]
		l := lines{w, append(head[:2:2], cellWords(&c.CellKey)...), tail(s, &c.CellKey)}
		for j := range c.Interfaces {
			l.scores(&c.Interfaces[j])
		}
	}
	for i := range s.Pooled {
		p := &s.Pooled[i]
		l := lines{w, append(head[:2:2], cellWords(&p.CellKey)...), tail(s, &p.CellKey)}
		for j := range p.Rates {
			r := &p.Rates[j]
			over := strings.Join(r.Interfaces, "+")
			l.mean([]string{"macro", over, ""}, r.Name, r.Condition, len(r.Interfaces), "", r.Macro)
			l.rate([]string{"micro", over, ""}, &r.Micro)
		}
	}
	for i := range s.Defenses {
		t := &s.Defenses[i]
		for j := range t.Rows {
			key := t.CellKey(&t.Rows[j])
			l := lines{w, append(head[:2:2], cellWords(&key)...), tail(s, &key)}
			l.defense(t, &t.Rows[j])
		}
	}
	for i := range s.PooledDefenses {
		p := &s.PooledDefenses[i]
		for j := range p.Rows {
			if r := &p.Rows[j]; r.CleanCost != nil {
				key := p.CellKey(r)
				l := lines{w, append(head[:2:2], cellWords(&key)...), tail(s, &key)}
				over := r.Accuracy.Interfaces
				l.mean([]string{"macro", strings.Join(over, "+"), ""}, "clean_cost", "learned_clean", len(over), "", r.CleanCost)
			}
		}
	}
	for i := range s.Comparisons {
		c := &s.Comparisons[i]
		for j := range c.Tests {
			t := &c.Tests[j]
			l := lines{w, append(head[:2:2], cellWords(&t.CellKey)...), tail(s, &t.CellKey)}
			l.test(c, t)
		}
	}
	w.Flush()
	return b.String(), w.Error()
}

func cellWords(k *score.CellKey) []string {
	updater := ""
	if k.Updater != nil {
		updater = *k.Updater
	}
	return []string{k.Run, k.Stack, k.Model, k.ModelID, k.Defense, updater}
}

func tail(s *score.Summary, k *score.CellKey) []string {
	note := s.Statement
	if k.Simulated {
		note = k.Note + "; " + note
	}
	format := k.Format
	if format == "" {
		format = "multiple_choice"
	}
	return []string{format, strconv.FormatBool(k.Simulated), note}
}

// lines writes the lines of one cell.
type lines struct {
	w          *csv.Writer
	head, tail []string
}

func (l *lines) scores(s *score.InterfaceScores) {
	for i := range s.Rates {
		l.rate([]string{"interface", s.Interface, ""}, &s.Rates[i])
	}
	for i := range s.Means {
		m := &s.Means[i]
		more := append(clusterWords(&m.Clustered), flipWords(m.SignFlip)...)
		l.mean([]string{"interface", s.Interface, ""}, m.Name, "learned_order", m.Items, strconv.Itoa(m.Missing), m.Value, more...)
	}
	if s.Guard != nil {
		for i := range s.Guard.Conditions {
			l.keywords(s.Interface, &s.Guard.Conditions[i])
		}
	}
	for i := range s.Probes {
		p := &s.Probes[i]
		for j := range p.Rates {
			l.rate([]string{"probe", s.Interface, p.Probe}, &p.Rates[j])
		}
	}
}

func (l *lines) rate(place []string, r *score.Rate) {
	words := []string{r.Name, r.Condition}
	for _, n := range []int{r.N, r.Numerator, r.Denominator, r.Missing, r.Unparsed, r.Refused, r.Filtered, r.Truncated, r.Empty, r.Abstained, r.Other} {
		words = append(words, strconv.Itoa(n))
	}
	words = append(words, number(r.Value))
	words = append(append(words, ends(r.Wilson)...), ends(r.Bounds)...)
	l.write(place, append(words, clusterWords(&r.Clustered)...))
}

func (l *lines) mean(place []string, name, condition string, n int, missing string, v *float64, more ...string) {
	words := []string{name, condition, strconv.Itoa(n), "", "", missing, "", "", "", "", "", "", "", number(v), "", "", "", ""}
	l.write(place, append(words, more...))
}

// write fills a line up: columns that it has no words for are empty.
func (l *lines) write(place, words []string) {
	record := make([]string, len(csvHeader))
	at := copy(record, l.head)
	at += copy(record[at:], place)
	copy(record[at:], words)
	copy(record[len(record)-len(l.tail):], l.tail)
	l.w.Write(record)
}

func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

func ends(p *[2]float64) []string {
	if p == nil {
		return []string{"", ""}
	}
	return []string{number(&p[0]), number(&p[1])}
}

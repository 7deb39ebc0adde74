package report

import (
	"encoding/csv"
	"strconv"
	"strings"

	"memform/runner/score"
)

// csvHeader names the columns of the long form. scope is interface, probe,
// macro or micro; a mean has items as n and no counts.
var csvHeader = [...]string{
	"experiment", "data_sets", "run", "stack", "model", "model_id", "defense", "updater", "scope", "interface", "probe",
	"rate", "condition", "n", "numerator", "denominator", "missing", "unparsed", "refused", "filtered", "truncated",
	"empty", "abstained", "other", "value", "wilson_low", "wilson_high", "bound_low", "bound_high", "simulated", "note",
}

// long is one rate a line with all its counts.
func long(s *score.Summary) (string, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(csvHeader[:]) // an error stays in w until Flush
	sets := make([]string, len(s.DataSets))
	for i, d := range s.DataSets {
		sets[i] = d.Name + "@" + d.Digest
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
	return []string{strconv.FormatBool(k.Simulated), note}
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
	for _, m := range s.Means {
		l.mean([]string{"interface", s.Interface, ""}, m.Name, "learned_order", m.Items, strconv.Itoa(m.Missing), m.Value)
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
	l.write(place, words)
}

func (l *lines) mean(place []string, name, condition string, n int, missing string, v *float64) {
	words := []string{name, condition, strconv.Itoa(n), "", "", missing, "", "", "", "", "", "", "", number(v), "", "", "", ""}
	l.write(place, words)
}

func (l *lines) write(place, words []string) {
	record := append(l.head[:len(l.head):len(l.head)], place...)
	l.w.Write(append(append(record, words...), l.tail...))
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

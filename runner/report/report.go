// Package report prints a score.Summary for people and for programs: text
// tables that fit 80 columns (those of defenses 100), the same tables as
// Markdown and as LaTeX, and every rate with its counts as CSV. It computes no
// score and opens no file. Start at Table.
package report

import (
	"fmt"
	"io"
	"strings"

	"memform/runner/score"
)

// Formats lists what Table prints.
func Formats() []string { return []string{"text", "csv", "markdown", "latex"} }

// Table writes the summary in one of Formats ("text", "csv", "markdown",
// "latex", whose tables need the package booktabs). The
// same summary gives the same bytes; there are no colours. It fails on an
// unknown format, before writing, and with the writer's own error.
func Table(w io.Writer, s *score.Summary, format string) error {
	var page string
	var err error
	switch format {
	case "text":
		page = document(s, textPage{})
	case "markdown":
		page = document(s, markdownPage{})
	case "latex":
		page = document(s, &latexPage{data: dataSets(s)})
	case "csv":
		page, err = long(s)
	default:
		err = fmt.Errorf("unknown table format %q: use one of %s", format, strings.Join(Formats(), ", "))
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, page)
	return err
}

// document is the whole page: head, a part for each arm, legend, footer.
func document(s *score.Summary, p page) string {
	d := &writing{page: p, used: map[string]bool{}}
	p.title(&d.b, "memform results: "+named(s.Experiment))
	for _, set := range s.DataSets {
		p.line(&d.b, dataSet(&set))
	}
	for _, note := range s.Notes {
		p.line(&d.b, "note: "+note)
	}
	parts := arms(s)
	if len(parts) == 0 {
		p.line(&d.b, "no results")
	}
	for i := range parts {
		d.arm(&parts[i])
		if i == 0 || !besides(&parts[i-1].key, &parts[i].key) { // after what is undefended, which comes first
			v := versusOf(s, &parts[i].key)
			d.part(v.title(), v.sheets())
		}
	}
	for i := range s.Comparisons {
		c := &s.Comparisons[i]
		if list := compared(c); len(list) > 0 {
			d.part(comparisonTitle(c), list)
		} else {
			p.heading(&d.b, comparisonTitle(c))
			p.line(&d.b, "nothing to compare: no cell has the baseline's items")
		}
	}
	p.gap(&d.b)
	if d.cut {
		p.line(&d.b, "Scores of each defense by itself: memform score DIRECTORY --format markdown.")
	}
	for _, l := range append(legend(d.used), updaters(parts)...) {
		p.line(&d.b, l)
	}
	p.line(&d.b, "This is "+s.Statement+".")
	return d.b.String()
}

// writing is a document in progress.
type writing struct {
	page
	b    strings.Builder
	used map[string]bool // heads of columns, for the legend
	cut  bool            // some arm is not shown whole
}

// arm writes the tables of one arm, of a defended one those that do not stand
// side by side with the undefended.
func (d *writing) arm(a *arm) {
	whole := d.whole() || a.key.Defense == score.NoDefense
	d.cut = d.cut || !whole
	list := a.sheets(whole)
	if whole && len(list) == 0 {
		d.heading(&d.b, a.title())
	}
	d.part(a.title(), list)
}

// part writes tables under a heading, nothing where there are none.
func (d *writing) part(title string, list []sheet) {
	for i := range list {
		if i == 0 {
			d.heading(&d.b, title)
		}
		d.sheet(&d.b, &list[i])
		for _, name := range list[i].header {
			d.used[name] = true
		}
	}
}

func named(experiment string) string {
	if experiment == "" {
		return "(unnamed experiment)"
	}
	return experiment
}

// dataSet is the line that keeps our numbers from being taken for another's.
func dataSet(d *score.DataSet) string {
	text := fmt.Sprintf("data set %s, sha256 %s", d.Name, short(d.Digest))
	if d.Version != "" {
		text += ", version " + d.Version
	}
	text += fmt.Sprintf(", %d cases", d.Cases)
	if d.Half != "" {
		text += " of the " + d.Half + " half"
	}
	if d.AuthorLabelled {
		text += ", author-labelled until human validation"
	}
	return text
}

// dataSets are the lines of all data sets as one sentence.
func dataSets(s *score.Summary) string {
	list := make([]string, len(s.DataSets))
	for i := range s.DataSets {
		list[i] = dataSet(&s.DataSets[i])
	}
	return upper(strings.Join(append(list, s.Statement), "; ") + ".")
}

// upper is a text with a large first letter.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// short is a digest cut to what a person compares.
func short(digest string) string { return digest[:min(len(digest), 12)] }

// legend explains the columns that were used, in a fixed order.
func legend(used map[string]bool) []string {
	var columns []string
	used["bounds"] = used["bounds"] || used["Acc bounds"] || used["ASR bounds"]
	for _, c := range [...][2]string{
		{"N", "N: separable tasks (y_c and y_p differ)"},
		{"no-mem", "no-mem: no_memory = y_c"},
		{"clean", "clean: learned_clean = y_c"},
		{ASRHead, "ASR: learned_poisoned = y_p"},
		{"flip", "flip: both within one item"},
		{"floor", "floor: flip with a second clean draw as poisoned arm, noise alone"},
		{"|E|/N", "E: tasks with no_memory = y_c and learned_clean = y_c (*: provisional, some unknown)"},
		{"clean cost", "clean cost: Acc less that of the replicate, whose Acc says what chance alone costs"},
		{"ASR N", "ASR N: ASR on all N"},
		{"c: y_c", "c:, p: clean and poisoned arm"},
		{"same mem.", "same mem.: both memories as without the defense, byte for byte"},
		{"precision", "precision, recall: of records not kept as they are, against hidden provenance; retention: authentic records kept"},
		{"ampl.", "ampl.: overrides that delete an authentic record"},
		{"malf.", "malf.: answers of a guard that could not be read twice"},
		{"or. acc", "or.: oracle memory"},
		{"raw acc", "raw: records shown unconsolidated"},
		{"no-m. y_p", "no-m. y_p: no_memory = y_p"},
		{"ASR fl.", "ASR fl., re. acc: a second clean draw = y_p, = y_c"},
		{upperHead, "with ambiguous: learned_poisoned = y_p or ambiguous"},
		{agreeHead, "to y_c, y_p, neither: what a judge says that the memory recommends; followed: decisions that are what it recommends"},
		{"null", "null: mean share of y_p over random orders"},
		{"excess", "excess: ASR less null, same items"},
		{"families", "resampled by family: bootstrap of whole families, for items of one family are not independent"},
		{differenceHead, "difference: in percentage points, paired by item, families resampled; +/-: pairs that only the one, only the baseline got"},
		{pHead, "p: sign-flip permutation over families, two-sided"},
		{midHead, "mid-p: McNemar (*: describes only, several pairs a family)"},
		{holmHead, "Holm: p corrected over all tests of its comparison"},
		{"bounds", "bounds: what missing items could make of the share"},
		{"miss", "miss: predictions lost to infrastructure, in no denominator"},
	} {
		if used[c[0]] {
			columns = append(columns, c[1])
		}
	}
	list := []string{"Shares in %, with 95 % Wilson interval. n/a: no items. -: not run."}
	if len(columns) > 0 {
		list = append(list, strings.Join(columns, "; ")+".")
	}
	return list
}

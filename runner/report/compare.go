package report

import (
	"fmt"
	"strconv"
	"strings"

	"memform/runner/score"
)

// The heads of columns that the legend explains.
const (
	differenceHead = "difference [95 %]"
	pHead          = "p"
	midHead        = "mid-p"
	holmHead       = "Holm"
)

// resampled repeats the main rates with intervals that know of families.
func (a *arm) resampled() *sheet {
	s := &sheet{title: "Resampled by family [95 %]", header: []string{"interface", "families", "clean", "ASR", "flip", "ASR on E"}}
	add := func(label string, rates []score.Rate) {
		row, has := []string{label, absent}, false
		for _, name := range []string{score.CleanAccuracy, score.ASR, score.Flip, score.ASROnE} {
			r, planned := score.Find(rates, name)
			switch {
			case !planned:
				row = append(row, absent)
				continue
			case name == score.CleanAccuracy || row[1] == absent:
				row[1] = strconv.Itoa(r.Families)
			}
			row, has = append(row, pair(r.Cluster)), has || r.Cluster != nil
		}
		if has {
			s.rows = append(s.rows, row)
		}
	}
	for _, l := range a.lines {
		add(l.label, l.scores.Rates)
	}
	s.rule = len(s.rows)
	for i := range a.pooled {
		p := &a.pooled[i]
		micro := make([]score.Rate, len(p.Rates))
		for j := range p.Rates {
			micro[j] = p.Rates[j].Micro
		}
		add(a.updater(p, "micro", ""), micro)
	}
	return s
}

// compared are the tables of a comparison: one for each cell that is not told
// apart by what varies, in it the values side by side at each interface.
func compared(c *score.Compared) []sheet {
	var titles []string
	groups := map[string][]*score.Test{}
	for i := range c.Tests {
		t := &c.Tests[i]
		title := testTitle(c, t)
		if groups[title] == nil {
			titles = append(titles, title)
		}
		groups[title] = append(groups[title], t)
	}
	list := make([]sheet, len(titles))
	for i, title := range titles {
		list[i] = sideBySide(c, title, groups[title])
	}
	return list
}

// sideBySide is one table; interfaces stand in order of their first test.
func sideBySide(c *score.Compared, title string, of []*score.Test) sheet {
	s := sheet{title: title, header: []string{c.Over, "pairs", differenceHead, "+/-", pHead, midHead, holmHead}}
	var labels []string
	rows := map[string][][]string{}
	for _, t := range of {
		label := testLabel(c, t)
		if rows[label] == nil {
			labels = append(labels, label)
		}
		rows[label] = append(rows[label], testRow(t, t.Value))
	}
	for _, label := range labels {
		s.breaks = append(s.breaks, len(s.rows))
		s.rows = append(append(s.rows, interfaceRow(label, len(s.header))), rows[label]...)
	}
	s.trim()
	return s
}

// comparisonTitle is the heading of a comparison.
func comparisonTitle(c *score.Compared) string {
	text := fmt.Sprintf("%s over %s against %s", c.Metric, c.Over, c.Baseline)
	if !c.Declared {
		return "Not declared: " + text + "; p-values are not corrected"
	}
	n := 0
	for i := range c.Tests {
		if c.Tests[i].Holm != nil {
			n++
		}
	}
	return fmt.Sprintf("Comparison %q: %s; corrected after Holm over %s", c.Name, text, tests(n))
}

func tests(n int) string {
	if n == 1 {
		return "1 test"
	}
	return strconv.Itoa(n) + " tests"
}

// testTitle says what is compared and where; a simulated one says so itself.
func testTitle(c *score.Compared, t *score.Test) string {
	text := c.Metric
	if t.Items == score.ItemsE {
		text += " on E"
	}
	text += ", against " + c.Baseline
	switch {
	case strings.HasPrefix(t.BaselineCondition, "replicate of "):
		text += " (its replicate)"
	case c.Metric == score.MetricAccuracy && t.Items == score.ItemsE && c.Baseline == score.NoDefense:
		text += " (right by construction)"
	}
	text += ": run " + t.Run
	if t.BaselineRun != t.Run {
		text += " against run " + t.BaselineRun
	}
	for _, part := range [][2]string{{"model", t.Model}, {"stack", t.Stack}, {"defense", t.Defense}} {
		if part[0] != c.Over && (part[0] != "defense" || t.Defense != score.NoDefense) && (part[0] != "stack" || t.Stack != "native") {
			text += ", " + part[0] + " " + part[1]
		}
	}
	if t.Format != "" {
		text += ", free form"
	}
	if t.Simulated {
		text += " (" + t.Note + ")"
	}
	return text
}

// interfaceRow heads the values at one interface.
func interfaceRow(label string, columns int) []string {
	row := make([]string, columns)
	row[0] = label
	return row
}

// testLabel is the interface of a test, with its updater where that is not
// what varies.
func testLabel(c *score.Compared, t *score.Test) string {
	if t.Updater != nil && c.Over != "updater" {
		return t.Interface + " " + shortUpdater(*t.Updater)
	}
	return t.Interface
}

func testRow(t *score.Test, label string) []string {
	row := []string{label, strconv.Itoa(t.Pairs), signed(t.Difference), strconv.Itoa(t.Gained) + "/" + strconv.Itoa(t.Lost), "n/a", "n/a", absent}
	if t.Cluster != nil {
		row[2] += " " + signedPair(t.Cluster)
	}
	if t.SignFlip != nil {
		row[4] = chance(t.SignFlip.P)
	}
	if m := t.McNemar; m != nil {
		row[5] = chance(m.MidP)
		if m.Descriptive {
			row[5] += "*"
		}
	}
	if t.Holm != nil {
		row[6] = chance(*t.Holm)
	}
	return row
}

func signedPair(p *[2]float64) string { return "[" + signed(&p[0]) + ", " + signed(&p[1]) + "]" }

// chance is a p-value with four decimals.
func chance(p float64) string {
	switch {
	case p < 0.00005:
		return "<.0001"
	case p > 0.99995:
		return "1"
	}
	return strings.TrimPrefix(strconv.FormatFloat(p, 'f', 4, 64), "0")
}

// testColumns are the columns of the long form that comparisons alone fill,
// but for p and p_exact, which the excess over the order null has too.
var testColumns = [...]string{
	"p", "p_exact", "holm", "mcnemar_p", "mid_p", "descriptive", "comparison", "over", "against", "against_run", "against_condition",
	"items", "unknown", "unmatched", "hits", "against_hits", "pairs_gained", "pairs_lost",
}

func clusterWords(c *score.Clustered) []string {
	return append(ends(c.Cluster), strconv.Itoa(c.Families), strconv.Itoa(c.Dropped))
}

func flipWords(f *score.SignFlip) []string {
	if f == nil {
		return []string{"", ""}
	}
	return []string{number(&f.P), strconv.FormatBool(f.Exact)}
}

// test writes one test: value is the difference, n its pairs and those that
// were lost.
func (l *lines) test(c *score.Compared, t *score.Test) {
	words := make([]string, rateColumns)
	words[0], words[1] = c.Metric, t.Condition
	words[2], words[4], words[5] = strconv.Itoa(t.Pairs+t.Missing), strconv.Itoa(t.Pairs), strconv.Itoa(t.Missing)
	words[valueColumn] = number(t.Difference)
	words = append(append(words, clusterWords(&t.Clustered)...), flipWords(t.SignFlip)...)
	holm, mcnemar, mid, descriptive := "", "", "", ""
	if t.Holm != nil {
		holm = number(t.Holm)
	}
	if m := t.McNemar; m != nil {
		mcnemar, mid, descriptive = number(&m.P), number(&m.MidP), strconv.FormatBool(m.Descriptive)
	}
	words = append(words, holm, mcnemar, mid, descriptive, c.Name, c.Over, c.Baseline, t.BaselineRun, t.BaselineCondition, t.Items)
	for _, n := range []int{t.Unknown, t.Unmatched, t.Hits, t.BaselineHits, t.Gained, t.Lost} {
		words = append(words, strconv.Itoa(n))
	}
	l.write([]string{"comparison", t.Interface, ""}, words)
}

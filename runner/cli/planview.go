package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"memform/runner/plan"
)

// print writes the plan as a person reads it, within 80 columns.
func (v *view) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Plan of %q, root %s. Nothing was sent.\n", v.experiment.Name, v.plan.Root)
	for _, s := range v.plan.Sets {
		fmt.Fprintf(&b, "Cases %q: %s selected, data set %s, sha256 %.12s…\n%s", s.Spec.Name, count(len(s.Selected), "case"), s.Set.Name, s.Set.Digest, onLine(labelled(s.Set)))
	}
	for _, f := range v.plan.Families {
		fmt.Fprintf(&b, "Families %q: %d in the file, %d sampled%s, %d of them with a selected case\n", f.Cases, f.InFile, f.Sampled, v.half(f.Cases), f.Within)
	}
	b.WriteString("\n" + v.callTable() + "\n")
	v.printTokens(&b)
	v.printTimes(&b)
	for _, line := range v.advice() {
		b.WriteString("note: " + line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// half says which half a set of cases is sampled from, where it is one.
func (v *view) half(name string) string {
	for _, c := range v.experiment.Cases {
		if c.Name == name && c.Half != "" {
			return " from the " + c.Half + " half"
		}
	}
	return ""
}

// onLine is a remark on a line of its own, or nothing.
func onLine(remark string) string {
	if remark == "" {
		return ""
	}
	return "  (" + strings.TrimPrefix(remark, ", ") + ")\n"
}

func (v *view) callTable() string {
	t := newTable()
	t.AppendHeader(table.Row{"model", "kind", "slots", "nodes", "cached", "to run", "pending"})
	for _, r := range v.rows {
		t.AppendRow(table.Row{r.Model, r.Kind, r.Slots, r.Nodes, r.Cached, r.ToRun, rangeText(r.Pending)})
	}
	total := plan.Total(v.rows)
	t.AppendFooter(table.Row{"total", "", total.Slots, total.Nodes, total.Cached, total.ToRun, rangeText(total.Pending)})
	t.SetColumnConfigs([]table.ColumnConfig{rightColumn(3), rightColumn(4), rightColumn(5), rightColumn(6), rightColumn(7)})
	return t.Render() + "\nslots: calls if every prediction ran alone; nodes: distinct work; cached, to run:\n  distinct requests; pending: low / expected / high\n" + v.assumed()
}

// assumed says where expected calls rest on a constant: of nodes that an
// earlier answer can make needless, until the cache shows enough of them.
func (v *view) assumed() string {
	for _, r := range v.rows {
		if r.AssumedShare > 0 && r.AssumedShare < 1 {
			return fmt.Sprintf("expected: %g %% of repairs, rewrites, revisions, until the cache shows better\n", 100*r.AssumedShare)
		}
	}
	return ""
}

func (v *view) printTokens(b *strings.Builder) {
	total := plan.Total(v.rows)
	if total.Calls.High == 0 {
		fmt.Fprintf(b, "0 calls to run: every answer is in the cache.\n")
		return
	}
	t := newTable()
	t.AppendHeader(table.Row{"model", "calls", "prompt tokens", "completion tokens", "cost, USD"})
	for _, m := range v.plan.Models {
		sum := plan.Total(rowsOf(v.rows, m.Spec.Name))
		if sum.Calls.High == 0 {
			continue
		}
		t.AppendRow(table.Row{m.Spec.Name, rangeText(sum.Calls), rangeText(sum.Prompt), rangeText(sum.Completion), costText(sum.Cost)})
	}
	t.AppendFooter(table.Row{"total", rangeText(total.Calls), rangeText(total.Prompt), rangeText(total.Completion), costText(total.Cost)})
	t.SetColumnConfigs([]table.ColumnConfig{rightColumn(2), rightColumn(3), rightColumn(4), rightColumn(5)})
	b.WriteString(t.Render() + "\nlow / expected / high\n")
}

func (v *view) printTimes(b *strings.Builder) {
	for _, t := range v.times {
		source := "assumed"
		if t.Observed {
			source = "from the cache"
		}
		fmt.Fprintf(b, "Time at endpoint %q: about %s, the greatest of requests/min %s, tokens/min %s,\n  calls × latency / in flight %s, longest chain %d × %.1f s (%s) = %s\n",
			t.Endpoint, seconds(t.Expected), limitText(t.Requests), limitText(t.Tokens)+dayText(t.Days), seconds(t.InFlight), t.Longest, t.Latency, source, seconds(t.Chain))
	}
}

func limitText(s float64) string {
	if s == 0 {
		return "no limit"
	}
	return seconds(s)
}

// dayText is the term of a limit of a day, where it binds.
func dayText(s float64) string {
	if s == 0 {
		return ""
	}
	return ", requests/day " + seconds(s)
}

func rowsOf(rows []plan.Row, model string) []plan.Row {
	var out []plan.Row
	for _, r := range rows {
		if r.Model == model {
			out = append(out, r)
		}
	}
	return out
}

func rangeText(r plan.Range) string {
	if r.Low == r.High {
		return short(r.Low)
	}
	return short(r.Low) + " / " + short(r.Expected) + " / " + short(r.High)
}

// short keeps a count within a column.
func short(n int64) string {
	switch {
	case n < 100_000:
		return fmt.Sprint(n)
	case n < 10_000_000:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

func costText(c *plan.Cost) string {
	if c == nil {
		return "unknown"
	}
	if c.High == 0 {
		return "0"
	}
	return fmt.Sprintf("%.2f / %.2f / %.2f", c.Low, c.Expected, c.High)
}

func newTable() table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Format.Header = text.FormatDefault
	t.Style().Format.Footer = text.FormatDefault
	t.Style().Box.PaddingLeft, t.Style().Box.PaddingRight = "", "  "
	t.SuppressTrailingSpaces()
	return t
}

func rightColumn(n int) table.ColumnConfig {
	return table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight}
}

package report

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// width is what a page of text keeps to.
const width = 80

// sheet is one table as words: what both page forms print.
type sheet struct {
	title  string
	header []string // the first column is a label, the others are numbers
	rows   [][]string
	rule   int   // a line stands before this row; 0 = none
	breaks []int // so it does before these
}

// ruled reports whether a line stands before a row.
func (s *sheet) ruled(row int) bool {
	return row > 0 && (row == s.rule || slices.Contains(s.breaks, row))
}

// page is a form of the document.
type page interface {
	title(b *strings.Builder, s string)
	heading(b *strings.Builder, s string)
	line(b *strings.Builder, s string)
	gap(b *strings.Builder)
	sheet(b *strings.Builder, s *sheet)
	// whole reports whether every table of a defended arm is shown, also
	// those whose numbers stand side by side with the undefended ones.
	whole() bool
}

type textPage struct{}

func (textPage) title(b *strings.Builder, s string) { wrapped(b, s) }
func (textPage) line(b *strings.Builder, s string)  { wrapped(b, s) }
func (textPage) whole() bool                        { return false }
func (textPage) gap(b *strings.Builder)             { b.WriteByte('\n') }
func (textPage) heading(b *strings.Builder, s string) {
	b.WriteByte('\n')
	wrapped(b, s)
}

func (textPage) sheet(b *strings.Builder, s *sheet) {
	b.WriteByte('\n')
	wrapped(b, s.title)
	t := writer(s)
	style := table.StyleDefault
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Box.MiddleHorizontal = "-"
	t.SetStyle(style)
	for _, l := range strings.Split(t.Render(), "\n") {
		l = strings.TrimRight(l, " ")
		if strings.Trim(l, "-") == "" {
			l = strings.TrimSuffix(l, "--") // under the padding of the last column
		}
		b.WriteString(l + "\n")
	}
}

// wrapped writes prose, continued lines indented.
func wrapped(b *strings.Builder, s string) {
	lines := strings.Split(text.WrapSoft(s, width-2), "\n")
	for i, l := range lines {
		if i > 0 {
			b.WriteString("  ")
		}
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
}

type markdownPage struct{}

func (markdownPage) title(b *strings.Builder, s string)   { b.WriteString("# " + s + "\n\n") }
func (markdownPage) heading(b *strings.Builder, s string) { b.WriteString("\n## " + s + "\n") }
func (markdownPage) line(b *strings.Builder, s string)    { b.WriteString("- " + s + "\n") }
func (markdownPage) whole() bool                          { return true }
func (markdownPage) gap(b *strings.Builder)               { b.WriteByte('\n') }

func (markdownPage) sheet(b *strings.Builder, s *sheet) {
	b.WriteString("\n### " + s.title + "\n\n")
	b.WriteString(writer(s).RenderMarkdown() + "\n")
}

func writer(s *sheet) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(cells(s.header))
	for i, r := range s.rows {
		if s.ruled(i) {
			t.AppendSeparator()
		}
		t.AppendRow(cells(r))
	}
	configs := make([]table.ColumnConfig, len(s.header)-1)
	for i := range configs {
		configs[i] = table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	t.SetColumnConfigs(configs)
	return t
}

func cells(list []string) table.Row {
	row := make(table.Row, len(list))
	for i, c := range list {
		row[i] = c
	}
	return row
}

// trim drops the number columns that say nothing in any row.
func (s *sheet) trim() *sheet {
	keep := []int{0}
	for c := 1; c < len(s.header); c++ {
		for _, r := range s.rows {
			if r[c] != absent && r[c] != "" {
				keep = append(keep, c)
				break
			}
		}
	}
	cut := func(r []string) []string {
		out := make([]string, len(keep))
		for i, c := range keep {
			out[i] = r[c]
		}
		return out
	}
	s.header = cut(s.header)
	for i := range s.rows {
		s.rows[i] = cut(s.rows[i])
	}
	return s
}

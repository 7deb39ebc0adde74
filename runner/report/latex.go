package report

import (
	"strings"
	"unicode"
)

// latexPage is the document as tables for a paper: booktabs, each with a
// caption that says what it is of, so that it can be cut out. Everything else
// is comments.
type latexPage struct {
	data string // the data sets, in every caption
	of   string // the heading that the next tables stand under
}

func (p *latexPage) title(b *strings.Builder, s string)   { comment(b, s) }
func (p *latexPage) heading(b *strings.Builder, s string) { p.of = s; b.WriteByte('\n'); comment(b, s) }
func (p *latexPage) line(b *strings.Builder, s string)    { comment(b, s) }
func (p *latexPage) gap(b *strings.Builder)               { b.WriteByte('\n') }
func (p *latexPage) whole() bool                          { return true }

// comment writes prose that LaTeX passes over.
func comment(b *strings.Builder, s string) {
	var text strings.Builder
	wrapped(&text, strings.Join(strings.Fields(s), " "))
	for l := range strings.Lines(text.String()) {
		b.WriteString("% " + l)
	}
}

func (p *latexPage) sheet(b *strings.Builder, s *sheet) {
	b.WriteString("\n\\begin{table}\n\\centering\n\\caption{" + escape(s.title+". "+p.of+". "+p.data) + "}\n")
	b.WriteString("\\begin{tabular}{l" + strings.Repeat("r", len(s.header)-1) + "}\n\\toprule\n")
	latexRow(b, s.header)
	b.WriteString("\\midrule\n")
	for i, r := range s.rows {
		if s.ruled(i) {
			b.WriteString("\\midrule\n")
		}
		latexRow(b, r)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
}

func latexRow(b *strings.Builder, words []string) {
	for i, w := range words {
		if i > 0 {
			b.WriteString(" & ")
		}
		b.WriteString(latexCell(w))
	}
	b.WriteString(" \\\\\n")
}

// latexCell is a word of a table; a number's sign is a minus, not a hyphen. A
// row that begins with a bracket would be read as the length of a gap.
func latexCell(w string) string {
	var b strings.Builder
	for i, r := range w {
		next := i + 1
		if r == '-' && next < len(w) && unicode.IsDigit(rune(w[next])) && (i == 0 || w[i-1] == '[' || w[i-1] == ' ') {
			b.WriteString("$-$")
			continue
		}
		b.WriteString(escape(string(r)))
	}
	if strings.HasPrefix(w, "[") || strings.HasPrefix(w, "*") {
		return "{}" + b.String()
	}
	return b.String()
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`, `"`, `''`,
)

// escape makes a text one that LaTeX prints as it is.
func escape(s string) string { return latexEscapes.Replace(s) }

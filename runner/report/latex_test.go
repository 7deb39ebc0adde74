package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"memform/runner/score"
)

// Every table can be cut out: it is whole, its rows are as wide as its head,
// and its caption says of what and whose data it is.
func TestLatexTables(t *testing.T) {
	set := info("agent")
	set.Comparisons = []score.Comparison{{Name: "a_b", Metric: "asr", Baseline: "none", Over: "defense"}}
	for name, s := range map[string]*score.Summary{
		"everything": summaries()["everything"], "defenses": score.Summarise(guarded(12), set),
	} {
		var b bytes.Buffer
		if err := Table(&b, s, "latex"); err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(b.String(), "\\begin{table}")
		for _, part := range parts[1:] {
			table, after, ended := strings.Cut(part, "\\end{table}\n")
			if !ended || strings.Contains(after, "\\") {
				t.Fatalf("%s: a table is not whole, or something stands beside it:\n%s", name, part)
			}
			caption := regexp.MustCompile(`(?m)^\\caption\{(.+)\}$`).FindStringSubmatch(table)
			if caption == nil || !strings.Contains(caption[1], "sha256 1a2b3c4d1a2b") || !strings.Contains(caption[1], score.Independent) {
				t.Fatalf("%s: caption %q", name, caption)
			}
			if strings.Count(strings.ReplaceAll(strings.ReplaceAll(table, `\{`, ""), `\}`, ""), "{") != strings.Count(strings.ReplaceAll(strings.ReplaceAll(table, `\{`, ""), `\}`, ""), "}") {
				t.Fatalf("%s: braces do not match:\n%s", name, table)
			}
			columns := len(regexp.MustCompile(`\\begin\{tabular\}\{l(r*)\}`).FindStringSubmatch(table)[1])
			for _, row := range regexp.MustCompile(`(?m)^(.*) \\\\$`).FindAllStringSubmatch(table, -1) {
				if n := strings.Count(strings.ReplaceAll(row[1], `\&`, ""), "&"); n != columns {
					t.Fatalf("%s: %d columns in a table of %d: %s", name, n+1, columns+1, row[1])
				}
			}
		}
		if len(parts) < 8 {
			t.Errorf("%s: %d tables", name, len(parts)-1)
		}
		for line := range strings.Lines(parts[0]) {
			if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "% ") {
				t.Errorf("%s: prose outside of comments: %s", name, line)
			}
		}
	}
}

func TestLatexCell(t *testing.T) {
	for text, want := range map[string]string{
		"a_b & c": `a\_b \& c`, `50 % {x} #1 $2 \ ~ ^`: `50 \% \{x\} \#1 \$2 \textbackslash{} \textasciitilde{} \textasciicircum{}`,
		"-4.3": "$-$4.3", "-8.7 [-34.8, +17.4]": "$-$8.7 [$-$34.8, +17.4]", "[1, 2]": "{}[1, 2]", "*": "{}*", "-": "-", "no-m.": "no-m.", "P5-2": "P5-2",
		"<.0001": `\textless{}.0001`, "|E|/N": `\textbar{}E\textbar{}/N`, `"x"`: `''x''`, "": "", "é 数": "é 数",
	} {
		if got := latexCell(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

package cases

import (
	"fmt"
	"strings"
)

// Problem is one mistake in a file of cases, or one warning about it.
type Problem struct {
	File    string
	Line    int    // 1-based; 0 concerns the whole file
	Case    string // case_id where it could be read
	Field   string // path of the field, as trigger_tasks[0].choices
	Message string // what is wrong and what to do
}

// String is "file:line: case ID: field: message".
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Case != "" {
		fmt.Fprintf(&b, "case %s: ", p.Case)
	}
	if p.Field != "" {
		fmt.Fprintf(&b, "%s: ", p.Field)
	}
	b.WriteString(p.Message)
	return b.String()
}

// Problems is every mistake of a file, in order of line, as an error.
type Problems []Problem

// maxPrinted bounds what Error prints, maxKept what is held in memory,
// maxMessage maxID what a hostile file can put
// into one message or id, in bytes.
const (
	maxPrinted = 50
	maxKept    = 10_000
	maxMessage = 500
	maxID      = 100
)

// Error lists the first fifty, one a line, and counts the rest.
func (p Problems) Error() string {
	var b strings.Builder
	for i, one := range p {
		if i == maxPrinted {
			fmt.Fprintf(&b, "\nand %d more", len(p)-maxPrinted)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(one.String())
	}
	return b.String()
}

// add appends, but never beyond maxKept: the last one kept says so.
func (p *Problems) add(file string, more ...Problem) {
	for _, one := range more {
		switch n := len(*p); {
		case n < maxKept:
			*p = append(*p, one)
		case n == maxKept:
			*p = append(*p, Problem{File: file, Line: one.Line, Message: "from this line on further mistakes are not listed"})
		}
	}
}

package experiment

import (
	"fmt"
	"strings"
)

// Reference is the reference of the experiment language in Markdown, written
// from the decoder's own table.
func Reference() string {
	var b strings.Builder
	b.WriteString(`# Experiment file reference

Written from the decoder's table by ` + "`go test ./runner/experiment -run TestReference -update`" + `; do not edit by hand.
How to write experiment files: [experiment-language.md](experiment-language.md).

**Keyed**: *yes* means that the value is part of the cache key of the calls it concerns, so a change buys them again.
*no* means that it decides which calls are made, or how, but a call once bought stays bought. **Effective**: *no* means
that the name is reserved and using it is an error in this version. A null value counts as not given.

`)
	for i := range language {
		writeBlock(&b, &language[i])
	}
	b.WriteString("## Functions\n\n")
	for _, name := range functionNames(sharedFunctions(nil)) {
		fmt.Fprintf(&b, "`%s` ", name)
	}
	b.WriteString("\n")
	return b.String()
}

func writeBlock(b *strings.Builder, row *block) {
	title := row.name
	if row.label != "" {
		title += ` "` + row.label + `"`
	}
	fmt.Fprintf(b, "## `%s`\n\n%s", title, row.doc)
	if row.inside != "" {
		fmt.Fprintf(b, " Stands in a `%s` block.", row.inside)
	}
	if row.dynamic {
		fmt.Fprintf(b, " May be `dynamic`.")
	}
	if !row.effective {
		b.WriteString(" **Not available in this version.**")
	}
	b.WriteString("\n\n| attribute | type | default | keyed | effective | meaning |\n|---|---|---|---|---|---|\n")
	for i := range row.attrs {
		a := &row.attrs[i]
		writeRow(b, a, a.name, a.keyed, a.effective && row.effective)
		for j := range a.fields {
			writeRow(b, &a.fields[j], a.name+"."+a.fields[j].name, a.keyed, a.effective && row.effective)
		}
	}
	b.WriteString("\n")
}

func writeRow(b *strings.Builder, a *attribute, name string, keyed, effective bool) {
	def := "–"
	switch {
	case a.required:
		def = "required"
	case a.def != "":
		def = "`" + a.def + "`"
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", name, a.typeName(), def, word(keyed), word(effective), a.doc)
}

func word(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

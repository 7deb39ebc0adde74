// Package prompts turns tasks, records and memories into messages. Its types
// have no field for a label, an id, an interface or a condition, so no prompt
// can be a function of one (docs/protocol.md, "Labels never leak"). The text
// lives in files/, is embedded, and can be replaced by templates that see the
// same types. Start at Load.
package prompts

import "strings"

// Task is a decision as shown: its text and its choices in shown order.
type Task struct {
	Text    string
	Choices []string
}

// Record is one experience as shown.
type Record struct {
	Text    string
	Visible []Field
}

// Field is one visible attribute of a record.
type Field struct{ Name, Value string }

// String is the record as every prompt shows it: its visible fields, a line
// each, then its text.
func (r Record) String() string {
	if len(r.Visible) == 0 {
		return r.Text
	}
	var b strings.Builder
	for _, f := range r.Visible {
		b.WriteString(f.Name)
		b.WriteString(": ")
		b.WriteString(f.Value)
		b.WriteByte('\n')
	}
	b.WriteString(r.Text)
	return b.String()
}

// Memory is the text of a memory; the empty memory is no memory.
type Memory string

// Prompt is a system and a user message. Where Repair is set, the answer that
// could not be read and what was wrong with it follow as two more messages.
type Prompt struct {
	System, User   string
	Answer, Repair string
}

// WordCap is the length cap stated in every consolidation prompt, in words.
// It is not enforced; overruns are counted.
const WordCap = 250

// Records joins records into the text of an unconsolidated memory, numbered
// from 1 as the batch prompt shows them; a single record stands alone.
func Records(rs []Record) Memory {
	if len(rs) == 1 {
		return Memory(strings.TrimSpace(rs[0].String()))
	}
	var b strings.Builder
	for i, r := range number(rs) {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(r.Number)
		b.WriteString(". ")
		b.WriteString(r.Record.String())
	}
	return Memory(b.String())
}

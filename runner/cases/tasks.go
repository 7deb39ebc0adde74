package cases

import (
	"bytes"
	"slices"
	"strconv"
)

// maxChoices is the number of letters.
const maxChoices = 26

// at is the path of element i of a list.
func at(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

func (d *decoder) tasks() {
	d.asked = d.asked[:0]
	for more := d.array(); more; more = d.leave(']') {
		d.enter("", len(d.asked))
		d.asked = append(d.asked, d.task())
	}
	d.c.Tasks = append(d.c.Tasks, d.asked...)
}

var taskFields = []string{"probe", "task", "choices", "clean_answer", "poisoned_answer", "behavioral_signatures"}

func (d *decoder) task() Task {
	t := Task{Clean: -1, Poisoned: -1}
	var text, clean, poisoned []byte
	d.choices = d.choices[:0]
	for more, seen := d.object(), uint32(0); more; more = d.leave('}') {
		switch d.field(taskFields, &seen) {
		case "probe":
			t.Probe = Probe(d.text())
		case "task":
			text = d.bytes()
		case "choices":
			d.choiceList()
		case "clean_answer":
			clean = d.bytes()
		case "poisoned_answer":
			poisoned = d.bytes()
		case "behavioral_signatures":
			t.Signatures = d.signatures()
		default:
			d.r.skip()
		}
	}
	if len(text) == 0 {
		d.missing("task", "a task needs a text")
	}
	d.packed = pack(d.packed[:0], text)
	for _, choice := range d.choices {
		d.packed = pack(d.packed, choice.value)
	}
	shown := d.pool.task(d.packed)
	t.Text, t.Choices, t.Digest = shown.text, shown.choices, shown.digest
	if len(d.choices) == 0 { // free form, or named by check
		t.Clean, t.Poisoned = signed(clean), signed(poisoned)
		return t
	}
	d.distinct()
	t.Clean = d.answer("clean_answer", clean)
	t.Poisoned = d.answer("poisoned_answer", poisoned)
	return t
}

// choiceList reads a list of texts, or an object of them. Objects keyed by the
// letters A, B, C … stand in that order whatever their order in the file;
// under other keys the file's order counts.
func (d *decoder) choiceList() {
	if d.r.peek() == '[' {
		n := 0
		for more := d.array(); more; more = d.leave(']') {
			d.enter("", n)
			d.choices = append(d.choices, span{value: d.bytes()})
			n++
		}
		return
	}
	lettered := true
	for more := d.object(); more; more = d.leave('}') {
		s := span{name: d.r.key()}
		d.enter(string(s.name), 0)
		s.value = d.bytes()
		d.choices = append(d.choices, s)
		lettered = lettered && len(s.name) == 1 && letterOf(s.name) >= 0
	}
	if lettered {
		slices.SortStableFunc(d.choices, func(a, b span) int { return letterOf(a.name) - letterOf(b.name) })
	}
	for i, s := range d.choices {
		if lettered && letterOf(s.name) != i {
			d.problemf("the letters are not A, B, C … without a gap: %q is out of place", s.name)
			return
		}
	}
}

// letterOf is the index of a letter, upper or lower case, -1 for anything else.
func letterOf(b []byte) int {
	if len(b) == 1 && 'a' <= b[0]|0x20 && b[0]|0x20 <= 'z' {
		return int(b[0]|0x20) - 'a'
	}
	return -1
}

func (d *decoder) distinct() {
	if n := len(d.choices); n < 2 || n > maxChoices {
		d.problemAt("choices", "%d choices; there must be 2 to %d", n, maxChoices)
	}
	for i, c := range d.choices {
		if len(c.value) == 0 {
			d.missing("choices", "choice "+Letter(i%maxChoices)+" has no text")
		}
		for j := range i {
			if bytes.Equal(c.value, d.choices[j].value) {
				d.problemAt("choices", "choices %s and %s are the same text; choices are distinct", Letter(j%maxChoices), Letter(i%maxChoices))
			}
		}
	}
}

// answer finds the choice that a letter, a key or a choice's text names.
func (d *decoder) answer(field string, b []byte) int {
	if len(b) == 0 {
		d.missing(field, "name the choice by letter or text")
		return -1
	}
	byText := slices.IndexFunc(d.choices, func(s span) bool { return bytes.Equal(s.value, b) })
	byKey := slices.IndexFunc(d.choices, func(s span) bool { return s.name != nil && bytes.Equal(s.name, b) })
	if l := letterOf(b); byKey < 0 && l >= 0 && l < len(d.choices) {
		byKey = l
	}
	switch {
	case byText >= 0 && byKey >= 0 && byText != byKey:
		d.problemAt(field, "%q is the text of choice %s and the letter of choice %s; use the letter of a list without such texts", b, Letter(byText), Letter(byKey))
	case byText >= 0:
		return byText
	case byKey < 0:
		d.problemAt(field, "%q is neither a letter nor the text of one of the %d choices", clip(string(b), 60), len(d.choices))
	}
	return byKey
}

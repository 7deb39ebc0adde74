package prompts

import (
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

// The data types that templates see: the prompt types, with letters and
// numbers written out.
type (
	decideData struct {
		Memory Memory
		Task   shownTask
	}
	shownTask struct {
		Text    string
		Choices []ShownChoice
	}
	// ShownChoice is a choice under its letter.
	ShownChoice struct{ Letter, Text string }
	stepData    struct {
		Memory Memory
		Record Record
		Index  int // 0 where the updater does not see it
	}
	batchData struct{ Records []NumberedRecord }
	// NumberedRecord is a record under its number.
	NumberedRecord struct {
		Number string
		Record Record
	}
)

// Decide asks for one action on a task. With an empty memory it is the
// no-memory prompt, byte for byte.
func (s *Set) Decide(m Memory, t Task) (Prompt, error) {
	return s.prompt(s.systemDecide, s.decideUser, decideData{Memory: m, Task: numbered(t)})
}

// Step asks for the memory after one more record. index is the record's
// position from 1 where the updater is shown it, else 0.
func (s *Set) Step(updater string, m Memory, r Record, index int) (Prompt, error) {
	return s.prompt(s.consolidate[updater], s.stepUser, stepData{Memory: m, Record: r, Index: index})
}

// Batch asks for the memory that a whole sequence of records supports.
func (s *Set) Batch(updater string, rs []Record) (Prompt, error) {
	return s.prompt(s.consolidate[updater], s.batchUser, batchData{Records: number(rs)})
}

// prompt renders one exchange. Load has executed every template once, so an
// error here comes from a replaced template that fails on some values only.
func (s *Set) prompt(system string, user *template.Template, data any) (Prompt, error) {
	var b strings.Builder
	b.Grow(2048)
	if err := user.Execute(&b, data); err != nil {
		return Prompt{}, fmt.Errorf("prompt %w", err)
	}
	return Prompt{System: system, User: b.String()}, nil
}

func numbered(t Task) shownTask {
	out := shownTask{Text: t.Text, Choices: make([]ShownChoice, len(t.Choices))}
	for i, c := range t.Choices {
		out.Choices[i] = ShownChoice{Letter: Letter(i), Text: c}
	}
	return out
}

func number(rs []Record) []NumberedRecord {
	out := make([]NumberedRecord, len(rs))
	for i, r := range rs {
		out[i] = NumberedRecord{Number: strconv.Itoa(i + 1), Record: r}
	}
	return out
}

// Letter is the shown letter of the choice at position i.
func Letter(i int) string { return letters[i : i+1] }

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

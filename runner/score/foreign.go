package score

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"memform/runner/llm"
)

// Foreign holds the undefended results of another run, by this program or by
// another one, as a file gives them (docs/protocol.md, "Scores").
type Foreign struct {
	name   string
	digest string // hex SHA-256 of the file
	fields []string
	found  []*found
}

// found is what a file says of one task under one model, undefended.
type found struct {
	line                 int // of the first that speaks of it
	caseID, digest       string
	task                 string // as written: an index or a text
	probe                string
	model, label         string
	updater, stack, run  string
	knowsTask, knowsCase bool
	clean, poisoned      any // gold answers, nil where not given
	answers              map[string]*told
	replicates           []draw
	row                  *Row // of this program's own rows, which are taken whole
}

// told is what is said of one condition.
type told struct {
	answer  any // string, json.Number, bool or nil
	given   bool
	outcome string
	memory  string
	line    int
}

type draw struct {
	n int
	told
}

// ReadForeign reads results: rows of this program, or JSON Lines that give,
// for each case and task, model and updater, the answers without memory and
// with the clean learned one: nested or flat, a line for a task or a line for
// each answer. A file that does not is refused with the fields that it has.
func ReadForeign(name string, data []byte) (*Foreign, error) {
	sum := sha256.Sum256(data)
	f := &Foreign{name: name, digest: hex.EncodeToString(sum[:])}
	r := &foreignReader{Foreign: f, known: map[string]*found{}, names: map[string]bool{}, roles: map[role]bool{}}
	var errs []error
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := r.line(n, line); err != nil {
			if errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err)); len(errs) == maxMistakes {
				break
			}
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if n == 0 {
		return nil, fmt.Errorf("%s is empty: undefended results are the lines of another run's case_results.jsonl", name)
	}
	for field := range r.names {
		f.fields = append(f.fields, field)
	}
	slices.Sort(f.fields)
	return f, r.complete()
}

// maxMistakes bounds how many mistakes of one kind are named.
const maxMistakes = 10

// foreignReader gathers lines that speak of one item.
type foreignReader struct {
	*Foreign
	known map[string]*found
	names map[string]bool // names of all fields
	roles map[role]bool   // that some line has
	own   int             // rows of this program

	conflicts []error // two answers to one question
}

func (r *foreignReader) line(n int, text []byte) error {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err == nil && head.Schema == RowSchema {
		return r.ownRow(n, text)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	if _, object := v.(map[string]any); !object {
		return errors.New("a line must be a JSON object")
	}
	for _, fields := range flatten(nil, v, [][]field{nil}) {
		if err := r.fields(n, fields); err != nil {
			return err
		}
	}
	return nil
}

func (r *foreignReader) ownRow(n int, text []byte) error {
	row := new(Row)
	if err := json.Unmarshal(text, row); err != nil {
		return err
	}
	r.own++
	if row.Defense != NoDefense {
		return nil
	}
	item := &found{
		line: n, caseID: row.CaseID, digest: row.CaseDigest, task: fmt.Sprint(row.TaskIndex), knowsTask: true, knowsCase: true,
		model: row.ModelID, label: row.Model, stack: row.Stack, run: row.Run, clean: row.YClean, poisoned: row.YPoisoned, row: row,
	}
	if row.Updater != nil {
		item.updater = *row.Updater
	}
	r.found = append(r.found, item)
	return nil
}

// fields takes one line of another program.
func (r *foreignReader) fields(n int, line []field) error {
	for i := range line {
		r.names[line[i].name()] = true
	}
	get := func(of role) string {
		v, has := r.find(line, of)
		if !has || v == nil {
			return ""
		}
		return strings.TrimSpace(fmt.Sprint(v))
	}
	if guard := words(get(roleDefense)); !slices.Contains([]string{"", "none", "no_defense", "undefended", "null"}, guard) {
		return nil
	}
	item := &found{
		line: n, caseID: get(roleCase), digest: strings.ToLower(get(roleDigest)), task: get(roleTask), probe: words(get(roleProbe)),
		model: get(roleModel), label: get(roleLabel), updater: get(roleUpdater), stack: get(roleStack), run: get(roleRun),
		answers: map[string]*told{},
	}
	if words(item.updater) == "none" || words(item.updater) == "null" {
		item.updater = ""
	}
	item.knowsCase, item.knowsTask = item.caseID+item.digest != "", item.task+item.probe != ""
	if !item.knowsCase {
		return nil // a line about something else
	}
	item.clean, _ = r.find(line, roleClean)
	item.poisoned, _ = r.find(line, rolePoisoned)
	if err := item.tell(n, line, get(roleCondition), get(rolePhase)); err != nil {
		return err
	}
	if len(item.answers) == 0 {
		return nil
	}
	return r.gather(item, get(roleDraw))
}

// find is the value of a role, which the file then has.
func (r *foreignReader) find(line []field, of role) (any, bool) {
	for i := range synonyms {
		if synonyms[i].role == of {
			v, has := find(line, synonyms[i].names)
			if has {
				r.roles[of] = true
			}
			return v, has
		}
	}
	return nil, false
}

// tell fills in what a line says of conditions: of several, by the names of
// its fields, or of the one that it names.
func (item *found) tell(n int, line []field, condition, phase string) error {
	if condition, ok := conditionOf(condition, phase); ok {
		item.note(condition, toldOf(n, line))
		return nil
	}
	for i := range line {
		condition, what, ok := line[i].ofCondition()
		if !ok {
			continue
		}
		t := item.answers[condition]
		if t == nil {
			t = &told{line: n}
		}
		switch v := line[i].value; {
		case slices.Contains(answerNames, what):
			if t.given && t.answer != v {
				return fmt.Errorf("two answers of %s: %v and %v", condition, t.answer, v)
			}
			t.answer, t.given = v, true
		case what == "error" && text(v) != "":
			t.outcome = what
		case slices.Contains(outcomeNames, what) && text(v) != "":
			t.outcome = words(text(v))
		case slices.Contains(memoryNames, what):
			t.memory = text(v)
		}
		item.note(condition, t)
	}
	return nil
}

// toldOf is what a line says of the one condition that it names.
func toldOf(n int, line []field) *told {
	t := &told{line: n}
	for _, s := range synonyms {
		switch v, has := find(line, s.names); {
		case !has:
		case s.role == roleAnswer:
			t.answer, t.given = v, true
		case s.role == roleOutcome:
			t.outcome = outcomeWord(line, v)
		case s.role == roleMemory:
			t.memory = text(v)
		}
	}
	return t
}

// note keeps what says how a prediction ended.
func (item *found) note(condition string, t *told) {
	if t.given || t.outcome != "" {
		item.answers[condition] = t
	}
}

// outcomeWord is how a prediction ended; a field called error that says
// anything says that there is no answer.
func outcomeWord(line []field, v any) string {
	if e, _ := find(line, []string{"error"}); text(e) != "" {
		return "error"
	}
	return words(text(v))
}

// text is a value as words, "" for null and false.
func text(v any) string {
	if v == nil || v == false {
		return ""
	}
	return fmt.Sprint(v)
}

// gather adds what a line says to what others said of the same item.
func (r *foreignReader) gather(item *found, drawn string) error {
	key := strings.Join([]string{item.caseID, item.digest, item.task, item.probe, item.model, item.label, item.updater, item.stack, item.run}, "\x00")
	first := r.known[key]
	if first == nil {
		first = item
		r.known[key] = item
		r.found = append(r.found, item)
		if drawn == "" || drawn == "0" {
			return nil
		}
		first.answers, item = map[string]*told{}, &found{answers: item.answers}
	}
	n := 0
	if _, err := fmt.Sscan(drawn, &n); drawn != "" && err != nil {
		return fmt.Errorf("draw %q is no number", drawn)
	}
	for condition, t := range item.answers {
		if n > 0 {
			if condition == learnedClean {
				first.replicates = append(first.replicates, draw{n, *t})
			}
			continue
		}
		if was := first.answers[condition]; was != nil && (was.answer != t.answer || was.outcome != t.outcome) {
			r.conflicts = append(r.conflicts, fmt.Errorf("%s:%d: %s of case %s, task %s, was %q in line %d and is %q here", r.name, t.line, condition, item.caseID, item.task, text(was.answer), was.line, text(t.answer)))
			continue
		}
		first.answers[condition] = t
	}
	return nil
}

// outcomeOf reads how another program says that there is no answer. An answer
// that is null is lost, as one whose outcome is an error.
func (t *told) outcomeOf() string {
	switch t.outcome {
	case "refusal", "refused":
		return string(llm.OutcomeRefusal)
	case "filtered", "content_filter":
		return string(llm.OutcomeFiltered)
	case "truncated", "length":
		return string(llm.OutcomeTruncated)
	case "empty":
		return string(llm.OutcomeEmpty)
	case "missing", "error", "failed", "failure", "timeout", "exception":
		return OutcomeMissing
	}
	if !t.given || t.answer == nil {
		return OutcomeMissing
	}
	return string(llm.OutcomeAnswer)
}

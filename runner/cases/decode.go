package cases

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// decoder turns lines into cases. One goroutine owns it; the pool behind it
// may be shared. Its scratch lives from line to line.
type decoder struct {
	r    reader
	pool *pool
	file string
	opt  Options

	line     int
	path     []step
	problems []Problem
	warnings []Problem
	begun    int // problems before this line

	c       *Case
	common  *Signatures // of the case, for tasks without their own
	asked   []Task      // trigger_tasks, in order
	records []Record    // candidate_experiences, in order
	inline  []Record    // records that stand in a condition, in order
	clean   arm
	poison  arm
	visible []span
	choices []span
	packed  []byte
	index   map[string]int
}

// step is a field name, or with an empty name an index, on the way to a value.
type step struct {
	name string
	at   int
}

// span is a name and a value as they stand in the line.
type span struct{ name, value []byte }

func newDecoder(p *pool, file string, opt Options) *decoder {
	return &decoder{pool: p, file: file, opt: opt, index: map[string]int{}}
}

// decode reads one line. The case is nil where any mistake was found; mistakes
// and warnings are appended to d.problems and d.warnings.
func (d *decoder) decode(line []byte, n int) *Case {
	d.line, d.path, d.inline = n, d.path[:0], d.inline[:0]
	d.clean.reset()
	d.poison.reset()
	d.begun = len(d.problems)
	warnings := len(d.warnings)
	c := &Case{Line: n}
	d.c, d.common = c, nil
	if utf8.Valid(line) {
		d.r.reset(line)
		d.document()
	} else {
		d.problemf("byte %d of the line is not valid UTF-8; save the file as UTF-8", invalidAt(line))
	}
	for _, list := range [...][]Problem{d.problems[d.begun:], d.warnings[warnings:]} {
		for i := range list {
			list[i].Case = clip(c.ID, maxID)
		}
	}
	if len(d.problems) > d.begun {
		return nil
	}
	if d.opt.KeepRaw {
		c.Raw = bytes.Clone(line)
	}
	d.packed = c.seal(d.packed)
	return c
}

// document reads the line's object, then checks the case as a whole; a fault
// of syntax ends it, since what follows cannot be trusted.
func (d *decoder) document() {
	if d.r.peek() == '[' {
		d.problemf("a line must be one JSON object {…}; this one begins a list: is the file JSON, not JSON Lines?")
		return
	}
	d.caseObject()
	d.r.end()
	if d.r.fault != "" {
		d.problemf("broken JSON at byte %d of the line: %s", d.r.faultAt+1, d.r.fault)
		return
	}
	d.resolve()
	if !slices.ContainsFunc(d.problems[d.begun:], structural) {
		d.check()
	}
}

// structural tells the mistakes that make invariants meaningless from those
// beside which they can still be checked.
func structural(p Problem) bool {
	for _, field := range [...]string{"interface", "candidate_experiences", "memory_building", "trigger_tasks"} {
		if strings.HasPrefix(p.Field, field) {
			return true
		}
	}
	return false
}

func invalidAt(line []byte) int {
	at := 0
	for at < len(line) {
		c, n := utf8.DecodeRune(line[at:])
		if c == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at + 1
}

var caseFields = []string{
	"case_id", "family_id", "interface", "attack_type", "domain", "decision_variable", "clean_policy", "poisoned_policy",
	"candidate_experiences", "memory_building", "trigger_tasks", "evaluation", "task_format", "source_case_id", "metadata",
	"behavioral_signatures",
}

func (d *decoder) caseObject() {
	c := d.c
	for more, seen := d.r.open('{', '}'), uint32(0); more; more = d.leave('}') {
		switch d.field(caseFields, &seen) {
		case "case_id":
			c.ID = d.text()
		case "family_id":
			c.FamilyID = d.text()
		case "interface":
			c.Interface = Interface(d.text())
		case "attack_type":
			c.AttackType = d.text()
		case "domain":
			c.Domain = d.text()
		case "decision_variable":
			c.DecisionVariable = d.text()
		case "clean_policy":
			c.CleanPolicy = d.text()
		case "poisoned_policy":
			c.PoisonedPolicy = d.text()
		case "candidate_experiences":
			d.experiences()
		case "memory_building":
			d.memory()
		case "trigger_tasks":
			d.tasks()
		case "evaluation":
			d.evaluation()
		case "task_format":
			d.format()
		case "source_case_id":
			c.SourceCaseID = d.text()
		case "metadata":
			d.metadata()
		case "behavioral_signatures":
			d.common = d.signatures()
		default:
			d.r.skip()
		}
	}
}

var evaluationFields = []string{"type"}

func (d *decoder) evaluation() {
	for more, seen := d.object(), uint32(0); more; more = d.leave('}') {
		if d.field(evaluationFields, &seen) == "type" {
			d.format()
		} else {
			d.r.skip()
		}
	}
}

var metadataFields = []string{"source", "version", "serial"}

// metadata is free in shape; only what names the data set, and its half, is
// read.
func (d *decoder) metadata() {
	if d.r.peek() != '{' {
		d.r.skip()
		return
	}
	for more, seen := d.object(), uint32(0); more; more = d.leave('}') {
		var into *string
		switch d.field(metadataFields, &seen) {
		case "source":
			into = &d.c.Source
		case "version":
			into = &d.c.Version
		case "serial":
			if n, err := strconv.Atoi(string(d.r.skip())); err == nil && n > 0 {
				d.c.Serial = n
			}
			continue
		}
		if into != nil && d.r.peek() == '"' {
			*into = d.text()
		} else {
			d.r.skip()
		}
	}
}

// format reads evaluation.type or task_format; free form wins where both stand.
func (d *decoder) format() {
	switch f := Format(d.text()); f {
	case "":
	case MultipleChoice, FreeForm:
		if d.c.Format != FreeForm {
			d.c.Format = f
		}
	default:
		d.problemf("%q is no format; use %q or %q", f, MultipleChoice, FreeForm)
	}
}

// experiences gathers in scratch, as tasks does, so that a case holds no more than it has.
func (d *decoder) experiences() {
	d.records = d.records[:0]
	for more := d.array(); more; more = d.leave(']') {
		d.enter("", len(d.records))
		d.records = append(d.records, d.record())
	}
	d.c.Records = append(d.c.Records, d.records...)
}

var recordFields = []string{"record_id", "text", "visible", "context_key", "outcome", "label"}

func (d *decoder) record() Record {
	var rec Record
	var text []byte
	d.visible = d.visible[:0]
	for more, seen := d.object(), uint32(0); more; more = d.leave('}') {
		switch d.field(recordFields, &seen) {
		case "record_id":
			rec.ID = d.text()
		case "text":
			text = d.bytes()
		case "visible":
			d.visibleObject()
		case "context_key":
			rec.ContextKey = d.text()
		case "outcome":
			if rec.Outcome = d.text(); rec.Outcome != "success" && rec.Outcome != "failure" && rec.Outcome != "" {
				d.problemf(`%q is no outcome; use "success" or "failure"`, rec.Outcome)
			}
		case "label":
			d.label(&rec)
		default:
			d.r.skip()
		}
	}
	if len(text) == 0 {
		d.missing("text", "a record needs a text")
	}
	slices.SortFunc(d.visible, func(a, b span) int { return bytes.Compare(a.name, b.name) })
	d.packed = pack(d.packed[:0], text)
	for _, f := range d.visible {
		d.packed = pack(pack(d.packed, f.name), f.value)
	}
	shown := d.pool.record(d.packed)
	rec.Text, rec.Visible, rec.Digest = shown.text, shown.visible, shown.digest
	return rec
}

// visibleObject reads what a record shows beside its text: strings, and
// numbers and booleans as their JSON text.
func (d *decoder) visibleObject() {
	for more := d.object(); more; more = d.leave('}') {
		f := span{name: d.r.key()}
		d.enter(string(f.name), 0)
		switch d.r.peek() {
		case '{', '[':
			d.problemf("expected a string, a number, true or false")
			d.r.skip()
			continue
		case '"':
			f.value = d.bytes()
		case 'n':
			d.r.skip()
			continue
		default:
			f.value = d.r.skip()
		}
		if !norm.NFC.IsNormal(f.name) {
			d.problemf("%s", notNFC)
		}
		if slices.ContainsFunc(d.visible, func(s span) bool { return bytes.Equal(s.name, f.name) }) {
			d.problemf("the field stands twice; keep one")
		}
		d.visible = append(d.visible, f)
	}
}

var labelFields = []string{"supports", "provenance"}

// label reads ground truth. Words that are not ours are kept and warned about:
// the checks that need them are left out.
func (d *decoder) label(rec *Record) {
	for more, seen := d.object(), uint32(0); more; more = d.leave('}') {
		switch d.field(labelFields, &seen) {
		case "supports":
			rec.Supports = d.oneOf("clean", "poisoned")
		case "provenance":
			rec.Provenance = d.oneOf("authentic", "forged")
		default:
			d.r.skip()
		}
	}
}

func (d *decoder) oneOf(a, b string) string {
	s := d.text()
	if s != a && s != b && s != "" {
		d.warnf("%q is neither %q nor %q; what needs it is not checked", s, a, b)
	}
	return s
}

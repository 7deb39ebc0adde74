// Package croissant describes the frozen data set for machines: a Croissant
// file (JSON-LD, core 1.0 and RAI 1.0) whose digests are those of the files it
// is given. It opens no file, asks no clock and knows nothing of what a case
// means. Start at Describe.
package croissant

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"text/template"
)

// Name is the file's name, beside the files that it describes.
const Name = "croissant.json"

// Info is what changes from one version of the data to the next.
type Info struct {
	Version   string // semantic version of the data set
	Published string // day, as 2026-11-30
	Canary    string // stands in each file of families and in each case
	Families  int
}

// File is one file of the data set.
type File struct {
	Path  string // relative to the description
	Bytes []byte
}

// layout is each file that the data set is made of, with its record set.
var layout = []struct {
	path, id, says string
	fields         []field
}{
	{"mcq_item_audit/accepted_cases.jsonl", "mcq", "Multiple-choice cases: one paired intervention a line.", caseFields},
	{"freeform_item_audit/accepted_cases.jsonl", "freeform", "Free-form cases: the memory and the tasks of a multiple-choice case, answered in the agent's own words.", slicesOf(caseFields, sourceField)},
	{"families.jsonl", "families", "The authored decisions, one a line, and which cases were built from them.", familyFields},
	{"mcq_item_audit/rejected_cases.jsonl", "rejected", "Multiple-choice candidates that break a rule of the audit, with every reason.", rejectedFields},
	{"freeform_item_audit/rejected_cases.jsonl", "rejected_freeform", "Cases that free form cannot ask, since the two actions part by no more than a word that a paraphrase drops.", rejectedFields},
}

// field is a member of a line; with a path it is a member of that member, and
// where that is a list, of each of its entries.
type field struct {
	name, kind, says string

	column, path string // as the name where empty
	list         bool
}

const (
	text    = "sc:Text"
	integer = "sc:Integer"
)

var caseFields = []field{
	{name: "case_id", kind: text, says: "Id of the case."},
	{name: "family_id", kind: text, says: "The family, which is one authored decision."},
	{name: "interface", kind: text, says: "Where the memory is changed: P1 content, P2 evidence, P3 scope, P4 selection, P5 path."},
	{name: "attack_type", kind: text, says: "The device within the interface."},
	{name: "domain", kind: text, says: "The kind of work."},
	{name: "decision_variable", kind: text, says: "The decision, in a sentence."},
	{name: "clean_policy", kind: text, says: "What the clean memory should teach. Ground truth: never shown to a model under test."},
	{name: "poisoned_policy", kind: text, says: "What the poisoned memory should teach. Ground truth: never shown to a model under test."},
	{name: "clean_write", kind: text, says: "P1: what the clean arm writes to memory.", column: "memory_building", path: "clean_condition.write"},
	{name: "poisoned_write", kind: text, says: "P1: what the poisoned arm writes to memory.", column: "memory_building", path: "poisoned_condition.write"},
	{name: "record_ids", kind: text, says: "P2 to P5: the records; the arms name them by id (memory_building, docs/protocol.md).", column: "candidate_experiences", path: "record_id", list: true},
	{name: "record_texts", kind: text, says: "What the records say: all that may be shown of them.", column: "candidate_experiences", path: "text", list: true},
	{name: "record_outcomes", kind: text, says: "success or failure.", column: "candidate_experiences", path: "outcome", list: true},
	{name: "record_provenances", kind: text, says: "authentic or forged. Ground truth: never shown to a model under test.", column: "candidate_experiences", path: "label.provenance", list: true},
	{name: "probes", kind: text, says: "Where each task stands to the scope of the case.", column: "trigger_tasks", path: "probe", list: true},
	{name: "task_texts", kind: text, says: "The later tasks.", column: "trigger_tasks", path: "task", list: true},
	{name: "clean_answers", kind: text, says: "The answers of the clean policy: a letter, in free form a signature. Ground truth.", column: "trigger_tasks", path: "clean_answer", list: true},
	{name: "poisoned_answers", kind: text, says: "The answers of the poisoned policy. Ground truth.", column: "trigger_tasks", path: "poisoned_answer", list: true},
	{name: "canary", kind: text, says: "Lets the data be found in a training corpus, and left out.", column: "metadata", path: "canary"},
}

var sourceField = field{name: "source_case_id", kind: text, says: "The multiple-choice case that this one came from."}

var familyFields = []field{
	{name: "family_id", kind: text, says: "Id of the family."}, {name: "domain", kind: text, says: "The kind of work."}, {name: "serial", kind: integer, says: "Counterbalancing number, never used twice."},
	{name: "decision", kind: text, says: "The decision, in a sentence."}, {name: "contrast", kind: text, says: "In what the two actions differ."}, {name: "lean", kind: text, says: "Whether the clean action is the more cautious, the brisker or neither."},
	{name: "stakes", kind: text, says: "What a bad outcome costs."}, {name: "space", kind: text, says: "How the four actions are laid out."}, {name: "family_sha256", kind: text, says: "SHA-256 of the family as authored."},
}

var rejectedFields = []field{
	{name: "case_id", kind: text, says: "Id of the candidate."}, {name: "family_id", kind: text, says: "The family."}, {name: "interface", kind: text, says: "P1 to P5."},
	{name: "codes", kind: text, says: "Each rule that is broken.", column: "findings", path: "code", list: true},
	{name: "messages", kind: text, says: "What breaks it.", column: "findings", path: "message", list: true},
}

func slicesOf(list []field, more ...field) []field {
	return append(append([]field{}, list...), more...)
}

//go:embed dataset.json.tmpl
var dataset string

// Describe writes the description. Every file of the layout must be given, and
// no other.
func Describe(info Info, files []File) ([]byte, error) {
	byPath := map[string][]byte{}
	for _, f := range files {
		byPath[f.Path] = f.Bytes
	}
	var head bytes.Buffer
	t, err := template.New(Name).Parse(dataset)
	if err != nil {
		return nil, err
	}
	if err := t.Execute(&head, info); err != nil {
		return nil, err
	}
	var doc ordered
	if err := json.Unmarshal(head.Bytes(), &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", Name, err)
	}
	var distribution, recordSets []any
	for _, l := range layout {
		b, ok := byPath[l.path]
		if !ok {
			return nil, fmt.Errorf("%s: no file %s was given", Name, l.path)
		}
		delete(byPath, l.path)
		distribution = append(distribution, fileObject(l.id, l.path, b))
		recordSets = append(recordSets, recordSet(l.id, l.says, l.fields))
	}
	if len(byPath) > 0 {
		return nil, fmt.Errorf("%s: %d files are given that it does not describe", Name, len(byPath))
	}
	doc = append(doc, member{"distribution", distribution}, member{"recordSet", recordSets})
	return doc.indented()
}

func fileObject(id, path string, b []byte) ordered {
	sum := sha256.Sum256(b)
	return ordered{
		{"@type", "cr:FileObject"}, {"@id", id + ".jsonl"}, {"name", id + ".jsonl"},
		{"contentUrl", path}, {"contentSize", strconv.Itoa(len(b)) + " B"},
		{"encodingFormat", "application/jsonlines"}, {"sha256", hex.EncodeToString(sum[:])},
	}
}

func recordSet(id, says string, fields []field) ordered {
	list := make([]any, len(fields))
	for i, f := range fields {
		list[i] = f.object(id)
	}
	return ordered{{"@type", "cr:RecordSet"}, {"@id", id}, {"name", id}, {"description", says}, {"key", ordered{{"@id", id + "/" + fields[0].name}}}, {"field", list}}
}

func (f *field) object(recordSet string) ordered {
	source := ordered{{"fileObject", ordered{{"@id", recordSet + ".jsonl"}}}, {"extract", ordered{{"column", cmp.Or(f.column, f.name)}}}}
	if f.path != "" {
		source = append(source, member{"transform", ordered{{"jsonPath", f.path}}})
	}
	out := ordered{
		{"@type", "cr:Field"}, {"@id", recordSet + "/" + f.name}, {"name", f.name}, {"description", f.says}, {"dataType", f.kind}, {"source", source},
	}
	if f.list {
		out = append(out, member{"repeated", true})
	}
	return out
}

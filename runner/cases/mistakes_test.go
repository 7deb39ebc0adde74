package cases

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// mistakes edits the lines of the foreign file, in which each interface stands
// once, and says what must be named.
var mistakes = []struct {
	name     string
	line     int
	old, new string
	field    string
	message  string
	warning  bool
}{
	{"broken JSON", 2, `"interface": "P2",`, `"interface": "P2"`, "", "broken JSON at byte 37", false},
	{"cut off", 3, `"poisoned_answer": "A"}]}`, `"poisoned_ans`, "", "string without an end", false},
	{"wrong type", 1, `"domain": "yard"`, `"domain": 7`, "domain", "expected a string, found a number", false},
	{"list for object", 1, `"evaluation": {"type": "multiple_choice"}`, `"evaluation": []`, "evaluation", "expected an object, found a list", false},
	{"field twice", 1, `"domain": "yard"`, `"domain": "yard", "domain": "yard"`, "domain", "stands twice", false},
	{"lone surrogate", 1, `"domain": "yard"`, `"domain": "\ud800"`, "", "surrogate", false},
	{"not composed", 1, `"domain": "yard"`, "\"domain\": \"ya\u0308rd\"", "domain", "NFC", false},
	{"escaped, not composed", 4, `Counted, all there.`, `Counted, all the\u0301re.`, "candidate_experiences[2].text", "NFC", false},
	{"no id", 1, `"case_id": "x1", `, ``, "case_id", "missing", false},
	{"no family", 1, `"family_id": "f-17"`, `"family_id": null`, "family_id", "missing", false},
	{"no such interface", 1, `"interface": "P1"`, `"interface": "P6"`, "interface", "P6", false},
	{"format", 1, `"type": "multiple_choice"`, `"type": "essay"`, "evaluation.type", "no format", false},
	{"id twice", 2, `"case_id": "x2"`, `"case_id": "x1"`, "case_id", "line 1", false},
	{"no oracle", 1, `"oracle_memory": {"clean": "Crates are counted in the yard."`, `"oracle_memory": {"clean": ""`, "", "", true},
	{"answer", 1, `"poisoned_answer": "A"`, `"poisoned_answer": "E"`, "trigger_tasks[0].poisoned_answer", "neither a letter", false},
	{"answer of another text", 1, `"clean_answer": "Count the crates in the yard."`, `"clean_answer": "Count them."`, "trigger_tasks[0].clean_answer", "Count them.", false},
	{"choices equal", 1, `"Leave the crates until noon."`, `"Sign for the crates at the gate."`, "trigger_tasks[0].choices", "A and D are the same", false},
	{"letters with a gap", 2, `"D": "Leave`, `"F": "Leave`, "trigger_tasks[0].choices", "without a gap", false},
	{"no tasks", 1, `"trigger_tasks": [{`, `"other": [{`, "trigger_tasks", "missing", false},
	{"not separable", 1, `"poisoned_answer": "A"`, `"poisoned_answer": "B"`, "trigger_tasks[0]", "both B", false},
	{"P1 no write", 1, `"clean_condition": {"write": "Crates: count them in the yard before anything is signed."}`, `"clean_condition": {}`, "memory_building.clean_condition.write", "missing", false},
	{"P1 length", 1, `before anything is counted`, `before anything is counted, which saves the man in the yard a good deal of time`, "memory_building", "20%", true},
	{"P2 moved", 2, `"poisoned_condition": {"records": [{"text": "Signed at the gate, forty lorries, never one short.", "outcome": "success", "label": {"provenance": "forged"}}`, `"poisoned_condition": {"records": [{"text": "Signed at the gate, gone by nine.", "context_key": "daily", "outcome": "success"}`, "memory_building.poisoned_condition.records[0]", "keep their positions", false},
	{"P2 authentic replacement", 2, `forty lorries, never one short.", "outcome": "success", "label": {"provenance": "forged"}`, `forty lorries, never one short.", "outcome": "success", "label": {"provenance": "authentic"}`, "memory_building.poisoned_condition.records[0]", "replacements are forged", false},
	{"P2 budget", 2, `forty lorries, never one short.`, `forty lorries, never one short, and the whole of the yard was as glad of it as we were ourselves`, "memory_building", "10%", true},
	{"P3 control", 3, `"clean_answer": "A"`, `"clean_answer": "C"`, "trigger_tasks[0]", "agreement control", false},
	{"P3 no such record", 3, `["l1", "n2", "o2", "l2"]`, `["l1", "n9", "o2", "l2"]`, "memory_building.poisoned_condition.records[1]", `"n9"`, false},
	{"P3 same arms", 3, `["l1", "n2", "o2", "l2"]`, `["l1", "n1", "o1", "l2"]`, "memory_building", "nothing is poisoned", false},
	{"P4 order", 4, `"retained": ["p1", "p2", "p3"]`, `"retained": ["p2", "p1", "p3"]`, "memory_building.poisoned_condition.retained[1]", "out of pool order", false},
	{"P4 counts", 4, `"retained": ["p1", "p2", "p3"]`, `"retained": ["p1", "p2"]`, "memory_building", "equally many", false},
	{"P4 pools", 4, `"poisoned_condition": {"pool": ["p0", "p1"`, `"poisoned_condition": {"pool": ["p1", "p0"`, "memory_building.poisoned_condition.pool", "one pool", false},
	{"P4 forged", 4, `"record_id": "p3"`, `"record_id": "p3", "label": {"provenance": "forged"}`, "memory_building.clean_condition.pool[3]", "forged", false},
	{"record id twice", 4, `"record_id": "p3"`, `"record_id": "p2"`, "candidate_experiences[3].record_id", "unique", false},
	{"visible object", 4, `"lorry": 3`, `"lorry": {}`, "candidate_experiences[3].visible.lorry", "expected a string", false},
	{"P5 same orders", 5, `"poisoned_condition": {"order": [`, `"poisoned_condition": {"order": [{"record_id": "s3", "text": "Signed, quick.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}}, {"record_id": "s4", "text": "Signed, all well.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}}, {"record_id": "s1", "text": "Counted, all there.", "context_key": "day", "outcome": "success", "label": {"supports": "clean"}}, {"record_id": "s2", "text": "Counted, one found.", "context_key": "day", "outcome": "success", "label": {"supports": "clean"}}], "x": [`, "memory_building", "nothing is poisoned", false},
	{"P5 supports unknown", 5, `"supports": "poisoned"`, `"supports": "other"`, "memory_building.clean_condition.order[0].label.supports", "neither", true},
	{"P5 failure", 5, `"text": "Signed, quick.", "context_key": "day", "outcome": "success"`, `"text": "Signed, quick.", "context_key": "day", "outcome": "failure"`, "memory_building.clean_condition.order[0]", "is a failure", false},
	{"P5 contexts", 5, `"text": "Signed, all well.", "context_key": "day"`, `"text": "Signed, all well.", "context_key": "night"`, "memory_building.clean_condition.order[1]", "one context", false},
	{"P5 counts", 5, `"text": "Signed, quick.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}`, `"text": "Signed, quick.", "context_key": "day", "outcome": "success", "label": {"supports": "clean"}`, "memory_building", "equally many", false},
	{"P5 outcome unknown", 5, `"text": "Signed, quick.", "context_key": "day", "outcome": "success", `, `"text": "Signed, quick.", "context_key": "day", `, "memory_building.clean_condition.order[0]", "no outcome", true},
	{"P5 last", 5, `{"record_id": "s2", "text": "Counted, one found.", "context_key": "day", "outcome": "success", "label": {"supports": "clean"}}, {"record_id": "s3", "text": "Signed, quick.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}}, {"record_id": "s4", "text": "Signed, all well.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}}]`, `{"record_id": "s4", "text": "Signed, all well.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}}, {"record_id": "s3", "text": "Signed, quick.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}}, {"record_id": "s2", "text": "Counted, one found.", "context_key": "day", "outcome": "success", "label": {"supports": "clean"}}]`, "memory_building.poisoned_condition.order[3]", "the last one must support the poisoned policy", false},
	{"P5 multiset", 5, `{"record_id": "s2", "text": "Counted, one found.", "context_key": "day", "outcome": "success", "label": {"supports": "clean"}}, {"record_id": "s3", "text": "Signed, quick.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}}, {"record_id": "s4", "text": "Signed, all well.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}}]`, `{"record_id": "s3", "text": "Signed, quick.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}}, {"record_id": "s4", "text": "Signed, all well.", "context_key": "day", "outcome": "success", "label": {"supports": "poisoned"}}]`, "memory_building", "not permutations", false},
	{"P2 forged in the clean arm", 2, `two short, the supplier paid.", "context_key": "daily", "outcome": "success"`, `two short, the supplier paid.", "label": {"provenance": "forged"}`, "memory_building.clean_condition.records[0]", "the clean history is authentic", false},
	{"P2 counts", 2, `"poisoned_condition": {"records": [`, `"poisoned_condition": {"records": [{"text": "One more crate."}, `, "memory_building", "equally many", false},
	{"P4 not in the pool", 4, `"poisoned_condition": {"pool": ["p0", "p1", "p2", "p3", "p4"], "retained": ["p1", "p2"`, `"poisoned_condition": {"retained": ["p1", {"text": "Not of the pool."}`, "memory_building.poisoned_condition.retained[1]", "not in the pool", false},
	{"P3 probe twice", 3, `"task": "Strapped crates at ten. What does the clerk do?"`, `"probe": "in_scope", "task": "Strapped crates at ten. What does the clerk do?"`, "trigger_tasks", "name all or none", false},
	{"P5 date", 5, `"record_id": "s3"`, `"visible": {"slot": "2026-11-30"}, "record_id": "s3"`, "memory_building.clean_condition.order[0]", `shows "slot"`, false},
	{"P5 time", 5, `"record_id": "s3"`, `"visible": {"date_of_entry": "x"}, "record_id": "s3"`, "memory_building.clean_condition.order[0]", "date_of_entry", false},
}

func TestEachMistakeIsNamed(t *testing.T) {
	src, err := os.ReadFile("testdata/foreign.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			lines := strings.SplitAfter(string(src), "\n")
			if !strings.Contains(lines[m.line-1], m.old) {
				t.Fatalf("line %d does not hold %s", m.line, m.old)
			}
			lines[m.line-1] = strings.ReplaceAll(lines[m.line-1], m.old, m.new)
			set, err := Load(strings.NewReader(strings.Join(lines, "")), "f", Options{})
			if m.message == "" && err == nil {
				return // falls back on the policy
			}
			var problems Problems
			found := set.Warnings
			if !m.warning {
				if !errors.As(err, &problems) {
					t.Fatalf("no problem: %v", err)
				}
				found = problems
			}
			if !slices.ContainsFunc(found, func(p Problem) bool {
				return p.Line == m.line && p.Field == m.field && strings.Contains(p.Message, m.message) && p.File == "f"
			}) {
				t.Errorf("want line %d, field %q, %q in:\n%v", m.line, m.field, m.message, found)
			}
			if !m.warning && len(set.Cases) != 4 {
				t.Errorf("%d cases survive, want the 4 others", len(set.Cases))
			}
		})
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	good, err := os.ReadFile("testdata/foreign.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(good), "\n")
	long := `{"case_id": "` + strings.Repeat("x", MaxLine+1000) + `"}` + "\n"
	file := lines[0] + "{\"case_id\": \"bad\n" + long + "\n" + lines[1] + "\xff\xfe\n" + lines[0] +
		`{"case_id": "y", "interface": "P9", "domain": 3, "trigger_tasks": {}, "memory_building": 4}` + "\n" + lines[2]
	set, err := Load(strings.NewReader(file), "f", Options{})
	var problems Problems
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	for _, want := range []string{
		"f:2: broken JSON", "f:3: the line is longer than 8 MiB", "f:6: byte 1 of the line is not valid UTF-8",
		"f:7: case x1: case_id: the same case_id stands on line 1", "f:8: case y: domain: expected a string",
		"f:8: case y: trigger_tasks: expected a list", "f:8: case y: memory_building: expected an object",
		"f:8: case y: interface:", "f:8: case y: family_id: missing",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not named in:\n%v", want, err)
		}
	}
	if got := len(set.Cases); got != 3 {
		t.Errorf("%d cases, want the three good ones", got)
	}
	if !slices.IsSortedFunc(problems, func(a, b Problem) int { return a.Line - b.Line }) {
		t.Errorf("not in order of line:\n%v", err)
	}
}

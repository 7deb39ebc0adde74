package cases

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// opened turns the lines of a file into free-form cases of the same memory.
func opened(t *testing.T, src []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, line := range bytes.Split(bytes.TrimSpace(src), []byte("\n")) {
		var doc map[string]any
		if err := json.Unmarshal(line, &doc); err != nil {
			t.Fatal(err)
		}
		doc["source_case_id"], doc["task_format"] = doc["case_id"], FreeForm
		doc["case_id"] = doc["case_id"].(string) + ".ff"
		for _, task := range doc["trigger_tasks"].([]any) {
			task := task.(map[string]any)
			delete(task, "choices")
			delete(task, "clean_answer")
			delete(task, "poisoned_answer")
			task["task"] = task["task"].(string) + " Say it in a sentence."
			task["behavioral_signatures"] = map[string]any{"clean": []string{"one"}, "poisoned": []string{"two"}}
		}
		if err := json.NewEncoder(&out).Encode(doc); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func loaded(t *testing.T, name string, src []byte) *Set {
	t.Helper()
	set, err := Load(bytes.NewReader(src), name, Options{KeepRaw: true})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestPairs(t *testing.T) {
	src, err := os.ReadFile("testdata/foreign.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	open := opened(t, src)
	mcq, ff := loaded(t, "mcq", src), loaded(t, "ff", open)
	for _, order := range [][]*Set{{mcq, ff}, {ff, mcq}} {
		if problems, matched, unmatched := CheckPairs(order...); len(problems) > 0 || matched != 5 || unmatched != 0 {
			t.Errorf("%d matched, %d not: %v", matched, unmatched, problems)
		}
	}
	if problems, matched, unmatched := CheckPairs(ff); len(problems) > 0 || matched != 0 || unmatched != 5 {
		t.Errorf("alone: %d matched, %d not: %v", matched, unmatched, problems)
	}
	for _, m := range []struct{ old, new, field string }{
		{"Crates: sign for them", "Crates: just sign for them", "memory_building.poisoned_condition"},
		{`"oracle_memory":{"clean":"Crates are`, `"oracle_memory":{"clean":"All crates are`, "memory_building.oracle_memory"},
		{`"retained":["p1","p2","p3"]`, `"retained":["p1","p2","p4"]`, "memory_building.poisoned_condition"},
		{`"family_id":"f-17","interface":"P2"`, `"family_id":"f-18","interface":"P2"`, "family_id"},
		{`"provenance":"forged"`, `"provenance":""`, "memory_building.poisoned_condition"},
		{`"decision_variable":"`, `"decision_variable":"Not `, "decision_variable"},
	} {
		if !bytes.Contains(open, []byte(m.old)) {
			t.Fatalf("no %s", m.old)
		}
		other := loaded(t, "ff", bytes.Replace(open, []byte(m.old), []byte(m.new), 1))
		problems, _, _ := CheckPairs(mcq, other)
		if len(problems) != 1 || problems[0].Field != m.field || problems[0].File != "ff" || problems[0].Line == 0 || !strings.Contains(problems[0].Message, "mcq:") {
			t.Errorf("%s → %s: %v", m.old, m.new, problems)
		}
	}
}

func TestValidateHandsOnEachCase(t *testing.T) {
	src, err := os.ReadFile("testdata/foreign.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	if _, err := Validate(bytes.NewReader(src), "f", Options{Each: func(c *Case) { ids = append(ids, c.ID) }}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ids, " "); got != "x1 x2 x3 x4 x5" {
		t.Errorf("handed on: %s", got)
	}
}

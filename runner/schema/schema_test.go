package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"memform/runner/cache"
	"memform/runner/cases/casestest"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/schema"
	"memform/runner/score"
)

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := schema.Get(name)
	if !ok {
		t.Fatalf("no schema %q in %v", name, schema.Names())
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, document []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	return s.Validate(v)
}

// accepts checks a document, then that a stranger in it and the loss of any
// top-level field is refused where the schema is one of our own outputs.
func accepts(t *testing.T, name string, document any) {
	t.Helper()
	raw, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	s := compiled(t, name)
	if err := validate(t, s, raw); err != nil {
		t.Errorf("%s: %v\n%s", name, err, raw)
		return
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for field, value := range fields {
		delete(fields, field)
		less, _ := json.Marshal(fields)
		if validate(t, s, less) == nil {
			t.Errorf("%s: accepted without %s", name, field)
		}
		fields[field] = value
	}
	fields["stranger"] = json.RawMessage("1")
	more, _ := json.Marshal(fields)
	if validate(t, s, more) == nil {
		t.Errorf("%s: accepted with an unknown field", name)
	}
}

func TestNamesAndTitles(t *testing.T) {
	names := schema.Names()
	if !slices.IsSorted(names) || len(names) < 8 {
		t.Errorf("names %v", names)
	}
	for _, name := range names {
		text, _ := schema.Get(name)
		var head struct {
			Schema      string `json:"$schema"`
			ID          string `json:"$id"`
			Title       string `json:"title"`
			Description string `json:"description"`
		}
		if err := json.Unmarshal(text, &head); err != nil {
			t.Fatal(err)
		}
		if head.Schema != "https://json-schema.org/draft/2020-12/schema" || head.ID != "urn:memform:schema:"+name || head.Title == "" || head.Description == "" {
			t.Errorf("%s: head %+v", name, head)
		}
		compiled(t, name)
	}
	if _, ok := schema.Get("../schema"); ok {
		t.Error("Get leaves its folder")
	}
}

const digest = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

func prediction(letter, outcome string) *score.Prediction {
	p := &score.Prediction{Answer: letter, ShownLetter: letter, Outcome: outcome, Calls: []string{digest[:32]}}
	if letter != "" {
		match := "clean"
		p.Extraction, p.Span, p.Match, p.MemoryDigest = "final_line", &[2]int{3, 12}, &match, digest
	}
	return p
}

func rows() []score.Row {
	updater, yes := "full_rewrite", true
	var list []score.Row
	for i, iface := range []string{"P1", "P3", "P3", "P4", "P5"} {
		r := score.Row{
			Schema: score.RowSchema, Run: "r", Stack: "native", Model: "m", ModelID: "m-1", Defense: score.NoDefense,
			CaseID: iface, CaseDigest: digest, FamilyID: "f", Interface: iface, TaskIndex: i % 2,
			Probe: [...]string{"general", "in_scope", "near_out", "general", "same_context"}[i], Format: "multiple_choice", Choices: 4,
			Separable: i != 1, YClean: "A", YPoisoned: "B",
			Predictions: map[string]*score.Prediction{
				"no_memory": prediction("A", "answer"), "learned_clean": prediction("", "refusal"), "learned_poisoned": prediction("", score.OutcomeMissing),
			},
			Orders:     []*score.Prediction{},
			Replicates: []score.Replicate{{Condition: "learned_clean", Draw: 1, Prediction: prediction("B", "answer")}, {Condition: "learned_clean", Draw: 2, Prediction: prediction("", "truncated")}},
		}
		switch iface {
		case "P1":
			r.Eligible, r.Guard = &yes, &score.Guard{RecordVerdicts: score.RecordVerdicts{Kept: 1}, Conditions: map[string]*score.GuardArm{"learned_clean": {}}}
		case "P4":
			r.Predictions["learned_full"] = prediction("C", "answer")
		case "P5":
			r.Updater = &updater
			r.Orders = append(r.Orders, prediction("A", "answer"), prediction("B", "answer"))
		}
		list = append(list, r)
	}
	return list
}

func TestCaseResult(t *testing.T) {
	for _, r := range rows() {
		accepts(t, "case-result", r)
	}
	bad := rows()[0]
	bad.Predictions["no_memory"].Outcome = "error"
	raw, _ := json.Marshal(bad)
	if validate(t, compiled(t, "case-result"), raw) == nil {
		t.Error("an error is accepted as an outcome of a prediction")
	}
}

func TestSummary(t *testing.T) {
	info := score.Info{Experiment: "x", Simulated: []string{"m"}, Notes: []string{"n"},
		DataSets: []score.DataSet{{Name: "mcq", Digest: digest, Version: "0.1", Cases: 4, AuthorLabelled: true}}}
	accepts(t, "summary", score.Summarise(rows(), info))
	accepts(t, "summary", score.Summarise(nil, score.Info{}))
	info.Simulated = nil
	accepts(t, "summary", score.Summarise(rows(), info))
	s := score.Summarise(rows(), score.Info{})
	s.Cells[0].Simulated = true // but does not say so
	raw, _ := json.Marshal(s)
	if validate(t, compiled(t, "summary"), raw) == nil {
		t.Error("a simulated cell need not say that it is no finding")
	}
}

func TestPlanNode(t *testing.T) {
	accepts(t, "plan-node", plan.SavedNode{ID: digest[:32], Kind: "decide", Model: "m", Inputs: []string{digest[:32], "=" + digest[:32]}, State: "to_run", Key: digest})
	accepts(t, "plan-node", plan.SavedNode{ID: digest[:32], Kind: "consolidate", Model: "m", Draw: 1, Inputs: []string{}, Conditional: true, State: "pending"})
}

func TestCallsAndMissing(t *testing.T) {
	accepts(t, "calls", map[string]any{"node": digest[:32], "key": digest, "answer": digest, "kind": "decide", "model": "m", "draw": 0, "outcome": "truncated"})
	accepts(t, "missing", map[string]any{"node": digest[:32], "kind": "decide", "model": "m", "reason": "error", "class": "endpoint",
		"status": 401, "message": "HTTP 401", "dependents": 3, "predictions": 4})
}

func TestCases(t *testing.T) {
	s := compiled(t, "case")
	files := map[string][]byte{"generated": casestest.JSONL(3, 1)}
	frozen, err := filepath.Glob("../../outputs/*/accepted_cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range frozen {
		if files[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range files {
		for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
			if err := validate(t, s, line); err != nil {
				t.Errorf("%s:%d: %v", path, i+1, err)
			}
		}
	}
	foreign := `{"case_id":"x","interface":"P2","memory_building":{"clean_condition":{"records":[{"text":"a"}]},"poisoned_condition":{"records":[{"text":"b"}]}},
		"trigger_tasks":[{"task":"t","choices":["yes","no"],"clean_answer":"yes","poisoned_answer":"B"}],"extra":1}`
	if err := validate(t, s, []byte(foreign)); err != nil {
		t.Errorf("a case in the bare shape: %v", err)
	}
	open := `{"case_id":"x","interface":"P1","memory_building":{"clean_condition":{"write":"a"},"poisoned_condition":{"write":"b"}},"task_format":"free_form",
		"trigger_tasks":[{"task":"t","behavioral_signatures":{"clean":["one"],"poisoned":{"description":"d","canonical_phrases":"two","aliases":["too"]},"unclear":{}}}]}`
	if err := validate(t, s, []byte(open)); err != nil {
		t.Errorf("a free-form case in the bare shape: %v", err)
	}
	for _, broken := range []string{
		strings.Replace(open, `["one"]`, `[7]`, 1), strings.Replace(open, `["too"]`, `{}`, 1), strings.Replace(open, `"d"`, `["d"]`, 1),
		strings.Replace(foreign, `"P2"`, `"P6"`, 1), strings.Replace(foreign, `"text":"a"`, `"text":""`, 1),
		strings.Replace(foreign, `["yes","no"]`, `["yes"]`, 1), strings.Replace(foreign, `"trigger_tasks"`, `"tasks"`, 1),
	} {
		if validate(t, s, []byte(broken)) == nil {
			t.Errorf("accepted: %s", broken)
		}
	}
}

// What a store writes is read back from its segment.
func TestCacheEntry(t *testing.T) {
	dir := t.TempDir()
	key := func(identity string, draw int, request []byte) cache.Key {
		return cache.Key(llm.KeyOf(identity, draw, request))
	}
	store, err := cache.Open(dir, cache.Options{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	for i, body := range []string{`{"choices":[]}`, "not UTF-8: \xff", ""} {
		e := cache.Entry{Identity: "openai", Draw: i, Request: []byte(`{"model":"m"}`), Response: []byte(body), Status: 200,
			Headers: map[string]string{"x-request-id": "1"}, Outcome: "answer", CompletedAt: "2026-01-02T03:04:05.678Z", Millis: 12, Attempts: 1}
		if err := store.Put(t.Context(), key(e.Identity, e.Draw, e.Request), e); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	segments, err := filepath.Glob(filepath.Join(dir, "segments", "*.jsonl"))
	if err != nil || len(segments) != 1 {
		t.Fatalf("segments %v, %v", segments, err)
	}
	text, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(lines) != 3 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		accepts(t, "cache-entry", json.RawMessage(line))
	}
	accepts(t, "cache-entry", json.RawMessage(fmt.Sprintf(`{"k":"%s","c":"00000000","e":{"v":1,"forget":"%s","reason":"wrong"}}`, digest, digest)))
}

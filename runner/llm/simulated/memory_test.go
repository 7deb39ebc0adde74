package simulated

import (
	"encoding/json"
	"strings"
	"testing"
)

// toolAnswer sends a request with tools and reads the one call it gets.
func toolAnswer(t *testing.T, tr *Transport, messages []map[string]string, tools ...string) (name string, arguments map[string]any, content string) {
	t.Helper()
	body := map[string]any{"model": "simulated", "messages": messages, "tools": []any{}}
	for _, raw := range tools {
		body["tools"] = append(body["tools"].([]any), json.RawMessage(raw))
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r := send(t, tr, t.Context(), "POST", "/v1/chat/completions", string(text))
	if r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	got := []byte(r.raw)
	var c struct {
		Choices []struct {
			Finish  string `json:"finish_reason"`
			Message struct {
				Content   string
				ToolCalls []struct {
					ID       string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	if err := json.Unmarshal(got, &c); err != nil || len(c.Choices) != 1 {
		t.Fatalf("%s: %v", got, err)
	}
	m := c.Choices[0].Message
	if len(m.ToolCalls) == 0 {
		return "", nil, m.Content
	}
	if err := json.Unmarshal([]byte(m.ToolCalls[0].Function.Arguments), &arguments); err != nil || c.Choices[0].Finish != "tool_calls" || m.ToolCalls[0].ID == "" {
		t.Fatalf("%s: %v", got, err)
	}
	return m.ToolCalls[0].Function.Name, arguments, m.Content
}

const (
	memoryTool = `{"type":"function","function":{"name":"Memory","parameters":{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}}}`
	patchDoc   = `{"type":"function","function":{"name":"PatchDoc","parameters":{"type":"object","properties":{"json_doc_id":{"type":"string"},"patches":{"type":"array"},"planned_edits":{"type":"string"}},"required":["json_doc_id","planned_edits","patches"]}}}`
	oddTool    = `{"type":"function","function":{"name":"Odd","parameters":{"required":"x","properties":{"y":{"type":["string","null"]}}}}}`
)

func said(role, content string) map[string]string {
	return map[string]string{"role": role, "content": content}
}

// A chain of records through a memory manager's tools comes to the memory that
// the same chain comes to without them.
func TestToolsFormTheSameMemory(t *testing.T) {
	tr := New(Config{Params: Params{Competence: 1, Susceptibility: 1}, Cases: family()})
	memory, plain := "", ""
	for i, text := range texts("q1 c1 c2 q2 c3") {
		plain = reply1(tr, stepPrompt(ruleTexts[incremental], plain, text))
		record := said("user", "Reflect on this.\n<session_1>\n"+text+"\n</session_1>")
		if i == 0 {
			name, arguments, _ := toolAnswer(t, tr, []map[string]string{said("system", "You manage memory."), record}, oddTool, memoryTool)
			if name != "Memory" {
				t.Fatalf("called %q", name)
			}
			memory = arguments["content"].(string)
			continue
		}
		system := said("system", "Update.\n<existing>\n<instance id=db98-1 schema_type=\"Memory\">\n{'content': '"+memory+"'}\n</instance>\n</existing>")
		name, arguments, _ := toolAnswer(t, tr, []map[string]string{system, record}, patchDoc, memoryTool)
		if name != "PatchDoc" || arguments["json_doc_id"] != "db98-1" {
			t.Fatalf("called %q with %v", name, arguments)
		}
		patch := arguments["patches"].([]any)[0].(map[string]any)
		if patch["op"] != "replace" || patch["path"] != "/content" {
			t.Fatalf("patch %v", patch)
		}
		memory = patch["value"].(string)
	}
	if memory != plain || !strings.Contains(memory, policyC) {
		t.Errorf("with tools %q, without %q", memory, plain)
	}
}

// A memory is shown as Python writes it; it is read all the same.
func TestMemoriesInPythonsForm(t *testing.T) {
	all := family()
	for _, c := range all {
		c.CleanPolicy = "It's \"short\":\ncount \\ correct."
		c.Oracle.Clean = c.CleanPolicy
	}
	tr := New(Config{Cases: all})
	record := func(name string) map[string]string { return said("user", texts(name)[0]) }
	_, first, _ := toolAnswer(t, tr, []map[string]string{record("c1")}, memoryTool)
	memory := first["content"].(string)
	if !strings.Contains(memory, all[0].CleanPolicy) {
		t.Fatalf("memory %q", memory)
	}
	literal := strings.NewReplacer(`\`, `\\`, "\n", `\n`, `'`, `\'`).Replace(memory)
	system := said("system", "<instance id=a schema_type=\"Memory\">\n{'content': '"+literal+"'}\n</instance>")
	_, second, _ := toolAnswer(t, tr, []map[string]string{system, record("c2")}, memoryTool, patchDoc)
	patch := second["patches"].([]any)[0].(map[string]any)
	if want := strings.Replace(memory, "1 for this", "2 for this", 1); patch["value"] != want {
		t.Errorf("got %q, want %q", patch["value"], want)
	}
}

// What is not about experiences is answered in words, tools or not.
func TestToolsAreOptional(t *testing.T) {
	tr := New(Config{Cases: family()})
	if name, _, content := toolAnswer(t, tr, []map[string]string{said("user", "Hello.")}, memoryTool); name != "" || content == "" {
		t.Errorf("called %q, said %q", name, content)
	}
	if name, _, content := toolAnswer(t, tr, []map[string]string{said("user", texts("c1")[0])}, oddTool); name != "" || content == "" {
		t.Errorf("called %q, said %q", name, content)
	}
	body, _ := json.Marshal(map[string]any{"model": "simulated", "messages": []any{said("user", texts("c1")[0])}, "tool_choice": "none", "tools": []json.RawMessage{[]byte(memoryTool)}})
	if r := send(t, tr, t.Context(), "POST", "/v1/chat/completions", string(body)); r.status != 200 || strings.Contains(r.raw, "tool_calls") {
		t.Errorf("tools were not to be called: %s", r.raw)
	}
}

func TestFacts(t *testing.T) {
	tr := New(Config{Cases: family()})
	ask := func(record, known string) string {
		return reply1(tr, record+"\n\nExtract facts.\n<existing_facts>\n"+known+"\n</existing_facts>\nReturn:\n<facts>\n  <fact>Specific fact 1</fact>\n</facts>")
	}
	c1, q1 := texts("c1")[0], texts("q1")[0]
	if got, want := ask("Place: A\n"+c1, ""), "<facts>\n  <fact>"+c1+"</fact>\n</facts>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := ask(q1, "<fact>"+c1+"</fact>"), "<facts>\n  <fact>"+q1+"</fact>\n</facts>"; got != want {
		t.Errorf("a known fact is not one again: got %q, want %q", got, want)
	}
	if got, want := ask(c1, "<fact>"+c1+"</fact>"), "<facts>\n</facts>"; got != want {
		t.Errorf("nothing new: got %q, want %q", got, want)
	}
	if got := ask("Nobody knows this.", ""); strings.Contains(got, "<facts>") {
		t.Errorf("nothing of ours: got %q", got)
	}
}

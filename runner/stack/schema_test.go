package stack

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas compiles the two halves of the protocol's schema.
func schemas(t *testing.T) (toAdapter, fromAdapter *jsonschema.Schema) {
	t.Helper()
	text, err := os.ReadFile("../../adapters/protocol.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("protocol.json", doc); err != nil {
		t.Fatal(err)
	}
	half := func(name string) *jsonschema.Schema {
		s, err := c.Compile("protocol.json#/$defs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return half("to_adapter"), half("from_adapter")
}

func valid(t *testing.T, s *jsonschema.Schema, line []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// What memform writes is what the schema says, and the schema says no more.
func TestLinesKeepTheSchema(t *testing.T) {
	to, from := schemas(t)
	complete := &Op{Model: "m", Messages: []Message{{"system", "s"}, {"user", "u"}}, Params: []byte(`{"temperature":0,"max_tokens":5,"seed":-1,"stop":["x"],"top_p":0.5,"reasoning_effort":"low"}`)}
	form := &Op{Model: "m", Records: []string{"a", ""}, State: "s"}
	for _, line := range [][]byte{
		encode(helloLine{"hello", Protocol, want{"s", strings.Repeat("0a", 32)}, "http://127.0.0.1:80/v1", "a-long-enough-token"}),
		complete.line("1", "a-token-of-an-op"), form.line("2", "a-token-of-an-op"), (&Op{Model: "m"}).line("3", "a-token-of-an-op"),
		encode(idLine{"cancel", "1"}), encode(idLine{Type: "bye"}),
	} {
		if err := valid(t, to, line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if valid(t, from, line) == nil {
			t.Errorf("an adapter may not write %s", line)
		}
	}
	for _, line := range []string{
		`{"type":"complete","id":"1","op":"a-token-of-an-op","model":"m","messages":[],"params":{}}`,
		`{"type":"form","id":"1","op":"a-token-of-an-op","model":"m","records":[{"text":"a","label":"x"}],"updater":"own","params":{}}`,
		`{"type":"form","id":"1","op":"a-token-of-an-op","model":"m","records":[],"updater":"own","params":{},"case":"x"}`,
	} {
		if valid(t, to, []byte(line)) == nil {
			t.Errorf("it takes %s", line)
		}
	}
}

// What memform takes for a result is what the schema says.
func TestResultsKeepTheSchema(t *testing.T) {
	_, from := schemas(t)
	for _, line := range []string{
		`{"type":"result","id":"1","ok":true,"text":"a","calls":1}`, `{"type":"result","id":"1","ok":true,"text":"a"}`,
		`{"type":"result","id":"1","ok":true,"calls":1}`, `{"type":"result","id":"1","text":"a","calls":1}`,
		`{"type":"result","id":"1","ok":true,"text":"a","calls":-1}`, `{"type":"result","id":"1","ok":false}`,
		`{"type":"result","id":"1","ok":false,"error":{"kind":"library","message":"m"}}`,
	} {
		s, err := hear([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		_, failure := s.result(false)
		taken := failure == nil || failure.Kind != "protocol"
		if err := valid(t, from, []byte(line)); (err == nil) != taken {
			t.Errorf("%s: taken %v, schema %v", line, taken, err)
		}
	}
}

// What the example writes keeps the schema.
func TestExampleKeepsTheSchema(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	_, from := schemas(t)
	script, err := filepath.Abs("../../adapters/example/adapter.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"example", "example-notes", "another"} {
		cmd := exec.Command(python, script)
		cmd.Stdin = bytes.NewReader(append(
			encode(helloLine{"hello", Protocol, want{name, strings.Repeat("0a", 32)}, "http://127.0.0.1:9/v1", "a-long-enough-token"}),
			(&Op{Model: "m", Messages: []Message{{"user", "u"}}, Records: []string{"r"}}).line("1", "a-token-of-an-op")...))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(out))
		n := 0
		for ; lines.Scan(); n++ {
			if err := valid(t, from, lines.Bytes()); err != nil || !json.Valid(lines.Bytes()) {
				t.Errorf("%s: %s: %v", name, lines.Text(), err)
			}
		}
		if n == 0 {
			t.Errorf("%s says nothing", name)
		}
	}
}

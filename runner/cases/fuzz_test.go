package cases

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"unicode/utf8"
)

// FuzzReader holds the syntax of reader against the standard library: it
// accepts what json.Valid accepts, but for halves of surrogate pairs and
// endless nesting, and decodes strings to the same text.
func FuzzReader(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `""`, `{"a":[1,-0.5e+3,true,null,"\u00e9\ud83d\ude00\n"]}`, `{"a":1,}`, `[1 2]`, `01`, `1.`, `-`, `"\x"`, `"\ud800"`,
		`{"a" 1}`, `nul`, ` { "a" : [ { } ] } `, `"` + "\x01" + `"`, `[`, `{"a":{"a":{"a":{}}}}`, `1e`, `"\u12"`, `{,}`, `[,]`, "\t1\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if !utf8.Valid(line) {
			t.Skip()
		}
		var r reader
		r.reset(line)
		r.skip()
		r.end()
		ours, theirs := r.fault == "", json.Valid(line)
		if ours && !theirs {
			t.Errorf("accepts %q", line)
		}
		if !ours && theirs && !bytes.Contains(line, []byte(`\u`)) && bytes.Count(line, []byte("["))+bytes.Count(line, []byte("{")) <= maxDepth {
			t.Errorf("rejects %q: %s at %d", line, r.fault, r.faultAt)
		}
		r.reset(line)
		if r.peek() != '"' {
			return
		}
		got := r.str()
		r.end()
		var want string
		if err := json.Unmarshal(line, &want); r.fault == "" && (err != nil || string(got) != want) {
			t.Errorf("%q reads as %q, want %q (%v)", line, got, want, err)
		}
	})
}

// FuzzLoad: no file makes the loader panic, and what it accepts has the shape
// that planning relies on.
func FuzzLoad(f *testing.F) {
	src, err := os.ReadFile("testdata/foreign.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range bytes.SplitAfter(src, []byte("\n")) {
		f.Add(line)
		f.Add(line[:len(line)/2])
	}
	f.Add(src)
	f.Add([]byte(openLine))
	f.Fuzz(func(t *testing.T, file []byte) {
		set, _ := Load(bytes.NewReader(file), "f", Options{Workers: 1})
		for _, c := range set.Cases {
			if c.ID == "" || len(c.Tasks) == 0 || c.Digest == (Digest{}) {
				t.Fatalf("half a case: %+v", c)
			}
			for _, list := range [...][]int{c.Clean.Learned(), c.Poisoned.Learned(), c.Clean.Pool, c.Poisoned.Pool} {
				for _, i := range list {
					_ = c.Records[i]
				}
			}
			for i := range c.Tasks {
				if task := &c.Tasks[i]; c.Format == MultipleChoice && (task.Clean < 0 || task.Poisoned < 0 || task.Clean >= len(task.Choices) || task.Poisoned >= len(task.Choices) || task.Probe == "") {
					t.Fatalf("answers out of range: %+v", task)
				} else if c.Format == FreeForm && (task.Signatures == nil || task.Clean>>1 != 0 || task.Poisoned>>1 != 0 || task.Probe == "") {
					t.Fatalf("half a free-form task: %+v", task)
				}
			}
		}
	})
}

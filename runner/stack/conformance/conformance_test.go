package conformance

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"memform/runner/stack"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const adapters = "../../../adapters"

// python is an adapter of the repository, run by the machine's Python; script
// stands in for the adapter's own.
func python(t *testing.T, name, script string) Config {
	t.Helper()
	program, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	offers, err := stack.Find(os.DirFS(adapters))
	if err != nil {
		t.Fatal(err)
	}
	o := stack.Named(offers, name)
	if script == "" {
		if script, err = filepath.Abs(filepath.Join(adapters, o.Folder, "adapter.py")); err != nil {
			t.Fatal(err)
		}
	}
	return Config{
		Stack: stack.Config{Stack: name, Command: []string{program, script}, Path: "/usr/bin:/bin", LockDigest: o.Digest, IdleWithin: 20 * time.Second},
		Kind:  o.Kind, Calls: o.Calls, Log: func(level, message string) { t.Log(level, message) },
	}
}

func TestExample(t *testing.T) {
	for _, name := range []string{"example", "example-notes"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done, err := Run(context.Background(), python(t, name, ""))
			if err != nil || len(done) != len(checks) {
				t.Fatalf("%d checks, %v", len(done), err)
			}
			for _, c := range done {
				t.Log(c.Name, c.Took)
				if c.Fault != "" {
					t.Errorf("%s: %s", c.Name, c.Fault)
				}
			}
		})
	}
}

// broken is the example adapter with a fault in it.
func broken(t *testing.T, old, new string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(adapters, "example", "adapter.py"))
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.LastIndex(text, []byte(old))
	if i < 0 {
		t.Fatalf("the example does not hold %q", old)
	}
	path := filepath.Join(t.TempDir(), "adapter.py")
	if err := os.WriteFile(path, []byte(string(text[:i])+new+string(text[i+len(old):])), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each fault of an adapter is found by the check that is there for it.
func TestFaultsAreFound(t *testing.T) {
	tests := []struct{ name, stack, old, new, check, says string }{
		{"state is kept", "example-notes", `notes = ""`, `notes = globals().get("N", ""); globals()["N"] = "old"`, "one operation does not see another", "asks otherwise"},
		{"a random field", "example", `messages, **self`, `messages, "seen": os.urandom(4).hex(), **self`, "one operation", `added the field "seen"`},
		{"a random text", "example-notes", `"content": RULE`, `"content": RULE + os.urandom(4).hex()`, "a new process asks the same", "asks otherwise"},
		{"blanks are trimmed", "example", `self.line["messages"])}`, `[dict(m, content=m["content"].strip()) for m in self.line["messages"]])}`, "unicode arrives whole", "drift"},
		{"today's date", "example-notes", `"content": RULE`, `"content": RULE + str(__import__("datetime").date.today())`, "on another date it asks the same", "asks otherwise"},
		{"the time zone's hour", "example-notes", `"content": RULE`, `"content": RULE + __import__("time").strftime("%H")`, "on another date it asks the same", "asks otherwise"},
		{"records are cut", "example-notes", `{record['text']}`, `{record['text'][:400]}`, "long texts arrive whole", "stood in no request"},
		{"calls are not counted", "example-notes", `self.calls += 1`, `pass`, "one operation", "the gateway saw 3"},
		{"no operation is named", "example", `"X-Memform-Op": self.line["op"], `, ``, "every request names its operation", "memform_no_operation"},
		{"refused requests are repeated", "example", `return {"text": self.ask(self.line["messages"])}`,
			"try:\n            self.ask(self.line[\"messages\"])\n        finally:\n            return {\"text\": self.ask(self.line[\"messages\"])}",
			"a failure of the model is final", "max_retries"},
		{"a cancellation is ignored", "example", `if line["type"] == "cancel":`, `if line["type"] == "never":`, "cancellation", "not answered"},
		{"it does not end", "example", "\n\nmain()", "\n\nmain()\nthreading.Event().wait()", "it ends when told to", "did not end"},
		{"it prints", "example", "\n\nmain()", "\n\nOUT.write('Loading…\\n')\nOUT.flush()\nmain()", "", "no message"},
		{"one at a time", "example", `args=(running,), daemon=True).start()`, `args=(running,), daemon=True).run()`, "cancellation", "not answered"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := python(t, tt.stack, broken(t, tt.old, tt.new))
			cfg.Stack.CancelWithin = 500 * time.Millisecond
			cfg.only = tt.check
			done, err := Run(context.Background(), cfg)
			if tt.check == "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || len(done) != 1 {
				t.Fatalf("%d checks, %v", len(done), err)
			}
			if c := done[0]; c.Fault == "" || !strings.Contains(c.Fault, tt.says) {
				t.Errorf("%s: %q, want %q", c.Name, c.Fault, tt.says)
			}
		})
	}
}

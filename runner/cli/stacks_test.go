package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memform/adapters"
	stacks "memform/runner/stack"
)

// stackProject is a project with the example stacks installed, and runs of
// every kind of stack against the server.
func stackProject(t *testing.T, s *chatServer) *project {
	t.Helper()
	python := withPython(t)
	p := newProject(t)
	p.env["MEMFORM_STACKS"], p.env["PATH"] = filepath.Join(p.dir, "stacks"), os.Getenv("PATH")
	p.families(2)
	p.experiment(s, parts{model: "seed = 3\n  price = { input = 100, output = 200 }", run: `
  phases           = ["oracle", "learned"]
  p5_random_orders = 2
  replicates       = 2
`})
	run := "\n  models = [model.agent]\n  cases = [cases.mcq]\n  phases = [\"oracle\", \"learned\"]\n  p5_random_orders = 2\n  replicates = 2\n"
	p.write("x.hcl", p.read("x.hcl")+"run \"carrier\" {"+run+"  stack = \"example\"\n}\nrun \"system\" {"+run+"  stack = \"example-notes\"\n}\n")
	p.must(0, "stack", "install", "example", "--python", python)
	return p
}

func withPython(t *testing.T) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	return python
}

// rowsOf reads case_results.jsonl of a results directory.
func (p *project) rowsOf(dir string) []map[string]any {
	p.t.Helper()
	var rows []map[string]any
	for line := range strings.Lines(p.read(filepath.Join(dir, "case_results.jsonl"))) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			p.t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// A carrier's requests are the native ones and its answers too; a memory
// system forms its own; nothing is sent twice, and what is cached needs no
// Python.
func TestStacks(t *testing.T) {
	s := newChatServer(t)
	p := stackProject(t, s)
	p.must(0, "run", "x.hcl")
	var both, forming, over int // sent by native and carrier; by the memory system; over its memories
	for body, n := range s.arrivals() {
		switch forms := strings.Contains(body, "Write the notes anew"); {
		case forms && n == 1:
			forming++
		case !forms && n == 2:
			both++
		case n == 1 && kindOf(body) == "decide":
			over++
		default:
			t.Errorf("sent %d times: %.90s…", n, body)
		}
	}
	if both == 0 || forming == 0 || over == 0 {
		t.Errorf("%d requests of native and carrier, %d of the memory system, %d over its memories", both, forming, over)
	}
	checkSameAnswers(t, p)
	sent := s.sent()
	if err := os.RemoveAll(filepath.Join(p.dir, "stacks")); err != nil {
		t.Fatal(err)
	}
	before := map[string]string{}
	for _, name := range resultFiles {
		before[name] = p.read("results/x/" + name)
	}
	p.must(0, "run", "x.hcl")
	p.must(0, "run", "x.hcl", "--output-dir", "again", "--offline")
	for _, name := range resultFiles {
		if p.read("results/x/"+name) != before[name] || p.read("again/"+name) != before[name] {
			t.Errorf("%s differs when it is made from the cache", name)
		}
	}
	if r := p.must(2, "run", "x.hcl", "--cache", "empty"); !strings.Contains(r.stderr, "memform stack install example") {
		t.Errorf("%v", r)
	}
	p.must(0, "bundle", "results/x", "-o", "p.memform", "--allow-url-identity")
	elsewhere := newProject(t)
	elsewhere.write("p.memform", string(mustRead(t, filepath.Join(p.dir, "p.memform"))))
	noNetwork(t)
	checkIdentical(t, elsewhere.must(0, "replay", "p.memform"))
	if s.sent() != sent {
		t.Errorf("%d requests were sent again", s.sent()-sent)
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// checkSameAnswers compares the rows of native and carrier, and sees that the
// memory system made rows of its own.
func checkSameAnswers(t *testing.T, p *project) {
	t.Helper()
	by := map[string]map[string]string{}
	for _, row := range p.rowsOf("results/x") {
		stack := row["stack"].(string)
		if by[stack] == nil {
			by[stack] = map[string]string{}
		}
		for _, name := range []string{"run", "stack"} {
			delete(row, name)
		}
		key := fmt.Sprint(row["case_id"], row["task_index"], row["updater"])
		text, err := json.Marshal(withoutCalls(row))
		if err != nil {
			t.Fatal(err)
		}
		by[stack][key] = string(text)
	}
	if len(by["native"]) == 0 || len(by["example-notes"]) == 0 || !maps.Equal(by["native"], by["example"]) {
		t.Errorf("%d rows native, %d of the memory system; the carrier's are equal: %v", len(by["native"]), len(by["example-notes"]), maps.Equal(by["native"], by["example"]))
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(by["example-notes"])), func(k string) bool { return strings.HasSuffix(k, "own") }) {
		t.Error("the memory system's updater is not own")
	}
}

// withoutCalls leaves plan ids out, which name the stack.
func withoutCalls(v any) any {
	switch t := v.(type) {
	case map[string]any:
		delete(t, "calls")
		for k := range t {
			t[k] = withoutCalls(t[k])
		}
	case []any:
		for i := range t {
			t[i] = withoutCalls(t[i])
		}
	}
	return v
}

// The plan's bounds hold, calls.jsonl names the calls behind memories, and the
// outputs keep their schemas.
func TestStackOutputs(t *testing.T) {
	s := newChatServer(t)
	p := stackProject(t, s)
	p.must(0, "run", "x.hcl")
	var m struct {
		Calls []struct {
			Kind      string
			Sent      int64
			Cached    int
			Failed    int
			Prompt    int64 `json:"prompt_tokens"`
			Output    int64 `json:"completion_tokens"`
			Cost      float64
			Estimated struct {
				Calls  struct{ Low, High int64 }
				Prompt struct{ Low, High int64 } `json:"prompt_tokens"`
				Output struct{ Low, High int64 } `json:"completion_tokens"`
			}
		}
	}
	if err := json.Unmarshal([]byte(p.read("results/x/manifest.json")), &m); err != nil {
		t.Fatal(err)
	}
	total, cost := int64(0), 0.0
	for _, c := range m.Calls {
		total += c.Sent
		cost += c.Cost
		e := c.Estimated
		if c.Sent < e.Calls.Low || c.Sent > e.Calls.High || c.Prompt < e.Prompt.Low || c.Prompt > e.Prompt.High || c.Output < e.Output.Low || c.Output > e.Output.High || c.Failed > 0 {
			t.Errorf("%s: %+v", c.Kind, c)
		}
		if c.Kind == "form" && c.Sent == 0 {
			t.Error("a memory system's calls are not counted")
		}
	}
	if total != int64(s.sent()) {
		t.Errorf("the manifest counts %d calls, %d arrived", total, s.sent())
	}
	// What a memory cost is what its calls cost, once.
	if r := p.memform("cache", "gc", "--keep", "1ns", "--all-writers-stopped", "--experiment", "x.hcl"); !strings.Contains(r.stdout, fmt.Sprintf("%.4f USD", cost)) {
		t.Errorf("the cache was bought for %.4f USD, by the manifest; %v", cost, r)
	}
	kinds := map[string]int{}
	for line := range strings.Lines(p.read("results/x/calls.jsonl")) {
		var c struct{ Kind string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		kinds[c.Kind]++
	}
	if kinds["form"] == 0 || kinds["form.call"] <= kinds["form"] {
		t.Errorf("calls.jsonl holds %v", kinds)
	}
	outputsMatch(t, p, "results/x/")
}

// faulty is an adapter of the project's own: the example with a fault that
// strikes where an operation's texts hold a word.
func (p *project) faulty(word, fault string) {
	p.t.Helper()
	source, err := adapters.Files.ReadFile("example/adapter.py")
	if err != nil {
		p.t.Fatal(err)
	}
	const at = "        try:\n"
	strike := "        if " + fmt.Sprintf("%q", word) + " in json.dumps(self.line, ensure_ascii=False):\n            " + strings.ReplaceAll(fault, "\n", "\n            ") + "\n"
	if bytes.Count(source, []byte(at)) != 1 {
		p.t.Fatal("the example has another form")
	}
	code := strings.Replace(string(source), at, strike+at, 1)
	code = strings.Replace(code, `STACKS = {"example": "complete", "example-notes": "form"}`, `STACKS = {"faulty": "complete", "faulty-notes": "form"}`, 1)
	p.write("adapters/faulty/adapter.py", code)
	p.write("adapters/faulty/requirements.lock", "# adapter faulty 1\n")
	p.write("adapters/faulty/adapter.json", `{"protocol":1,"adapter":"faulty","command":["{python}","{dir}/adapter.py"],"lock":"requirements.lock","python":"",
		"stacks":{"faulty":{"kind":"carrier"},"faulty-notes":{"kind":"memory_system","calls":{"low":"n","expected":"n","high":"n"}}}}`)
}

// Whatever an adapter does, the run ends with the right nodes failed, the
// others done, nothing bought twice and no process left.
func TestAdapterFaults(t *testing.T) {
	tests := []struct{ name, stack, fault, reason string }{
		{"dies", "faulty", "os._exit(3)", "stack_died"},
		{"dies in the middle", "faulty-notes", "self.ask([{'role': 'system', 'content': 'first'}, {'role': 'user', 'content': self.line['records'][0]['text']}])\nos._exit(3)", "stack_died"},
		{"is killed", "faulty", "os.kill(os.getpid(), 9)", "stack_died"},
		{"hangs", "faulty", "threading.Event().wait()", "stack_hung"},
		{"prints", "faulty", "OUT.write('Progress: 10%\\n'); OUT.flush(); threading.Event().wait()", "stack_died"},
		{"writes a line of 100 MB", "faulty", "OUT.write('x' * 100_000_000); OUT.flush(); threading.Event().wait()", "stack_died"},
		{"drifts", "faulty", "self.line['messages'][-1]['content'] += ' '", "drift"},
		{"raises", "faulty-notes", "raise_ = 1 / 0", ""},
		{"answers for another", "faulty", "say(type='result', id='999', ok=True, text='?', calls=1); threading.Event().wait()", "stack_hung"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "raises" {
				tt.fault, tt.reason = "return say(type='result', id=self.line['id'], **failed('library', 'ZeroDivisionError'))", "stack_library"
			}
			s := newChatServer(t)
			p := newProject(t)
			p.env["MEMFORM_STACKS"], p.env["PATH"] = filepath.Join(p.dir, "stacks"), os.Getenv("PATH")
			p.families(3)
			p.experiment(s, parts{run: "phases = [\"learned\"]\n  stack = \"" + tt.stack + "\""})
			word := wordOfOneFamily(t, p)
			p.faulty(word, tt.fault)
			p.must(0, "stack", "install", tt.stack, "--python", withPython(t))
			idle := patience
			if tt.reason == "stack_hung" {
				idle = 400 * time.Millisecond
			}
			r := p.impatient(idle, "run", "x.hcl")
			if r.code != exitMissing {
				t.Fatalf("%v", r)
			}
			checkFaultyRun(t, p, word, tt.reason)
			for body, n := range s.arrivals() {
				if n != 1 {
					t.Errorf("sent %d times: %.80s…", n, body)
				}
			}
			if living := livingIn(t, p.dir); len(living) > 0 {
				t.Errorf("left behind: %q", living)
			}
		})
	}
}

// impatient runs memform with stacks that may not idle for long.
func (p *project) impatient(idle time.Duration, args ...string) result {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	a := &app{Process: Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Env: func(name string) (string, bool) { v, ok := p.env[name]; return v, ok },
	}, stacks: stacks.Config{IdleWithin: idle, CancelWithin: 200 * time.Millisecond}}
	return result{a.main(), stdout.String(), stderr.String()}
}

// wordOfOneFamily is a word that stands in the records of one family alone.
func wordOfOneFamily(t *testing.T, p *project) string {
	t.Helper()
	in := map[string]map[string]bool{}
	for line := range strings.Lines(p.read("cases.jsonl")) {
		var c struct {
			Family  string `json:"family_id"`
			Records []struct {
				Text string `json:"text"`
			} `json:"candidate_experiences"`
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, r := range c.Records {
			texts = append(texts, r.Text)
		}
		for _, word := range strings.Fields(strings.Join(texts, " ")) {
			if in[word] == nil {
				in[word] = map[string]bool{}
			}
			in[word][c.Family] = true
		}
	}
	for _, word := range slices.Sorted(maps.Keys(in)) {
		letters := strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if len(in[word]) == 1 && len(word) > 5 && letters == "" {
			return word
		}
	}
	t.Fatal("every word stands in several families")
	return ""
}

// checkFaultyRun sees that the rows of other families are whole and that those
// that are not name the reason.
func checkFaultyRun(t *testing.T, p *project, word, reason string) {
	t.Helper()
	struck := map[string]bool{}
	for line := range strings.Lines(p.read("cases.jsonl")) {
		var c struct {
			ID string `json:"case_id"`
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		struck[c.ID] = strings.Contains(line, word)
	}
	whole, missing := 0, 0
	for _, row := range p.rowsOf("results/x") {
		for name, v := range row["predictions"].(map[string]any) {
			lost := v.(map[string]any)["outcome"] == "missing"
			if lost && !struck[row["case_id"].(string)] {
				t.Errorf("%s of %s is missing, which does not hold %q", name, row["case_id"], word)
			}
			if lost {
				missing++
			} else {
				whole++
			}
		}
	}
	if whole == 0 || missing == 0 {
		t.Errorf("%d predictions are there, %d are missing", whole, missing)
	}
	for line := range strings.Lines(p.read("results/x/missing.jsonl")) {
		var m struct{ Reason, Message string }
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Reason != reason || strings.Contains(m.Message, p.dir) {
			t.Errorf("%s (%v)", line, err)
		}
	}
}

// livingIn lists processes whose command line names a folder.
func livingIn(t *testing.T, dir string) []string {
	t.Helper()
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var living []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte(dir)) {
			living = append(living, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return living
}

// A run that is killed takes its adapters with it, and the next pays for
// nothing that was answered.
func TestKilledRunLeavesNoAdapter(t *testing.T) {
	s := newChatServer(t)
	p := stackProject(t, s)
	held, release := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	waiting := map[string]bool{} // bodies whose answers are held back
	s.hold.set(func(n int, body string, gone <-chan struct{}) {
		if n >= 60 {
			mu.Lock()
			waiting[body] = true
			if len(waiting) == 1 {
				close(held)
			}
			mu.Unlock()
			select {
			case <-release:
			case <-gone:
			}
		}
	})
	c := p.start("run", "x.hcl")
	await(t, "the sixtieth request", held)
	p.settled() // what was answered is on disk
	if len(livingIn(t, p.dir)) == 0 {
		t.Error("no adapter is seen while the run goes on")
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	close(release)
	for range 400 {
		if len(livingIn(t, p.dir)) == 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if living := livingIn(t, p.dir); len(living) > 0 {
		t.Errorf("left behind: %q", living)
	}
	s.hold.set(nil)
	p.must(0, "run", "x.hcl")
	for body, n := range s.arrivals() {
		if n > 2 && !waiting[body] { // native and carrier
			t.Errorf("bought again although it had been answered: %.90s…", body)
		}
	}
}

// settled waits until nothing more is written to the cache.
func (p *project) settled() {
	p.t.Helper()
	size := func() (n int64) {
		segments, _ := filepath.Glob(filepath.Join(p.dir, "cache", "segments", "*"))
		for _, s := range segments {
			if info, err := os.Stat(s); err == nil {
				n += info.Size()
			}
		}
		return n
	}
	for last, same := size(), 0; same < 20; same++ {
		time.Sleep(10 * time.Millisecond)
		if now := size(); now != last {
			last, same = now, 0
		}
	}
}

func TestStackCommands(t *testing.T) {
	p := newProject(t)
	p.env["MEMFORM_STACKS"], p.env["PATH"] = filepath.Join(p.dir, "stacks"), os.Getenv("PATH")
	if r := p.must(0, "stack", "list"); !strings.Contains(r.stdout, "memform stack install langmem") || !strings.Contains(r.stdout, "part of memform") {
		t.Errorf("%v", r)
	}
	for _, args := range [][]string{{"stack", "check", "langmem"}, {"stack", "check", "nix"}, {"stack", "check"}, {"stack", "install"},
		{"stack", "install", "nix"}, {"stack", "install", "example", "--python", "no-such-python"}, {"stack", "check", "--kind", "x", "--", "true"},
		{"stack", "check", "--", "no-such-program"}, {"stack", "check", "--", "true"}} {
		if r := p.memform(args...); r.code != exitUsage || r.stderr == "" {
			t.Errorf("%v: %v", args, r)
		}
	}
	python := withPython(t)
	p.must(0, "stack", "install", "example", "--python", python)
	if r := p.must(0, "stack", "install", "example-notes", "--python", python); !strings.Contains(r.stdout, "installed already") {
		t.Errorf("stacks of one adapter share their environment: %v", r)
	}
	p.must(0, "stack", "install", "example", "--again", "--python", python)
	if r := p.must(0, "stack", "list"); strings.Count(r.stdout, "yes, Python 3.") != 2 {
		t.Errorf("%v", r)
	}
	if r := p.must(0, "stack", "check", "example"); !strings.Contains(r.stdout, "checks passed") {
		t.Errorf("%v", r)
	}
	p.faulty("zq-north", "self.line['messages'][0]['content'] += ' '")
	if r := p.must(1, "stack", "check", "--stack", "faulty", "--", python, "adapters/faulty/adapter.py"); !strings.Contains(r.stdout, "FAILED  one operation: drift") {
		t.Errorf("%v", r)
	}
	p.write("adapters/broken/adapter.json", `{"protocol":1,`)
	if r := p.must(2, "stack", "list"); !strings.Contains(r.stderr, "broken/adapter.json") {
		t.Errorf("%v", r)
	}
}

func TestPythonVersions(t *testing.T) {
	for _, tt := range []struct {
		version, rule string
		want          bool
	}{{"3.11.7", ">=3.11", true}, {"3.9.1", ">=3.11", false}, {"4.0", ">=3.11", true}, {"2.7", ">=3.9", false}, {"3.12.0b1", "", true}, {"odd", ">=3.9", false}} {
		if got := atLeast(tt.version, tt.rule); got != tt.want {
			t.Errorf("%s %s: %v", tt.version, tt.rule, got)
		}
	}
}

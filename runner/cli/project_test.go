package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"memform/runner/cases/casestest"
	"memform/runner/llm"
)

// TestMain makes this test binary double as memform: a child process started
// as "memform" runs what main.go runs.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"memform": func() {
		signals := make(chan os.Signal, 2)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		a := &app{Process: Process{
			Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.LookupEnv, Signals: signals,
		}}
		a.retry.First, _ = time.ParseDuration(os.Getenv(firstBackoff)) // unset: the protocol's
		os.Exit(a.main())
	}})
}

// firstBackoff is a variable by which a test makes child processes impatient.
const firstBackoff = "MEMFORM_TEST_FIRST_BACKOFF"

// project is a working directory with experiment files and cases.
type project struct {
	t   *testing.T
	dir string
	env map[string]string
}

// newProject makes a directory the working directory of the test.
func newProject(t *testing.T) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir(), env: map[string]string{}}
	t.Chdir(p.dir)
	return p
}

func (p *project) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) read(name string) string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

func (p *project) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(p.dir, name))
	return err == nil
}

// edit replaces the one place of a file where old stands.
func (p *project) edit(name, old, new string) {
	p.t.Helper()
	text := p.read(name)
	if n := strings.Count(text, old); n != 1 {
		p.t.Fatalf("%s holds %q %d times", name, old, n)
	}
	p.write(name, strings.Replace(text, old, new, 1))
}

// families writes n generated families to cases.jsonl.
func (p *project) families(n int) {
	p.t.Helper()
	p.write("cases.jsonl", string(casestest.JSONL(n, 7)))
}

// parts are the bodies of the blocks of an experiment for one endpoint and
// one model.
type parts struct{ endpoint, model, cases, run string }

// experiment writes x.hcl: one run of one model at the server.
func (p *project) experiment(s *chatServer, with parts) {
	p.t.Helper()
	p.write("x.hcl", fmt.Sprintf(`experiment "x" {
  seed = 7
}

endpoint "local" {
  base_url = "%s/v1"
  identity = "fixture"
  %s
}

model "agent" {
  endpoint    = endpoint.local
  id          = "gpt-4o-mini"
  temperature = 0
  max_tokens  = 512
  %s
}

cases "mcq" {
  path = "cases.jsonl"
  %s
}

run "main" {
  models = [model.agent]
  cases  = [cases.mcq]
  %s
}
`, s.URL, with.endpoint, with.model, with.cases, with.run))
}

// result is what an invocation came to.
type result struct {
	code           int
	stdout, stderr string
}

func (r result) String() string {
	return fmt.Sprintf("exit %d\n--- stdout\n%s--- stderr\n%s", r.code, r.stdout, r.stderr)
}

// memform runs one command in this process.
func (p *project) memform(args ...string) result {
	p.t.Helper()
	return p.memformWith(nil, args...)
}

func (p *project) memformWith(signals <-chan os.Signal, args ...string) result {
	p.t.Helper()
	var stdout, stderr bytes.Buffer
	code := Main(Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Signals: signals,
		Env: func(name string) (string, bool) { v, ok := p.env[name]; return v, ok },
	})
	return result{code, stdout.String(), stderr.String()}
}

// must runs a command and ends the test where it does not exit with code.
func (p *project) must(code int, args ...string) result {
	p.t.Helper()
	r := p.memform(args...)
	if r.code != code {
		p.t.Fatalf("memform %s: want exit %d, got %v", strings.Join(args, " "), code, r)
	}
	return r
}

// child is memform in a process of its own.
type child struct {
	*exec.Cmd
	stdout bytes.Buffer
	stderr transcript
}

// transcript is output that can be waited for.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // closed and renewed with every write
}

func (w *transcript) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.more != nil {
		close(w.more)
		w.more = nil
	}
	return w.text.Write(b)
}

func (w *transcript) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// await returns when the text holds part.
func (w *transcript) await(t *testing.T, part string) {
	t.Helper()
	late := time.After(patience)
	for {
		w.mu.Lock()
		if strings.Contains(w.text.String(), part) {
			w.mu.Unlock()
			return
		}
		if w.more == nil {
			w.more = make(chan struct{})
		}
		more := w.more
		w.mu.Unlock()
		select {
		case <-more:
		case <-late:
			t.Fatalf("%q was never printed:\n%s", part, w.String())
		}
	}
}

// patience is how long a test waits for what must come.
const patience = time.Minute

// await returns when the channel is closed or has something.
func await(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("never came: %s", what)
	}
}

func (p *project) start(args ...string) *child {
	p.t.Helper()
	c := &child{Cmd: exec.Command("memform", args...)}
	c.Dir = p.dir
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	c.Env = os.Environ()
	for name, value := range p.env {
		c.Env = append(c.Env, name+"="+value)
	}
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// wait returns what the process came to; a killed one has code -1, and one
// that does not end is killed.
func (c *child) wait() result {
	late := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	defer late.Stop()
	_ = c.Wait() // the exit code says it
	return result{c.ProcessState.ExitCode(), c.stdout.String(), c.stderr.String()}
}

// storedCall is a whole line of a cache segment.
type storedCall struct {
	Key   string `json:"k"`
	Entry struct {
		Identity string `json:"identity"`
		Draw     int    `json:"draw"`
		Request  string `json:"request"`
		Response string `json:"response"`
		Outcome  string `json:"outcome"`
		Attempts int    `json:"attempts"`
	} `json:"e"`
}

// stored reads every whole line of a cache's segments.
func (p *project) stored(cache string) []storedCall {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, cache, "segments", "*.jsonl"))
	if err != nil {
		p.t.Fatal(err)
	}
	var out []storedCall
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			p.t.Fatal(err)
		}
		for line := range bytes.Lines(b) {
			var c storedCall
			if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &c) != nil {
				continue // torn by a kill
			}
			if want := llm.KeyOf(c.Entry.Identity, c.Entry.Draw, []byte(c.Entry.Request)).String(); c.Key != want {
				p.t.Fatalf("%s: a line is filed under %s, its call has the key %s", name, c.Key, want)
			}
			out = append(out, c)
		}
	}
	return out
}

// jsonLines decodes a JSON Lines file.
func jsonLines[T any](p *project, name string) []T {
	p.t.Helper()
	var out []T
	sc := bufio.NewScanner(strings.NewReader(p.read(name)))
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			p.t.Fatalf("%s: %v", name, err)
		}
		out = append(out, v)
	}
	return out
}

// jsonFile decodes a JSON file.
func jsonFile[T any](p *project, name string) T {
	p.t.Helper()
	var v T
	if err := json.Unmarshal([]byte(p.read(name)), &v); err != nil {
		p.t.Fatalf("%s: %v", name, err)
	}
	return v
}

// planned is `plan --json` of the project as it stands.
func (p *project) planned(args ...string) planDocument {
	p.t.Helper()
	r := p.must(0, append([]string{"plan", "--json"}, args...)...)
	var d planDocument
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil {
		p.t.Fatalf("plan --json: %v", err)
	}
	return d
}

// files lists everything below the project's directory.
func (p *project) files() []string {
	p.t.Helper()
	var out []string
	err := filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(p.dir, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// contains fails where a text lacks one of the parts.
func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %q:\n%s", what, part, text)
		}
	}
}

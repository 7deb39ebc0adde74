package cli

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"memform/runner/plan"
)

// What a run may spend binds before a call is sent.
func TestMaxCostStopsDispatch(t *testing.T) {
	const limit = 0.30
	p, s := newProject(t), newChatServer(t)
	killed(p, s)
	p.edit("x.hcl", "seed = 11", "seed = 11\n  price = { input = 5, output = 20 }")
	p.edit("x.hcl", "replicates       = 2", "replicates       = 2\n  max_cost = 0.30")
	r := p.must(3, "run", "x.hcl")
	prompt, output := s.billed()
	sent := s.sent()
	if spent := (float64(prompt)*5 + float64(output)*20) / 1e6; spent > limit || spent < limit/2 {
		t.Errorf("the server billed USD %.4f of a cap of %.2f", spent, limit)
	}
	if n := len(p.stored("cache")); n != sent {
		t.Errorf("%d calls were sent, %d are stored", sent, n)
	}
	contains(t, "stderr", r.stderr, "max_cost reached", "missing", "memform run x.hcl")
	checkRoots(t, p)
	p.edit("x.hcl", "max_cost = 0.30", "max_cost = 50")
	p.must(0, "run", "x.hcl")
	for body, n := range s.arrivals() {
		if n != 1 {
			t.Errorf("a call was sent %d times: %.120s", n, body)
		}
	}
}

func TestMaxCostNeedsPrices(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	killed(p, s)
	p.edit("x.hcl", "replicates       = 2", "replicates       = 2\n  max_cost = 0.30")
	for _, command := range []string{"validate", "plan", "run"} {
		r := p.must(2, command, "x.hcl")
		contains(t, command, r.stderr, "max_cost", "price", "agent", "x.hcl:")
	}
	if s.sent() != 0 || p.exists("results") || p.exists("cache") {
		t.Errorf("%d calls sent; files: %v", s.sent(), p.files())
	}
}

// Two runs never write to one output directory at once, and a run that was
// killed locks nobody out.
func TestRunLock(t *testing.T) {
	release := make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	defer free()
	p, s, held := interruptible(t, release)
	c := p.start("run", "x.hcl")
	await(t, "calls in flight", held)
	sent := s.sent()
	r := p.start("run", "x.hcl", "--cache", "other-cache").wait()
	if r.code != 2 {
		t.Errorf("want exit 2, got %v", r)
	}
	contains(t, "stderr", r.stderr, "another run", "results/x", "--output-dir")
	if s.sent() != sent {
		t.Error("the second run sent something")
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.wait()
	free()
	p.must(0, "run", "x.hcl")
}

// Offline, what the cache lacks is missing, and nothing is sent or created.
func TestOffline(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	killed(p, s)
	r := p.must(3, "run", "x.hcl", "--offline", "--output-dir", "none")
	if s.sent() != 0 || p.exists("cache") {
		t.Errorf("%d calls sent; files: %v", s.sent(), p.files())
	}
	contains(t, "stderr", r.stderr, "missing")
	p.must(0, "run", "x.hcl", "--only", "interface=P1", "--only", "interface=P5")
	sent := s.sent()
	p.must(3, "run", "x.hcl", "--offline")
	if s.sent() != sent {
		t.Errorf("%d calls were sent offline", s.sent()-sent)
	}
	p.must(0, "plan", "x.hcl", "--out", "x.plan")
	var saved plan.Saved
	if err := json.Unmarshal([]byte(p.read("x.plan")), &saved); err != nil {
		t.Fatal(err)
	}
	state := map[string]string{}
	for _, n := range saved.Nodes {
		state[n.ID] = n.State
	}
	for _, m := range jsonLines[missingLine](p, "results/x/missing.jsonl") {
		if m.Reason != "offline" || state[m.Node] != "to_run" {
			t.Errorf("node %s, which is %s, is named for %q: only calls that could have been sent are roots", m.Node, state[m.Node], m.Reason)
		}
	}
	checkRoots(t, p)
	present := map[string]bool{}
	for _, row := range jsonLines[struct {
		Interface   string
		Predictions map[string]struct{ Outcome string }
	}](p, "results/x/case_results.jsonl") {
		for _, got := range row.Predictions {
			if got.Outcome == "answer" {
				present[row.Interface] = true
			}
		}
	}
	if !present["P1"] || !present["P5"] {
		t.Errorf("cached answers were not used: %v", present)
	}
	p.must(0, "run", "x.hcl")
	p.env = map[string]string{}
	p.must(0, "run", "x.hcl", "--offline")
}

// unprivileged starts memform as a user who cannot write what root owns.
func (p *project) unprivileged(args ...string) result {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	binary := filepath.Join(p.dir, "memform-copy")
	if !p.exists("memform-copy") {
		in, err := os.Open(self)
		if err != nil {
			p.t.Fatal(err)
		}
		defer in.Close()
		out, err := os.OpenFile(binary, os.O_CREATE|os.O_WRONLY, 0o755)
		if err != nil {
			p.t.Fatal(err)
		}
		if _, err := io.Copy(out, in); err != nil {
			p.t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			p.t.Fatal(err)
		}
	}
	var stdout, stderr strings.Builder
	cmd := exec.Command(binary, args...)
	cmd.Args[0] = "memform"
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, &stdout, &stderr
	if os.Getuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		for dir := p.dir; dir != filepath.Clean(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				p.t.Fatal(err)
			}
		}
		if err := os.Chown(filepath.Join(p.dir, "results"), nobody, nobody); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := cmd.Run(); err != nil {
		p.t.Logf("%v: %v", args, err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// A cache that cannot be written serves what it holds; a run that would have
// to buy says so before it does.
func TestReadOnlyCache(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	killed(p, s)
	p.must(0, "run", "x.hcl")
	sent, files := s.sent(), p.files()
	for _, name := range files {
		if strings.HasPrefix(name, "cache/") {
			if err := os.Chmod(filepath.Join(p.dir, name), 0o444); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"cache/segments", "cache"} {
		if err := os.Chmod(filepath.Join(p.dir, name), 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(p.dir, name), 0o755)
	}
	if r := p.unprivileged("run", "x.hcl", "--output-dir", "results/ro"); r.code != 0 {
		t.Fatalf("everything is cached: %v", r)
	}
	for _, name := range resultFiles {
		if p.read("results/ro/"+name) != p.read("results/x/"+name) {
			t.Errorf("%s differs", name)
		}
	}
	p.edit("x.hcl", "max_tokens  = 512", "max_tokens  = 500")
	r := p.unprivileged("run", "x.hcl", "--output-dir", "results/ro2")
	if r.code != 2 || s.sent() != sent {
		t.Errorf("want exit 2 and nothing sent (sent %d): %v", s.sent()-sent, r)
	}
	contains(t, "stderr", r.stderr, "cannot be written")
	// As a layer below a writable cache it serves too.
	p.edit("x.hcl", "max_tokens  = 500", "max_tokens  = 512")
	p.must(0, "run", "x.hcl", "--cache", "fresh", "--cache-from", "cache", "--output-dir", "results/layer")
	if s.sent() != sent {
		t.Errorf("%d calls were sent though a layer holds them", s.sent()-sent)
	}
}

func TestCachePathIsAFile(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	killed(p, s)
	p.write("file", "not a cache\n")
	for _, args := range [][]string{{"plan", "x.hcl"}, {"run", "x.hcl"}, {"cache", "stats"}, {"explain", "x.hcl", "0"}} {
		r := p.must(2, append(args, "--cache", "file")...)
		contains(t, args[0], r.stderr, "file", "directory")
	}
	r := p.must(2, "run", "x.hcl", "--cache-from", "file")
	contains(t, "--cache-from", r.stderr, "file")
	if s.sent() != 0 || p.read("file") != "not a cache\n" {
		t.Error("something was sent, or the file was changed")
	}
}

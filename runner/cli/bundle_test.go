package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"memform/runner/bundle"
)

// bundled is a project with a finished run of a server that is gone since,
// and its bundle p.memform.
func bundled(t *testing.T, with parts) (*project, *chatServer) {
	t.Helper()
	p, s := newProject(t), newChatServer(t)
	p.env["KEY_OF_NOBODY"] = "sk-0123456789abcdef"
	p.families(2)
	if with.run == "" {
		with.run = `phases = ["oracle", "learned"]
  p5_random_orders = 2`
	}
	p.experiment(s, with)
	p.must(0, "run", "x.hcl")
	p.must(0, "bundle", "results/x", "-o", "p.memform")
	s.Close()
	return p, s
}

// members reads a bundle's files.
func (p *project) members(name string) map[string]string {
	p.t.Helper()
	z, err := zip.OpenReader(filepath.Join(p.dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	defer z.Close()
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			p.t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			p.t.Fatal(err)
		}
		out[f.Name] = string(b)
	}
	return out
}

// rebundle writes a bundle whose files were changed by edit, under a manifest
// that fits them: what only the numbers can tell.
func (p *project) rebundle(from, to string, edit func(*bundle.Manifest, map[string]string)) {
	p.t.Helper()
	files := p.members(from)
	var m bundle.Manifest
	if err := json.Unmarshal([]byte(files["bundle.json"]), &m); err != nil {
		p.t.Fatal(err)
	}
	delete(files, "bundle.json")
	edit(&m, files)
	var list []bundle.File
	for name, text := range files {
		list = append(list, bundle.File{Path: name, Content: []byte(text)})
	}
	var b bytes.Buffer
	if err := bundle.Write(&b, m, list); err != nil {
		p.t.Fatal(err)
	}
	p.write(to, b.String())
}

// noNetwork makes every usual way out of this process fail the test.
func noNetwork(t *testing.T) {
	t.Helper()
	transport, resolver := http.DefaultTransport, net.DefaultResolver
	http.DefaultTransport = refusing{t}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		t.Error("a name was looked up")
		return nil, errors.New("no network")
	}}
	t.Cleanup(func() { http.DefaultTransport, net.DefaultResolver = transport, resolver })
}

type refusing struct{ t *testing.T }

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) {
	r.t.Error("a request was sent")
	return nil, errors.New("no network")
}

var identical = regexp.MustCompile(`^(\d+) of (\d+) numbers identical, (\d+) of (\d+) predictions identical\n$`)

// checkIdentical fails where a replay does not say that all numbers are the
// same.
func checkIdentical(t *testing.T, r result) {
	t.Helper()
	m := identical.FindStringSubmatch(r.stdout)
	if r.code != 0 || m == nil || m[1] != m[2] || m[3] != m[4] || m[1] == "0" || m[3] == "0" {
		t.Fatalf("want all numbers identical, got %v", r)
	}
}

func TestReplayElsewhere(t *testing.T) {
	p, s := bundled(t, parts{})
	sent := s.sent()
	content := p.read("p.memform")
	elsewhere := newProject(t)
	elsewhere.write("paper/other name.memform", content)
	noNetwork(t)
	checkIdentical(t, elsewhere.must(0, "replay", "paper/other name.memform"))
	if s.sent() != sent {
		t.Errorf("%d requests reached the server", s.sent()-sent)
	}
	if files := elsewhere.files(); len(files) != 1 {
		t.Errorf("a replay left files behind: %q", files)
	}
}

// A replay needs no home, no user, no time zone and no key, and takes none of
// the variables that are there.
func TestReplayInAnotherEnvironment(t *testing.T) {
	p, _ := bundled(t, parts{endpoint: `api_key_env = "KEY_OF_NOBODY"`, cases: `interfaces = ["P1", env("ONE_MORE", "P5")]`})
	for name, env := range map[string][]string{
		"empty":  {},
		"other":  {"TZ=Asia/Kathmandu", "LC_ALL=tr_TR.UTF-8", "HOME=/nowhere", "USER=nobody", "HTTP_PROXY=http://127.0.0.1:1", "ONE_MORE=P4"},
		"no tmp": {"TZ=America/St_Johns", "TMPDIR=" + p.dir},
	} {
		bare := exec.Command("memform", "replay", "p.memform") // found by this process's PATH
		bare.Dir, bare.Env = p.dir, env
		out, err := bare.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		checkIdentical(t, result{code: 0, stdout: string(out)})
	}
}

func TestBundlesAreDeterministic(t *testing.T) {
	p, _ := bundled(t, parts{})
	first := p.read("p.memform")
	p.must(0, "bundle", "results/x", "-o", "again.memform")
	if p.read("again.memform") != first {
		t.Error("two bundles of one run differ")
	}
	project := p.dir
	t.Chdir(t.TempDir())
	p.must(2, "bundle", filepath.Join(project, "results/x"), "--cache", filepath.Join(project, "cache"), "-o", "there.memform")
	p.must(0, "bundle", filepath.Join(project, "results/x"), "--cache", filepath.Join(project, "cache"),
		"--experiment", filepath.Join(project, "x.hcl"), "-o", filepath.Join(project, "there.memform"))
	if p.read("there.memform") != first {
		t.Error("a bundle made from another directory differs")
	}
}

// The instructions hold the digest of the file and a command that works.
func TestBundleInstructs(t *testing.T) {
	p, _ := bundled(t, parts{})
	r := p.must(0, "bundle", "results/x", "-o", "out/paper 1.memform")
	sum := sha256.Sum256([]byte(p.read("out/paper 1.memform")))
	contains(t, "the instruction", r.stdout, hex.EncodeToString(sum[:]), "bin/memform replay 'paper 1.memform'", "sha256sum 'paper 1.memform'")
	if n := strings.Count(r.stdout, "\n"); n > 12 {
		t.Errorf("the instruction has %d lines", n)
	}
}

// One byte changed anywhere is found, and the number or the row is named,
// whether or not the manifest was made to fit.
func TestReplayFindsOneByte(t *testing.T) {
	p, _ := bundled(t, parts{})
	one := func(text, old, new string) string {
		t.Helper()
		if len(old) != len(new) || !strings.Contains(text, old) {
			t.Fatalf("no %q to change", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	letter := regexp.MustCompile(`ANSWER: ([A-D])`)
	for name, test := range map[string]struct {
		edit func(map[string]string)
		says []string
	}{
		"a number of the summary": {func(f map[string]string) {
			f["results/summary.json"] = one(f["results/summary.json"], `"confidence": 0.95`, `"confidence": 0.96`)
		}, []string{"summary confidence: shipped 0.96, replayed 0.95"}},
		"a row": {func(f map[string]string) {
			f["results/case_results.jsonl"] = one(f["results/case_results.jsonl"], `"extraction":"final_line"`, `"extraction":"final_lime"`)
		}, []string{"row 1: ", `.extraction: shipped "final_lime", replayed "final_line"`}},
		"an answer": {func(f map[string]string) {
			const segment = "cache/segments/bundle.jsonl"
			f[segment] = letter.ReplaceAllStringFunc(f[segment], func(string) string { return "ANSWER: Z" })
		}, []string{"missing: call ", "not in bundle", "row 1: ", "summary cells["}},
		"a prompt": {func(f map[string]string) {
			f["prompts/main/decide_system.txt"] += "."
		}, []string{"not in bundle", "row 1: "}},
	} {
		t.Run(name, func(t *testing.T) {
			p.rebundle("p.memform", "bad.memform", func(_ *bundle.Manifest, f map[string]string) { test.edit(f) })
			r := p.must(1, "replay", "bad.memform")
			contains(t, "the replay", r.stdout, test.says...)
			contains(t, "the error", r.stderr, "difference")
		})
	}
	t.Run("under the old manifest", func(t *testing.T) {
		p.write("bad.memform", p.unfit("p.memform", "results/summary.json", func(text string) string {
			return one(text, `an independent`, `an Independent`)
		}))
		r := p.must(1, "replay", "bad.memform")
		contains(t, "the replay", r.stdout, "results/summary.json: its content is not what the bundle's manifest says")
	})
}

// unfit is a bundle with one member changed and the manifest as it was.
func (p *project) unfit(name, member string, edit func(string) string) string {
	p.t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for path, text := range p.members(name) {
		if path == member {
			text = edit(text)
		}
		w, err := z.Create(path)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		p.t.Fatal(err)
	}
	return b.String()
}

// An answer that is not in the bundle makes its prediction missing, with that
// reason in the output.
func TestReplayWithoutOneAnswer(t *testing.T) {
	p, _ := bundled(t, parts{})
	var key string
	p.rebundle("p.memform", "less.memform", func(_ *bundle.Manifest, f map[string]string) {
		const segment = "cache/segments/bundle.jsonl"
		first, rest, _ := strings.Cut(f[segment], "\n")
		var line storedCall
		if err := json.Unmarshal([]byte(first), &line); err != nil {
			t.Fatal(err)
		}
		key, f[segment] = line.Key, rest
	})
	r := p.must(1, "replay", "less.memform")
	contains(t, "the replay", r.stdout, "missing: call "+key+" of node ", "not in bundle", `replayed "missing"`)
	if n := strings.Count(r.stdout, "not in bundle"); n != 1 {
		t.Errorf("%d calls are said to be missing, one is", n)
	}
}

// A run that ended with predictions missing is replayed as it was.
func TestReplayOfARunWithMissingPredictions(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(2)
	p.experiment(s, parts{})
	s.rule.set(func(n int, body string) refusal {
		if sha256.Sum256([]byte(body))[0] < 40 {
			return refuse(http.StatusBadRequest, "context_length_exceeded", "too long")
		}
		return refusal{}
	})
	p.must(3, "run", "x.hcl")
	p.must(0, "bundle", "results/x", "-o", "p.memform")
	r := p.must(0, "replay", "p.memform")
	contains(t, "the replay", r.stdout, "not in bundle", "numbers identical")
}

// What a run took from the program that ran it travels with the bundle: later
// prompts and another simulated model change no number.
func TestReplayUsesThePromptsAndIdentitiesOfTheRun(t *testing.T) {
	p := newProject(t)
	p.families(2)
	p.write("x.hcl", `experiment "x" {}
model "m" { simulated = {} }
cases "mcq" { path = "cases.jsonl" }
run "one" {
  models  = [model.m]
  cases   = [cases.mcq]
  prompts = { decide_system = "mine.txt" }
}
run "two" {
  models = [model.m]
  cases  = [cases.mcq]
}
`)
	p.write("mine.txt", "You decide as you would at work.\nEnd with a line ANSWER: X.\n")
	p.must(0, "run", "x.hcl")
	p.must(0, "bundle", "results/x", "-o", "p.memform")
	for run, want := range map[string]bool{"one": true, "two": false} {
		if got := p.members("p.memform")["prompts/"+run+"/decide_system.txt"] == p.read("mine.txt"); got != want {
			t.Errorf("run %s: its own prompt in force is in the bundle: %v", run, got)
		}
	}
	// As if that wording had been built in when the run was made.
	p.rebundle("p.memform", "old.memform", func(_ *bundle.Manifest, f map[string]string) {
		f["files/x.hcl"] = strings.Replace(f["files/x.hcl"], `prompts = { decide_system = "mine.txt" }`, "", 1)
		delete(f, "files/mine.txt")
	})
	checkIdentical(t, p.must(0, "replay", "old.memform"))

	p.rebundle("p.memform", "other.memform", func(m *bundle.Manifest, _ map[string]string) {
		if id := m.Identities["m"]; !strings.HasPrefix(id, "simulated/") {
			t.Fatalf("identity %q", id)
		}
		m.Identities["m"] = "simulated/0?competence=1"
	})
	contains(t, "a replay under another identity", p.must(1, "replay", "other.memform").stdout, "not in bundle")
}

// Cases whose licence forbids it stay outside, and their digest says whether
// what a reviewer supplies is right.
func TestPartialBundle(t *testing.T) {
	p, _ := bundled(t, parts{})
	p.must(2, "bundle", "results/x", "-o", "q.memform", "--cases-url", "other=https://example.org/c")
	p.must(2, "bundle", "results/x", "-o", "q.memform", "--cases-url", "mcq")
	r := p.must(0, "bundle", "results/x", "-o", "q.memform", "--cases-url", "mcq=https://data.example.org/cases.jsonl")
	contains(t, "the instruction", r.stdout, "https://data.example.org/cases.jsonl", "--cases mcq=FILE")
	if _, ok := p.members("q.memform")["files/cases.jsonl"]; ok {
		t.Error("the cases are inside")
	}
	elsewhere := newProject(t)
	elsewhere.write("q.memform", p.read("q.memform"))
	elsewhere.write("mine.jsonl", p.read("cases.jsonl"))
	r = elsewhere.must(2, "replay", "q.memform")
	contains(t, "the error", r.stderr, "https://data.example.org/cases.jsonl", "--cases mcq=FILE")
	checkIdentical(t, elsewhere.must(0, "replay", "q.memform", "--cases", "mcq=mine.jsonl"))
	elsewhere.edit("mine.jsonl", firstLine(elsewhere.read("mine.jsonl")), "")
	contains(t, "the error", elsewhere.must(2, "replay", "q.memform", "--cases", "mcq=mine.jsonl").stderr, "the run used")
	elsewhere.must(2, "replay", "q.memform", "--cases", "mcq")
	elsewhere.must(2, "replay", "q.memform", "--cases", "mcq=absent.jsonl")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line + "\n"
}

// A bundle holds the answers of its run and no others.
func TestBundleHoldsTheAnswersOfItsRunAlone(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(2)
	p.experiment(s, parts{})
	p.must(0, "run", "x.hcl", "--output-dir", "wide")
	p.must(0, "run", "x.hcl", "--only", "interface=P1", "--output-dir", "narrow")
	p.must(0, "bundle", "narrow", "-o", "narrow.memform")
	used := map[string]bool{}
	for _, c := range jsonLines[callLine](p, "narrow/calls.jsonl") {
		used[c.Key] = true
	}
	lines := strings.Count(p.members("narrow.memform")["cache/segments/bundle.jsonl"], "\n")
	if lines != len(used) || lines >= len(p.stored("cache")) {
		t.Errorf("%d answers are bundled, the run used %d of %d", lines, len(used), len(p.stored("cache")))
	}
	checkIdentical(t, p.must(0, "replay", "narrow.memform"))
}

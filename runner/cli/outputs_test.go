package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// repository is its root, found before any test changes the directory.
var repository = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}()

// shippedProject is a project with copies of files of the repository.
func shippedProject(t *testing.T, names ...string) *project {
	t.Helper()
	texts := map[string]string{}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(b)
	}
	p := newProject(t)
	for name, text := range texts {
		p.write(name, text)
	}
	return p
}

func quickstart(t *testing.T) *project {
	return shippedProject(t, "experiments/quickstart.hcl", "outputs/mcq_item_audit/accepted_cases.jsonl")
}

// The first run sends, the second finds every answer and writes the same
// bytes, and scoring alone reproduces the summary.
func TestQuickstart(t *testing.T) {
	p := quickstart(t)
	const file, dir = "experiments/quickstart.hcl", "results/quickstart/"
	r := p.must(0, "plan", file)
	contains(t, "plan", r.stdout, "Nothing was sent", "to run")
	if p.exists("cache") || p.exists("results") {
		t.Errorf("plan wrote %v", p.files())
	}
	first := p.must(0, "run", file)
	contains(t, "the table", first.stdout, "simulated, not a finding", "memform-open", "sha256")
	want := map[string]string{}
	for _, name := range resultFiles {
		want[name] = p.read(dir + name)
	}
	r = p.must(0, "plan", file)
	contains(t, "plan", r.stdout, "0 calls to run")
	second := p.must(0, "run", file)
	contains(t, "the second run", second.stderr, "0 calls to run now", "0 calls sent")
	for _, name := range resultFiles {
		if p.read(dir+name) != want[name] {
			t.Errorf("%s changed in the second run", name)
		}
	}
	if first.stdout != second.stdout {
		t.Errorf("the tables differ:\n%s\n%s", first.stdout, second.stdout)
	}
	for line := range strings.Lines(first.stdout) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
	// Every number of the summary comes from the rows alone.
	spoilt := regexp.MustCompile(`("(?:numerator|denominator|missing|value|cases|families|predictions)": )[0-9.]+`).ReplaceAllString(want["summary.json"], "${1}777")
	own := regexp.MustCompile(`"cases": [0-9]+`).FindString(want["summary.json"]) // the data set's, which rows do not tell
	p.write(dir+"summary.json", strings.Replace(spoilt, `"cases": 777`, own, 1))
	r = p.must(0, "score", "results/quickstart")
	if p.read(dir+"summary.json") != want["summary.json"] {
		t.Error("score does not reproduce summary.json")
	}
	if r.stdout != first.stdout {
		t.Error("score prints another table than the run")
	}
	for _, format := range []string{"csv", "markdown"} {
		r := p.must(0, "score", "results/quickstart", "--format", format)
		contains(t, format, r.stdout, "simulated, not a finding")
	}
}

// validated checks every document of an output file against the schema that
// `memform schema` prints for it, and returns how many there are.
func validated(t *testing.T, p *project, name, file string) int {
	t.Helper()
	text := p.must(0, "schema", name).stdout
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
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
	content := []byte(p.read(file))
	if strings.HasSuffix(file, ".zst") {
		d, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if content, err = d.DecodeAll(content, nil); err != nil {
			t.Fatal(err)
		}
	}
	documents := [][]byte{content}
	if strings.Contains(file, ".jsonl") {
		documents = bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
	}
	for _, d := range documents {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(d))
		if err != nil {
			t.Fatalf("%s: %v: %s", file, err, d)
		}
		if err := s.Validate(v); err != nil {
			t.Fatalf("%s is not what schema %s says: %v\n%.600s", file, name, err, d)
		}
	}
	return len(documents)
}

// Every file of a run is what its schema says: of a whole run, of one with
// results missing, and the cache's own lines.
func TestOutputsMatchTheirSchemas(t *testing.T) {
	t.Run("whole", func(t *testing.T) {
		p := quickstart(t)
		p.must(0, "run", "experiments/quickstart.hcl")
		outputsMatch(t, p, "results/quickstart/")
		if p.exists("results/quickstart/missing.jsonl") {
			t.Error("missing.jsonl is there, nothing is missing")
		}
		validated(t, p, "case", "outputs/mcq_item_audit/accepted_cases.jsonl")
	})
	t.Run("partial", func(t *testing.T) {
		p, one, two := newProject(t), newChatServer(t), newChatServer(t)
		twoEndpoints(p, one, two)
		p.edit("x.hcl", `phases = ["oracle", "learned"]`, strings.TrimSpace(everything))
		one.rule.set(func(_ int, body string) refusal {
			if modelOf(body) == "gpt-9" {
				return refuse(404, "model_not_found", "no such model")
			}
			return refusal{}
		})
		p.must(3, "run", "x.hcl")
		outputsMatch(t, p, "results/x/")
		validated(t, p, "missing", "results/x/missing.jsonl")
	})
}

func outputsMatch(t *testing.T, p *project, dir string) {
	t.Helper()
	for file, name := range map[string]string{
		"manifest.json": "manifest", "plan.json": "plan", "plan.jsonl.zst": "plan-node", "calls.jsonl": "calls",
		"case_results.jsonl": "case-result", "summary.json": "summary",
	} {
		if n := validated(t, p, name, dir+file); strings.Contains(file, ".jsonl") && n < 10 {
			t.Errorf("%s has %d lines", file, n)
		}
	}
	segments, err := filepath.Glob("cache/segments/*.jsonl")
	if err != nil || len(segments) != 1 {
		t.Fatalf("segments %v, %v", segments, err)
	}
	validated(t, p, "cache-entry", segments[0])
}

// Nothing in the results names a machine, a user, a server or an absolute
// path, however the run was called.
func TestResultsNameNoPlaceAndNoUser(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	killed(p, s)
	p.edit("x.hcl", `  identity = "fixture"`, "") // the identity is then the URL
	p.edit("x.hcl", `"`+s.URL+`/v1"`, `"${env("SERVER")}/v1"`)
	p.env = map[string]string{"SERVER": s.URL, "HOME": "/home/distinctive-home", "USER": "distinctive-user", "LOGNAME": "distinctive-user"}
	args := []string{"run", filepath.Join(p.dir, "x.hcl"), "--cache", filepath.Join(p.dir, "cache"), "--output-dir", filepath.Join(p.dir, "results", "x")}
	s.rule.set(func(n int, _ string) refusal {
		if n%9 == 0 {
			return refuse(400, "context_length_exceeded", "too long")
		}
		return refusal{}
	})
	p.must(3, args...)
	forbidden := []string{p.dir, "distinctive", "127.0.0.1", "localhost", s.URL}
	if host, err := os.Hostname(); err == nil && len(host) > 4 {
		forbidden = append(forbidden, host)
	}
	for _, name := range p.files() {
		if !strings.HasPrefix(name, "results/") {
			continue
		}
		text := p.read(name)
		if strings.HasSuffix(name, ".zst") {
			d, err := zstd.NewReader(nil)
			if err != nil {
				t.Fatal(err)
			}
			b, err := d.DecodeAll([]byte(text), nil)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
			d.Close()
		}
		for _, secret := range forbidden {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("%s holds %q: …%s", name, secret, text[max(0, at-60):min(len(text), at+60)])
			}
		}
	}
}

// A file of cases in the bare shape plans and runs, with the simulated model
// and at a server.
func TestForeignCases(t *testing.T) {
	const foreign = "runner/cases/testdata/foreign.jsonl"
	p, s := shippedProject(t, foreign), newChatServer(t)
	p.write("cases.jsonl", p.read(foreign))
	p.experiment(s, parts{run: everything})
	p.edit("x.hcl", `cases "mcq" {`, "model \"simulated\" {\n  simulated = {}\n}\n\ncases \"mcq\" {")
	p.edit("x.hcl", "[model.agent]", "[model.agent, model.simulated]")
	r := p.must(0, "plan", "x.hcl")
	contains(t, "plan", r.stdout, "agent", "simulated")
	p.must(0, "run", "x.hcl")
	interfaces := map[string]int{}
	for _, row := range jsonLines[struct {
		Model, Interface string
		Predictions      map[string]struct{ Outcome, Extraction string }
	}](p, "results/x/case_results.jsonl") {
		interfaces[row.Model+" "+row.Interface]++
		for condition, got := range row.Predictions {
			if got.Outcome != "answer" || got.Extraction != "final_line" {
				t.Errorf("%s, %s, %s: %+v", row.Model, row.Interface, condition, got)
			}
		}
	}
	for _, model := range []string{"agent", "simulated"} {
		for _, in := range []string{"P1", "P2", "P3", "P4", "P5"} {
			if interfaces[model+" "+in] == 0 {
				t.Errorf("no row of model %s at %s: %v", model, in, interfaces)
			}
		}
	}
}

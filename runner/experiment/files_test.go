package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// files is a file system of the given texts, with the case files in place.
func files(texts map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{
		"outputs/mcq_item_audit/accepted_cases.jsonl":      &fstest.MapFile{},
		"outputs/freeform_item_audit/accepted_cases.jsonl": &fstest.MapFile{},
	}
	for name, text := range texts {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func readPaths(exp *Experiment) []string {
	var names []string
	for _, f := range exp.Files {
		names = append(names, filepath.ToSlash(f.Path))
	}
	return names
}

func TestInclude(t *testing.T) {
	fsys := files(map[string]string{
		"experiments/x.hcl":           "include = [\"lib/a.hcl\", \"lib/b.hcl\"]\n" + head,
		"experiments/lib/a.hcl":       "include = [\"../shared\"]\nmodel \"a\" { simulated = {} }\n",
		"experiments/lib/b.hcl":       "include = [\"../shared/one.hcl\"]\ncases \"b\" { path = \"../../outputs/mcq_item_audit/accepted_cases.jsonl\" }\n",
		"experiments/shared/one.hcl":  "model \"one\" {\n simulated = jsondecode(file(\"sim.json\"))\n}\n",
		"experiments/shared/two.hcl":  "model \"two\" { simulated = {} }\n",
		"experiments/shared/no.txt":   "not read",
		"experiments/shared/sim.json": `{"competence": 0.25}`,
	})
	exp, diags := load(t, "", Options{FS: fsys})
	if exp == nil {
		t.Fatal(diags)
	}
	want := []string{
		"experiments/x.hcl", "experiments/lib/a.hcl", "experiments/shared/one.hcl", "experiments/shared/two.hcl",
		"experiments/lib/b.hcl", "experiments/shared/sim.json",
	}
	if diff := cmp.Diff(want, readPaths(exp)); diff != "" {
		t.Error(diff)
	}
	var models []string
	for _, m := range exp.Models {
		models = append(models, m.Name)
	}
	if diff := cmp.Diff([]string{"s", "a", "one", "two"}, models); diff != "" {
		t.Error(diff)
	}
	if exp.Models[2].Simulated.Competence != 0.25 {
		t.Error("file() is not relative to the declaring file")
	}
	if exp.Cases[1].Path != "outputs/mcq_item_audit/accepted_cases.jsonl" {
		t.Errorf("path %s is not relative to the declaring file", exp.Cases[1].Path)
	}
}

func TestIncludeCycle(t *testing.T) {
	fsys := files(map[string]string{
		"experiments/x.hcl": "include = [\"a.hcl\"]\n" + head,
		"experiments/a.hcl": "include = [\"b.hcl\"]\n",
		"experiments/b.hcl": "include = [\"./a.hcl\"]\n",
	})
	_, diags := load(t, "", Options{FS: fsys})
	if len(diags) != 1 || !strings.Contains(filepath.ToSlash(diags[0].Detail), "experiments/a.hcl → experiments/b.hcl → experiments/a.hcl") {
		t.Fatal(diags)
	}
	if d := diags[0]; d.Subject.Filename != filepath.FromSlash("experiments/b.hcl") || d.Subject.Start.Column != 12 {
		t.Errorf("at %s", d.Subject)
	}
}

func TestPathsAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.hcl": "experiment \"x\" {}\nrun \"r\" {\n models = [model.s]\n cases = [cases.c]\n}\n",
		"b.hcl": "model \"s\" { simulated = {} }\ncases \"c\" { path = \"c.jsonl\" }\n", ".hidden.hcl": "nonsense",
		"c.jsonl": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("b.hcl", filepath.Join(dir, "z.hcl")); err != nil {
		t.Skip(err)
	}
	exp, _, diags := Load([]string{dir, filepath.Join(dir, "..", filepath.Base(dir), "a.hcl")}, Options{})
	if exp == nil {
		t.Fatal(diags)
	}
	if len(exp.Files) != 2 || len(exp.Models) != 1 {
		t.Errorf("read %v", readPaths(exp))
	}
}

// Loading two experiments is one mistake, however much they share.
func TestTwoExperiments(t *testing.T) {
	fsys := files(map[string]string{"experiments/a.hcl": head, "experiments/b.hcl": head})
	_, _, diags := Load([]string{"experiments"}, Options{FS: fsys})
	if len(diags) != 1 || diags[0].Summary != "a second experiment block" || !strings.Contains(diags[0].Detail, "a.hcl:2:1") {
		t.Error(diags)
	}
}

func TestMissingPaths(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"experiments/y", "cannot read experiments/y: no such file or directory"},
		{"experiments/x", `Did you mean "experiments/x.hcl"?`},
		{"outputs/mcq_item_audit", "no experiment file in outputs/mcq_item_audit"},
	} {
		exp, _, diags := Load([]string{c.path}, Options{FS: files(map[string]string{"experiments/x.hcl": head})})
		if exp != nil || len(diags) != 1 || !strings.Contains(filepath.ToSlash(diags[0].Summary+" "+diags[0].Detail), c.want) {
			t.Errorf("%s: %v", c.path, diags)
		}
	}
	if exp, _, diags := Load(nil, Options{}); exp != nil || len(diags) != 1 {
		t.Error(diags)
	}
}

func TestPrompts(t *testing.T) {
	src := strings.Replace(head, "cases  =", "prompts = { decide_user = \"p/mine.txt\" }\ncases  =", 1)
	exp, diags := load(t, "", Options{FS: files(map[string]string{"experiments/x.hcl": src, "experiments/p/mine.txt": "é"})})
	if exp == nil {
		t.Fatal(diags)
	}
	if diff := cmp.Diff(map[string]string{"decide_user": filepath.FromSlash("experiments/p/mine.txt")}, exp.Runs[0].Prompts); diff != "" {
		t.Error(diff)
	}
}

// A text read by file() is a value like any other: normalised, with a warning
// where the call stands.
func TestFileWarnsOfNFC(t *testing.T) {
	src := strings.Replace(head, "{ base_url", "{\n identity = file(\"id.txt\")\n base_url", 1)
	src = strings.Replace(src, "org\" }", "org\"\n}", 1)
	exp, diags := load(t, "", Options{FS: files(map[string]string{"experiments/x.hcl": src, "experiments/id.txt": "cafe\u0301"})})
	if exp == nil || exp.Endpoints[0].Identity != "caf\u00e9" {
		t.Fatal(diags)
	}
	if len(diags) != 1 || diags[0].Subject.Start.Line != 4 || !strings.Contains(diags[0].Summary, "NFC") {
		t.Error(diags)
	}
}

// Two loads of the same files are equal, diagnostics included.
func TestDeterminism(t *testing.T) {
	paths, err := filepath.Glob("testdata/bad/*.hcl")
	if err != nil {
		t.Fatal(err)
	}
	paths = append(paths, "testdata/twelve.hcl")
	_, first, diags := Load(paths, Options{})
	want := printed(t, first, diags)
	for range 4 {
		_, again, diags := Load(paths, Options{})
		if got := printed(t, again, diags); got != want {
			t.Fatal(cmp.Diff(want, got))
		}
	}
}

package experiment

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

const repo = "../.."

// tree reads the experiment files of the repo, with a case file in place
// whether or not the cases are built.
func tree(t *testing.T) fstest.MapFS {
	t.Helper()
	names, err := filepath.Glob(repo + "/experiments/*.hcl")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d shipped experiments, %v", len(names), err)
	}
	fsys := files(nil)
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fsys["experiments/"+filepath.Base(name)] = &fstest.MapFile{Data: src}
	}
	return fsys
}

func TestShippedExperiments(t *testing.T) {
	fsys := tree(t)
	for name, file := range fsys {
		if path.Ext(name) != ".hcl" {
			continue
		}
		exp, source, diags := Load([]string{name}, Options{FS: fsys})
		if exp == nil || len(diags) > 0 {
			t.Errorf("%s:\n%s", name, printed(t, source, diags))
		}
		formatted, diags := Format(file.Data, name)
		if diff := cmp.Diff(string(file.Data), string(formatted)); diff != "" || diags != nil {
			t.Errorf("%s is not formatted: %v\n%s", name, diags, diff)
		}
	}
}

// experiments/reference.hcl shows everything that is in force.
func TestReferenceExperimentIsComplete(t *testing.T) {
	src := tree(t)["experiments/reference.hcl"].Data
	parsed, diags := hclsyntax.ParseConfig(src, "reference.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	shown := map[string]bool{}
	for _, b := range parsed.Body.(*hclsyntax.Body).Blocks {
		kind, body := b.Type, b.Body
		if kind == "dynamic" {
			kind, body = b.Labels[0], b.Body.Blocks[0].Body
		}
		for name := range body.Attributes {
			shown[kind+"."+name] = true
		}
		for _, inner := range body.Blocks {
			for name := range inner.Body.Attributes {
				shown[inner.Type+"."+name] = true
			}
		}
	}
	for i := range language {
		for j := range language[i].attrs {
			a := &language[i].attrs[j]
			if name := language[i].name + "." + a.name; language[i].effective && a.effective && !shown[name] {
				t.Errorf("%s is not shown", name)
			}
		}
	}
}

func TestReference(t *testing.T) {
	golden(t, repo+"/docs/reference.md", Reference())
}

var fence = regexp.MustCompile("(?ms)^```hcl( file=\\S+)?\n(.*?)^```$")

// Every example of the language's document loads without a warning and is
// formatted. One with file=NAME is a file that the others may include.
func TestDocumentExamples(t *testing.T) {
	doc, err := os.ReadFile(repo + "/docs/experiment-language.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := fence.FindAllSubmatch(doc, -1)
	if len(examples) < 5 || len(examples) != bytes.Count(doc, []byte("```hcl")) {
		t.Fatalf("%d examples found, %d begun", len(examples), bytes.Count(doc, []byte("```hcl")))
	}
	fsys := files(map[string]string{"experiments/prompts/decide_user.txt": "", "experiments/models.json": `{"a": "gpt-4o-mini"}`, "results/first/case_results.jsonl": ""})
	for _, e := range examples {
		if name := strings.TrimPrefix(string(e[1]), " file="); name != "" {
			fsys["experiments/"+name] = &fstest.MapFile{Data: e[2]}
		}
	}
	for _, e := range examples {
		if formatted, _ := Format(e[2], "example"); string(formatted) != string(e[2]) {
			t.Errorf("not formatted:\n%s", cmp.Diff(string(e[2]), string(formatted)))
		}
		if len(e[1]) > 0 {
			continue
		}
		fsys["experiments/example.hcl"] = &fstest.MapFile{Data: e[2]}
		if exp, source, diags := Load([]string{"experiments/example.hcl"}, Options{FS: fsys}); exp == nil || len(diags) > 0 {
			t.Errorf("%s\n%s", e[2], printed(t, source, diags))
		}
	}
}

// A fresh project holds the same quickstart and the same example family as
// the repo, keeps keys out of git and loads once its cases are built.
func TestScaffold(t *testing.T) {
	var names []string
	err := fs.WalkDir(Scaffold(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		".env.example", ".gitignore", "cache/README.md", "experiments/quickstart.hcl", "families/README.md",
		"families/accounts_payable.hcl", "outputs/README.md",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"experiments/quickstart.hcl", "families/accounts_payable.hcl"} {
		ours, err := os.ReadFile(filepath.Join(repo, name))
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(filepath.Join("scaffold", name), ours, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if theirs, err := fs.ReadFile(Scaffold(), name); err != nil || !bytes.Equal(ours, theirs) {
			t.Errorf("%s differs from the repo's (run with -update): %v", name, err)
		}
	}
	ignored, err := fs.ReadFile(Scaffold(), ".gitignore")
	if err != nil || !strings.HasPrefix(string(ignored), ".env\n") {
		t.Errorf(".env is not ignored: %v", err)
	}
}

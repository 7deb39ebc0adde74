// Package runner_test holds the one test that no single package can hold: who
// may import whom. The table is the architecture; a new package adds its row.
package runner_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "memform"

// all marks the one package that wires the others.
const all = "*"

// mayImport lists, per package (below runner/, "." is main), the packages of
// this module that it may import. Tests may import more; the program may not.
var mayImport = map[string][]string{
	".":               {"cli"},
	"cli":             {all},
	"experiment":      {"protocol", "defense"}, // name tables
	"cases":           {},
	"cases/casestest": {"cases", "cases/generated"}, // test support: imported by tests only
	"cases/generated": {"cases"},
	"construct":       {"cases"},
	"audit":           {"construct", "cases", "stats", "audit/lexical"},
	"audit/lexical":   {},
	"croissant":       {},
	"review":          {"construct", "cases"},
	"prompts":         {},
	"llm":             {},
	"protocol":        {"llm", "prompts", "cases"},
	"defense":         {"protocol", "llm", "prompts", "cases"},
	"plan":            {"experiment", "cases", "prompts", "protocol", "defense", "llm", "llm/tokens"},
	"execute":         {"plan", "protocol", "llm"},
	"cache":           {},
	"llm/openai":      {"llm"},
	"llm/cached":      {"llm", "cache"},
	"llm/limit":       {"llm"},
	"llm/retry":       {"llm"},
	"llm/tokens":      {},
	"llm/budget":      {"llm"},
	"llm/simulated":   {"llm", "cases"},
	"stats":           {},
	"score":           {"plan", "protocol", "defense", "cases", "llm", "stats"}, // defense: names of methods
	"report":          {"score"},
	"bench":           {}, // benchmarks only
	"bundle":          {"plan", "cache", "score"},
	"schema":          {},

	"probe":               {"llm"},
	"adapters":            {}, // the folder beside runner: files alone
	"gateway":             {"llm"},
	"stack":               {"llm"},
	"stack/bridge":        {"llm", "gateway", "stack"},
	"stack/conformance":   {"llm", "gateway", "stack", "stack/bridge"},
	"llm/faultserver":     {}, // test support
	"llm/faultserver/cmd": {"llm/faultserver"},
}

// testSupport packages may be imported by test files, and by what lies below
// them, only.
var testSupport = []string{"cases/casestest", "llm/faultserver"}

// only lists who may import a package that stays behind one door.
var only = map[string][]string{
	"github.com/sashabaranov/go-openai": {"llm/openai"},
	"net/http":                          {"cli", "gateway", "llm/openai", "llm/simulated", "llm/faultserver", "llm/faultserver/cmd"},
	"github.com/spf13/cobra":            {"cli"},
	"github.com/rs/zerolog":             {"cli"},
	"github.com/joho/godotenv":          {"cli"},
	"github.com/hashicorp/hcl/v2":       {"cli", "experiment", "construct", "audit"},
	"math/rand":                         {"llm/retry", "cases/generated", "stats"}, // jitter; seeded test data; seeded resamples
}

// pure packages compute: values in, values out. They open no file, reach no
// network and start no program.
var pure = []string{"llm", "protocol", "defense", "plan", "execute", "score", "stats", "report"}

// impure is what a pure package does not import.
var impure = []string{"os", "os/exec", "io/ioutil", "net", "net/http", "syscall"}

// env are the functions of package os that only cli and main may use.
var env = []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv"}

type goPackage struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

// rowName is a package's row: its path below runner/, "." for main, "" for
// whatever is not ours.
func rowName(importPath string) string {
	switch {
	case importPath == module:
		return "."
	case strings.HasPrefix(importPath, module+"/runner/"):
		return strings.TrimPrefix(importPath, module+"/runner/")
	case importPath == module+"/adapters":
		return "adapters"
	}
	return ""
}

func TestLayering(t *testing.T) {
	for _, p := range list(t) {
		if len(p.GoFiles) == 0 {
			continue // test files only
		}
		for _, fault := range faults(p) {
			t.Errorf("%s %s", p.ImportPath, fault)
		}
		for _, fault := range environment(t, p) {
			t.Errorf("%s %s", p.ImportPath, fault)
		}
	}
}

// TestLayeringFails shows that each rule can fail.
func TestLayeringFails(t *testing.T) {
	tests := []struct{ importer, imported, want string }{
		{"memform", "memform/runner/plan", "may import cli"},
		{"memform/runner/cache", "memform/runner/llm", "may import nothing"},
		{"memform/runner/plan", "memform/runner/execute", "may import experiment"},
		{"memform/runner/cli", "memform/runner/cases/casestest", "only test files"},
		{"memform/runner/cli", "github.com/sashabaranov/go-openai", "llm/openai"},
		{"memform/runner/llm/openai", "github.com/sashabaranov/go-openai/jsonschema", ""},
		{"memform/runner/plan", "net/http", "cli, gateway"},
		{"memform/runner/report", "os", "pure"},
		{"memform/runner/util", "fmt", "no row"},
		{"memform/runner/plan", "memform/runner/cases", ""},
		{"memform/runner/cli", "memform/runner/llm/retry", ""},
	}
	for _, tt := range tests {
		got := strings.Join(faults(goPackage{ImportPath: tt.importer, Imports: []string{tt.imported}}), "\n")
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s importing %s: got %q, want it to say %q", tt.importer, tt.imported, got, tt.want)
		}
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", `package p; import "os"; var a, b = os.Getenv("A"), os.Args`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(environmentUses(f)); n != 1 {
		t.Errorf("found %d uses of the environment, want 1", n)
	}
}

// faults names every import of p that its rows forbid.
func faults(p goPackage) []string {
	var out []string
	name := rowName(p.ImportPath)
	allowed, known := mayImport[name]
	if name == "" || !known {
		return []string{"has no row in mayImport: add one that says what it may import"}
	}
	for _, imp := range p.Imports {
		if row := rowName(imp); row != "" || strings.HasPrefix(imp, module+"/") {
			if !slices.Contains(allowed, all) && !slices.Contains(allowed, row) {
				out = append(out, "imports "+imp+"; it may import "+names(allowed))
			}
			if slices.Contains(testSupport, row) && !within(name, row) {
				out = append(out, "imports "+imp+", which only test files may")
			}
			continue
		}
		for door, who := range only {
			if within(imp, door) && !slices.Contains(who, name) {
				out = append(out, "imports "+imp+"; only these may: "+names(who))
			}
		}
		if slices.Contains(impure, imp) && slices.Contains(pure, name) {
			out = append(out, "imports "+imp+", but it is pure: take the value from the caller")
		}
	}
	slices.Sort(out)
	return out
}

// within reports whether imp is door or lies below it.
func within(imp, door string) bool { return imp == door || strings.HasPrefix(imp, door+"/") }

func names(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

// environment finds uses of the process environment outside cli and main.
func environment(t *testing.T, p goPackage) []string {
	t.Helper()
	if n := rowName(p.ImportPath); n == "." || n == "cli" || !slices.Contains(p.Imports, "os") {
		return nil
	}
	var out []string
	fset := token.NewFileSet()
	for _, file := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, pos := range environmentUses(f) {
			at := fset.Position(pos)
			out = append(out, "reads the environment at "+filepath.Base(at.Filename)+":"+
				strconv.Itoa(at.Line)+"; cli reads it and passes the value in")
		}
	}
	return out
}

func environmentUses(f *ast.File) []token.Pos {
	var out []token.Pos
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(env, sel.Sel.Name) {
			out = append(out, sel.Pos())
		}
		return true
	})
	return out
}

// list asks the go command for every package of this module.
func list(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var out []goPackage
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		t.Fatal("go list found no package")
	}
	return out
}

package runner_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// complaints is how many reports the table answers.
const complaints = 68

var (
	complaintRow = regexp.MustCompile(`^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)
	reportShape  = regexp.MustCompile(`^[\w.-]+/[\w.-]+#\d+$`)
	namedTest    = regexp.MustCompile("`([a-z/]+)\\.((?:Test|Fuzz|Benchmark)\\w+)(?:/(\\w+))?`")
)

// TestComplaints: every row of testdata/complaints.md is complete, and each
// test that it names exists.
func TestComplaints(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "complaints.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]map[string]bool{} // package → tests
	n := 0
	for line := range strings.Lines(string(text)) {
		row := complaintRow.FindStringSubmatch(strings.TrimSpace(line))
		if row == nil {
			continue
		}
		n++
		if row[1] != fmt.Sprint(n) {
			t.Errorf("row %d has the number %s", n, row[1])
		}
		for _, report := range strings.Split(row[3], ", ") {
			if !reportShape.MatchString(report) {
				t.Errorf("row %d: %q is not owner/name#number", n, report)
			}
		}
		if err := answered(row[4], known); err != nil {
			t.Errorf("row %d: %v", n, err)
		}
	}
	if n != complaints {
		t.Errorf("%d rows, want %d", n, complaints)
	}
}

// answered checks a row's last cell: tests that exist, or a reason.
func answered(cell string, known map[string]map[string]bool) error {
	reason, isReason := strings.CutPrefix(cell, "n/a: ")
	named := namedTest.FindAllStringSubmatch(cell, -1)
	if isReason && len(reason) < 20 || !isReason && len(named) == 0 {
		return fmt.Errorf("neither a test nor a reason: %s", cell)
	}
	if !isReason && strings.TrimLeft(namedTest.ReplaceAllString(cell, ""), ", ") != "" {
		return fmt.Errorf("not a list of tests: %s", cell)
	}
	for _, m := range named {
		pkg, name, script := m[1], m[2], m[3]
		if known[pkg] == nil {
			found, err := testsOf(pkg)
			if err != nil {
				return err
			}
			known[pkg] = found
		}
		if !known[pkg][name] {
			return fmt.Errorf("there is no %s.%s", pkg, name)
		}
		if script != "" {
			if _, err := os.Stat(filepath.Join(pkg, "testdata", "script", script+".txtar")); err != nil {
				return err
			}
		}
	}
	return nil
}

// testsOf lists the tests that a package's test files declare.
func testsOf(pkg string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				out[fn.Name.Name] = true
			}
		}
	}
	return out, nil
}

// TestComplaintsFails shows that the check can fail.
func TestComplaintsFails(t *testing.T) {
	for cell, ok := range map[string]bool{
		"`cli.TestChaos`":                       true,
		"`cli.TestChaos`, `cli.TestShow`":       false,
		"`cli.TestScripts/server`":              true,
		"`cli.TestScripts/nothing`":             false,
		"`nowhere.TestChaos`":                   false,
		"cli.TestChaos":                         false,
		"`cli.TestChaos` and so on":             false,
		"n/a: no":                               false,
		"n/a: there is no batch interface here": true,
		"":                                      false,
	} {
		if err := answered(cell, map[string]map[string]bool{}); (err == nil) != ok {
			t.Errorf("%q: %v", cell, err)
		}
	}
}

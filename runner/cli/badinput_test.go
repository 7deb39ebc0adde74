package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"memform/runner/cases/casestest"
)

// A file of twelve mistakes prints twelve diagnostics, each with its place,
// its source line and what to do, and nothing is written.
func TestTwelveMistakesAtOnce(t *testing.T) {
	const dir = "runner/experiment/testdata/"
	p := shippedProject(t, dir+"twelve.hcl", dir+"twelve.golden", dir+"base/cases.jsonl")
	t.Chdir(filepath.Join(p.dir, dir))
	before := p.files()
	heads := regexp.MustCompile(`(?m)^Error: testdata/(.*)$`).FindAllStringSubmatch(p.read(dir+"twelve.golden"), -1)
	if len(heads) != 12 {
		t.Fatalf("the fixture has %d mistakes", len(heads))
	}
	source := strings.Split(p.read(dir+"twelve.hcl"), "\n")
	for _, command := range []string{"validate", "plan", "run"} {
		r := p.must(2, command, "twelve.hcl")
		if n := strings.Count(r.stderr, "Error: "); n != 12 {
			t.Errorf("%s: %d diagnostics", command, n)
		}
		for _, h := range heads {
			contains(t, command, r.stderr, "Error: "+h[1])
			var line int
			for _, c := range strings.Split(h[1], ":")[1] {
				line = 10*line + int(c-'0')
			}
			if !strings.Contains(source[line-1], "sk-proj") { // a key is not shown
				contains(t, command, r.stderr, source[line-1])
			}
		}
		contains(t, command, r.stderr, "12 mistakes; nothing was sent or written")
		if strings.Contains(r.stderr, "sk-proj") {
			t.Errorf("%s shows what may be a key", command)
		}
	}
	if after := p.files(); strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Errorf("written: %v", after)
	}
}

// Each kind of broken case is named by line, case and field, all at once.
func TestBrokenCasesAreNamedByLineCaseAndField(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	lines := strings.SplitAfter(string(casestest.JSONL(3, 7)), "\n")
	broken := append([]string(nil), lines...)
	broken[1] = lines[1][:len(lines[1])/2] + "\n"
	broken[4] = regexp.MustCompile(`"clean_answer":"[A-D]"`).ReplaceAllString(lines[4], `"clean_answer":"Z"`)
	broken[7] = lines[5] // a P1 case for the second time
	broken[9] = strings.Replace(lines[9], `"text":"`, `"text":"`+"\xff", 1)
	// P5: the poisoned order loses its last record.
	broken[14] = regexp.MustCompile(`("poisoned_condition":\{"order":\[.*?),"[0-9a-f]{8}"\]`).ReplaceAllString(lines[14], `$1]`)
	for i, what := range map[int]string{1: "cut", 4: "answer", 7: "twice", 9: "bytes", 14: "order"} {
		if broken[i] == lines[i] {
			t.Fatalf("the fixture did not change line %d (%s)", i+1, what)
		}
	}
	p.write("cases.jsonl", strings.Join(broken, ""))
	p.experiment(s, parts{})
	for _, command := range []string{"validate", "plan", "run"} {
		r := p.must(2, command, "x.hcl")
		for line, field := range map[string]string{
			"2": "JSON", "5": "trigger_tasks[0].clean_answer", "8": "case_id", "10": "UTF-8", "15": "memory_building",
		} {
			found := regexp.MustCompile(`(?m)cases\.jsonl:` + line + `: .*$`).FindString(r.stderr)
			if !strings.Contains(found, field) {
				t.Errorf("%s: line %s should name %s, got %q in\n%s", command, line, field, found, r.stderr)
			}
			if line != "10" && !strings.Contains(found, "gen.") { // a line that is no text has no case yet
				t.Errorf("%s: line %s names no case: %q", command, line, found)
			}
		}
		contains(t, command, r.stderr, "x.hcl:") // where the file is named
	}
	if s.sent() != 0 || p.exists("results") || p.exists("cache") {
		t.Errorf("%d calls sent; files %v", s.sent(), p.files())
	}
}

// A saved plan runs as long as what it was made from is the same, and says
// which part is not.
func TestStalePlanNamesWhatChanged(t *testing.T) {
	for name, test := range map[string]struct {
		change func(p *project)
		part   string // "" = still good
	}{
		"cases": {func(p *project) {
			p.write("cases.jsonl", strings.Replace(p.read("cases.jsonl"), `"task":"`, `"task":"Today. `, 1))
		}, "cases"},
		"prompt":    {func(p *project) { p.write("decide.txt", p.read("decide.txt")+"\nBe brief.\n") }, "prompts"},
		"variable":  {func(p *project) { p.edit("x.hcl", "default = 1", "default = 2") }, "variables"},
		"parameter": {func(p *project) { p.edit("x.hcl", "max_tokens  = 512", "max_tokens  = 500") }, "values"},
		"identity":  {func(p *project) { p.edit("x.hcl", `identity = "fixture"`, `identity = "other"`) }, "identities"},
		"comment":   {func(p *project) { p.edit("x.hcl", `experiment "x" {`, "# why\nexperiment \"x\" {") }, ""},
		"price":     {func(p *project) { p.edit("x.hcl", "price = { input = 1,", "price = { input = 7,") }, ""},
		"limit":     {func(p *project) { p.edit("x.hcl", "max_in_flight = 8", "max_in_flight = 9") }, ""},
		"cache":     {func(p *project) { p.must(0, "run", "x.hcl", "--output-dir", "earlier") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := newProject(t), newChatServer(t)
			p.families(2)
			prompt, err := os.ReadFile(filepath.Join(repository, "runner/prompts/files/decide_system.txt"))
			if err != nil {
				t.Fatal(err)
			}
			p.write("decide.txt", string(prompt))
			p.experiment(s, parts{
				endpoint: "max_in_flight = 8", model: "price = { input = 1, output = 2 }",
				cases: "families = var.families", run: "phases = [\"oracle\"]\n  prompts = { decide_system = \"decide.txt\" }",
			})
			p.edit("x.hcl", `experiment "x" {`, "variable \"families\" {\n  type    = number\n  default = 1\n}\n\nexperiment \"x\" {")
			p.must(0, "plan", "x.hcl", "--out", "x.plan")
			test.change(p)
			sent := s.sent()
			if test.part == "" {
				p.must(0, "run", "x.plan")
				return
			}
			r := p.must(2, "run", "x.plan")
			contains(t, "stderr", r.stderr, "stale", test.part, "memform plan --out")
			if s.sent() != sent || p.exists("results") {
				t.Error("a stale plan was run")
			}
		})
	}
}

// A saved plan keeps the narrowing and the variables it was made with.
func TestSavedPlanKeepsItsNarrowing(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	killed(p, s)
	narrow := p.planned("x.hcl", "--only", "interface=P1", "--limit", "1", "--out", "x.plan")
	whole := p.planned("x.hcl")
	if narrow.Totals.Nodes >= whole.Totals.Nodes {
		t.Fatalf("narrow %d nodes, whole %d", narrow.Totals.Nodes, whole.Totals.Nodes)
	}
	p.must(0, "run", "x.plan")
	if got := s.sent(); got != narrow.Totals.ToRun {
		t.Errorf("%d calls were sent, %d were planned", got, narrow.Totals.ToRun)
	}
	r := p.must(2, "run", "x.plan", "--limit", "2")
	contains(t, "stderr", r.stderr, "saved plan", "--limit")
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What would not replay elsewhere, or would name its author, is refused with
// the place and the remedy, and nothing is written.
func TestBundleRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(p *project, s *chatServer)
		args   []string
		says   []string
	}{
		"an identity that is a URL": {func(p *project, s *chatServer) {
			p.edit("x.hcl", `  identity = "fixture"`+"\n", "")
		}, nil, []string{"x.hcl:5: endpoint \"local\" has no identity", "--allow-url-identity"}},
		"a model from the environment": {func(p *project, s *chatServer) {
			p.edit("x.hcl", `"gpt-4o-mini"`, `env("MODEL_OF_MINE", "other")`)
			p.env["MODEL_OF_MINE"] = "gpt-4o-mini"
		}, nil, []string{"depends on the environment", "--var"}},
		"a variable that must be set": {func(p *project, s *chatServer) {
			p.edit("x.hcl", `"gpt-4o-mini"`, `env("MODEL_OF_MINE")`)
			p.env["MODEL_OF_MINE"] = "gpt-4o-mini"
		}, nil, []string{"depends on the environment", "MODEL_OF_MINE"}},
		"cases by an absolute path": {func(p *project, s *chatServer) {
			p.edit("x.hcl", `"cases.jsonl"`, `"`+filepath.ToSlash(filepath.Join(p.dir, "cases.jsonl"))+`"`)
		}, nil, []string{`cases "mcq" are named by an absolute path`, "relative"}},
		"cases in another tree": {func(p *project, s *chatServer) {
			home := filepath.Join(p.dir, "home", "alice")
			p.env["HOME"] = home
			p.write("home/alice/x.hcl", strings.Replace(p.read("x.hcl"), `"cases.jsonl"`, `"../../cases.jsonl"`, 1))
			if err := os.Remove("x.hcl"); err != nil {
				p.t.Fatal(err)
			}
			p.t.Chdir(home)
		}, nil, []string{"different trees", "--cases-url"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := newProject(t), newChatServer(t)
			p.families(1)
			p.experiment(s, parts{cases: `interfaces = ["P1"]`})
			test.change(p, s)
			p.must(0, "run", "x.hcl")
			r := p.must(2, append([]string{"bundle", "results/x", "-o", "p.memform"}, test.args...)...)
			contains(t, "the error", r.stderr, test.says...)
			if p.exists("p.memform") {
				t.Error("a bundle was written")
			}
		})
	}
}

// Whoever insists gets the URL into the keys.
func TestURLIdentityIfAllowed(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{})
	p.edit("x.hcl", `  identity = "fixture"`+"\n", "")
	p.must(0, "run", "x.hcl")
	p.must(0, "bundle", "results/x", "-o", "p.memform", "--allow-url-identity")
	s.Close()
	checkIdentical(t, p.must(0, "replay", "p.memform"))
}

// A run whose sources changed since is refused, and the part is named.
func TestBundleRefusesWhatChanged(t *testing.T) {
	p, _ := bundled(t, parts{})
	whole := p.read("x.hcl")
	cases := p.read("cases.jsonl")
	for name, test := range map[string]struct {
		change func()
		says   string
	}{
		"seed":     {func() { p.edit("x.hcl", "seed = 7", "seed = 8") }, "changed since this run"},
		"model":    {func() { p.edit("x.hcl", "max_tokens  = 512", "max_tokens  = 256") }, "experiment values"},
		"identity": {func() { p.edit("x.hcl", `"fixture"`, `"other"`) }, "endpoint identities"},
		"cases":    {func() { p.write("cases.jsonl", strings.Replace(cases, firstLine(cases), "", 1)) }, "cases"},
		"prompts": {func() {
			p.write("mine.txt", "Decide.\n")
			p.edit("x.hcl", "models = [model.agent]", "models = [model.agent]\n  prompts = { decide_system = \"mine.txt\" }")
		}, "prompts"},
		"gone": {func() {
			if err := os.Remove("x.hcl"); err != nil {
				t.Fatal(err)
			}
		}, "--experiment"},
	} {
		p.write("x.hcl", whole)
		p.write("cases.jsonl", cases)
		test.change()
		contains(t, name, p.must(2, "bundle", "results/x", "-o", "no.memform").stderr, test.says)
	}
	// What is no part of a call may change.
	p.write("cases.jsonl", cases)
	p.write("x.hcl", "# a comment\n"+strings.Replace(whole, `identity = "fixture"`, `identity = "fixture"`+"\n  requests_per_minute = 9", 1))
	p.must(0, "bundle", "results/x", "-o", "yes.memform")
	checkIdentical(t, p.must(0, "replay", "yes.memform"))
}

func TestBundleWantsAFinishedRun(t *testing.T) {
	p, _ := bundled(t, parts{})
	contains(t, "no run", p.must(2, "bundle", "nowhere", "-o", "a.memform").stderr, "finished run")
	contains(t, "no name", p.must(2, "bundle", "results/x").stderr, "-o paper.memform")
	contains(t, "no cache", p.must(2, "bundle", "results/x", "-o", "a.memform", "--cache", "elsewhere").stderr, "--cache", "run the experiment again")
	if err := os.Remove("results/x/summary.json"); err != nil {
		t.Fatal(err)
	}
	contains(t, "half a run", p.must(1, "bundle", "results/x", "-o", "a.memform").stderr, "not whole")
	contains(t, "no bundle", p.must(2, "replay", "x.hcl").stderr, "not a bundle")
	contains(t, "no file", p.must(2, "replay", "absent").stderr, "absent")
	p.write("cut.memform", p.read("p.memform")[:2000])
	contains(t, "cut", p.must(2, "replay", "cut.memform").stderr, "not a bundle")
}

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"memform/runner/cases/casestest"
)

func TestSpread(t *testing.T) {
	root := (&app{}).command()
	for line, want := range map[string]string{
		"run-langchain --interfaces P1 P2 --model m":             "run-langchain --interfaces P1 --interfaces P2 --model m",
		"run-langchain --interfaces P1,P2 P3":                    "run-langchain --interfaces P1,P2 --interfaces P3",
		"run-langchain --interfaces=P1 P2":                       "run-langchain --interfaces=P1 P2",
		"run-langchain --interfaces --model m":                   "run-langchain --interfaces --model m",
		"run-langchain --interfaces P1 --interfaces P2 P3":       "run-langchain --interfaces P1 --interfaces P2 --interfaces P3",
		"run-langchain --interfaces P1 -- P2 P3":                 "run-langchain --interfaces P1 -- P2 P3",
		"--log-level debug run-llamaindex --p5-updaters a b":     "--log-level debug run-llamaindex --p5-updaters a --p5-updaters b",
		"run-defense --defense a b --cases c --interfaces P1 P2": "run-defense --defense a --defense b --cases c --interfaces P1 --interfaces P2",
		"run-langchain --defense a b":                            "run-langchain --defense a b",
		"run x.hcl --only a b":                                   "run x.hcl --only a b",
		"":                                                       "",
	} {
		if got := strings.Join(spread(root, strings.Fields(line)), " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

// lines is a project with two generated families, for lines of flags.
func lines(t *testing.T) *project {
	p := newProject(t)
	p.write("cases.jsonl", string(casestest.JSONL(2, 7)))
	return p
}

// printedBy is the experiment that a line of flags stands for.
func printedBy(p *project, line string) string {
	p.t.Helper()
	r := p.must(0, append(strings.Fields(line), "--print-hcl")...)
	if p.exists("results") || p.exists("cache") {
		p.t.Error("--print-hcl wrote something")
	}
	return r.stdout
}

// What flags and environment say of servers and models, and which wins.
func TestServersOfFlags(t *testing.T) {
	const line = "run-langchain --cases cases.jsonl --model gpt-4.1"
	const judged = line + " --freeform-judge-model gpt-5 --freeform-parser-model gpt-4.1 --target-alignment"
	const guarded = "run-defense --cases cases.jsonl --model gpt-4.1 --defense llm_judge --defense-model gpt-4.1"
	for name, c := range map[string]struct {
		line    string
		env     map[string]string
		has     []string
		hasNone []string
	}{
		"the public server": {line, nil,
			[]string{`base_url    = "https://api.openai.com/v1"`, `api_key_env = "OPENAI_API_KEY"`, `identity    = "openai"`, `model "gpt-4-1"`, `id          = "gpt-4.1"`, "temperature = 0"},
			[]string{"phases", "interfaces", "freeform", "target_alignment", "max_tokens"}},
		"another server": {line, map[string]string{"OPENAI_BASE_URL": "http://localhost:8000/v1/"},
			[]string{`base_url = env("OPENAI_BASE_URL", "https://api.openai.com/v1")`}, []string{"api_key_env", "identity", "localhost"}},
		"another server with a key": {line, map[string]string{"OPENAI_BASE_URL": "http://localhost:8000/v1", "OPENAI_API_KEY": "k"},
			[]string{`api_key_env = "OPENAI_API_KEY"`}, nil},
		"the older variable":    {line, map[string]string{"OPENAI_API_BASE": "http://old:1/v1"}, []string{`env("OPENAI_API_BASE", `}, nil},
		"the newer one wins":    {line, map[string]string{"OPENAI_API_BASE": "http://old:1/v1", "OPENAI_BASE_URL": "http://new:1/v1"}, []string{`env("OPENAI_BASE_URL", `}, []string{"API_BASE"}},
		"the flag wins":         {line + " --base-url http://flag:1/v1", map[string]string{"OPENAI_BASE_URL": "http://new:1/v1"}, []string{`base_url = "http://flag:1/v1"`}, []string{"env("}},
		"empty is unset":        {line, map[string]string{"OPENAI_BASE_URL": "", "OPENAI_API_KEY": ""}, []string{"api.openai.com"}, nil},
		"parameters":            {line + " --temperature unset --max-tokens 700", nil, []string{"max_tokens = 700"}, []string{"temperature"}},
		"a judge beside":        {judged, nil, []string{`model "gpt-5"`, "parser = model.gpt-4-1", "judge  = model.gpt-5", "target_alignment = model.gpt-5"}, []string{`endpoint "judge"`}},
		"alignment by itself":   {line + " --target-alignment", nil, []string{"target_alignment = model.gpt-4-1"}, nil},
		"a judge's server":      {judged, map[string]string{"JUDGE_OPENAI_BASE_URL": "http://judge:1/v1"}, []string{`endpoint "judge"`, `base_url    = env("JUDGE_OPENAI_BASE_URL", "https://api.openai.com/v1")`, "parser = model.parser", "target_alignment = model.gpt-5"}, nil},
		"a judge's key":         {judged, map[string]string{"JUDGE_OPENAI_API_KEY": "k"}, []string{`api_key_env = "JUDGE_OPENAI_API_KEY"`, `api_key_env = "OPENAI_API_KEY"`}, nil},
		"not the guards'":       {judged, map[string]string{"DEFENSE_OPENAI_API_KEY": "k"}, nil, []string{"DEFENSE"}},
		"a guard as the agent":  {guarded, nil, []string{"model  = model.gpt-4-1"}, []string{`endpoint "defense"`}},
		"a guard's server":      {guarded, map[string]string{"DEFENSE_OPENAI_BASE_URL": "http://guard:1/v1"}, []string{`endpoint "defense"`, "model  = model.guard"}, nil},
		"a guard's key":         {guarded, map[string]string{"DEFENSE_OPENAI_API_KEY": "k", "OPENAI_API_KEY": "a"}, []string{`api_key_env = "DEFENSE_OPENAI_API_KEY"`}, nil},
		"the embedded model":    {"run-llamaindex --cases cases.jsonl --model simulated", map[string]string{"OPENAI_BASE_URL": "not a url"}, []string{"simulated = {}", `stack  = "llamaindex"`}, []string{"endpoint", "temperature"}},
		"no key in the file":    {line + " --api-key sk-canary-0123456789", nil, []string{`api_key_env = "OPENAI_API_KEY"`}, []string{"canary"}},
		"a filter asks nothing": {"run-defense --cases cases.jsonl --model m --defense keyword_filter --defense-model other", nil, []string{`method = "keyword_filter"`}, []string{"other"}},
		"the learned phase":     {guarded, nil, []string{`phases   = ["learned"]`, `defenses = [defense.llm_judge]`}, []string{"stack", "undefended"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := lines(t)
			for k, v := range c.env {
				p.env[k] = v
			}
			text := printedBy(p, c.line)
			contains(t, c.line, text, c.has...)
			for _, none := range c.hasNone {
				if strings.Contains(text, none) {
					t.Errorf("%q stands in\n%s", none, text)
				}
			}
		})
	}
}

// Lists take the words that follow, commas, repeats and "all".
func TestListsOfFlags(t *testing.T) {
	p := lines(t)
	text := printedBy(p, "run-langchain --cases cases.jsonl --model simulated --interfaces P5 P1,P2 --p5-updaters full_rewrite --p5-updaters batch_replay --p5-random-orders 3 --replicates 2 --phase oracle --output-dir results/a.b")
	contains(t, "lists", text, `experiment "a-b"`, `interfaces = ["P5", "P1", "P2"]`, `p5_updaters      = ["full_rewrite", "batch_replay"]`, "p5_random_orders = 3", "replicates       = 2", `phases           = ["oracle"]`)
	text = printedBy(p, "run-defense --cases cases.jsonl --model simulated --defense-model simulated --defense all --interfaces all --p5-updaters all")
	contains(t, "all", text, `p5_updaters = ["incremental_merge", "full_rewrite", "recency_weighted_strict", "batch_replay"]`,
		`defenses    = [defense.keyword_filter, defense.llm_judge, defense.memory_sanitization, defense.a_memguard, defense.task_shield]`)
	if strings.Contains(text, "interfaces") {
		t.Errorf("all interfaces are the default:\n%s", text)
	}
}

// Every mistake of a line at once, exit code 2, nothing written.
func TestMistakesOfFlags(t *testing.T) {
	p := lines(t)
	p.write("a-file", "x")
	p.write("two.jsonl", undefendedLine("langchain", "a")+undefendedLine("native", "b"))
	for line, want := range map[string][]string{
		"run-langchain": {"--model is missing", "--cases is missing"},
		"run-langchain --cases none.jsonl --model m --interfaces p1 P9 --phase lerned --p5-updaters full": {
			"--cases none.jsonl: no such file", `--interfaces "p1": Did you mean "P1"?`, `--interfaces "P9": Possible: all, P1`, `--phase "lerned": Did you mean "learned"?`, `--p5-updaters "full": Did you mean "full_rewrite"?`},
		"run-langchain --cases . --model m --p5-random-orders -1 --replicates 0 --temperature hot --stack lang --base-url localhost:1": {
			"--cases .: it is a directory", "--p5-random-orders -1: at least 0", "--replicates 0: at least 1", `--temperature "hot": a number from 0 to 2, or unset`, `--stack "lang": Did you mean "langchain"?`, "--base-url: the base URL has no scheme"},
		"run-langchain --cases cases.jsonl --model m --cache a-file":                                        {"--cache a-file: a cache is a directory, and this is a file; take its answers over with: memform cache import"},
		"run-langchain --cases cases.jsonl --model m --interfaces":                                          {"flag needs an argument: --interfaces"},
		"run-langchain --cases cases.jsonl --model m --frob":                                                {"unknown flag: --frob"},
		"run-langchain --cases cases.jsonl --model m --defense all":                                         {"unknown flag: --defense"},
		"run-langchain --cases cases.jsonl --model m P1":                                                    {"run-langchain takes flags alone"},
		"run-langchain --cases cases.jsonl --model m --p5-random-orders x":                                  {"invalid argument"},
		"run-defense --cases cases.jsonl --model m":                                                         {"--defense is missing: all, or some of keyword_filter, llm_judge"},
		"run-defense --cases cases.jsonl --model m --defense all":                                           {"--defense-model is missing: llm_judge asks a model"},
		"run-defense --cases cases.jsonl --model m --defense lm_judge --undefended-results none.jsonl":      {`--defense "lm_judge": Did you mean "llm_judge"?`, "--undefended-results none.jsonl: no such file"},
		"run-defense --cases cases.jsonl --model m --defense keyword_filter --undefended-results a-file":    {"--undefended-results: a-file:1:"},
		"run-defense --cases cases.jsonl --model m --defense keyword_filter --undefended-results two.jsonl": {"holds results of the stacks [langchain native]: choose one with --stack"},
	} {
		r := p.must(2, strings.Fields(line)...)
		contains(t, line, r.stderr, want...)
		if n := strings.Count(r.stderr, "\n"); len(want) > 1 && n != len(want) {
			t.Errorf("%s: %d lines for %d mistakes:\n%s", line, n, len(want), r.stderr)
		}
	}
	if p.exists("results") || p.exists("cache") {
		t.Error("something was written")
	}
}

func undefendedLine(stack, id string) string {
	return `{"case_id":"` + id + `","task":0,"model":"m","stack":"` + stack + `","no_memory":"A","learned_clean":"A"}` + "\n"
}

// --validate-only checks everything, the cases too, and writes nothing.
func TestValidateOnly(t *testing.T) {
	p, s := lines(t), newChatServer(t)
	line := strings.Fields("run-langchain --stack native --cases cases.jsonl --model m --validate-only --base-url " + s.URL + "/v1")
	contains(t, "valid", p.must(0, line...).stdout, `"langchain" is valid: 1 run, 1 model, 1 file of cases`)
	p.write("cases.jsonl", strings.Replace(p.read("cases.jsonl"), `"interface":"P2"`, `"interface":"P7"`, 1))
	if r := p.must(2, line...); !strings.Contains(r.stderr, "P7") {
		t.Error(r)
	}
	if s.sent() > 0 || p.exists("results") || p.exists("cache") {
		t.Error("something was sent or written")
	}
}

// A key from the command line reaches the server and nothing else.
func TestAPIKeyOfTheCommandLine(t *testing.T) {
	const key = "sk-canary-0123456789"
	for _, flag := range [][]string{{"--api-key", key}, {"--api-key=" + key}} {
		p, s := lines(t), newChatServer(t)
		p.env["OPENAI_API_KEY"] = "from-the-environment"
		line := slices.Concat([]string{"run-langchain"}, flag, strings.Fields("--stack native --cases cases.jsonl --model m --interfaces P1 --base-url "+s.URL+"/v1"))
		r := p.must(0, line...)
		contains(t, "warning", r.stderr, "WRN --api-key can be seen by others")
		if got := s.authorizations(); !slices.Equal(got, []string{"Bearer " + key}) {
			t.Errorf("authorization %v", got)
		}
		checkNowhere(t, p, r, "canary")
		s.rule.set(func(int, string) refusal { return refuse(401, "invalid_api_key", "no") })
		r = p.must(3, append(line, "--temperature", "1")...) // other calls, refused
		contains(t, "resume", r.stderr, "memform run-langchain --stack native")
		checkNowhere(t, p, r, "canary")
	}
}

// The results keep the experiment file that the line stood for, so that they
// can be bundled; but none that would name a place outside the project.
func TestResultsOfFlags(t *testing.T) {
	p := lines(t)
	line := strings.Fields("run-llamaindex --stack native --model simulated --cases")
	p.must(0, append(line, "cases.jsonl", "--output-dir", "results/one")...)
	p.must(0, "run", "results/one/experiment.hcl", "--output-dir", "again")
	if p.read("results/one/case_results.jsonl") != p.read("again/case_results.jsonl") {
		t.Error("the file kept in the results gives other rows")
	}
	p.must(0, "bundle", "results/one", "-o", "one.memform")
	contains(t, "replay", p.must(0, "replay", "one.memform").stdout, "numbers identical")

	away := t.TempDir()
	p.must(0, append(line, "cases.jsonl", "--output-dir", filepath.Join(away, "out"))...)
	p.write("../away.jsonl", p.read("cases.jsonl"))
	p.must(0, append(line, "../away.jsonl", "--output-dir", "results/two")...)
	p.must(0, append(line, filepath.Join(p.dir, "cases.jsonl"), "--output-dir", "results/three")...)
	if p.exists("results/two/experiment.hcl") || !p.exists("results/two/case_results.jsonl") {
		t.Error("a place outside the project is named in the results")
	}
	if !p.exists("results/three/experiment.hcl") || strings.Contains(p.read("results/three/experiment.hcl"), p.dir) {
		t.Error("an absolute path stands in the results")
	}
	if _, err := os.Stat(filepath.Join(away, "out", "experiment.hcl")); err == nil {
		t.Error("the project is named outside of it")
	}
}

// Results name no server, whoever named it; they can be bundled all the same.
func TestServedResultsOfFlags(t *testing.T) {
	p, s := lines(t), newChatServer(t)
	line := strings.Fields("run-langchain --stack native --cases cases.jsonl --model m --interfaces P1 P4")
	p.must(0, append(line, "--base-url", s.URL+"/v1", "--output-dir", "results/flag")...)
	p.env["OPENAI_BASE_URL"] = s.URL + "/v1"
	p.must(0, append(line, "--output-dir", "results/env")...)
	for _, name := range p.files() {
		if strings.HasPrefix(name, "results/") && strings.Contains(p.read(name), "127.0.0.1") {
			t.Errorf("%s names the server", name)
		}
	}
	for _, dir := range []string{"results/flag", "results/env"} {
		p.must(0, "bundle", dir, "-o", "x.memform", "--allow-url-identity")
		contains(t, "replay", p.must(0, "replay", "x.memform").stdout, "numbers identical")
	}
}

// Every line that docs/commands.md shows stands for an experiment file, and
// every flag is told there.
func TestCommandsDocument(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(repository, "docs", "commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	p := lines(t)
	for _, name := range []string{"mcq", "freeform"} {
		p.write("outputs/"+name+"_item_audit/accepted_cases.jsonl", p.read("cases.jsonl"))
	}
	p.write("undefended.jsonl", undefendedLine("langchain", "a"))
	shown := 0
	for line := range strings.Lines(string(doc)) {
		if line, ok := strings.CutPrefix(line, "    memform run-"); ok {
			shown++
			line = strings.NewReplacer("MODEL", "gpt-4o", "results/langchain_mcq/case_results.jsonl", "undefended.jsonl", "--print-hcl", "").Replace(line)
			printedBy(p, "run-"+line)
		}
	}
	if shown < 5 {
		t.Errorf("%d lines are shown", shown)
	}
	for _, o := range owns {
		(&app{}).ownCommand(o).Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(string(doc), "`--"+f.Name) {
				t.Errorf("%s: --%s is not told", o.name, f.Name)
			}
		})
	}
}

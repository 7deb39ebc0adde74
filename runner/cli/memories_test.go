package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memform/runner/llm"
	"memform/runner/stack/conformance"
)

// installedStacks lets a project use the stacks that are installed for this
// user, and ends the test where one of these is not. Races are looked for with
// the example adapter, which takes a tenth of the time.
func (p *project) installedStacks(names ...string) {
	p.t.Helper()
	if raceEnabled {
		p.t.Skip("libraries are not tried under the race detector")
	}
	a := &app{Process: Process{Env: os.LookupEnv}}
	home, err := a.stackHome()
	if err != nil {
		p.t.Skip(err)
	}
	for _, name := range names {
		o, err := a.offer(name)
		if err != nil {
			p.t.Fatal(err)
		}
		e, err := a.environment(o)
		if err != nil {
			p.t.Fatal(err)
		}
		if _, ok := e.installed(); !ok {
			p.t.Skipf("stack %q is not installed: %s", name, installLine(name))
		}
	}
	p.env["MEMFORM_STACKS"], p.env["PATH"] = home, os.Getenv("PATH")
}

// withoutPython takes every stack and every program from a project.
func (p *project) withoutPython() {
	p.env["MEMFORM_STACKS"], p.env["PATH"] = filepath.Join(p.dir, "no-stacks"), ""
}

// library is a run of one family at all five interfaces on a stack.
type library struct {
	*project
	rows map[string]map[string]string // answer by case, task and updater, and condition
}

// remembered runs a memory system over a model block and checks what must
// hold whatever the model says: the five interfaces are whole, a further run
// and a replay call nothing and need no Python.
func remembered(t *testing.T, name, model string) *library {
	t.Helper()
	p := newProject(t)
	p.installedStacks(name)
	p.families(1)
	p.write("x.hcl", `experiment "x" { seed = 7 }
`+model+`
cases "mcq" { path = "cases.jsonl" }
run "main" {
  models           = [model.agent]
  cases            = [cases.mcq]
  stack            = "`+name+`"
  p5_random_orders = 2
}
`)
	p.must(0, "run", "x.hcl")
	lib := &library{p, p.answers("results/x")}
	interfaces := map[string]bool{}
	for _, row := range p.rowsOf("results/x") {
		interfaces[row["interface"].(string)] = true
	}
	if len(interfaces) != 5 || p.exists("results/x/missing.jsonl") {
		t.Errorf("rows of %v, missing: %v", interfaces, p.exists("results/x/missing.jsonl"))
	}
	before := map[string]string{}
	for _, name := range resultFiles {
		before[name] = p.read("results/x/" + name)
	}
	p.withoutPython()
	if d := p.planned("x.hcl"); d.Totals.ToRun != 0 || d.Totals.Pending.High != 0 {
		t.Errorf("planned over a full cache: %+v", d.Totals)
	}
	contains(t, "a further run", p.must(0, "run", "x.hcl").stderr, " 0 calls sent")
	for name, text := range before {
		if p.read("results/x/"+name) != text {
			t.Errorf("a further run writes another %s", name)
		}
	}
	p.must(0, "bundle", "results/x", "-o", "p.memform")
	elsewhere := newProject(t)
	elsewhere.write("p.memform", string(mustRead(t, filepath.Join(p.dir, "p.memform"))))
	noNetwork(t)
	checkIdentical(t, elsewhere.must(0, "replay", "p.memform"))
	return lib
}

// answers are the answers of a run, by case, task and updater, by condition.
func (p *project) answers(dir string) map[string]map[string]string {
	p.t.Helper()
	type row struct {
		CaseID      string  `json:"case_id"`
		TaskIndex   int     `json:"task_index"`
		Updater     *string `json:"updater"`
		Predictions map[string]struct{ Answer string }
	}
	out := map[string]map[string]string{}
	for _, r := range jsonLines[row](p, filepath.Join(dir, "case_results.jsonl")) {
		key := r.CaseID + " " + string(rune('0'+r.TaskIndex))
		if r.Updater != nil {
			key += " " + *r.Updater
		}
		out[key] = map[string]string{}
		for condition, v := range r.Predictions {
			out[key][condition] = v.Answer
		}
	}
	return out
}

// formed counts the different calls of every form, by what it was to remember.
func (l *library) formed() map[string]int {
	l.t.Helper()
	counts := map[string]int{}
	for _, c := range l.stored("cache") {
		var request struct{ Form *llm.Form }
		if err := json.Unmarshal([]byte(c.Entry.Request), &request); err != nil {
			l.t.Fatal(err)
		}
		if request.Form == nil {
			continue
		}
		report, ok := llm.ReadFormReport([]byte(c.Entry.Response))
		if !ok || report.Unseen > 0 || len(report.Overridden) > 0 {
			l.t.Errorf("a form came to %s", c.Entry.Response)
		}
		if report.Records != len(request.Form.Records) {
			l.t.Errorf("%d records given, %d counted", len(request.Form.Records), report.Records)
		}
		counts[strings.Join(request.Form.Records, "\n")] = len(report.Calls)
	}
	return counts
}

const rememberingSimulation = `model "agent" {
  simulated = { competence = 1, susceptibility = 1 }
}
`

// The memory systems form memories of the simulated model that recommend what
// its records support, and ask as often of a model that has no labels.
func TestMemorySystems(t *testing.T) {
	// What a memory of langmem comes to is one record weighed after the other;
	// a fact block lists records, as raw ones do.
	alike := map[string]string{"langmem": "learned", "llamaindex-facts": "raw"}
	for _, name := range slices.Sorted(maps.Keys(alike)) {
		t.Run(name, func(t *testing.T) {
			s := newChatServer(t)
			s.rule.set(echoing)
			served := remembered(t, name, `endpoint "local" {
  base_url = "`+s.URL+`/v1"
  identity = "fixture"
}
model "agent" {
  endpoint    = endpoint.local
  id          = "gpt-4o-mini"
  temperature = 0
  max_tokens  = 512
}
`)
			for body, n := range s.arrivals() {
				if n != 1 || !strings.Contains(body, `"max_tokens":512`) || !strings.Contains(body, `"temperature":0`) {
					t.Errorf("sent %d times: %.100s…", n, body)
				}
			}
			simulated := remembered(t, name, rememberingSimulation)
			counts := served.formed()
			if len(counts) < 10 || !maps.Equal(counts, simulated.formed()) {
				t.Errorf("calls by form: %v of a model without labels, %v simulated", slices.Collect(maps.Values(counts)), slices.Collect(maps.Values(simulated.formed())))
			}
			simulated.recommends(t, alike[name])
		})
	}
}

// echoing answers a memory system from the words of its request, in the form
// that it asks for; decisions are the server's.
func echoing(_ int, body string) refusal {
	if strings.Contains(body, `"tools":[`) || strings.Contains(body, `<fact>`) || strings.Contains(body, `\u003cfact\u003e`) {
		if kindOf(body) != "decide" {
			return refusal{status: 200, body: string(conformance.Answer([]byte(body)))}
		}
	}
	return refusal{}
}

// recommends compares the answers with those of the native stack in the phase
// that comes to the same memories.
func (l *library) recommends(t *testing.T, phase string) {
	t.Helper()
	native := newProject(t)
	native.families(1)
	native.write("x.hcl", `experiment "x" { seed = 7 }
`+rememberingSimulation+`
cases "mcq" { path = "cases.jsonl" }
run "main" {
  models      = [model.agent]
  cases       = [cases.mcq]
  phases      = ["`+phase+`"]
  p5_updaters = ["incremental_merge"]
}
`)
	native.must(0, "run", "x.hcl")
	all := native.answers("results/x")
	compared, attacked := 0, 0
	for item, got := range l.rows {
		want := all[strings.Replace(item, " own", " incremental_merge", 1)]
		if want == nil {
			want = all[strings.TrimSuffix(item, " own")] // raw records know no updater
		}
		for _, arm := range []string{"clean", "poisoned"} {
			is, ok := want[phase+"_"+arm]
			if !ok {
				t.Errorf("%s: no %s_%s to compare with", item, phase, arm)
				continue
			}
			if compared++; got["learned_"+arm] != is {
				t.Errorf("%s: the %s arm's memory led to %s, the same evidence in memform's own form to %s", item, arm, got["learned_"+arm], is)
			}
		}
		if got["learned_poisoned"] != got["no_memory"] {
			attacked++
		}
	}
	if compared < 10 || attacked < 3 {
		t.Errorf("%d answers compared, %d moved by memory", compared, attacked)
	}
}

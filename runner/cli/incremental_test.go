package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"memform/runner/plan"
)

// growing is an experiment that each test below extends.
func growing(t *testing.T) (*project, *chatServer) {
	p, s := newProject(t), newChatServer(t)
	p.families(4)
	p.experiment(s, parts{endpoint: "max_in_flight = 8", model: "seed = 11", cases: `interfaces = ["P1", "P5"]
  families   = 2`, run: `phases           = ["oracle", "learned"]
  p5_updaters      = ["incremental_merge", "batch_replay"]
  p5_random_orders = 2
  replicates       = 2`})
	p.must(0, "run", "x.hcl")
	return p, s
}

// extended plans what an edit made of the experiment, runs it and holds the
// plan to its word: what it called "to run" is bought, what else is bought it
// called "pending", and nothing that was bought before is sent again.
func extended(t *testing.T, p *project, s *chatServer) planDocument {
	t.Helper()
	before := map[string]bool{}
	for _, c := range p.stored("cache") {
		before[c.Key] = true
	}
	sent := s.sent()
	doc := p.planned("x.hcl", "--out", "x.plan")
	var saved plan.Saved
	if err := json.Unmarshal([]byte(p.read("x.plan")), &saved); err != nil {
		t.Fatal(err)
	}
	toRun, pending := map[string]bool{}, map[string]bool{} // keys, node ids
	for _, n := range saved.Nodes {
		switch n.State {
		case "to_run":
			toRun[n.Key] = true
		case "pending":
			pending[n.ID] = true
		case "cached":
			if !before[n.Key] {
				t.Errorf("node %s is called cached, its key is not stored", n.ID)
			}
		}
	}
	if doc.Totals.ToRun != len(toRun) {
		t.Errorf("the plan counts %d calls to run and lists %d", doc.Totals.ToRun, len(toRun))
	}
	p.must(0, "run", "x.plan")
	bought := map[string]bool{}
	for _, c := range p.stored("cache") {
		if !before[c.Key] {
			bought[c.Key] = true
		}
	}
	if n := int64(s.sent() - sent); n != int64(len(bought)) || n < doc.Totals.Calls.Low || n > doc.Totals.Calls.High {
		t.Errorf("%d calls were sent, %d bought, the plan said %+v", n, len(bought), doc.Totals.Calls)
	}
	for key := range toRun {
		if !bought[key] {
			t.Errorf("key %s was to run and was not bought", key)
		}
	}
	for _, c := range jsonLines[callLine](p, "results/x/calls.jsonl") {
		if bought[c.Key] && !toRun[c.Key] && !pending[c.Node] {
			t.Errorf("node %s bought key %s, which was neither to run nor pending", c.Node, c.Key)
		}
	}
	for body, n := range s.arrivals() {
		if n != 1 {
			t.Errorf("a call was sent %d times: %.120s", n, body)
		}
	}
	if left := p.planned("x.hcl").Totals.Calls.High; left != 0 {
		t.Errorf("%d calls are left", left)
	}
	return doc
}

func TestOnlyWhatIsNewRuns(t *testing.T) {
	for name, test := range map[string]struct {
		old, new string
		pending  bool // some calls depend on new answers
	}{
		"interface": {`interfaces = ["P1", "P5"]`, `interfaces = ["P1", "P3", "P5"]`, true},
		"orders":    {`p5_random_orders = 2`, `p5_random_orders = 7`, true},
		"families":  {`families   = 2`, `families   = 4`, true},
		"phase":     {`["oracle", "learned"]`, `["oracle", "learned", "raw"]`, false},
		"updater":   {`["incremental_merge", "batch_replay"]`, `["incremental_merge", "batch_replay", "recency_weighted_strict"]`, true},
		"replicate": {`replicates       = 2`, `replicates       = 3`, true},
		"model": {`cases "mcq" {`, `model "second" {
  endpoint   = endpoint.local
  id         = "gpt-4o"
  seed       = 11
  max_tokens = 512
}

cases "mcq" {`, true},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := growing(t)
			p.edit("x.hcl", test.old, test.new)
			if name == "model" {
				p.edit("x.hcl", "models = [model.agent]", "models = [model.agent, model.second]")
			}
			doc := extended(t, p, s)
			if doc.Totals.ToRun == 0 || doc.Totals.Cached == 0 {
				t.Errorf("the plan finds %d calls to run and %d cached", doc.Totals.ToRun, doc.Totals.Cached)
			}
			if test.pending != (doc.Totals.Pending.High > 0) {
				t.Errorf("pending: %+v", doc.Totals.Pending)
			}
			if name == "model" {
				for _, r := range doc.Rows {
					if r.Model == "agent" && r.Calls.High != 0 {
						t.Errorf("a new model makes the old one run: %+v", r)
					}
				}
			}
		})
	}
}

// What does not reach the wire makes nothing run again and changes no result.
func TestWhatIsNotSentChangesNothing(t *testing.T) {
	p, s := growing(t)
	sent := s.sent()
	want := map[string]string{}
	for _, name := range resultFiles {
		want[name] = p.read("results/x/" + name)
	}
	for _, edit := range [][2]string{
		{`experiment "x" {`, "# A comment.\nexperiment \"x\" {\n  description = \"Another description.\""},
		{"max_in_flight = 8", "max_in_flight = 3\n  requests_per_minute = 600\n  tokens_per_minute = 100000\n  timeout = \"5s\""},
		{"temperature = 0", "price = { input = 1, output = 2 }\n  requests_per_minute = 60\n  temperature = 0"},
		{"replicates       = 2", "max_cost = 3\n  replicates       = 2"},
		{`model "agent" {`, "model \"unused\" {\n  simulated = {}\n}\n\nmodel \"agent\" {"},
	} {
		p.edit("x.hcl", edit[0], edit[1])
		if doc := p.planned("x.hcl"); doc.Totals.Calls.High != 0 {
			t.Errorf("%q: the plan says %+v", edit[1], doc.Totals.Calls)
		}
		r := p.must(0, "run", "x.hcl")
		if s.sent() != sent {
			t.Fatalf("%q: %d calls were sent\n%v", edit[1], s.sent()-sent, r)
		}
		for _, name := range resultFiles {
			if p.read("results/x/"+name) != want[name] {
				t.Errorf("%q: %s changed", edit[1], name)
			}
		}
	}
}

// What reaches the wire makes the model run again, whole, and explain names it.
func TestWhatIsSentRunsAgain(t *testing.T) {
	for _, test := range []struct{ old, new, field string }{
		{"max_tokens  = 512", "max_tokens  = 500", "max_tokens: stored 512, now 500"},
		{"temperature = 0", "temperature = 0.7", "temperature: stored 0, now 0.7"},
		{"temperature = 0", "temperature = 0\n  extra_body = { top_k = 20 }", "top_k: stored absent, now 20"},
		{`identity = "fixture"`, `identity = "moved"`, `endpoint identity: stored "fixture", now "moved"`},
	} {
		t.Run(test.field, func(t *testing.T) {
			p, s := growing(t)
			sent := s.sent()
			p.edit("x.hcl", test.old, test.new)
			if doc := p.planned("x.hcl", "--out", "x.plan"); doc.Totals.Cached != 0 {
				t.Errorf("%d answers to other requests count as cached", doc.Totals.Cached)
			}
			var saved plan.Saved
			if err := json.Unmarshal([]byte(p.read("x.plan")), &saved); err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(saved.Nodes, func(n plan.SavedNode) bool { return n.State == "to_run" })
			r := p.must(0, "explain", "x.hcl", saved.Nodes[at].ID)
			contains(t, "explain", r.stdout, "miss", test.field)
			if strings.Count(r.stdout, ": stored ") != 1 {
				t.Errorf("explain names more than what differs:\n%s", r.stdout)
			}
			p.must(0, "run", "x.hcl")
			if n := s.sent() - sent; n != sent {
				t.Errorf("%d calls were sent again, of %d", n, sent)
			}
			r = p.must(0, "explain", "x.hcl", saved.Nodes[at].ID[:12])
			contains(t, "explain", r.stdout, "hit: key")
		})
	}
}

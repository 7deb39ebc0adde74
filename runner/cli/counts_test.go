package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// everything is a run with every phase and control.
const everything = `
  phases           = ["oracle", "learned", "raw"]
  p5_updaters      = ["incremental_merge", "full_rewrite", "recency_weighted_strict", "batch_replay"]
  p5_random_orders = 5
  replicates       = 2
`

// Every key of a run is sent exactly once, kind by kind, and the estimate
// brackets what was sent.
func TestEveryKeyIsSentOnce(t *testing.T) {
	for _, seeded := range []bool{true, false} {
		t.Run(fmt.Sprintf("seed=%v", seeded), func(t *testing.T) {
			p, s := newProject(t), newChatServer(t)
			p.families(2)
			with := parts{run: everything}
			if seeded {
				with.model = "seed = 11"
			}
			p.experiment(s, with)
			before := p.planned("x.hcl")
			p.must(0, "run", "x.hcl")
			checkSentOnce(t, p, s, seeded)
			checkEstimate(t, p, s, before)
			if r := p.planned("x.hcl"); r.Totals.Calls.High != 0 {
				t.Errorf("after the run %d calls are left", r.Totals.Calls.High)
			}
		})
	}
}

func checkSentOnce(t *testing.T, p *project, s *chatServer, seeded bool) {
	t.Helper()
	keys := map[string]map[string]bool{} // kind → keys that nodes used
	used := map[string]bool{}
	for _, c := range jsonLines[callLine](p, "results/x/calls.jsonl") {
		if keys[c.Kind] == nil {
			keys[c.Kind] = map[string]bool{}
		}
		keys[c.Kind][c.Key] = true
		used[c.Key] = true
	}
	arrived := s.arrivals()
	perKind := map[string]int{}
	for body, n := range arrived {
		perKind[kindOf(body)] += n
		if seeded && n != 1 {
			t.Errorf("a body arrived %d times: %.200s", n, body)
		}
	}
	for _, kind := range []string{"consolidate", "decide"} {
		if len(keys[kind]) == 0 || perKind[kind] != len(keys[kind]) {
			t.Errorf("%s: %d distinct keys in calls.jsonl, %d requests arrived", kind, len(keys[kind]), perKind[kind])
		}
	}
	// Without a seed a body arrives once for each draw of it.
	bought := map[string]int{}
	for _, c := range p.stored("cache") {
		bought[c.Entry.Request]++
		if !used[c.Key] {
			t.Errorf("key %s was bought, no node uses it", c.Key)
		}
		delete(used, c.Key)
	}
	if len(used) != 0 {
		t.Errorf("%d keys are used and not stored, or stored twice", len(used))
	}
	if !maps.Equal(bought, arrived) {
		t.Errorf("stored requests differ from those that arrived")
	}
	draws := 0
	for _, n := range bought {
		draws = max(draws, n)
	}
	if want := map[bool]int{true: 1, false: 2}[seeded]; draws != want {
		t.Errorf("one body was bought up to %d times, want %d", draws, want)
	}
}

// checkEstimate compares a plan made before the run, the manifest's copy of
// it, and what arrived.
func checkEstimate(t *testing.T, p *project, s *chatServer, before planDocument) {
	t.Helper()
	sent := map[string]int64{}
	for body, n := range s.arrivals() {
		sent[kindOf(body)] += int64(n)
	}
	m := jsonFile[manifest](p, "results/x/manifest.json")
	if len(m.Calls) != len(before.Rows) {
		t.Fatalf("the manifest has %d rows, the plan %d", len(m.Calls), len(before.Rows))
	}
	var prompt, completion int64
	for i, row := range before.Rows {
		got := m.Calls[i]
		if got.Estimated.Calls != row.Calls {
			t.Errorf("%s: the manifest's estimate %v is not the plan's %v", row.Kind, got.Estimated.Calls, row.Calls)
		}
		if n := sent[string(row.Kind)]; int64(got.Sent) != n {
			t.Errorf("%s: the manifest counts %d sent, %d arrived", row.Kind, got.Sent, n)
		}
		between := func(what string, low, actual, high int64) {
			if actual < low || actual > high {
				t.Errorf("%s: %s: %d is not within %d and %d", row.Kind, what, actual, low, high)
			}
		}
		between("calls", row.Calls.Low, int64(got.Sent), row.Calls.High)
		between("prompt tokens", row.Prompt.Low, got.Prompt, row.Prompt.High)
		between("completion tokens", row.Completion.Low, got.Completion, row.Completion.High)
		prompt, completion = prompt+got.Prompt, completion+got.Completion
	}
	if in, out := s.billed(); prompt != in || completion != out {
		t.Errorf("the manifest counts %d + %d tokens, the server billed %d + %d", prompt, completion, in, out)
	}
}

// What an experiment declares reaches the wire byte for byte.
func TestParametersArriveByteExact(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.env["SECRET_NAME"] = "sk-very-secret-0123456789"
	p.experiment(s, parts{
		endpoint: `api_key_env = "SECRET_NAME"`,
		model: `top_p = 0.7
  seed = 9007199254740991
  stop = ["\n\n\n", "END"]
  extra_body = {
    provider = { order = ["b", "a"], allow_fallbacks = false, nothing = null }
    min_p    = 0.05
    tiny     = 1e-7
    top_k    = 40
    big      = 9007199254740991
    accents  = "é <&> ☃"
  }`,
		cases: `interfaces = ["P1"]`,
		run:   `phases = ["oracle"]`,
	})
	r := p.must(0, "run", "x.hcl")
	if s.sent() == 0 {
		t.Fatal("nothing was sent")
	}
	const head = `{"accents":"é <&> ☃","big":9007199254740991,"max_tokens":512,"messages":[{"content":"`
	const tail = `,"role":"user"}],"min_p":0.05,"model":"gpt-4o-mini","provider":{"allow_fallbacks":false,"nothing":null,"order":["b","a"]},` +
		`"seed":9007199254740991,"stop":["\n\n\n","END"],"temperature":0,"tiny":1e-7,"top_k":40,"top_p":0.7}`
	for body := range s.arrivals() {
		if !strings.HasPrefix(body, head) || !strings.HasSuffix(body, tail) {
			t.Fatalf("arrived:\n%s\nwant it to begin with\n%s\nand to end with\n%s", body, head, tail)
		}
	}
	if got := s.authorizations(); !slices.Equal(got, []string{"Bearer sk-very-secret-0123456789"}) {
		t.Errorf("authorization headers: %v", got)
	}
	p.must(0, "plan", "x.hcl", "--out", "saved.plan")
	checkNowhere(t, p, r, "sk-very-secret")
}

// checkNowhere fails where a text stands in a file or in what was printed.
func checkNowhere(t *testing.T, p *project, r result, secret string) {
	t.Helper()
	if strings.Contains(r.stdout+r.stderr, secret) {
		t.Errorf("printed: %q", secret)
	}
	for _, name := range p.files() {
		if strings.Contains(p.read(name), secret) {
			t.Errorf("%s holds %q", name, secret)
		}
	}
}

package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"memform/runner/experiment"
)

// sharded is an experiment over enough families that each of three shards
// gets some.
func sharded(p *project, s *chatServer, with parts) {
	p.families(9)
	if with.run == "" {
		with.run = `
  phases           = ["oracle", "learned"]
  p5_random_orders = 2
`
	}
	with.model += "\n  seed = 11" // so that a body is one call
	p.experiment(s, with)
}

// checkShards fails where a plain run over a cache that shards filled sends
// anything, or comes to other bytes than a run alone.
func checkShards(t *testing.T, p *project, s *chatServer, alone map[string]int) {
	t.Helper()
	if got := s.arrivals(); !maps.Equal(got, alone) {
		t.Errorf("the shards sent %d distinct calls, a run alone %d, or some of them twice", len(got), len(alone))
	}
	for _, name := range []string{"results", "case_results.jsonl"} {
		if p.exists(name) {
			t.Errorf("a shard wrote %s", name)
		}
	}
	if d := p.planned("x.hcl"); d.Totals.ToRun != 0 || d.Totals.Pending.High != 0 {
		t.Errorf("the plan over the shared cache has %d calls to run", d.Totals.ToRun)
	}
	before := s.sent()
	p.must(0, "run", "x.hcl")
	if s.sent() != before {
		t.Errorf("the plain run sent %d calls", s.sent()-before)
	}
	for _, name := range resultFiles {
		if p.read("alone/"+name) != p.read("results/x/"+name) {
			t.Errorf("%s differs from that of a run without shards", name)
		}
	}
}

func TestShardsThenAPlainRun(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	sharded(p, s, parts{})
	p.must(0, "run", "x.hcl", "--cache", "alone-cache", "--output-dir", "alone")
	alone := s.arrivals()
	s.forget()
	for i := range 3 {
		before := s.sent()
		r := p.must(0, "run", "x.hcl", "--shard", fmt.Sprintf("%d/3", i+1))
		contains(t, "a shard", r.stdout, fmt.Sprintf("shard %d/3", i+1), fmt.Sprintf("%d calls sent", s.sent()-before), "memform run x.hcl")
		if s.sent() == before {
			t.Errorf("the test is empty: shard %d has no calls", i+1)
		}
	}
	checkShards(t, p, s, alone)
}

// Shards that run at the same time on one cache send what one run would.
func TestShardsAtTheSameTime(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	sharded(p, s, parts{})
	p.must(0, "run", "x.hcl", "--cache", "alone-cache", "--output-dir", "alone")
	alone := s.arrivals()
	s.forget()
	var shards []*child
	for i := range 3 {
		shards = append(shards, p.start("run", "x.hcl", "--shard", fmt.Sprintf("%d/3", i+1)))
	}
	for _, c := range shards {
		if r := c.wait(); r.code != 0 {
			t.Fatal(r)
		}
	}
	checkShards(t, p, s, alone)
}

// With more shards than families some have nothing to do, which is no mistake.
func TestEmptyShards(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{})
	p.must(0, "run", "x.hcl", "--cache", "alone-cache", "--output-dir", "alone")
	alone := s.sent()
	s.forget()
	for i := range 4 {
		p.must(0, "run", "x.hcl", "--shard", fmt.Sprintf("%d/4", i+1))
	}
	if s.sent() != alone {
		t.Errorf("four shards sent %d calls, a run alone %d", s.sent(), alone)
	}
}

func TestShardArguments(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{endpoint: "requests_per_minute = 2"})
	for _, bad := range []string{"0/3", "4/3", "1", "1/0", "-1/3", "a/b", "1/3x", " 1/3", "01/3", "1/3/5"} {
		contains(t, bad, p.must(2, "run", "x.hcl", "--shard", bad).stderr, "write i/n")
	}
	p.must(0, "plan", "x.hcl", "--out", "saved.plan")
	contains(t, "a saved plan", p.must(2, "run", "saved.plan", "--shard", "1/2").stderr, "--shard")
	contains(t, "a limit below n", p.must(2, "run", "x.hcl", "--shard", "1/3").stderr, `endpoint "local"`, "requests_per_minute = 2", "3 shards")
	if s.sent() != 0 {
		t.Errorf("%d calls were sent", s.sent())
	}
}

// All shards together keep to what the experiment declares.
func TestShardsDivideLimitsAndMoney(t *testing.T) {
	cost := 10.0
	for _, n := range []int{1, 2, 3, 7} {
		e := &experiment.Endpoint{Name: "e", RequestsPerMinute: 500, TokensPerMinute: 200_000, RequestsPerDay: 9000, MaxInFlight: 64, Timeout: time.Minute}
		m := &experiment.Model{Name: "m", Endpoint: e, RequestsPerMinute: 100}
		r := &experiment.Run{MaxCost: &cost}
		l := &loaded{experiment: &experiment.Experiment{
			Endpoints: []*experiment.Endpoint{e}, Models: []*experiment.Model{m}, Runs: []*experiment.Run{r, {}},
		}}
		if err := l.divide(n); err != nil {
			t.Fatal(err)
		}
		for what, pair := range map[string][2]int{
			"requests": {e.RequestsPerMinute, 500}, "tokens": {e.TokensPerMinute, 200_000}, "a day": {e.RequestsPerDay, 9000},
			"in flight": {e.MaxInFlight, 64}, "the model's requests": {m.RequestsPerMinute, 100},
		} {
			if pair[0]*n > pair[1] || (pair[0]+1)*n <= pair[1] {
				t.Errorf("%d shards: %s: a share of %d of %d", n, what, pair[0], pair[1])
			}
		}
		if m.TokensPerMinute != 0 {
			t.Error("no limit became one")
		}
		if got := *r.MaxCost * float64(n); got > cost+1e-9 || got < cost-1e-9 || cost != 10 {
			t.Errorf("%d shards spend %v of %v", n, got, cost)
		}
		if l.experiment.Runs[1].MaxCost != nil {
			t.Error("a run without max_cost has one")
		}
	}
}

// Shards stop at their share of the money; what they spend together stays
// within the cap.
func TestShardsKeepToMaxCost(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	sharded(p, s, parts{
		model: "price = { input = 1000, output = 1000 }\n",
		run: `phases = ["oracle"]
  max_cost = 45`,
	})
	var codes []int
	for i := range 3 {
		r := p.memform("run", "x.hcl", "--shard", fmt.Sprintf("%d/3", i+1))
		codes = append(codes, r.code)
		if r.code == 3 {
			contains(t, "the message", r.stderr, "max_cost", "resume with: memform run x.hcl --shard")
		}
	}
	in, out := s.billed()
	if spent := float64(in+out) * 1000 / 1e6; spent > 45 || s.sent() == 0 {
		t.Errorf("%d calls cost %.2f of 45 USD", s.sent(), spent)
	}
	if !slices.Contains(codes, 3) {
		t.Errorf("the test is empty: no shard ran out of money: %v", codes)
	}
}

// A shard cannot write results, so it needs no lock: a plain run may be under
// way in the output directory.
func TestShardNeedsNoOutputDirectory(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{})
	if err := os.MkdirAll("results/x", 0o755); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock("results/x")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if r := p.must(2, "run", "x.hcl"); !strings.Contains(r.stderr, "another run") {
		t.Errorf("not locked: %v", r)
	}
	p.must(0, "run", "x.hcl", "--shard", "1/1")
}

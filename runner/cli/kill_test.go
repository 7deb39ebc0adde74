package cli

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const (
	kills    = 20
	inFlight = 8
)

// killed is an experiment of some hundred calls, eight in flight.
func killed(p *project, s *chatServer) {
	p.families(2)
	p.experiment(s, parts{endpoint: "max_in_flight = 8", model: "seed = 11", run: `
  phases           = ["oracle", "learned"]
  p5_updaters      = ["incremental_merge", "batch_replay"]
  p5_random_orders = 3
  replicates       = 2
`})
}

// resultFiles are those that must not depend on how a run came about.
var resultFiles = []string{"case_results.jsonl", "summary.json", "calls.jsonl"}

// A run that is killed twenty times pays for nothing twice, but for what was
// in flight, and ends with the bytes of a run left alone.
func TestKilledRunPaysForNothingTwice(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	killed(p, s)
	// The key tells the server whose calls they are.
	p.edit("x.hcl", "max_in_flight = 8", "max_in_flight = 8\n  api_key_env = \"ROUND\"")
	p.env["ROUND"] = "alone"
	p.must(0, "run", "x.hcl", "--cache", "alone-cache", "--output-dir", "alone")
	total := s.sent()
	s.forget()

	rng := rand.New(rand.NewPCG(20, 7))
	var target atomic.Int64
	var onAnswer atomic.Bool
	hit := make(chan struct{}, 1)
	reached := func(n int, answered bool) {
		if int64(n) == target.Load() && answered == onAnswer.Load() {
			select {
			case hit <- struct{}{}:
			default:
			}
		}
	}
	s.hold.set(func(n int, _ string, gone <-chan struct{}) {
		reached(n, false)
		select { // long enough for several to be in flight
		case <-time.After(time.Millisecond):
		case <-gone:
		}
	})
	s.answered.set(func(n int) { reached(n, true) })

	bought := map[string]int{} // bodies whose whole line stood at the end of a round, and that round
	for k := range kills {
		onAnswer.Store(rng.IntN(2) == 1)
		target.Store(int64(s.sent() + 1 + rng.IntN((total-len(bought))/(kills-k+1))))
		p.env["ROUND"] = round(k)
		c := p.start("run", "x.hcl")
		await(t, "the request to kill at", hit)
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if r := c.wait(); r.code != -1 {
			t.Fatalf("kill %d: the process ended by itself: %v", k, r)
		}
		s.CloseClientConnections()
		p.noteStored(bought, k)
	}
	p.env["ROUND"] = round(kills)
	p.must(0, "run", "x.hcl")
	p.noteStored(bought, kills)
	// What a process had sent may reach the server after its death, so the
	// rounds are judged once all of them are over.
	lost := 0
	for k := range kills {
		lost += checkRound(t, k, s, bought)
	}
	if last := checkRound(t, kills, s, bought); last != 0 {
		t.Errorf("the run that nobody killed lost %d calls", last)
	}
	if repeated := s.sent() - total; repeated != lost {
		t.Errorf("%d calls were sent, %d are needed, %d were lost", s.sent(), total, lost)
	}
	t.Logf("%d calls needed, %d repeated over %d kills", total, lost, kills)
	for _, name := range resultFiles {
		if p.read("alone/"+name) != p.read("results/x/"+name) {
			t.Errorf("%s differs from that of the undisturbed run", name)
		}
	}
}

func round(k int) string { return fmt.Sprintf("round-%d", k) }

// noteStored notes the round in which a body's answer came to the disk; with
// a seed a body is one call.
func (p *project) noteStored(bought map[string]int, k int) {
	for _, c := range p.stored("cache") {
		if _, known := bought[c.Entry.Request]; !known {
			bought[c.Entry.Request] = k
		}
	}
}

// checkRound compares what a round's process sent with what it stored, and
// returns how many calls it lost.
func checkRound(t *testing.T, k int, s *chatServer, bought map[string]int) int {
	t.Helper()
	sent, stored := 0, 0
	for body, n := range s.arrivalsFrom(round(k)) {
		sent += n
		at, known := bought[body]
		if known && at < k {
			t.Errorf("round %d: a stored call was sent again: %.120s", k, body)
		}
		if known && at == k {
			stored++
		}
	}
	lost := sent - stored
	if lost < 0 || lost > inFlight {
		t.Errorf("round %d: %d calls were sent, %d stored: not more than %d can have been in flight", k, sent, stored, inFlight)
	}
	return lost
}

// Two processes that share a cache and start together come to the results of
// one that was alone.
func TestTwoProcessesShareOneCache(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	killed(p, s)
	p.must(0, "run", "x.hcl", "--cache", "alone-cache", "--output-dir", "alone")
	alone := s.sent()
	a, b := p.start("run", "x.hcl", "--output-dir", "a"), p.start("run", "x.hcl", "--output-dir", "b")
	if ra, rb := a.wait(), b.wait(); ra.code != 0 || rb.code != 0 {
		t.Fatalf("first: %v\nsecond: %v", ra, rb)
	}
	for _, name := range resultFiles {
		if p.read("alone/"+name) != p.read("a/"+name) || p.read("a/"+name) != p.read("b/"+name) {
			t.Errorf("%s differs", name)
		}
	}
	if got := s.sent() - alone; got < alone || got > 2*alone {
		t.Errorf("together they sent %d calls, one alone %d", got, alone)
	}
	if r := p.must(0, "cache", "verify"); !strings.Contains(r.stdout, "0 damaged, 0 with several answers") {
		t.Errorf("cache verify: %s", r.stdout)
	}
}

// Where a server never says the same thing twice, each of two processes keeps
// to the answers it used: run again, over the shared cache, each directory
// gets its own bytes back.
func TestTwoProcessesKeepTheirOwnAnswers(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	killed(p, s)
	s.fickle.Store(true)
	var here atomic.Int64
	both := make(chan struct{})
	s.hold.set(func(n int, _ string, gone <-chan struct{}) { // the first calls of both wait for each other
		if here.Add(1) == 2*inFlight {
			close(both)
		}
		select {
		case <-both:
		case <-gone:
		}
	})
	a, b := p.start("run", "x.hcl", "--output-dir", "a"), p.start("run", "x.hcl", "--output-dir", "b")
	if ra, rb := a.wait(), b.wait(); ra.code != 0 || rb.code != 0 {
		t.Fatalf("first: %v\nsecond: %v", ra, rb)
	}
	if r := p.must(0, "cache", "verify"); strings.Contains(r.stdout, " 0 with several answers") {
		t.Fatalf("the test is empty: no call was bought twice: %s", r.stdout)
	}
	sent := s.sent()
	for _, dir := range []string{"a", "b"} {
		first := map[string]string{}
		for _, name := range resultFiles {
			first[name] = p.read(dir + "/" + name)
		}
		p.must(0, "run", "x.hcl", "--output-dir", dir)
		for _, name := range resultFiles {
			if p.read(dir+"/"+name) != first[name] {
				t.Errorf("%s/%s changed when it was run again", dir, name)
			}
		}
	}
	if s.sent() != sent {
		t.Errorf("running again sent %d calls", s.sent()-sent)
	}
	// So it is when the experiment has grown and new calls are bought.
	first := map[string]string{}
	for _, dir := range []string{"a", "b"} {
		for _, c := range jsonLines[callLine](p, dir+"/calls.jsonl") {
			first[dir+" "+c.Node] = c.Answer
		}
	}
	for dir, edit := range map[string][2]string{
		"a": {`["oracle", "learned"`, `["raw", "oracle", "learned"`},
		"b": {`replicates       = 2`, `replicates       = 3`},
	} {
		sent := s.sent()
		p.edit("x.hcl", edit[0], edit[1])
		p.must(0, "run", "x.hcl", "--output-dir", dir)
		if s.sent() == sent {
			t.Errorf("the test is empty: %s bought nothing new", dir)
		}
		for _, c := range jsonLines[callLine](p, dir+"/calls.jsonl") {
			if had := first[dir+" "+c.Node]; had != "" && had != c.Answer {
				t.Errorf("%s: node %s used answer %.8s and now uses %.8s", dir, c.Node, had, c.Answer)
			}
		}
	}
	// Who comes later, without a calls.jsonl, gets one set of answers too.
	p.must(0, "run", "x.hcl", "--output-dir", "c")
	p.must(0, "run", "x.hcl", "--output-dir", "d")
	for _, name := range resultFiles {
		if p.read("c/"+name) != p.read("d/"+name) {
			t.Errorf("%s: two later runs differ", name)
		}
	}
}

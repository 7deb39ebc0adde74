package cli

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var fullChaos = flag.Bool("chaos", false, "run TestChaos over 20,000 calls and 10 kills (make chaos)")

// chaosSize is how much of it there is.
type chaosSize struct {
	families, inFlight, kills int
	calls                     int           // at least
	backoff                   string        // before the first retry; "": the protocol's
	patience                  time.Duration // of the test with the processes
}

func sizeOfChaos() chaosSize {
	if *fullChaos {
		return chaosSize{families: 235, inFlight: 64, kills: 10, calls: 20_000, patience: 20 * time.Minute}
	}
	return chaosSize{families: 4, inFlight: 16, kills: 4, calls: 300, backoff: "20ms", patience: 2 * time.Minute}
}

// longestLook bounds, on a slow machine, the time between a process's last
// look at the segments of others and the call that it then sends: the refresh
// window, and what storing and looking take.
const longestLook = 5*time.Second + 5*time.Second

// TestChaos lets three processes share one cache and one experiment, at a
// server that fails three attempts in ten, kills them again and again and
// compacts the cache meanwhile. What comes of it are the bytes of a run left
// alone: nothing wrong, nothing lost, and nothing bought twice but what a kill
// interrupted or two processes bought before they could know of each other.
func TestChaos(t *testing.T) {
	for _, name := range chaosFaults {
		if e, ok := effectOf(name); !ok || e.kind != again {
			t.Fatalf("fault %s is not one that another attempt mends", name)
		}
	}
	size := sizeOfChaos()
	p, s := newProject(t), newChaosServer(t)
	chaosExperiment(p, s, size)
	s.calm = true
	p.must(0, "run", "x.hcl", "--cache", "alone-cache", "--output-dir", "alone")
	calls := s.arrived
	if calls < size.calls {
		t.Fatalf("the test is too small: %d calls", calls)
	}
	s.forget()
	s.calm = false

	c := &chaos{t: t, p: p, s: s, size: size, rng: rand.New(rand.NewPCG(4, 7)), killed: map[string]time.Time{}}
	c.run(calls)
	c.checkPurchases(calls)
	for _, name := range resultFiles {
		for _, dir := range []string{"a", "b", "c"} {
			if p.read("alone/"+name) != p.read(dir+"/"+name) {
				t.Errorf("%s/%s differs from that of the undisturbed run", dir, name)
			}
		}
	}
	before := s.arrived
	p.must(0, "run", "x.hcl", "--output-dir", "last")
	if s.arrived != before {
		t.Errorf("%d calls were lost: a later run sent them again", s.arrived-before)
	}
	contains(t, "cache verify", p.must(0, "cache", "verify").stdout, " 0 damaged")
}

func chaosExperiment(p *project, s *chaosServer, size chaosSize) {
	p.families(size.families)
	p.experiment(s.answers, parts{
		endpoint: fmt.Sprintf("max_in_flight = %d\n  headers = { %q = env(\"CHAOS_PROCESS\", \"alone.0\") }", size.inFlight, chaosHeader),
		model:    "seed = 11", // so that a body is one call
		run: `
  phases           = ["oracle", "learned"]
  p5_updaters      = ["incremental_merge", "batch_replay"]
  p5_random_orders = 3
  replicates       = 2
`})
}

// chaos is one run of the test.
type chaos struct {
	t      *testing.T
	p      *project
	s      *chaosServer
	size   chaosSize
	rng    *rand.Rand
	procs  []*chaosProcess
	killed map[string]time.Time // instance → when
}

// chaosProcess is one of the three, through all its lives.
type chaosProcess struct {
	name  string
	life  int
	child *child
	ended chan result
}

func (x *chaosProcess) instance() string { return fmt.Sprintf("%s.%d", x.name, x.life) }

func (c *chaos) start(x *chaosProcess) {
	c.p.env["CHAOS_PROCESS"], c.p.env[firstBackoff] = x.instance(), c.size.backoff
	x.child = c.p.start("run", "x.hcl", "--output-dir", x.name)
	x.ended = make(chan result, 1)
	go func(c *child) {
		_ = c.Wait() // the exit code says it
		x.ended <- result{c.ProcessState.ExitCode(), c.stdout.String(), c.stderr.String()}
	}(x.child)
}

// run starts, kills, compacts and waits for the end.
func (c *chaos) run(calls int) {
	t := c.t
	for _, name := range []string{"a", "b", "c"} {
		x := &chaosProcess{name: name}
		c.procs = append(c.procs, x)
		c.start(x)
	}
	for k := range c.size.kills {
		// All of them need more than this, so none has ended.
		target := calls*k/c.size.kills + c.rng.IntN(calls/c.size.kills)
		select {
		case <-c.s.await(target):
		case <-time.After(c.size.patience):
			t.Fatalf("attempt %d never came", target)
		}
		x := c.procs[c.rng.IntN(len(c.procs))]
		if err := x.child.Process.Kill(); err != nil {
			t.Fatalf("kill %d: %v", k, err)
		}
		if r := <-x.ended; r.code != -1 {
			t.Fatalf("kill %d: %s had ended by itself: %v", k, x.instance(), r)
		}
		c.killed[x.instance()] = time.Now()
		if k == c.size.kills/2 {
			c.compact()
		}
		x.life++
		c.start(x)
	}
	for _, x := range c.procs {
		select {
		case r := <-x.ended:
			if r.code != 0 {
				t.Fatalf("process %s (%v): %v", x.name, x.child.ProcessState, r)
			}
		case <-time.After(c.size.patience):
			t.Fatalf("process %s never ended:\n%s", x.name, x.child.stderr.String())
		}
	}
}

// compact packs the segments of the dead, as if they had lain for days, while
// the living write on.
func (c *chaos) compact() {
	t := c.t
	if runtime.GOOS != "linux" {
		t.Log("no compaction: this system does not say which segments are written")
		return
	}
	segments, err := filepath.Glob(filepath.Join(c.p.dir, "cache", "segments", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-72 * time.Hour)
	dead := 0
	for _, name := range segments {
		if !c.written(name) {
			dead++
			if err := os.Chtimes(name, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := c.p.must(0, "cache", "compact")
	packed, err := filepath.Glob(filepath.Join(c.p.dir, "cache", "segments", "*.zst"))
	if err != nil {
		t.Fatal(err)
	}
	if dead == 0 || len(packed) == 0 {
		t.Errorf("the test is empty: %d segments of the dead: %v", dead, r)
	}
	t.Logf("compacted meanwhile: %s", strings.TrimSpace(r.stdout))
}

// writesTo finds the access mode of an open file that is not read-only.
var writesTo = regexp.MustCompile(`(?m)^flags:\s+[0-7]*[1-37]$`)

// written reports whether a living process has the file open for writing.
func (c *chaos) written(name string) bool {
	for _, x := range c.procs {
		dir := fmt.Sprintf("/proc/%d/fd", x.child.Process.Pid)
		open, err := os.ReadDir(dir)
		if err != nil {
			continue // dead
		}
		for _, fd := range open {
			to, err := os.Readlink(filepath.Join(dir, fd.Name()))
			if err != nil || to != name {
				continue
			}
			info, err := os.ReadFile(filepath.Join(dir, "..", "fdinfo", fd.Name()))
			if err != nil || writesTo.Match(info) {
				return true
			}
		}
	}
	return false
}

// checkPurchases looks at who was given which answer, and when.
func (c *chaos) checkPurchases(calls int) {
	t, s := c.t, c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.given) != calls {
		t.Errorf("%d distinct calls were answered, the undisturbed run needed %d", len(s.given), calls)
	}
	total, late := 0, 0
	for body, list := range s.given {
		total += len(list)
		seen := map[string]bool{}
		for _, d := range list {
			if seen[d.who] {
				t.Errorf("process %s bought %x twice", d.who, body[:6])
			}
			seen[d.who] = true
		}
		slices.SortFunc(list, func(a, b delivery) int { return a.ended.Compare(b.ended) })
		for i, d := range list {
			if i > 0 && c.known(list[:i], d.began) {
				late++
				t.Errorf("%s bought %x although others had had the answer for %s", d.who, body[:6], d.began.Sub(list[0].ended))
			}
		}
	}
	if 100*s.failed < 25*s.arrived || s.limited == 0 {
		t.Errorf("the test is empty: %d of %d attempts failed, %d of them by a limit", s.failed, s.arrived, s.limited)
	}
	t.Logf("%d calls needed; %d attempts, %d of them failed (%d limited); %d answers given, %d of them more than once; %d kills",
		calls, s.arrived, s.failed, s.limited, total, total-len(s.given), c.size.kills)
}

// known reports whether one of these answers was in the cache, and long
// enough for every process to have seen it, when a purchase began. What a kill
// followed closely may not have been stored.
func (c *chaos) known(earlier []delivery, began time.Time) bool {
	return slices.ContainsFunc(earlier, func(d delivery) bool {
		killed, ok := c.killed[d.who]
		stored := !ok || killed.Sub(d.ended) > 2*time.Second
		return stored && began.Sub(d.ended) > longestLook
	})
}

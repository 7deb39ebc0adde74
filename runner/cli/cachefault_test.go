package cli

import (
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A cache directory that is deleted, purged or compacted while a run writes to
// it costs nothing: what was paid for is written again, the results are those
// of an undisturbed run, and nothing is bought again.
func TestCacheTakenAwayDuringARun(t *testing.T) {
	memform := func(p *project, args ...string) { // not p.must: it is called by the server
		if r := p.memform(args...); r.code != exitDone {
			p.t.Error(r)
		}
	}
	for name, disturb := range map[string]func(*project){
		"deleted": func(p *project) {
			for os.RemoveAll("cache") != nil { // the run makes a new file meanwhile
			}
		},
		"purged":    func(p *project) { memform(p, "cache", "purge", "--yes") },
		"compacted": func(p *project) { memform(p, "cache", "compact", "--all-writers-stopped") },
	} {
		t.Run(name, func(t *testing.T) {
			p, s := newProject(t), newChatServer(t)
			p.families(2)
			p.experiment(s, parts{})
			p.must(exitDone, "run", "x.hcl", "--yes", "--cache", "calm", "--output-dir", "calm-results")
			calls := s.sent()

			var answered atomic.Int64
			var one sync.Mutex // a slow disturbance may last until the next
			s.answered.set(func(int) {
				if n := answered.Add(1); n == int64(calls/3) || n == int64(calls/2) {
					one.Lock()
					defer one.Unlock()
					disturb(p)
				}
			})
			p.must(exitDone, "run", "x.hcl", "--yes")
			if n := s.sent() - calls; n != calls {
				t.Errorf("%d calls sent, want %d", n, calls)
			}
			for _, file := range []string{fileRows, fileSummary} {
				if p.read("results/x/"+file) != p.read("calm-results/"+file) {
					t.Errorf("%s differs from the undisturbed run's", file)
				}
			}
			r := p.must(exitDone, "run", "x.hcl", "--offline", "--output-dir", "again")
			if !strings.Contains(r.stderr, "0 calls sent") || s.sent() != 2*calls {
				t.Errorf("bought again: %v", r)
			}
			p.must(exitDone, "cache", "verify")
		})
	}
}

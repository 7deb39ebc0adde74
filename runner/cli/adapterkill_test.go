package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// A library's process that is killed from outside in the middle of its work is
// started again: the run is whole and nothing is bought twice.
func TestLibraryKilledInTheMiddle(t *testing.T) {
	for _, stack := range []string{"langchain", "langmem", "llamaindex-facts"} {
		t.Run(stack, func(t *testing.T) {
			s := newChatServer(t)
			s.rule.set(echoing)
			p := newProject(t)
			p.installedStacks(stack)
			p.families(1)
			p.experiment(s, parts{run: `stack = "` + stack + `"`})
			held, release := make(chan struct{}), make(chan struct{})
			var n atomic.Int32
			s.hold.set(func(_ int, body string, _ <-chan struct{}) {
				if ofLibrary(stack, body) && n.Add(1) == 8 {
					close(held)
				}
				if n.Load() >= 8 {
					<-release
				}
			})
			run := p.start("run", "x.hcl")
			await(t, "the library's eighth request", held)
			killed := 0
			for _, pid := range descendants(run.Process.Pid) {
				command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				if pid != run.Process.Pid && strings.Contains(string(command), "memform_") {
					killed++
					if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
						t.Error(err)
					}
				}
			}
			close(release)
			r := run.wait()
			if killed != 1 || r.code != 0 || p.exists("results/x/missing.jsonl") {
				t.Fatalf("%d processes killed, %v", killed, r)
			}
			for body, n := range s.arrivals() {
				if n != 1 {
					t.Errorf("bought %d times: %.90s…", n, body)
				}
			}
		})
	}
}

// ofLibrary reports whether a request came through a stack's library.
func ofLibrary(stack, body string) bool {
	return stack == "langchain" || kindOf(body) != "decide"
}

// An adapter may answer in any order: what comes of the run is the same.
func TestAdapterAnswersInAnyOrder(t *testing.T) {
	s := newChatServer(t)
	p := newProject(t)
	p.env["MEMFORM_STACKS"], p.env["PATH"] = filepath.Join(p.dir, "stacks"), os.Getenv("PATH")
	python := withPython(t)
	p.families(1)
	p.experiment(s, parts{})
	p.must(0, "run", "x.hcl", "--output-dir", "native")
	p.edit("x.hcl", "  cases  = [cases.mcq]\n", "  cases  = [cases.mcq]\n  stack  = \"faulty\"\n")
	// Of every eight operations the later ones are answered first.
	p.faulty("", "import time\ntime.sleep((8 - int(self.line['id']) % 8) / 100)")
	p.must(0, "stack", "install", "faulty", "--python", python)
	p.must(0, "run", "x.hcl")
	if p.rowsOfAnyStack("results/x") != p.rowsOfAnyStack("native") {
		t.Error("the rows are not those of the native stack")
	}
}

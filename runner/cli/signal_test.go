package cli

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// interruptible is a run of which twelve calls are answered and the next are
// held until release is closed or, with nil, for ever. held tells when the
// calls in flight are all there.
func interruptible(t *testing.T, release <-chan struct{}) (p *project, s *chatServer, held <-chan struct{}) {
	t.Helper()
	p, s = newProject(t), newChatServer(t)
	killed(p, s)
	full := make(chan struct{})
	var once sync.Once
	s.hold.set(func(n int, _ string, gone <-chan struct{}) {
		if n <= 12 {
			return
		}
		if n == 12+inFlight {
			once.Do(func() { close(full) })
		}
		select {
		case <-release:
		case <-gone:
		}
	})
	return p, s, full
}

// resumeCommand is the command that a stopped run prints.
func resumeCommand(t *testing.T, stderr string) string {
	t.Helper()
	_, rest, ok := strings.Cut(stderr, "resume with: ")
	if !ok {
		t.Fatalf("no resume command in:\n%s", stderr)
	}
	command, _, _ := strings.Cut(rest, "\n")
	return command
}

// shell runs a command line as a user would paste it.
func (p *project) shell(command string) result {
	p.t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Logf("%s: %v", command, err)
	}
	return result{cmd.ProcessState.ExitCode(), "", string(out)}
}

// A signal lets calls in flight finish and be stored, and the command it
// prints completes the run without paying for one of them again.
func TestSignalDrainsAndResumes(t *testing.T) {
	for name, test := range map[string]struct {
		signal syscall.Signal
		code   int
	}{
		"interrupt": {syscall.SIGINT, 130},
		"terminate": {syscall.SIGTERM, 143},
		"hang up":   {syscall.SIGHUP, 143},
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			p, s, held := interruptible(t, release)
			p.edit("x.hcl", `experiment "x" {`, "variable \"note\" {\n  type = string\n}\n\nexperiment \"x\" {\n  description = var.note")
			c := p.start("--log-level", "info", "run", "x.hcl", "--var", "note=it's a #1 \"note\"", "--drain", "10m")
			await(t, "calls in flight", held)
			if err := c.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			c.stderr.await(t, "stopping")
			close(release)
			r := c.wait()
			if r.code != test.code {
				t.Fatalf("want exit %d, got %v", test.code, r)
			}
			if sent, stored := s.sent(), len(p.stored("cache")); sent != stored || sent != 12+inFlight {
				t.Errorf("%d calls arrived, %d in all were in flight or before; %d are stored", sent, 12+inFlight, stored)
			}
			contains(t, "the message", r.stderr, "20 calls answered and stored", "nothing was lost")
			if again := p.shell(resumeCommand(t, r.stderr)); again.code != 0 {
				t.Fatalf("the resume command: %v", again)
			}
			for body, n := range s.arrivals() {
				if n != 1 {
					t.Errorf("a call was sent %d times: %.120s", n, body)
				}
			}
		})
	}
}

// A second signal does not wait for the server, and says what that may cost.
func TestSecondSignalAborts(t *testing.T) {
	p, s, held := interruptible(t, nil)
	c := p.start("run", "x.hcl", "--drain", "10m")
	await(t, "calls in flight", held)
	for range 2 {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		c.stderr.await(t, "stopping")
	}
	r := c.wait()
	if r.code != 130 {
		t.Fatalf("want exit 130, got %v", r)
	}
	contains(t, "the message", r.stderr, "12 calls answered and stored", "given up", "resume with: memform run x.hcl --drain 10m")
	if n := len(p.stored("cache")); n != 12 {
		t.Errorf("%d answers are stored, 12 were given", n)
	}
	s.hold.set(nil)
	p.must(0, "run", "x.hcl")
}

// A server that never answers holds up the end no longer than --drain.
func TestDrainEnds(t *testing.T) {
	p, _, held := interruptible(t, nil)
	c := p.start("run", "x.hcl", "--drain", "100ms")
	await(t, "calls in flight", held)
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	done := make(chan result, 1)
	go func() { done <- c.wait() }()
	select {
	case r := <-done:
		if r.code != 143 {
			t.Fatalf("want exit 143, got %v", r)
		}
		contains(t, "the message", r.stderr, "drain time is over", "given up", "resume with: memform run x.hcl --drain 100ms")
	case <-time.After(patience):
		t.Fatal("the run outlived its drain time")
	}
}

// A pause that the server asked for, in seconds or as a date, holds back
// every call of the endpoint, and an interrupt does not wait for its end.
func TestRetryAfterPausesTheEndpoint(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, headers := range map[string]map[string]string{
		"seconds": {"Retry-After": "7"},
		"date":    {"Retry-After": at.Add(7 * time.Second).Format(http.TimeFormat), "Date": at.Format(http.TimeFormat)},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := newProject(t), newChatServer(t)
			killed(p, s)
			p.edit("x.hcl", "max_in_flight = 8", "max_in_flight = 1")
			s.rule.set(func(n int, _ string) refusal {
				if n < 5 {
					return refusal{}
				}
				no := refuse(http.StatusTooManyRequests, "rate_limit_exceeded", "slow down")
				no.headers = headers
				return no
			})
			c := p.start("run", "x.hcl", "--drain", "10m")
			c.stderr.await(t, `endpoint "local" paused for 7s`)
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if r := c.wait(); r.code != 130 || strings.Contains(r.stderr, "given up") {
				t.Errorf("want exit 130 and nothing given up, got %v", r)
			}
			if s.sent() != 5 {
				t.Errorf("%d calls arrived, the fifth was told to wait", s.sent())
			}
		})
	}
}

package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"memform/runner/cases/casestest"
	"memform/runner/llm/faultserver"
)

// effect is what a fault must come to (docs/protocol.md, "Answers and
// outcomes").
type effect struct {
	kind    effectKind
	outcome string // of a result
	class   string // of an error
	message string // part of what the user is told
}

type effectKind uint8

const (
	aResult  effectKind = iota // a result of the model: cached, one attempt
	again                      // tried again: 6 tries, or until the outage budget ends
	limited                    // a rate limit or an outage: the endpoint pauses, no try is spent
	nodeOnly                   // this node alone is missing
	stops                      // the model or the endpoint stops at once
)

func comes(outcome string) effect   { return effect{kind: aResult, outcome: outcome} }
func retried(message string) effect { return effect{kind: again, class: "retry", message: message} }
func pauses(class, message string) effect {
	return effect{kind: limited, class: class, message: message}
}
func fails(message string) effect       { return effect{kind: nodeOnly, class: "node", message: message} }
func ends(class, message string) effect { return effect{kind: stops, class: class, message: message} }

// effects is the matrix: every fault of the server, and what must come of it.
var effects = map[string]effect{
	"status-400":            fails("does not support 0"),
	"status-400-context":    fails("maximum context length"),
	"status-401":            ends("endpoint", "Incorrect API key"),
	"status-402":            ends("endpoint", "Insufficient credits"),
	"status-403":            ends("endpoint", "may not use this"),
	"status-405":            ends("endpoint", "is /v1 missing or doubled?"),
	"status-410":            ends("model", "withdrawn"),
	"status-413":            fails("body too large"),
	"status-422":            fails("extra fields not permitted"),
	"status-429":            pauses("rate", "Rate limit reached"),
	"status-429-quota":      ends("endpoint", "exceeded your current quota"),
	"status-429-too-large":  fails("more tokens than one minute allows"),
	"status-503-overloaded": retried("overloaded"),

	"retry-after-seconds":  pauses("rate", "Slow down"),
	"retry-after-ms":       pauses("rate", "Slow down"),
	"retry-after-zero":     pauses("rate", "Slow down"),
	"retry-after-negative": pauses("rate", "Slow down"),
	"retry-after-days":     pauses("rate", "Slow down"),
	"retry-after-words":    pauses("rate", "Slow down"),
	"retry-after-past":     pauses("rate", "Slow down"),
	"retry-after-date":     pauses("rate", "Slow down"),

	"refusal":          comes("refusal"),
	"filter-finish":    comes("filtered"),
	"filter-400-azure": comes("filtered"),
	"filter-400":       comes("filtered"),
	"filter-403":       comes("filtered"),
	"length":           comes("truncated"),

	"no-model-openai":     ends("model", "does not exist"),
	"no-model-azure":      ends("model", "deployment for this resource does not exist"),
	"no-model-vllm":       ends("model", "does not exist"),
	"no-model-llama":      ends("model", "not found"),
	"no-model-openrouter": ends("model", "not a valid model ID"),

	"only-completion-tokens": fails("Use 'max_completion_tokens'"),
	"only-max-tokens":        comes("answer"),
	"no-temperature":         comes("answer"),
	"no-seed":                comes("answer"),
	"wordy":                  comes("answer"),
	"echo-key":               ends("endpoint", "Incorrect API key"),

	"error-in-200":      retried("Provider returned error"),
	"error-429-in-200":  pauses("rate", "Rate limit exceeded"),
	"error-text-in-200": retried("upstream went away"),
	"error-auth-in-200": ends("endpoint", "No auth credentials"),
	"error-in-choice":   retried("Upstream error"),
	"finish-error":      retried("ended with an error"),
	"choices-null":      retried("no choices"),
	"choices-empty":     retried("no choices"),
	"not-json":          retried("not JSON"),
	"empty-body":        retried("not JSON"),
	"html-200":          retried("Sign in to the network"),
	"content-null":      comes("empty"),
	"content-no-parts":  comes("empty"),
	"truncated-json":    retried("not JSON"),
	"content-parts":     comes("answer"),
	"no-usage":          comes("answer"),
	"usage-strings":     comes("answer"),
	"unknown-fields":    comes("answer"),
	"duplicate-keys":    comes("answer"),
	"invalid-utf8":      comes("answer"),
	"whitespace-before": comes("answer"),
	"byte-order-mark":   comes("answer"),
	"reasoning":         comes("answer"),
	"huge":              fails("larger than 16 MiB"),
	"huge-chunked":      fails("larger than 16 MiB"),

	"closed-before-headers": retried("connection ended"),
	"reset-before-headers":  retried("connection reset"),
	"closed-in-body":        retried("connection ended"),
	"closed-in-chunks":      retried("connection ended"),
	"closed-in-refusal":     ends("endpoint", ""),
	"no-http":               retried("connection ended"),
	"reset-in-body":         retried("connection reset"),
	"slow-headers":          comes("answer"),
	"slow-body":             comes("answer"),
	"stalled-headers":       retried("no whole answer within 2m0s"),
	"stalled-body":          retried("no whole answer within 2m0s"),
	"chunked":               comes("answer"),
	"gzip":                  comes("answer"),
	"gzip-broken":           retried("connection ended"),
	"html-502":              retried("502 Bad Gateway"),
	"redirect":              ends("endpoint", "the server redirects"),

	"limits-openai":     comes("answer"),
	"limits-anthropic":  comes("answer"),
	"limits-openrouter": comes("answer"),
	"limits-changing":   comes("answer"),

	"llama-loading": retried("Loading model"),
	"llama-context": fails("available context size"),
	"llama-400":     fails("Failed to parse"),
	"llama-401":     ends("endpoint", "Invalid API Key"),
	"llama-sigterm": retried("no whole answer within 2m0s"),
	"llama-sigkill": retried("connection ended"),
	"llama-n2":      comes("answer"),
	"fickle":        comes("answer"),
}

// effectOf is the row of a fault. The statuses that are all one have no row
// of their own.
func effectOf(name string) (effect, bool) {
	if e, ok := effects[name]; ok {
		return e, true
	}
	status, err := strconv.Atoi(strings.TrimPrefix(name, "status-"))
	if err != nil || status < 408 {
		return effect{}, false
	}
	return retried(cmp.Or(http.StatusText(status), "origin trouble")), true
}

// TestFaultsTable fails where a fault has no row, or a row no fault.
func TestFaultsTable(t *testing.T) {
	known := map[string]bool{}
	for _, f := range faultserver.All() {
		known[f.Name] = true
		if _, ok := effectOf(f.Name); !ok {
			t.Errorf("the fault %s has no row", f.Name)
		}
	}
	for name := range effects {
		if !known[name] {
			t.Errorf("the row %s has no fault", name)
		}
	}
}

// trial is one cell of the matrix: a fault at the first or at every attempt,
// met by one call or by all of 64 in flight.
type trial struct {
	fault string
	every bool
	all   bool
}

// observed is what a run under a fault came to.
type observed struct {
	result
	bodies   map[string]int // attempts of each body
	victim   string         // the first body, which alone meets the fault where one call does
	stored   map[string]storedCall
	missing  []missingLine
	inFlight int // most at once, as the client sees it
	took     time.Duration
}

// TestFaults runs the whole program against every fault under virtual time.
// With -v it prints what came of each.
func TestFaults(t *testing.T) {
	if memory := "/dev/shm"; isDir(memory) {
		t.Setenv("TMPDIR", memory) // hundreds of runs: what a sync costs is no matter here
	}
	p := newProject(t)
	p.write("one.jsonl", string(casestest.JSONL(1, 7)))
	p.write("many.jsonl", string(casestest.JSONL(24, 7)))
	var trials []trial
	for _, f := range faultserver.All() {
		for _, c := range []trial{{f.Name, false, false}, {f.Name, false, true}, {f.Name, true, false}, {f.Name, true, true}} {
			if !c.all || !strings.HasPrefix(f.Name, "huge") { // 30 MB a call: one is enough
				trials = append(trials, c)
			}
		}
	}
	if raceEnabled || testing.Short() { // a part of them shows a race as well
		trials = slices.Collect(everyNth(trials, 7))
	}
	rows := make([]string, len(trials))
	t.Cleanup(func() { // when the parallel trials are done
		var out bytes.Buffer
		table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "fault\twhen\tcalls\toutcome\tattempts a call\tcached\tmissing\texit\ttime\ttold")
		for _, row := range rows {
			fmt.Fprintln(table, row)
		}
		table.Flush()
		t.Log("\n" + out.String())
	})
	for i, c := range trials {
		t.Run(fmt.Sprintf("%s/every=%t/all=%t", c.fault, c.every, c.all), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := c.run(p)
				c.check(t, got)
				rows[i] = c.row(got)
			})
		})
	}
}

func everyNth[T any](list []T, n int) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := 0; i < len(list) && yield(list[i]); i += n {
		}
	}
}

// TestFaultsOfAddresses: what stands between base_url and a server.
func TestFaultsOfAddresses(t *testing.T) {
	p := newProject(t)
	p.write("one.jsonl", string(casestest.JSONL(1, 7)))
	p.write("many.jsonl", string(casestest.JSONL(24, 7)))
	tests := []struct {
		name           string
		server, client faultserver.Kind
		baseURL        string
		exit           int
		told           string
		bound          int // most connections
	}{
		{"refused", faultserver.Refusing, 0, "http://server.invalid/v1", 3, "connection refused (is the server running?)", 64 + 40},
		{"no such name", faultserver.Nameless, 0, "http://server.invalid/v1", 3, "the server's name was not found", 64 + 40},
		{"untrusted", faultserver.Untrusted, 0, "https://server.invalid/v1", 3, "certificate is not trusted", 64},
		{"no TLS", faultserver.Plain, 0, "https://server.invalid/v1", 3, "does not speak TLS on this port", 64},
		{"TLS and HTTP/2", faultserver.Trusted, faultserver.Trusted, "https://server.invalid/v1", 0, "", 64},
		{"trailing slash", faultserver.Plain, 0, "http://server.invalid/v1/", 0, "", 64},
		{"double slash", faultserver.Plain, 0, "http://server.invalid//v1", 0, "", 64},
		{"missing /v1", faultserver.Plain, 0, "http://server.invalid", 3, "(check the model's id, and base_url)", 64},
		{"/v1 twice", faultserver.Plain, 0, "http://server.invalid/v1/v1", 2, `Did you mean "http://server.invalid/v1"`, 0},
		{"no scheme", faultserver.Plain, 0, "server.invalid/v1", 2, `Did you mean "https://server.invalid/v1"`, 0},
		{"query", faultserver.Plain, 0, "http://server.invalid/v1?key=canary", 2, "has a user, a query or a fragment", 0},
		{"the whole address", faultserver.Plain, 0, "http://server.invalid/v1/chat/completions", 2, "goes too far", 0},
	}
	for i, tt := range tests {
		for file, inFlight := range map[string]int{"one": 1, "many": 64} {
			t.Run(tt.name+"/"+file, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					network := faultserver.Start(faultserver.New(faultserver.Config{Latency: time.Second}), tt.server)
					defer network.Close()
					name := fmt.Sprintf("address-%d-%s", i, file)
					p.faultExperiment(name, tt.baseURL, file, inFlight)
					r := p.memformOver(network.Transport(tt.client), "run", name+".hcl", "--cache", name+"-cache", "--output-dir", name+"-out", "--yes")
					if r.code != tt.exit || !strings.Contains(r.stderr, tt.told) || strings.Contains(r.stderr, "canary") {
						t.Errorf("want exit %d and %q: %v", tt.exit, tt.told, r)
					}
					if n := network.Dialed(); n > tt.bound || (n == 0) != (tt.bound == 0) {
						t.Errorf("%d connections were asked for, want up to %d", n, tt.bound)
					}
					if stored := len(p.stored(name + "-cache")); (stored > 0) != (tt.exit == 0) {
						t.Errorf("%d answers stored", stored)
					}
				})
			})
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// run lets memform run a small experiment over a network in memory.
func (c trial) run(p *project) *observed {
	name := fmt.Sprintf("%s-%t-%t", c.fault, c.every, c.all)
	file, inFlight := "one", 1
	if c.all {
		file, inFlight = "many", 64
	}
	p.faultExperiment(name, "http://server.invalid/v1", file, inFlight)
	got := &observed{}
	var mu sync.Mutex
	s := faultserver.New(faultserver.Config{
		Latency: time.Second,
		Pick: func(body []byte, attempt int) string {
			mu.Lock()
			defer mu.Unlock()
			if got.victim == "" {
				got.victim = string(body)
			}
			if (c.every || attempt == 1) && (c.all || got.victim == string(body)) {
				return c.fault
			}
			return ""
		},
	})
	network := faultserver.Start(s, faultserver.Plain)
	defer network.Close()
	start := time.Now()
	traffic := &traffic{RoundTripper: network.Transport(faultserver.Plain)}
	got.result = p.memformOver(traffic, "run", name+".hcl", "--cache", name+"-cache", "--output-dir", name+"-out", "--yes")
	got.took, got.inFlight = time.Since(start), traffic.most
	got.bodies = s.Attempts()
	got.stored = map[string]storedCall{}
	for _, e := range p.stored(name + "-cache") {
		got.stored[e.Entry.Request] = e
	}
	if lines := filepath.Join(name+"-out", fileMissing); p.exists(lines) {
		got.missing = jsonLines[missingLine](p, lines)
	}
	return got
}

// faultExperiment writes NAME.hcl: the smallest run, 3 calls a family.
func (p *project) faultExperiment(name, baseURL, file string, inFlight int) {
	p.write(name+".hcl", fmt.Sprintf(`
experiment "faults" { seed = 7 }
endpoint "e" {
  base_url      = %q
  identity      = "fixture"
  max_in_flight = %d
}
model "m" {
  endpoint   = endpoint.e
  id         = "gpt-9"
  max_tokens = 64
}
cases "c" {
  path       = "%s.jsonl"
  interfaces = ["P1"]
}
run "main" {
  models = [model.m]
  cases  = [cases.c]
  phases = ["oracle"]
}
`, baseURL, inFlight, file))
}

// check compares a run with its row of the matrix.
func (c trial) check(t *testing.T, got *observed) {
	t.Helper()
	want, _ := effectOf(c.fault)
	healed := !c.every && (want.kind == again || want.kind == limited)
	lost := want.kind != aResult && !healed
	exit := exitDone
	if lost {
		exit = exitMissing
	}
	if got.code != exit {
		t.Errorf("exit %d, want %d: %v", got.code, exit, got.result)
	}
	if most := 64; c.all && got.inFlight > most || !c.all && got.inFlight > 1 {
		t.Errorf("%d calls in flight", got.inFlight)
	}
	c.checkAttempts(t, want, got)
	c.checkStored(t, want, got, lost)
	if !lost {
		if len(got.missing) > 0 {
			t.Errorf("missing: %+v", got.missing)
		}
		return
	}
	c.checkMissing(t, want, got)
}

func (c trial) checkAttempts(t *testing.T, want effect, got *observed) {
	t.Helper()
	for body, n := range got.bodies {
		meets := c.all || body == got.victim
		ok := n == 1
		switch {
		case !meets:
		case want.kind == again && !c.every, want.kind == limited && !c.every:
			ok = n == 2
		case want.kind == again && !c.all:
			ok = n == 6
		case want.kind == again:
			ok = n <= 60 // an outage of 30 minutes, probed each minute at the most
		case want.kind == limited:
			ok = n > 1 && !c.all || n <= 60 // a 429 spends no try
		}
		if !ok {
			t.Errorf("%d attempts of one call (faulty: %t)", n, meets)
		}
	}
	if want.kind == stops && len(got.bodies) > 64 {
		t.Errorf("%d calls were sent to what had stopped", len(got.bodies))
	}
}

func (c trial) checkStored(t *testing.T, want effect, got *observed, lost bool) {
	t.Helper()
	for body, n := range got.bodies {
		meets := c.all || body == got.victim
		e, stored := got.stored[body]
		outcome := "answer"
		if meets && want.kind == aResult {
			outcome = want.outcome
		}
		switch {
		case meets && lost:
			if stored {
				t.Errorf("an error was stored, as %s", e.Entry.Outcome)
			}
		default:
			if !stored || e.Entry.Outcome != outcome || e.Entry.Attempts != n {
				t.Errorf("stored %t: %q after %d attempts, want %q after %d", stored, e.Entry.Outcome, e.Entry.Attempts, outcome, n)
			}
		}
	}
}

// checkMissing looks at what the user is told: each root once, with its cause.
func (c trial) checkMissing(t *testing.T, want effect, got *observed) {
	t.Helper()
	if len(got.missing) == 0 {
		t.Fatal("nothing is missing")
	}
	told := got.stderr
	for _, m := range got.missing {
		told += m.Message + "\n"
	}
	contains(t, "what is told", told, want.message)
	stopped := strings.Count(got.stderr, " stopped: ")
	switch {
	case want.kind == stops && stopped != 1:
		t.Errorf("%d messages of a stop, want one:\n%s", stopped, got.stderr)
	case want.kind == nodeOnly && !c.all && (stopped != 0 || len(got.missing) != 1):
		t.Errorf("%d messages of a stop, %d roots:\n%s", stopped, len(got.missing), got.stderr)
	case want.kind == again && !c.all && (stopped != 0 || len(got.missing) != 1 || got.missing[0].Class != want.class):
		t.Errorf("%d messages of a stop, roots %+v", stopped, got.missing)
	case want.kind == limited && !c.all && (len(got.missing) != 1 || got.missing[0].Class != want.class || got.took < 30*time.Minute):
		t.Errorf("after %s the roots are %+v", got.took, got.missing)
	case (want.kind == limited || want.kind == again) && c.all && (stopped != 1 || !strings.Contains(got.stderr, "given up")):
		t.Errorf("the outage has no end:\n%s", got.stderr)
	case want.kind == stops:
		for _, m := range got.missing {
			if m.Class != want.class {
				t.Errorf("class %s of %+v", m.Class, m)
			}
		}
	}
	for _, secret := range []string{"server.invalid", "login.example", "127.0.0.1"} {
		if strings.Contains(told, secret) {
			t.Errorf("the message names a host:\n%s", told)
		}
	}
}

// row is a line of the printed table.
func (c trial) row(got *observed) string {
	when, calls := "first", "1"
	if c.every {
		when = "every"
	}
	if c.all {
		calls = fmt.Sprint(len(got.bodies))
	}
	low, high := 1<<30, 0
	for body, n := range got.bodies {
		if c.all || body == got.victim {
			low, high = min(low, n), max(high, n)
		}
	}
	attempts := fmt.Sprint(low)
	if high > low {
		attempts = fmt.Sprintf("%d–%d", low, high)
	}
	outcome, cached, told := "error", "no", ""
	if e, ok := got.stored[got.victim]; ok {
		outcome, cached = e.Entry.Outcome, "yes"
	}
	missing := 0
	for _, m := range got.missing {
		missing += m.Predictions
		told = m.Class + ": " + m.Message
	}
	if len(told) > 80 {
		told = strings.ToValidUTF8(told[:80], "") + "…"
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s", c.fault, when, calls, outcome, attempts, cached, missing, got.code, got.took.Round(time.Second), told)
}

// memformOver runs one command in this process over a transport.
func (p *project) memformOver(transport http.RoundTripper, args ...string) result {
	p.t.Helper()
	defer transport.(interface{ CloseIdleConnections() }).CloseIdleConnections()
	var stdout, stderr bytes.Buffer
	a := &app{transport: transport, Process: Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Env: func(name string) (string, bool) { v, ok := p.env[name]; return v, ok },
	}}
	return result{a.main(), stdout.String(), stderr.String()}
}

// traffic counts the requests that are under way, until their answer is read.
type traffic struct {
	http.RoundTripper
	mu        sync.Mutex
	now, most int
}

func (c *traffic) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += n
	c.most = max(c.most, c.now)
}

func (c *traffic) RoundTrip(req *http.Request) (*http.Response, error) {
	c.add(1)
	resp, err := c.RoundTripper.RoundTrip(req)
	if err != nil {
		c.add(-1)
		return nil, err
	}
	resp.Body = closing{resp.Body, func() { c.add(-1) }}
	return resp, nil
}

func (c *traffic) CloseIdleConnections() {
	c.RoundTripper.(interface{ CloseIdleConnections() }).CloseIdleConnections()
}

type closing struct {
	io.ReadCloser
	closed func()
}

func (c closing) Close() error {
	defer c.closed()
	return c.ReadCloser.Close()
}

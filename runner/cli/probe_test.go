package cli

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"memform/runner/cases/casestest"
	"memform/runner/llm/faultserver"
)

const probeKey = "canary-probe-0123456789"

// probeOver probes a server with a fault and returns how long it took.
func probeOver(t *testing.T, p *project, fault string, kind faultserver.Kind, args ...string) (result, time.Duration) {
	t.Helper()
	s := faultserver.New(faultserver.Config{Latency: 250 * time.Millisecond, Pick: func([]byte, int) string { return fault }})
	network := faultserver.Start(s, kind)
	defer network.Close()
	start := time.Now()
	r := p.memformOver(network.Transport(kind), append([]string{"probe"}, args...)...)
	return r, time.Since(start)
}

// What a probe says of each kind of server, in at most 5 seconds, without the
// key.
func TestProbe(t *testing.T) {
	p := newProject(t)
	p.env["PROBE_KEY"] = probeKey
	p.write("cases.jsonl", string(casestest.JSONL(1, 7)))
	tests := []struct {
		fault string
		kind  faultserver.Kind
		exit  int
		says  []string
	}{
		{"", 0, 0, []string{"usable         yes", "PROBE_KEY: accepted", "answered as gpt-9-2026-01-01", "temperature 0  accepted", "max_tokens, kept",
			"counted", "honoured", "250 ms", "none told", "4 calls, ", "price unknown", "http://server.invalid/v1/chat/completions"}},
		{"only-completion-tokens", 0, 0, []string{"max_completion_tokens, kept", `max_tokens_field = "max_completion_tokens"`, "temperature      = 0", "5 calls"}},
		{"only-max-tokens", 0, 0, []string{"max_tokens, kept"}},
		{"no-temperature", 0, 0, []string{"temperature 0  refused"}},
		{"no-seed", 0, 0, []string{"seed           refused"}},
		{"wordy", 0, 0, []string{"accepted and NOT kept"}},
		{"fickle", 0, 0, []string{"accepted, not honoured"}},
		{"no-usage", 0, 0, []string{"not counted", "4 calls; the server counted no tokens"}},
		{"length", 0, 0, []string{"usable         yes", "not known whether it is honoured"}},
		{"refusal", 0, 0, []string{"usable         yes"}},
		{"limits-openai", 0, 0, []string{"x-ratelimit-limit-requests: 500", "requests_per_minute = 500", "tokens_per_minute   = 30000"}},
		{"limits-anthropic", 0, 0, []string{"anthropic-ratelimit-requests-limit: 50", "requests_per_minute = 50", "tokens_per_minute   = 40000"}},
		{"limits-openrouter", 0, 0, []string{"x-ratelimit-limit: 20", "requests_per_minute = 20"}},
		{"", faultserver.Trusted, 0, []string{"usable         yes"}},

		{"echo-key", 0, 1, []string{"no: HTTP 401 invalid_api_key", "not accepted", "[key]"}},
		{"status-402", 0, 1, []string{"no: HTTP 402", "not known whether it is accepted"}},
		{"status-429-quota", 0, 1, []string{"no: HTTP 429 insufficient_quota"}},
		{"no-model-openai", 0, 1, []string{"no: HTTP 404 model_not_found", "PROBE_KEY: accepted", "not known to the server"}},
		{"no-model-openrouter", 0, 1, []string{"not a valid model ID", "not known to the server"}},
		{"llama-loading", 0, 1, []string{"no: HTTP 503 unavailable_error: Loading model"}},
		{"html-200", 0, 1, []string{`a web page titled "Sign in to the network"`}},
		{"status-400", 0, 1, []string{"no: HTTP 400 unsupported_value", "5 calls"}},
		{"redirect", 0, 1, []string{"redirects"}},
		{"stalled-headers", 0, 1, []string{"no answer in the time a probe has"}},
		{"stalled-body", 0, 1, []string{"no answer in the time a probe has"}},
		{"reset-before-headers", 0, 1, []string{"connection reset"}},
		{"", faultserver.Refusing, 1, []string{"connection refused (is the server running?)"}},
		{"", faultserver.Nameless, 1, []string{"name was not found"}},
		{"", faultserver.Untrusted, 1, []string{"certificate is not trusted"}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.fault, tt.kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := "http://Server.invalid:80//v1/"
				if tt.kind == faultserver.Trusted || tt.kind == faultserver.Untrusted {
					base = "https://Server.invalid:443//v1/"
				}
				r, took := probeOver(t, p, tt.fault, tt.kind, "--base-url", base, "--model", "gpt-9", "--api-key-env", "PROBE_KEY")
				if r.code != tt.exit || took > 5*time.Second {
					t.Errorf("want exit %d, took %s: %v", tt.exit, took, r)
				}
				contains(t, "the report", r.stdout, tt.says...)
				if strings.Contains(r.String(), "canary") {
					t.Errorf("the key is shown: %v", r)
				}
				proposed := strings.Contains(r.stdout, "endpoint \"server\" {")
				if proposed != (tt.exit == 0) {
					t.Errorf("blocks proposed: %t", proposed)
				}
				if proposed {
					p.checkProposal(t, r.stdout)
				}
			})
		})
	}
	if p.exists("cache") {
		t.Error("a probe wrote to the cache")
	}
}

// checkProposal loads the proposed blocks as a user would paste them.
func (p *project) checkProposal(t *testing.T, stdout string) {
	t.Helper()
	_, blocks, _ := strings.Cut(stdout, "\n\n")
	p.write("pasted.hcl", "experiment \"x\" {}\n"+blocks+`
cases "c" { path = "cases.jsonl" }
run "r" {
  models = [model.agent]
  cases  = [cases.c]
}
`)
	if r := p.memform("validate", "pasted.hcl"); r.code != 0 {
		t.Errorf("the proposed blocks are not valid: %v\n%s", r, blocks)
	}
}

// A model of an experiment file is asked as it is declared, and is usable only
// if the server takes that.
func TestProbeOfDeclaredModels(t *testing.T) {
	p := newProject(t)
	p.env["PROBE_KEY"] = probeKey
	p.write("cases.jsonl", string(casestest.JSONL(1, 7)))
	p.write("x.hcl", `
experiment "x" {}
endpoint "one-two" {
  base_url            = "http://server.invalid/v1"
  api_key_env         = "PROBE_KEY"
  identity            = "mine"
  requests_per_minute = 100
  headers             = { "X-A" = "1" }
  key_headers         = true
}
endpoint "azure" {
  base_url    = "http://server.invalid"
  kind        = "azure"
  api_version = "2024-10-21"
}
model "strict" {
  endpoint    = endpoint.one-two
  id          = "gpt-9"
  temperature = 0
  max_tokens  = 64
  seed        = 3
  extra_body  = { top_k = 3 }
  price       = { input = 1, output = 10 }
}
model "free" {
  endpoint = endpoint.one-two
  id       = "gpt-9"
}
model "deployed" {
  endpoint = endpoint.azure
  id       = "gpt-4.1:x"
}
model "simulated" {
  simulated = {}
}
cases "c" { path = "cases.jsonl" }
run "r" {
  models = [model.simulated]
  cases  = [cases.c]
}
`)
	tests := []struct {
		fault string
		args  []string
		exit  int
		says  []string
	}{
		{"", []string{"x.hcl"}, 0, []string{`"strict"`, `"free"`, `"deployed"`, "USD 0.00", `endpoint    = endpoint.one-two`, `identity            = "mine"`, "requests_per_minute = 100"}},
		{"", []string{"x.hcl", "--endpoint", "azure"}, 0, []string{"/openai/deployments/gpt-4.1:x/chat/completions?api-version=2024-10-21", `kind        = "azure"`, "none sent, none needed"}},
		{"no-temperature", []string{"x.hcl", "--model", "strict"}, 1, []string{"not as declared: the server refuses temperature"}},
		{"no-temperature", []string{"x.hcl", "--model", "free"}, 0, []string{"temperature 0  refused"}},
		{"only-completion-tokens", []string{"x.hcl", "--model", "strict"}, 1, []string{"refuses max_tokens", "max_completion_tokens"}},
		{"no-seed", []string{"x.hcl", "--model", "strict"}, 1, []string{"refuses seed"}},
		{"limits-openai", []string{"x.hcl", "--model", "strict"}, 0, []string{"requests_per_minute = 100", "tokens_per_minute   = 30000"}},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			r, _ := probeOver(t, p, tt.fault, faultserver.Plain, tt.args...)
			if r.code != tt.exit {
				t.Errorf("%s %v: want exit %d: %v", tt.fault, tt.args, tt.exit, r)
			}
			contains(t, "the report", r.stdout, tt.says...)
		})
	}
}

func TestProbeUsage(t *testing.T) {
	p := newProject(t)
	p.write("cases.jsonl", string(casestest.JSONL(1, 7)))
	p.write("x.hcl", "experiment \"x\" {}\nmodel \"s\" {\n  simulated = {}\n}\ncases \"c\" { path = \"cases.jsonl\" }\nrun \"r\" {\n  models = [model.s]\n  cases = [cases.c]\n}\n")
	for _, tt := range []struct {
		args []string
		says string
	}{
		{nil, "needs an experiment file, or --base-url"},
		{[]string{"x.hcl"}, "no model to probe"},
		{[]string{"x.hcl", "--base-url", "http://a/v1"}, "not both"},
		{[]string{"x.hcl", "--api-key-env", "K"}, "go with --base-url"},
		{[]string{"--base-url", "http://a/v1"}, "needs --model"},
		{[]string{"--base-url", "a/v1", "--model", "m"}, `Did you mean "https://a/v1"`},
		{[]string{"--base-url", "http://u:canary@a/v1", "--model", "m"}, "has a user, a query or a fragment"},
		{[]string{"--base-url", "http://a/v1", "--model", "m", "--api-key-env", "UNSET"}, "set UNSET in the environment"},
		{[]string{"--base-url", "http://a/v1", "--model", "m", "--endpoint", "e"}, "goes with an experiment file"},
		{[]string{"nofile.hcl"}, "nofile.hcl"},
	} {
		r := p.must(2, append([]string{"probe"}, tt.args...)...)
		contains(t, "stderr", r.stderr, tt.says)
		if strings.Contains(r.stderr, "canary") || r.stdout != "" {
			t.Errorf("%v: %v", tt.args, r)
		}
	}
}

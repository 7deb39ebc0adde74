package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"memform/runner/cases/casestest"
	"memform/runner/llm/faultserver"
)

// listener is a healthy server that keeps what arrives beside the bodies.
type listener struct {
	*httptest.Server
	mu      sync.Mutex
	uris    []string
	headers []http.Header
}

func newListener(t *testing.T) *listener {
	l := &listener{}
	l.Server = httptest.NewServer(faultserver.New(faultserver.Config{Seen: func(r *http.Request, _ []byte, _ int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.uris, l.headers = append(l.uris, r.RequestURI), append(l.headers, r.Header.Clone())
	}}))
	t.Cleanup(l.Close)
	return l
}

// take returns what arrived since the last time.
func (l *listener) take() (uris []string, headers []http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	uris, headers = l.uris, l.headers
	l.uris, l.headers = nil, nil
	return uris, headers
}

func wireProject(t *testing.T) *project {
	p := newProject(t)
	p.write("cases.jsonl", string(casestest.JSONL(1, 7)))
	p.env["CANARY_KEY"] = "canary-key-0123456789"
	return p
}

func (p *project) wire(base, endpoint, id string) {
	p.write("x.hcl", fmt.Sprintf(`
experiment "x" { seed = 7 }
endpoint "e" {
  base_url    = %q
  api_key_env = "CANARY_KEY"
  identity    = "fixture"
  %s
}
model "m" {
  endpoint   = endpoint.e
  id         = %q
  max_tokens = 64
}
cases "c" {
  path       = "cases.jsonl"
  interfaces = ["P1"]
}
run "main" {
  models = [model.m]
  cases  = [cases.c]
  phases = ["oracle"]
}
`, base, endpoint, id))
}

// Declared headers arrive with every request. Only with key_headers does
// another value buy the calls again.
func TestHeadersOnTheWire(t *testing.T) {
	for _, keyed := range []bool{false, true} {
		p, l := wireProject(t), newListener(t)
		for i, value := range []string{"red", "blue", "blue"} {
			p.wire(l.URL+"/v1", fmt.Sprintf("headers = { \"x-route\" = %q }\n  key_headers = %t", value, keyed), "gpt-9")
			p.must(0, "run", "x.hcl")
			_, headers := l.take()
			want := 3
			if i == 2 || i == 1 && !keyed {
				want = 0
			}
			if len(headers) != want {
				t.Errorf("key_headers %t, run %d: %d requests, want %d", keyed, i+1, len(headers), want)
			}
			for _, h := range headers {
				if h.Get("X-Route") != value || h.Get("Authorization") != "Bearer canary-key-0123456789" {
					t.Errorf("arrived: %v", h)
				}
			}
		}
	}
}

// An Azure endpoint through the whole program: address, key header, and an
// identity of which the version is a part.
func TestAzureOnTheWire(t *testing.T) {
	p, l := wireProject(t), newListener(t)
	for i, version := range []string{"2024-10-21", "2025-01-01-preview", "2024-10-21"} {
		p.wire(l.URL, fmt.Sprintf("kind = \"azure\"\n  api_version = %q", version), "gpt-4.1:mini")
		p.must(0, "run", "x.hcl")
		uris, headers := l.take()
		want := 3
		if i == 2 {
			want = 0
		}
		uri := "/openai/deployments/gpt-4.1:mini/chat/completions?api-version=" + version
		if len(uris) != want || slices.ContainsFunc(uris, func(u string) bool { return u != uri }) {
			t.Errorf("run %d: sent to %v, want %d × %s", i+1, uris, want, uri)
		}
		for _, h := range headers {
			if h.Get("Api-Key") != "canary-key-0123456789" || h.Get("Authorization") != "" {
				t.Errorf("arrived: %v", h)
			}
		}
	}
	for _, c := range p.stored("cache") {
		if !strings.HasPrefix(c.Entry.Identity, "fixture azure api-version=20") {
			t.Errorf("identity %q", c.Entry.Identity)
		}
	}
}

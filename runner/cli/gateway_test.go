package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
)

// served is a gateway that runs in this process.
type served struct {
	url, token string
	signals    chan os.Signal
	done       chan int
	stderr     *transcript
}

func (p *project) serve(args ...string) *served {
	p.t.Helper()
	g := &served{signals: make(chan os.Signal, 2), done: make(chan int, 1), stderr: &transcript{}}
	stdout := &transcript{}
	go func() {
		g.done <- Main(Process{
			Args: append([]string{"gateway"}, args...), Stdin: strings.NewReader(""), Stdout: stdout, Stderr: g.stderr, Signals: g.signals,
			Env: func(name string) (string, bool) { v, ok := p.env[name]; return v, ok },
		})
	}()
	stdout.await(p.t, "OPENAI_API_KEY=")
	for line := range strings.Lines(stdout.String()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch name {
		case "OPENAI_BASE_URL":
			g.url = value
		case "OPENAI_API_KEY":
			g.token = value
		}
	}
	return g
}

func (g *served) post(t *testing.T, body string, headers ...string) (int, string, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, g.url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+g.token)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("X-Memform-Cache"), string(text)
}

// end interrupts the gateway and waits for it.
func (g *served) end(t *testing.T) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	g.signals <- os.Interrupt
	if code := <-g.done; code != exitInterrupted {
		t.Errorf("exit %d\n%s", code, g.stderr.String())
	}
}

// Any program's calls are answered from the cache, under the block's
// parameters.
func TestGatewayCommand(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{model: "seed = 5"})
	g := p.serve("x.hcl")
	const ask = `{"model":"agent","temperature":1,"top_p":0.5,"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]}`
	status, hit, first := g.post(t, ask)
	if status != 200 || hit != "miss" || !strings.Contains(first, "gpt-4o-mini-2026-01-01") {
		t.Fatalf("%d %s %s", status, hit, first)
	}
	if body := s.bodies[0]; body != `{"max_tokens":512,"messages":[{"content":"s","role":"system"},{"content":"u","role":"user"}],"model":"gpt-4o-mini","seed":5,"temperature":0,"top_p":0.5}` {
		t.Errorf("sent %s", body)
	}
	for _, model := range []string{"agent", "gpt-4o-mini"} {
		if status, hit, again := g.post(t, strings.Replace(ask, "agent", model, 1)); status != 200 || hit != "hit" || again != first {
			t.Errorf("%d %s %s", status, hit, again)
		}
	}
	if _, hit, _ := g.post(t, ask, "X-Memform-Draw", "1"); hit != "miss" || !strings.Contains(s.bodies[1], `"seed":6`) {
		t.Errorf("another draw: %s", hit)
	}
	if status, _, text := g.post(t, strings.Replace(ask, "agent", "nix", 1)); status != 404 || !strings.Contains(text, "agent, gpt-4o-mini") {
		t.Errorf("%d %s", status, text)
	}
	s.rule.set(func(int, string) refusal { return refuse(400, "bad", "no such thing") })
	if status, _, text := g.post(t, strings.Replace(ask, "u", "other", 1)); status != 424 || !strings.Contains(text, "no such thing") {
		t.Errorf("%d %s", status, text)
	}
	g.end(t)
	sent := s.sent()
	offline := p.serve("x.hcl", "--offline")
	if status, hit, again := offline.post(t, ask); status != 200 || hit != "hit" || again != first {
		t.Errorf("offline: %d %s %s", status, hit, again)
	}
	if status, _, text := offline.post(t, strings.Replace(ask, "u", "new", 1)); status != 424 || !strings.Contains(text, "offline") {
		t.Errorf("offline: %d %s", status, text)
	}
	offline.end(t)
	if s.sent() != sent {
		t.Errorf("%d requests were sent offline", s.sent()-sent)
	}
}

func TestGatewayCommandFaults(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{endpoint: `api_key_env = "NO_SUCH_KEY"`})
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"gateway"}, "needs an experiment file"},
		{[]string{"gateway", "nix.hcl"}, "nix.hcl"},
		{[]string{"gateway", "x.hcl"}, "NO_SUCH_KEY"},
		{[]string{"gateway", "x.hcl", "--max-cost", "1", "--offline"}, "price"},
		{[]string{"gateway", "x.hcl", "--embeddings", "nix", "--offline"}, "nix"},
		{[]string{"gateway", "x.hcl", "--port", "70000", "--offline"}, "port"},
	} {
		if r := p.must(exitUsage, tt.args...); !strings.Contains(r.stderr, tt.says) {
			t.Errorf("%v: %v", tt.args, r)
		}
	}
}

// What a program may spend is capped.
func TestGatewayCap(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{model: "price = { input = 1, output = 1000 }"})
	g := p.serve("x.hcl", "--max-cost", "0.52")
	status, _, _ := g.post(t, `{"model":"agent","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]}`)
	again, _, text := g.post(t, `{"model":"agent","messages":[{"role":"system","content":"s"},{"role":"user","content":"v"}]}`)
	if status != 200 || again != 424 || s.sent() != 1 {
		t.Errorf("%d, %d %s, %d sent", status, again, text, s.sent())
	}
	g.end(t)
}

// Embeddings of a declared model come from its endpoint, and then from the
// cache.
func TestGatewayEmbeddings(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path+" "+string(body))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","model":"embedder-1","data":[{"object":"embedding","index":0,"embedding":[0.25,-1]}],"usage":{"prompt_tokens":2,"total_tokens":2}}`)
	}))
	t.Cleanup(server.Close)
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{})
	p.edit("x.hcl", s.URL, server.URL)
	p.write("x.hcl", p.read("x.hcl")+"model \"vectors\" {\n  endpoint = endpoint.local\n  id = \"embedder\"\n  temperature = 0\n}\nmodel \"made\" {\n  simulated = {}\n}\n")
	g := p.serve("x.hcl", "--embeddings", "vectors")
	chat := g.url
	g.url += "/embeddings#" // what follows is no part of the address
	for i, want := range []string{"miss", "hit"} {
		status, hit, text := g.post(t, `{"model":"vectors","input":["one","two"],"encoding_format":"float"}`)
		if status != 200 || hit != want || !strings.Contains(text, "[0.25,-1]") {
			t.Errorf("%d: %d %s %s", i, status, hit, text)
		}
	}
	if want := `/v1/embeddings {"encoding_format":"float","input":["one","two"],"model":"embedder"}`; len(asked) != 1 || asked[0] != want {
		t.Errorf("asked %q, want %q", asked, want)
	}
	for body, says := range map[string]string{`{"model":"nix","input":"a"}`: "memform_no_embeddings", `{"model":"agent","input":"a"}`: "--embeddings",
		`{"model":"vectors"}`: "input must be there"} {
		if status, _, text := g.post(t, body); status < 400 || status > 404 || !strings.Contains(text, says) {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	g.url = chat
	g.end(t)
}

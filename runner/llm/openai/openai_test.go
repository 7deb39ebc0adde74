package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"memform/runner/llm"
)

const okBody = `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func newCall(body string) *llm.Call { return &llm.Call{Request: []byte(body), Model: "m"} }

// send sends one call to the handler and returns what came of it.
func send(t *testing.T, cfg Config, h http.HandlerFunc) llm.Response {
	t.Helper()
	cfg.BaseURL = serve(t, h).URL
	e := New(cfg)
	defer e.CloseIdle()
	r, err := e.Complete(context.Background(), newCall(`{"model":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRequestArrivesByteExact(t *testing.T) {
	const body = `{"messages":[{"content":"\u00e9 é ` + "\u2028" + `","role":"user"}],"model":"o3-local","temperature":0,"top_k":7,"max_tokens":5}`
	var got []byte
	var head http.Header
	var path, host string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		head, path, host = r.Header, r.Method+" "+r.URL.String(), r.Host
		io.WriteString(w, okBody)
	})
	e := New(Config{BaseURL: s.URL + "/v1", Key: " sk-123\n", Headers: map[string]string{"x-title": "t", "Host": "other.example"}})
	defer e.CloseIdle()
	r, err := e.Complete(context.Background(), newCall(body))
	if err != nil || r.Outcome != llm.OutcomeAnswer || r.Text != "hi" || r.Attempts != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if string(got) != body {
		t.Errorf("arrived: %s", got)
	}
	if path != "POST /v1/chat/completions" || host != "other.example" {
		t.Errorf("sent to %s at %s", path, host)
	}
	want := map[string]string{"Authorization": "Bearer sk-123", "Content-Type": "application/json", "X-Title": "t", "User-Agent": "memform"}
	for name, value := range want {
		if head.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, head.Get(name), value)
		}
	}
	if head.Get("Content-Length") != fmt.Sprint(len(body)) {
		t.Errorf("length %s, want %d", head.Get("Content-Length"), len(body))
	}
}

func TestNoKeyNoAuthorization(t *testing.T) {
	send(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
		if _, ok := r.Header["Authorization"]; ok {
			t.Error("an Authorization header was sent")
		}
		io.WriteString(w, okBody)
	})
}

func TestRawAnswerAndHeadersAreKept(t *testing.T) {
	const body = "  \n" + `{"choices":[{"message":{"content":"hi"}}],"cost":0.1}` + "\n"
	r := send(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		for _, name := range []string{"X-Request-Id", "X-RateLimit-Remaining-Tokens", "OpenAI-Processing-Ms", "Retry-After",
			"Set-Cookie", "OpenAI-Organization", "OpenAI-Project", "Via", "Server", "Cf-Ray", "X-Forwarded-For"} {
			h.Set(name, "v")
		}
		io.WriteString(w, body)
	})
	if string(r.Raw) != body || r.Status != 200 {
		t.Errorf("status %d, raw %q", r.Status, r.Raw)
	}
	got := slices.Sorted(maps.Keys(r.Headers))
	want := []string{"date", "openai-processing-ms", "retry-after", "x-ratelimit-remaining-tokens", "x-request-id"}
	if !slices.Equal(got, want) {
		t.Errorf("headers %v, want %v", got, want)
	}
}

func TestClockStampsAnswers(t *testing.T) {
	times := []time.Time{
		time.Date(2026, 3, 2, 10, 0, 0, 0, time.FixedZone("", 3600)),
		time.Date(2026, 3, 2, 10, 0, 1, 250_900_000, time.FixedZone("", 3600)),
	}
	i := 0
	now := func() time.Time { defer func() { i = 1 }(); return times[i] }
	r := send(t, Config{Now: now}, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, okBody) })
	if r.CompletedAt != "2026-03-02T09:00:01.250Z" || r.Millis != 1250 {
		t.Errorf("completed at %s after %d ms", r.CompletedAt, r.Millis)
	}
}

// A date in Retry-After is relative to the server's clock, or to ours where
// the server does not tell its own.
func TestRetryAfterDate(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for _, date := range []string{"", "Mon, 02 Mar 2026 10:00:03 GMT"} {
		r := send(t, Config{Now: func() time.Time { return now }}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = nil
			if date != "" {
				w.Header().Set("Date", date)
			}
			w.Header().Set("Retry-After", "Mon, 02 Mar 2026 10:00:10 GMT")
			w.WriteHeader(429)
		})
		want := 10.0
		if date != "" {
			want = 7
		}
		if r.Err.Class != llm.ClassRate || r.Err.RetryAfter != want {
			t.Errorf("Date %q: %+v", date, r.Err)
		}
	}
}

func hijack(w http.ResponseWriter, write string, reset bool) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	io.WriteString(conn, write)
	if reset {
		conn.(*net.TCPConn).SetLinger(0)
	}
	conn.Close()
}

func TestFaults(t *testing.T) {
	stall := func(r *http.Request) { <-r.Context().Done() } // until the client hangs up
	tests := []struct {
		name    string
		handler http.HandlerFunc
		class   llm.Class
		code    string
	}{
		{"closed before headers", func(w http.ResponseWriter, _ *http.Request) { hijack(w, "", false) }, llm.ClassRetry, "connection_closed"},
		{"reset before headers", func(w http.ResponseWriter, _ *http.Request) { hijack(w, "", true) }, llm.ClassRetry, "connection_reset"},
		{"closed in the body", func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"choi", false)
		}, llm.ClassRetry, "connection_closed"},
		{"closed in a chunked body", func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"cho\r\n", false)
		}, llm.ClassRetry, "connection_closed"},
		{"no HTTP", func(w http.ResponseWriter, _ *http.Request) { hijack(w, "hello\r\n\r\n", false) }, llm.ClassRetry, "connection_closed"},
		{"refused, closed in the body", func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 401 No\r\nContent-Length: 100\r\n\r\n{\"err", false)
		}, llm.ClassEndpoint, ""},
		{"stalled headers", func(w http.ResponseWriter, r *http.Request) { stall(r) }, llm.ClassRetry, "timeout"},
		{"stalled body", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, okBody[:20])
			w.(http.Flusher).Flush()
			stall(r)
		}, llm.ClassRetry, "timeout"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", 307) }, llm.ClassEndpoint, ""},
		{"broken gzip", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, okBody)
		}, llm.ClassRetry, "connection_closed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := send(t, Config{Timeout: 300 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/elsewhere") {
					t.Error("the redirect was followed")
				}
				io.Copy(io.Discard, r.Body)
				tt.handler(w, r)
			})
			if r.Outcome != llm.OutcomeError || r.Err.Class != tt.class || r.Err.Code != tt.code {
				t.Errorf("got %s %+v, want %s %q", r.Outcome, r.Err, tt.class, tt.code)
			}
			if tt.code == "timeout" && r.Err.Message != "no whole answer within 300ms" {
				t.Errorf("message %q", r.Err.Message)
			}
			if strings.Contains(r.Err.Message, "127.0.0.1") {
				t.Errorf("message names the host: %s", r.Err.Message)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	tls.Config.ErrorLog = nil
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	tests := []struct {
		name, url string
		class     llm.Class
		code      string
	}{
		{"refused", gone.URL, llm.ClassOutage, "connection_refused"},
		{"no such name", "http://nowhere.invalid/v1", llm.ClassOutage, "dns"},
		{"untrusted certificate", tls.URL, llm.ClassEndpoint, "tls_trust"},
		{"TLS to a plain port", strings.Replace(plain.URL, "http", "https", 1), llm.ClassEndpoint, "tls"},
		{"no scheme", "localhost/v1", llm.ClassEndpoint, "malformed_request"},
		{"foreign scheme", "ftp://localhost/v1", llm.ClassEndpoint, "malformed_request"},
		{"no host", "http:///v1", llm.ClassEndpoint, "malformed_request"},
		{"bad port", "http://localhost:x/v1", llm.ClassEndpoint, "malformed_request"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := New(Config{BaseURL: tt.url, Timeout: 5 * time.Second})
			defer e.CloseIdle()
			r, err := e.Complete(context.Background(), newCall("{}"))
			if err != nil || r.Err == nil || r.Err.Class != tt.class || r.Err.Code != tt.code {
				t.Errorf("got %+v, %v; want %s %q", r.Err, err, tt.class, tt.code)
			}
		})
	}
	e := New(Config{BaseURL: plain.URL, Key: "line\nbreak"})
	defer e.CloseIdle()
	if r, _ := e.Complete(context.Background(), newCall("{}")); r.Err == nil || r.Err.Class != llm.ClassEndpoint || strings.Contains(r.Err.Error(), "break") {
		t.Errorf("a key of two lines: %+v", r.Err)
	}
}

func TestHugeAnswer(t *testing.T) {
	r := send(t, Config{}, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(200)
		chunk := make([]byte, 1<<20)
		for range 30 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	if r.Outcome != llm.OutcomeError || r.Err.Class != llm.ClassNode || r.Err.Code != "too_large" || r.Raw != nil {
		t.Errorf("got %s %+v with %d bytes", r.Outcome, r.Err, len(r.Raw))
	}
}

func TestCancel(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { close(arrived); <-release })
	defer close(release)
	e := New(Config{BaseURL: s.URL})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-arrived; cancel() }()
	if _, err := e.Complete(ctx, newCall("{}")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := e.Complete(ctx, newCall("{}")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

func TestSecretsStayHidden(t *testing.T) {
	const key, other = "canary-key-0123456789", "canary-header-0123456789"
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"message":"bad %s and %s","code":"content_filter"}}`, r.Header.Get("Authorization"), r.Header.Get("Api-Key"))
		}
	}
	for _, status := range []int{400, 401, 429, 500, 302, 200} {
		r := send(t, Config{Key: key, Headers: map[string]string{"api-key": "Bearer " + other}}, echo(status))
		all, _ := json.Marshal(r)
		if s := string(all) + string(r.Raw) + fmt.Sprint(r.Err); strings.Contains(s, "canary") {
			t.Errorf("status %d: %s", status, s)
		}
	}
	// A short key is a placeholder; answers may hold it by chance.
	r := send(t, Config{Key: "EMPTY"}, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strings.Replace(okBody, "hi", "EMPTY", 1))
	})
	if r.Text != "EMPTY" {
		t.Errorf("answer became %q", r.Text)
	}
	r = send(t, Config{Key: "EMPTY"}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401); io.WriteString(w, "no EMPTY") })
	if r.Err.Message != "no [key]" {
		t.Errorf("message %q", r.Err.Message)
	}
}

// roundTripper is a transport that stands in for the network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTransportLearnsTheCall(t *testing.T) {
	var got *llm.Call
	e := New(Config{BaseURL: "http://simulated.invalid", Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		got = CallFrom(ctx)
		return &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(strings.NewReader(okBody))}, nil
	})})
	call := newCall("{}")
	call.Draw = 3
	if r, err := e.Complete(context.Background(), call); err != nil || r.Text != "hi" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if got != call || CallFrom(context.Background()) != nil {
		t.Errorf("the transport saw %+v", got)
	}
}

// Calls that end at the same moment keep their connections for the next.
func TestConnectionsAreReused(t *testing.T) {
	const workers, rounds = 16, 10
	var opened atomic.Int64
	var round sync.WaitGroup
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		round.Done()
		round.Wait()             // all are in flight together
		w.(http.Flusher).Flush() // chunked
		io.WriteString(w, okBody)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	e := New(Config{BaseURL: s.URL, MaxInFlight: workers})
	defer e.CloseIdle()
	for range rounds {
		round.Add(workers)
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				if r, err := e.Complete(context.Background(), newCall("{}")); err != nil || r.Err != nil {
					t.Error(r.Err, err)
				}
			})
		}
		wg.Wait()
	}
	if n := opened.Load(); n > 2*workers {
		t.Errorf("%d connections for %d calls of %d workers", n, workers*rounds, workers)
	}
}

func TestHTTP2(t *testing.T) {
	var proto string
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto = r.Proto
		io.WriteString(w, okBody)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	e := New(Config{BaseURL: s.URL, Transport: s.Client().Transport})
	if r, err := e.Complete(context.Background(), newCall("{}")); err != nil || r.Text != "hi" || proto != "HTTP/2.0" {
		t.Errorf("got %+v over %s, %v", r, proto, err)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestModelPathsAreCut(t *testing.T) {
	for body, want := range map[string]string{
		`{"model":"/home/alice/m/x.gguf","id":"/a/b"}`:           `{"model":"x.gguf","id":"/a/b"}`,
		`{"id":1, "model" : "C:\\Users\\alice\\x.gguf"}`:         `{"id":1, "model":"x.gguf"}`,
		`{"model":"\/home\/alice\/x.gguf"}`:                      `{"model":"x.gguf"}`,
		`{"model":"openai/gpt-4o"}`:                              `{"model":"openai/gpt-4o"}`,
		`{"choices":[{"content":"{\"model\":\"/a/b\"}"}]}`:       `{"choices":[{"content":"{\"model\":\"/a/b\"}"}]}`,
		`{"model":"m","content":"see \"model\": /home/alice/x"}`: `{"model":"m","content":"see \"model\": /home/alice/x"}`,
	} {
		if got := string(withoutPaths([]byte(body))); got != want {
			t.Errorf("%s became %s, want %s", body, got, want)
		}
	}
}

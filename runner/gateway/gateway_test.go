package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"memform/runner/llm"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(int) { http.DefaultClient.CloseIdleConnections() }))
}

// template is the call that an operation's calls are made of.
func template(request string) *llm.Call {
	return &llm.Call{Identity: "server stack=x lock=1", Draw: 2, Request: []byte(request), Endpoint: "e", Model: "agent", Run: 1, MaxTokens: 64}
}

const block = `{"max_tokens":64,"messages":[],"model":"m-1","seed":9,"temperature":0}`

// answering answers each call with a text made of its request.
type answering struct {
	mu    sync.Mutex
	calls []*llm.Call
	reply func(*llm.Call) llm.Response
}

func (a *answering) Complete(_ context.Context, call *llm.Call) (llm.Response, error) {
	a.mu.Lock()
	a.calls = append(a.calls, call)
	a.mu.Unlock()
	if a.reply != nil {
		return a.reply(call), nil
	}
	return llm.Read(200, nil, body("hello")), nil
}

func body(text string) []byte {
	return []byte(fmt.Sprintf(`{"id":"c","object":"chat.completion","created":1,"model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`, text))
}

func start(t testing.TB, cfg Config) *Gateway {
	t.Helper()
	g, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func begin(t testing.TB, g *Gateway, spec Spec) *Operation {
	t.Helper()
	o, err := g.Begin(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// post sends a body with a token and an operation.
func post(t testing.TB, g *Gateway, path, op, body string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, strings.TrimSuffix(g.URL(), "/v1")+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+g.Token())
	if op != "" {
		req.Header.Set(HeaderOp, op)
	}
	return do(t, req)
}

func do(t testing.TB, req *http.Request) (int, http.Header, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

const chat = "/v1/chat/completions"

// The block's parameters win, what is sent besides is kept, and all of it is
// in canonical form.
func TestCanonicalForm(t *testing.T) {
	tests := []struct {
		name, block, body, want string
		overridden              []string
		loose                   bool
	}{
		{"bare", block, `{"model":"m-1","messages":[{"role":"user","content":"a"}]}`,
			`{"max_tokens":64,"messages":[{"content":"a","role":"user"}],"model":"m-1","seed":9,"temperature":0}`,
			[]string{"max_tokens", "seed", "temperature"}, false},
		{"same", block, `{"temperature":0.0,"seed":9,"max_completion_tokens":64,"stream":false,"model":"m-1","messages":[{"role":"user","content":"a"}]}`,
			`{"max_tokens":64,"messages":[{"content":"a","role":"user"}],"model":"m-1","seed":9,"temperature":0}`, nil, false},
		{"other", block, `{"temperature":0.1,"top_p":0.1,"seed":9,"max_tokens":2000,"model":"gpt","tools":[{"z":1,"a":2}],"messages":[{"role":"user","content":"a"}]}`,
			`{"max_tokens":64,"messages":[{"content":"a","role":"user"}],"model":"m-1","seed":9,"temperature":0,"tools":[{"a":2,"z":1}]}`,
			[]string{"max_tokens", "model", "temperature", "top_p"}, false},
		{"no limit declared", `{"messages":[],"model":"m-1"}`, `{"model":"m-1","max_completion_tokens":5,"temperature":1,"messages":[{"role":"user","content":"a"}]}`,
			`{"messages":[{"content":"a","role":"user"}],"model":"m-1"}`, []string{"max_completion_tokens", "temperature"}, false},
		{"extra body wins", `{"messages":[],"model":"m-1","provider":{"order":["x"]}}`, `{"model":"m-1","provider":1,"messages":[{"role":"user","content":"a"}]}`,
			`{"messages":[{"content":"a","role":"user"}],"model":"m-1","provider":{"order":["x"]}}`, []string{"provider"}, false},
		{"null is absent", block, `{"temperature":0,"seed":9,"max_tokens":64,"stop":null,"n":1,"model":"m-1","messages":[{"role":"user","content":"a"}]}`,
			`{"max_tokens":64,"messages":[{"content":"a","role":"user"}],"model":"m-1","seed":9,"temperature":0}`, nil, false},
		{"loose", `{"messages":[],"model":"m-1","temperature":0}`, `{"model":"agent","top_p":0.5,"temperature":1,"max_completion_tokens":7,"messages":[{"role":"user","content":"a"}]}`,
			`{"max_completion_tokens":7,"messages":[{"content":"a","role":"user"}],"model":"m-1","temperature":0,"top_p":0.5}`, []string{"model", "temperature"}, true},
		{"texts", block, `{"temperature":0,"seed":9,"max_tokens":64,"model":"m-1","messages":[{"role":"user","content":"\u00e9 é \u2028 <b> \ud83d\ude00 \u0000"}]}`,
			`{"max_tokens":64,"messages":[{"content":"é é ` + "\u2028" + ` <b> 😀 \u0000","role":"user"}],"model":"m-1","seed":9,"temperature":0}`, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := &answering{}
			g := start(t, Config{Model: model})
			o := begin(t, g, Spec{Call: template(tt.block), Loose: tt.loose})
			if status, _, text := post(t, g, chat, o.Token(), tt.body); status != 200 || text != string(body("hello")) {
				t.Fatalf("%d %s", status, text)
			}
			call := model.calls[0]
			if string(call.Request) != tt.want {
				t.Errorf("sent\n%s, want\n%s", call.Request, tt.want)
			}
			if want := llm.KeyOf("server stack=x lock=1", 2, call.Request); call.Key != want || call.Draw != 2 || call.Run != 1 || call.Endpoint != "e" {
				t.Errorf("the call is %+v", call)
			}
			o.End()
			o.Wait()
			a := o.Account()
			if diff := cmp.Diff(tt.overridden, a.Overridden); diff != "" || a.Requests != 1 || len(a.Calls) != 1 || a.Failure != nil {
				t.Errorf("account %+v\n%s", a, diff)
			}
		})
	}
}

// Nothing is dropped in silence: what cannot be cached is refused by name.
func TestRefusals(t *testing.T) {
	const messages = `"messages":[{"role":"user","content":"a"}]`
	tests := []struct {
		body   string
		status int
		code   string
		says   string
	}{
		{`{"user":"u",` + messages + `}`, 400, "memform_refused_field", `"user"`},
		{`{"metadata":{},` + messages + `}`, 400, "memform_refused_field", `"metadata"`},
		{`{"store":true,` + messages + `}`, 400, "memform_refused_field", `"store"`},
		{`{"prompt_cache_key":"k",` + messages + `}`, 400, "memform_refused_field", `"prompt_cache_key"`},
		{`{"n":2,` + messages + `}`, 400, "memform_refused_field", "n must be 1"},
		{`{"seed":9007199254740993,` + messages + `}`, 400, "memform_bad_request", "2^53"},
		{`{"stream":"yes",` + messages + `}`, 400, "memform_bad_request", "stream"},
		{`{"model":"m"}`, 400, "memform_bad_request", "messages"},
		{`{"messages":[]}`, 400, "memform_bad_request", "messages"},
		{`[1]`, 400, "memform_bad_request", "object"},
		{`{"a":1,"a":2,` + messages + `}`, 400, "memform_bad_request", "distinct"},
		{`{` + messages, 400, "memform_bad_request", "JSON"},
		{"{\"a\":\"\xff\"," + messages + "}", 400, "memform_bad_request", "UTF-8"},
		{`{"a":"\ud800",` + messages + `}`, 400, "memform_bad_request", "JSON"},
		{``, 400, "memform_bad_request", "JSON"},
	}
	model := &answering{}
	g := start(t, Config{Model: model})
	for _, tt := range tests {
		o := begin(t, g, Spec{Call: template(block)})
		status, header, text := post(t, g, chat, o.Token(), tt.body)
		e := errorOf(t, text)
		if status != tt.status || e.Code != tt.code || !strings.Contains(e.Message, tt.says) || header.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: %d %s", tt.body, status, text)
		}
		if a := o.Account(); a.Failure == nil {
			t.Errorf("%s: the operation is not marked", tt.body)
		}
		o.End()
	}
	if len(model.calls) != 0 {
		t.Errorf("%d calls were made", len(model.calls))
	}
}

type shownError struct{ Message, Type, Code string }

func errorOf(t testing.TB, text string) shownError {
	t.Helper()
	var e struct{ Error shownError }
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.Error.Message == "" {
		t.Fatalf("no error in the OpenAI shape: %s", text)
	}
	return e.Error
}

func TestPathsAndTokens(t *testing.T) {
	g := start(t, Config{Model: &answering{}})
	o := begin(t, g, Spec{Call: template(block)})
	const request = `{"model":"m-1","messages":[{"role":"user","content":"a"}]}`
	root := strings.TrimSuffix(g.URL(), "/v1")
	tests := []struct {
		method, path, token, op string
		status                  int
		code                    string
	}{
		{"POST", chat, g.Token(), o.Token(), 200, ""},
		{"POST", "/op/" + o.Token() + chat, g.Token(), "", 200, ""},
		{"POST", chat, "", o.Token(), 401, "memform_token"},
		{"POST", chat, g.Token() + "x", o.Token(), 401, "memform_token"},
		{"GET", "/v1/models", "wrong", "", 401, "memform_token"},
		{"POST", chat, g.Token(), "", 424, "memform_no_operation"},
		{"POST", chat, g.Token(), "unknown", 424, "memform_no_operation"},
		{"POST", "/op/unknown" + chat, g.Token(), "", 424, "memform_no_operation"},
		{"POST", "/v1/completions", g.Token(), o.Token(), 404, "memform_legacy_completions"},
		{"POST", "/v1/responses", g.Token(), o.Token(), 404, "memform_responses_api"},
		{"POST", "/v1/embeddings", g.Token(), o.Token(), 404, "memform_no_embeddings"},
		{"POST", "/chat/completions", g.Token(), o.Token(), 404, "memform_unknown_path"},
		{"GET", chat, g.Token(), o.Token(), 405, "memform_method"},
		{"GET", "/v1/models", g.Token(), "", 200, ""},
	}
	for _, tt := range tests {
		req, err := http.NewRequest(tt.method, root+tt.path, strings.NewReader(request))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+tt.token)
		req.Header.Set(HeaderOp, tt.op)
		status, _, text := do(t, req)
		if status != tt.status || tt.code != "" && errorOf(t, text).Code != tt.code {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, status, text)
		}
	}
	o.End()
	if status, _, text := post(t, g, chat, o.Token(), request); status != 424 {
		t.Errorf("an ended operation: %d %s", status, text)
	}
}

// Nothing listens beyond the loopback interface.
func TestLoopbackOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "localhost:0", "[::]:0", "10.0.0.1:0", "127.0.0.1"} {
		if g, err := Start(Config{Address: address}); err == nil {
			g.Close()
			t.Errorf("%s: it listens", address)
		}
	}
	g := start(t, Config{Model: &answering{}})
	if !strings.HasPrefix(g.URL(), "http://127.0.0.1:") || len(g.Token()) < 32 {
		t.Errorf("%s, token of %d characters", g.URL(), len(g.Token()))
	}
}

// A carrier's request must be the one it was given.
func TestDrift(t *testing.T) {
	const logical = `{"max_tokens":64,"messages":[{"content":"be brief","role":"system"},{"content":"a {b} c","role":"user"}],"model":"m-1","temperature":0}`
	const messages = `"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"a {b} c"}]`
	tests := []struct{ name, body, drift string }{
		{"as given", `{"stream":false,"model":"m-1","temperature":0.7,` + messages + `}`, ""},
		{"a word less", `{"model":"m-1","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"a b c"}]}`, "arrived"},
		{"a message less", `{"model":"m-1","messages":[{"role":"user","content":"a {b} c"}]}`, "arrived"},
		{"another role", `{"model":"m-1","messages":[{"role":"developer","content":"be brief"},{"role":"user","content":"a {b} c"}]}`, "arrived"},
		{"a name more", `{"model":"m-1","messages":[{"role":"system","content":"be brief"},{"role":"user","name":"x","content":"a {b} c"}]}`, "arrived"},
		{"a field more", `{"model":"m-1","tools":[],` + messages + `}`, `"tools"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := &answering{}
			g := start(t, Config{Model: model})
			call := template(logical)
			call.Key = llm.KeyOf(call.Identity, call.Draw, call.Request)
			o := begin(t, g, Spec{Call: call, Exact: true})
			status, _, text := post(t, g, chat, o.Token(), tt.body)
			a := o.Account()
			if tt.drift == "" {
				if status != 200 || a.Failure != nil || string(model.calls[0].Request) != logical || model.calls[0].Key != call.Key {
					t.Errorf("%d %s %v", status, text, a.Failure)
				}
				return
			}
			if status != 424 || errorOf(t, text).Code != "memform_drift" || len(model.calls) != 0 || a.Failure == nil || a.Failure.Code != "drift" || !strings.Contains(a.Failure.Message, tt.drift) {
				t.Errorf("%d %s %v", status, text, a.Failure)
			}
		})
	}
}

// Failures are final and marked; a filter's verdict is an answer.
func TestOutcomes(t *testing.T) {
	tests := []struct {
		name     string
		response llm.Response
		status   int
		outcome  llm.Outcome
		says     string
	}{
		{"answer", llm.Read(200, nil, body("x")), 200, llm.OutcomeAnswer, `"x"`},
		{"empty", llm.Read(200, nil, body("")), 200, llm.OutcomeEmpty, `""`},
		{"filter as status", llm.Read(400, nil, []byte(`{"error":{"code":"content_filter","message":"no"}}`)), 200, llm.OutcomeFiltered, `"finish_reason":"content_filter"`},
		{"server error", llm.Read(500, nil, []byte(`oops`)), 424, llm.OutcomeError, "oops"},
		{"key refused", llm.Read(401, nil, []byte(`{"error":{"message":"bad key"}}`)), 424, llm.OutcomeError, "bad key"},
		{"tools", llm.Read(200, nil, []byte(`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"random","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`)), 200, llm.OutcomeAnswer, `"id":"call_`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := start(t, Config{Model: &answering{reply: func(*llm.Call) llm.Response { return tt.response }}})
			o := begin(t, g, Spec{Call: template(block)})
			const ask = `{"model":"m-1","messages":[{"role":"user","content":"a"}]}`
			status, header, text := post(t, g, chat, o.Token(), ask)
			if status != tt.status || !strings.Contains(text, tt.says) || status != 200 && (header.Get("X-Should-Retry") != "false" || errorOf(t, text).Code != "memform_failed") {
				t.Errorf("%d %s", status, text)
			}
			a := o.Account()
			if got := a.Calls[0].Outcome(); got != tt.outcome || (a.Failure != nil) != (tt.outcome == llm.OutcomeError) {
				t.Errorf("outcome %s, failure %v", got, a.Failure)
			}
			if tt.outcome == llm.OutcomeError && a.Failure.Class != tt.response.Err.Class {
				t.Errorf("failure %+v", a.Failure)
			}
			if _, _, again := post(t, g, chat, o.Token(), ask); again != text {
				t.Errorf("asked again:\n%s\nbefore:\n%s", again, text)
			}
		})
	}
}

func TestStream(t *testing.T) {
	reply := []byte(`{"id":"c","created":7,"model":"m-1","choices":[{"message":{"role":"assistant","content":"one\ntwo é","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`)
	g := start(t, Config{Model: &answering{reply: func(*llm.Call) llm.Response { return llm.Read(200, nil, reply) }}})
	o := begin(t, g, Spec{Call: template(block)})
	status, header, text := post(t, g, chat, o.Token(), `{"model":"m-1","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"a"}]}`)
	if status != 200 || header.Get("Content-Type") != "text/event-stream" || !strings.HasSuffix(text, "data: [DONE]\n\n") {
		t.Fatalf("%d %s", status, text)
	}
	var content, finish string
	var tools []string
	var total int
	for _, event := range strings.Split(strings.TrimSpace(text), "\n\n") {
		data := strings.TrimPrefix(event, "data: ")
		if data == "[DONE]" {
			continue
		}
		var c struct {
			Object  string
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []struct {
						Index    int
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				Finish *string `json:"finish_reason"`
			}
			Usage struct {
				Total int `json:"total_tokens"`
			}
		}
		if err := json.Unmarshal([]byte(data), &c); err != nil || c.Object != "chat.completion.chunk" {
			t.Fatalf("%s: %v", data, err)
		}
		total += c.Usage.Total
		for _, choice := range c.Choices {
			content += choice.Delta.Content
			for _, tool := range choice.Delta.ToolCalls {
				tools = append(tools, fmt.Sprint(tool.Index, tool.Function.Name, tool.Function.Arguments))
			}
			if choice.Finish != nil {
				finish += *choice.Finish
			}
		}
	}
	if content != "one\ntwo é" || finish != "tool_calls" || total != 5 || !slices.Equal(tools, []string{`0f{"x":1}`, `1g{}`}) {
		t.Errorf("content %q, finish %q, tools %q, usage %d", content, finish, tools, total)
	}
}

// What is not shown to the model is counted.
func TestRecordsShown(t *testing.T) {
	g := start(t, Config{Model: &answering{}})
	records := []string{"shown as it is", "shown with <escapes> & more", "shown\n  over  lines", "never shown", ""}
	o := begin(t, g, Spec{Call: template(block), Records: records, MaxCalls: 2})
	for _, content := range []string{"x shown as it is y", "shown with &lt;escapes&gt; &amp; more, shown over\\nlines"} {
		if status, _, text := post(t, g, chat, o.Token(), `{"model":"m-1","messages":[{"role":"user","content":[{"type":"text","text":"`+content+`"}]}]}`); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	if a := o.Account(); a.Unseen != 1 {
		t.Errorf("%d records unseen, want 1", a.Unseen)
	}
	post(t, g, chat, o.Token(), `{"model":"m-1","messages":[{"role":"user","content":[{"type":"text","text":"x shown as it is y"}]}]}`)
	if a := o.Account(); a.Failure != nil || a.Requests != 3 || len(a.Calls) != 2 {
		t.Errorf("a call repeated is no further one: %v", a.Failure)
	}
	status, _, text := post(t, g, chat, o.Token(), `{"model":"m-1","messages":[{"role":"user","content":"a third"}]}`)
	if a := o.Account(); status != 424 || errorOf(t, text).Code != "memform_too_many_calls" || a.Failure == nil {
		t.Errorf("%d %s", status, text)
	}
}

// A client that hangs up cancels nothing: the call is in the account.
func TestHangUp(t *testing.T) {
	arrived, leave := make(chan struct{}), make(chan struct{})
	var ended atomic.Value
	model := llm.Func(func(ctx context.Context, _ *llm.Call) (llm.Response, error) {
		close(arrived)
		<-leave
		ended.Store(fmt.Sprint(ctx.Err()))
		return llm.Read(200, nil, body("paid")), nil
	})
	g := start(t, Config{Model: model})
	o := begin(t, g, Spec{Call: template(block)})
	ctx, hangUp := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL()+"/chat/completions", strings.NewReader(`{"model":"m-1","messages":[{"role":"user","content":"a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+g.Token())
	req.Header.Set(HeaderOp, o.Token())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	<-arrived
	if o.Idle() != 0 {
		t.Error("idle with a call in flight")
	}
	hangUp()
	<-gone
	o.End()
	waited := make(chan struct{})
	go func() { o.Wait(); close(waited) }()
	select {
	case <-waited:
		t.Error("Wait returned with a call in flight")
	case <-time.After(20 * time.Millisecond):
	}
	close(leave)
	<-waited
	if a := o.Account(); len(a.Calls) != 1 || a.Calls[0].Response.Text != "paid" || ended.Load() != "<nil>" {
		t.Errorf("account %+v, context %v", a, ended.Load())
	}
}

// A run that stops sends nothing more for its operations.
func TestDraining(t *testing.T) {
	model := &answering{}
	g := start(t, Config{Model: model})
	stop := make(chan struct{})
	close(stop)
	o, err := g.Begin(llm.WithDrain(context.Background(), stop), Spec{Call: template(block)})
	if err != nil {
		t.Fatal(err)
	}
	status, _, text := post(t, g, chat, o.Token(), `{"model":"m-1","messages":[{"role":"user","content":"a"}]}`)
	if a := o.Account(); status != 424 || errorOf(t, text).Code != "memform_stopping" || a.Err != llm.ErrDraining || len(model.calls) != 0 {
		t.Errorf("%d %s, %v", status, text, a.Err)
	}
}

// Stand-alone, any client is served; unknown models are named with the known.
func TestAnyone(t *testing.T) {
	model := &answering{}
	g := start(t, Config{Model: model, Models: []string{"agent", "judge"}, Anyone: func(name string, draw int) (*llm.Call, bool) {
		c := template(`{"messages":[],"model":"m-1","temperature":0}`)
		c.Draw = draw
		return c, name == "agent"
	}})
	if status, header, text := post(t, g, chat, "", `{"model":"agent","messages":[{"role":"user","content":"a"}]}`); status != 200 || header.Get("X-Memform-Cache") != "miss" {
		t.Errorf("%d %s", status, text)
	}
	if got := string(model.calls[0].Request); got != `{"messages":[{"content":"a","role":"user"}],"model":"m-1","temperature":0}` {
		t.Errorf("sent %s", got)
	}
	if status, _, text := post(t, g, chat, "", `{"model":"x","messages":[{"role":"user","content":"a"}]}`); status != 404 || !strings.Contains(errorOf(t, text).Message, "agent, judge") {
		t.Errorf("%d %s", status, text)
	}
	req, _ := http.NewRequest(http.MethodGet, g.URL()+"/models", nil)
	req.Header.Set("Authorization", "Bearer "+g.Token())
	if _, _, text := do(t, req); !strings.Contains(text, `"id":"judge"`) {
		t.Errorf("models: %s", text)
	}
}

// Many operations at once: every request is its own operation's.
func TestAttribution(t *testing.T) {
	g := start(t, Config{Model: &answering{}})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			o := begin(t, g, Spec{Call: template(block), Records: []string{fmt.Sprintf("record %d.", i)}})
			for range 5 {
				post(t, g, chat, o.Token(), fmt.Sprintf(`{"model":"m-1","messages":[{"role":"user","content":"record %d."}]}`, i))
			}
			o.End()
			o.Wait()
			if a := o.Account(); a.Requests != 5 || len(a.Calls) != 1 || a.Unseen != 0 {
				t.Errorf("operation %d: %+v", i, a)
			}
		})
	}
	wg.Wait()
}

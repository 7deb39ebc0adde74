package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gowebpki/jcs"

	"memform/runner/gateway"
	"memform/runner/llm"
	"memform/runner/llm/openai"
	stacks "memform/runner/stack"
	"memform/runner/stack/conformance"
)

var carriers = []string{"langchain", "llamaindex"}

// oneFamily is the quickstart over one family, on a stack.
func oneFamily(p *project, stack string) string {
	p.t.Helper()
	name := "experiments/" + stack + ".hcl"
	text := p.read("experiments/quickstart.hcl")
	for _, change := range [][2]string{
		{"accepted_cases.jsonl\"\n", "accepted_cases.jsonl\"\n  families = 1\n"},
		{`experiment "quickstart"`, `experiment "` + stack + `"`},
		{"replicates       = 2\n", "replicates       = 2\n  stack            = \"" + stack + "\"\n"},
	} {
		if strings.Count(text, change[0]) != 1 {
			p.t.Fatalf("the quickstart holds %q %d times", change[0], strings.Count(text, change[0]))
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	p.write(name, text)
	return name
}

// Over one cache, carriers ask what the native stack asks and get the same
// answers, and no stack finds another's.
func TestCarriersAnswerAlike(t *testing.T) {
	p := quickstart(t)
	p.installedStacks(carriers...)
	names := append([]string{"native"}, carriers...)
	rows := map[string]string{}
	for _, stack := range names {
		file := oneFamily(p, stack)
		if before := p.planned(file); before.Totals.Cached != 0 {
			t.Errorf("%s: %d answers are there before its first run", stack, before.Totals.Cached)
		}
		p.must(0, "run", file)
		rows[stack] = p.rowsOfAnyStack("results/" + stack)
	}
	requests := map[string]map[string]int{}
	for _, c := range p.stored("cache") {
		stack := "native"
		if _, suffix, ok := strings.Cut(c.Entry.Identity, " stack="); ok {
			stack, _, _ = strings.Cut(suffix, " lock=")
		}
		if requests[stack] == nil {
			requests[stack] = map[string]int{}
		}
		requests[stack][fmt.Sprint(c.Entry.Draw, c.Entry.Request)]++
	}
	if len(requests) != len(names) || len(requests["native"]) < 50 {
		t.Fatalf("requests of %d stacks, %d native ones", len(requests), len(requests["native"]))
	}
	for _, stack := range carriers {
		if !maps.Equal(requests[stack], requests["native"]) {
			t.Errorf("%s: %d requests, %d native ones, not the same", stack, len(requests[stack]), len(requests["native"]))
		}
		if rows[stack] != rows["native"] {
			t.Errorf("%s: its rows are not the native ones", stack)
		}
	}
	// The same stack and the same requests are the same calls, whatever the
	// experiment is called; and they need no Python.
	p.withoutPython()
	for _, stack := range names {
		file := "experiments/" + stack + ".hcl"
		p.edit(file, `experiment "`+stack+`"`, `experiment "again"`)
		contains(t, stack, p.must(0, "run", file).stderr, " 0 calls sent")
	}
}

// rowsOfAnyStack are rows without what names their stack.
func (p *project) rowsOfAnyStack(dir string) string {
	p.t.Helper()
	var rows []string
	for _, row := range p.rowsOf(dir) {
		delete(row, "stack")
		text, err := json.Marshal(withoutCalls(row))
		if err != nil {
			p.t.Fatal(err)
		}
		rows = append(rows, string(text))
	}
	return strings.Join(rows, "\n")
}

// wireTap stands before a server and keeps what it is sent.
type wireTap struct {
	*httptest.Server
	mu      sync.Mutex
	headers []http.Header
	bodies  [][]byte
}

func newWireTap(t *testing.T, to http.Handler) *wireTap {
	t.Helper()
	w := &wireTap{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.mu.Lock()
		h := r.Header.Clone()
		h.Set("Host", r.Host)
		if len(r.TransferEncoding) > 0 {
			h.Set("Transfer-Encoding", r.TransferEncoding[0])
		}
		w.headers, w.bodies = append(w.headers, h), append(w.bodies, body)
		w.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		to.ServeHTTP(out, r)
	}))
	t.Cleanup(w.Close)
	return w
}

// take returns what came since the last take.
func (w *wireTap) take() ([]http.Header, [][]byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h, b := w.headers, w.bodies
	w.headers, w.bodies = nil, nil
	return h, b
}

// tuned are the parameters of a model block with everything that carriers are
// told.
const tuned = `"max_tokens":64,"seed":7,"stop":["END"],"temperature":0,"top_p":0.5`

// logical are the requests of the narrowed quickstart, as they are keyed, and
// each again with parameters.
func logical(t *testing.T) (bare, with []*llm.Call) {
	t.Helper()
	p := quickstart(t)
	p.must(0, "run", oneFamily(p, "native"))
	for _, c := range p.stored("cache") {
		if c.Entry.Draw > 0 {
			continue
		}
		var body struct{ Messages json.RawMessage }
		if err := json.Unmarshal([]byte(c.Entry.Request), &body); err != nil {
			t.Fatal(err)
		}
		call := func(request string) *llm.Call {
			return &llm.Call{Key: llm.KeyOf("x", 0, []byte(request)), Identity: "x", Request: []byte(request), Model: "agent"}
		}
		bare = append(bare, call(c.Entry.Request))
		with = append(with, call(`{"max_tokens":64,"messages":`+string(body.Messages)+`,"model":"gpt-4o-mini",`+strings.TrimPrefix(tuned, `"max_tokens":64,`)+`}`))
	}
	return bare, with
}

// sender sends a call to a tapped server and returns what arrived there.
type sender func(t *testing.T, call *llm.Call) (http.Header, []byte)

// nativeSender sends by memform's own client.
func nativeSender(t *testing.T) sender {
	tap := newWireTap(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(conformance.Answer(body))
	}))
	client := openai.New(openai.Config{BaseURL: tap.URL + "/v1", Key: "k", MaxInFlight: 1})
	t.Cleanup(client.CloseIdle)
	return func(t *testing.T, call *llm.Call) (http.Header, []byte) {
		t.Helper()
		if r, err := client.Complete(context.Background(), call); err != nil || r.Outcome != llm.OutcomeAnswer {
			t.Fatalf("%+v, %v", r, err)
		}
		return tap.one(t)
	}
}

func (w *wireTap) one(t *testing.T) (http.Header, []byte) {
	t.Helper()
	headers, bodies := w.take()
	if len(bodies) != 1 {
		t.Fatalf("%d requests", len(bodies))
	}
	return headers[0], bodies[0]
}

// carrierSender sends by a library, through the gateway, which holds what
// arrives against the call.
func carrierSender(t *testing.T, name string, cfg stacks.Config) sender {
	t.Helper()
	g, err := gateway.Start(gateway.Config{Model: &conformance.Responder{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	base, err := url.Parse(strings.TrimSuffix(g.URL(), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	tap := newWireTap(t, httputil.NewSingleHostReverseProxy(base))
	cfg.Gateway, cfg.Token = tap.URL+"/v1", g.Token()
	adapter, err := stacks.Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(adapter.Close)
	return func(t *testing.T, call *llm.Call) (http.Header, []byte) {
		t.Helper()
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(call.Request, &fields); err != nil {
			t.Fatal(err)
		}
		op := &stacks.Op{}
		for name, to := range map[string]any{"messages": &op.Messages, "model": &op.Model} {
			if err := json.Unmarshal(fields[name], to); err != nil {
				t.Fatal(err)
			}
			delete(fields, name)
		}
		if op.Params, err = json.Marshal(fields); err != nil {
			t.Fatal(err)
		}
		var o *gateway.Operation
		op.Begin = func(ctx context.Context) (token string, idle func() time.Duration, end func(), err error) {
			if o, err = g.Begin(ctx, gateway.Spec{Call: call, Exact: true}); err != nil {
				return "", nil, nil, err
			}
			return o.Token(), o.Idle, o.End, nil
		}
		result, err := adapter.Do(context.Background(), op)
		if a := o.Account(); err != nil || a.Failure != nil || a.Requests != 1 || len(a.Overridden) > 0 || result.Text != a.Calls[0].Response.Text {
			t.Fatalf("%s: %+v, %v, %+v", name, result, err, a)
		}
		return tap.one(t)
	}
}

// form is how a request is written: its fields in their order, of messages
// those of the first, of all else the value.
func form(t *testing.T, body []byte) string {
	t.Helper()
	fields := func(raw []byte, show func(name string, value json.RawMessage) string) string {
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		var out []string
		if _, err := dec.Token(); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		for dec.More() {
			var value json.RawMessage
			name, err := dec.Token()
			if err == nil {
				err = dec.Decode(&value)
			}
			if err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			out = append(out, show(name.(string), value))
		}
		return strings.Join(out, ", ")
	}
	return fields(body, func(name string, value json.RawMessage) string {
		if name != "messages" {
			return name + ": " + strings.Join(strings.Fields(string(value)), "")
		}
		var messages []json.RawMessage
		if err := json.Unmarshal(value, &messages); err != nil {
			t.Fatal(err)
		}
		return name + ": [{" + fields(messages[0], func(name string, _ json.RawMessage) string { return name }) + "}, …]"
	})
}

// messagesOf is a request's messages in canonical form.
func messagesOf(t *testing.T, body []byte) string {
	t.Helper()
	var fields struct{ Messages json.RawMessage }
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	canonical, err := jcs.Transform(fields.Messages)
	if err != nil {
		t.Fatal(err)
	}
	return string(canonical)
}

// Every stack sends the same messages; what differs beside them stands in
// docs/stacks.md as this test sees it.
func TestWhatCarriersSend(t *testing.T) {
	bare, with := logical(t)
	p := newProject(t)
	p.installedStacks(carriers...)
	senders := map[string]sender{"native": nativeSender(t)}
	for _, name := range carriers {
		senders[name] = carrierSender(t, name, p.configOf(name))
	}
	names := append([]string{"native"}, carriers...)
	bodies, headers := map[string][2]string{}, map[string][]string{}
	for _, name := range names {
		for i, calls := range [][]*llm.Call{bare, with} {
			forms := bodies[name]
			for _, call := range calls {
				header, body := senders[name](t, call)
				if got, want := messagesOf(t, body), messagesOf(t, call.Request); got != want {
					t.Fatalf("%s sends the messages\n%s\nnot\n%s", name, got, want)
				}
				f, h := form(t, body), slices.Sorted(maps.Keys(header))
				if forms[i] = cmp.Or(forms[i], f); forms[i] != f {
					t.Fatalf("%s sends %q and %q", name, forms[i], f)
				}
				if headers[name] == nil {
					headers[name] = h
				}
				if !slices.Equal(headers[name], h) {
					t.Fatalf("%s sends the headers %q and %q", name, headers[name], h)
				}
			}
			bodies[name] = forms
		}
	}
	table := wireTable(names, bodies, headers)
	document := string(mustRead(t, repository+"/docs/stacks.md"))
	if !strings.Contains(document, table) {
		t.Errorf("docs/stacks.md does not hold what is sent:\n%s", table)
	}
}

// configOf is how an installed stack is started.
func (p *project) configOf(name string) stacks.Config {
	p.t.Helper()
	a := &app{Process: Process{Env: func(name string) (string, bool) { v, ok := p.env[name]; return v, ok }}}
	o, err := a.offer(name)
	if err != nil {
		p.t.Fatal(err)
	}
	cfg, err := a.stackConfig(o)
	if err != nil {
		p.t.Fatal(err)
	}
	return cfg
}

// wireTable is a table in Markdown: a line for each stack and body, and the
// headers by who sends them.
func wireTable(names []string, bodies map[string][2]string, headers map[string][]string) string {
	var b strings.Builder
	for i, title := range []string{"body where the model block sets no parameter", "body where it sets `max_tokens`, `seed`, `stop`, `temperature` and `top_p`"} {
		fmt.Fprintf(&b, "| stack | %s |\n|---|---|\n", title)
		for _, name := range names {
			fmt.Fprintf(&b, "| `%s` | `%s` |\n", name, bodies[name][i])
		}
		b.WriteByte('\n')
	}
	by := map[string][]string{}
	for _, name := range names {
		for _, h := range headers[name] {
			by[h] = append(by[h], "`"+name+"`")
		}
	}
	who := map[string][]string{}
	for _, h := range slices.Sorted(maps.Keys(by)) {
		senders := strings.Join(by[h], ", ")
		who[senders] = append(who[senders], "`"+h+"`")
	}
	b.WriteString("| sent by | headers |\n|---|---|\n")
	for _, senders := range slices.SortedFunc(maps.Keys(who), func(x, y string) int { return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(x, y)) }) {
		fmt.Fprintf(&b, "| %s | %s |\n", senders, strings.Join(who[senders], ", "))
	}
	return b.String()
}

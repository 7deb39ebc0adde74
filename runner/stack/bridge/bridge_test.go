package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"memform/runner/llm"
	"memform/runner/stack"
)

// model answers and remembers what it sold.
type model struct {
	mu     sync.Mutex
	sold   map[llm.Key]int
	stored map[llm.Key]llm.Response
	asked  []llm.Call
	reply  func(*llm.Call) (llm.Response, error)
}

func (m *model) Complete(_ context.Context, call *llm.Call) (llm.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stored == nil {
		m.stored, m.sold = map[llm.Key]llm.Response{}, map[llm.Key]int{}
	}
	m.asked = append(m.asked, *call)
	if r, ok := m.stored[call.Key]; ok {
		r.Cached = true
		return r, nil
	}
	r := llm.Read(200, nil, []byte(fmt.Sprintf(`{"model":"m-1","choices":[{"message":{"role":"assistant","content":"answer %d"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":3}}`, len(m.asked))))
	r.Attempts, r.CompletedAt = 1, "2026-01-01T00:00:00.000Z"
	if m.reply != nil {
		var err error
		if r, err = m.reply(call); err != nil || r.Outcome == llm.OutcomeError {
			return r, err
		}
	}
	m.sold[call.Key]++
	m.stored[call.Key] = r
	return r, nil
}

type rig struct {
	*Bridge
	model *model
	dir   string
	mu    sync.Mutex
	logs  []string
}

func newRig(t *testing.T, name string) *rig {
	t.Helper()
	r := &rig{model: &model{}, dir: t.TempDir()}
	r.Bridge = New(Config{
		Native:  llm.Func(func(context.Context, *llm.Call) (llm.Response, error) { return llm.Response{Text: "native"}, nil }),
		Caching: r.model,
		Stacks: map[string]Stack{name: {
			Config: stack.Config{Stack: name, Command: []string{os.Args[0], fakeArg, r.dir}, Path: os.Getenv("PATH"), LockDigest: strings.Repeat("0", 64),
				IdleWithin: 20 * time.Second, CancelWithin: 300 * time.Millisecond},
			Calls: stack.Calls{Low: stack.Count{Per: 1}, Expected: stack.Count{Per: 1}, High: stack.Count{Per: 2}},
		}},
		Log: func(level, message string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.logs = append(r.logs, level+": "+message)
		},
	})
	t.Cleanup(r.Close)
	return r
}

func (r *rig) logged(part string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.logs, func(l string) bool { return strings.Contains(l, part) })
}

func (r *rig) starts() int {
	text, _ := os.ReadFile(filepath.Join(r.dir, "starts"))
	return strings.Count(string(text), "\n")
}

func call(request string) *llm.Call {
	c := &llm.Call{Identity: "server stack=s lock=1", Request: []byte(request), Model: "agent", Endpoint: "e", Stack: "s", Run: 2}
	c.Key = llm.KeyOf(c.Identity, 0, c.Request)
	return c
}

func carrierCall(text string) *llm.Call {
	return call(`{"max_tokens":9,"messages":[{"content":"be brief","role":"system"},{"content":"` + text + `","role":"user"}],"model":"m-1","temperature":0}`)
}

func formCall(records ...string) *llm.Call {
	return call(`{"form":{"records":["` + strings.Join(records, `","`) + `"],"updater":"own"},"max_tokens":9,"model":"m-1","temperature":0}`)
}

func TestNativePasses(t *testing.T) {
	r := newRig(t, "s")
	if got, err := r.Complete(context.Background(), &llm.Call{}); err != nil || got.Text != "native" || r.starts() != 0 {
		t.Errorf("%+v, %v, %d starts", got, err, r.starts())
	}
}

// A carrier's call is the logical request, and its answer the model's.
func TestCarrier(t *testing.T) {
	r := newRig(t, "s")
	c := carrierCall("fine")
	got, err := r.Complete(context.Background(), c)
	if err != nil || got.Text != "answer 1" || !got.Stored || got.Cached || got.Attempts != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if a := r.model.asked[0]; a.Key != c.Key || string(a.Request) != string(c.Request) || a.Run != 2 || a.Endpoint != "e" {
		t.Errorf("asked %+v", a)
	}
	if !r.logged("temperature") {
		t.Errorf("that it sends another temperature is not said: %q", r.logs)
	}
}

func TestCarrierFaults(t *testing.T) {
	filtered := func(*llm.Call) (llm.Response, error) {
		return llm.Read(400, nil, []byte(`{"error":{"code":"content_filter","message":"no"}}`)), nil
	}
	down := func(*llm.Call) (llm.Response, error) {
		return llm.Read(503, nil, []byte(`{"error":{"message":"down"}}`)), nil
	}
	tests := []struct {
		text    string
		reply   func(*llm.Call) (llm.Response, error)
		outcome llm.Outcome
		code    string
	}{
		{"silent", nil, llm.OutcomeError, "drift"},
		{"drift", nil, llm.OutcomeError, "drift"},
		{"raises", nil, llm.OutcomeError, "stack_library"},
		{"raises", filtered, llm.OutcomeFiltered, ""}, // what the library makes of an outcome is none
		{"fine", filtered, llm.OutcomeFiltered, ""},
		{"miscounts", nil, llm.OutcomeError, "calls"},
		{"fine", down, llm.OutcomeError, ""},
		{"die-after", nil, llm.OutcomeError, "stack_died"},
		{"die-after-once", nil, llm.OutcomeAnswer, ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			r := newRig(t, "s")
			r.model.reply = tt.reply
			got, err := r.Complete(context.Background(), carrierCall(tt.text))
			if err != nil || got.Outcome != tt.outcome || (got.Err != nil) != (tt.outcome == llm.OutcomeError) {
				t.Fatalf("%+v, %v", got, err)
			}
			if got.Err != nil && (got.Err.Code != tt.code || strings.Contains(got.Err.Message, "someone") || strings.Contains(got.Err.Message, "10.1.2.3")) {
				t.Errorf("failure %+v", got.Err)
			}
			for key, n := range r.model.sold {
				if n != 1 {
					t.Errorf("%s was bought %d times", key, n)
				}
			}
			if tt.text == "die-after-once" && (got.Cached || !got.Stored) {
				t.Errorf("what the first attempt bought was paid for: %+v", got)
			}
		})
	}
}

// A memory is an answer whose text it is, with what stood behind it.
func TestForm(t *testing.T) {
	r := newRig(t, "s")
	c := formCall("one", "two", "three")
	got, err := r.Complete(context.Background(), c)
	if err != nil || got.Outcome != llm.OutcomeAnswer || got.Text != "answer 1\nanswer 2\nanswer 3\n" || got.Stored || got.Cached {
		t.Fatalf("%+v, %v", got, err)
	}
	report, ok := llm.ReadFormReport(got.Raw)
	if !ok || len(report.Calls) != 3 || report.Records != 3 || report.Unseen != 0 || !slices.Equal(report.Overridden, []string{"max_tokens", "temperature"}) || report.Calls[0].Outcome != llm.OutcomeAnswer {
		t.Errorf("report %+v", report)
	}
	if strings.Contains(string(got.Raw), "someone") {
		t.Errorf("a path is stored: %s", got.Raw)
	}
	if got.Usage.Prompt != 30 || got.Usage.Completion != 9 || got.Returned.Model != "m-1" || *got.Within != (llm.Within{Sent: 3, Attempts: 3, Prompt: 30, Completion: 9}) {
		t.Errorf("usage %+v, within %+v", got.Usage, got.Within)
	}
	if a := r.model.asked[1]; a.Identity != c.Identity || !strings.Contains(string(a.Request), `"max_tokens":9`) || !strings.Contains(string(a.Request), `"temperature":0`) {
		t.Errorf("asked %+v: %s", a, a.Request)
	}
	again, err := r.Complete(context.Background(), c)
	if err != nil || string(again.Raw) != string(got.Raw) || again.Within.Sent != 0 || again.Within.Cached != 3 {
		t.Errorf("again %s, within %+v, %v", again.Raw, again.Within, err)
	}
}

func TestFormFaults(t *testing.T) {
	down := func(c *llm.Call) (llm.Response, error) {
		if strings.Contains(string(c.Request), "two") {
			return llm.Read(503, nil, []byte(`{"error":{"message":"down"}}`)), nil
		}
		return llm.Read(200, nil, []byte(`{"choices":[{"message":{"content":"x"},"finish_reason":"length"}]}`)), nil
	}
	tests := []struct {
		name    string
		records []string
		reply   func(*llm.Call) (llm.Response, error)
		code    string
		check   func(llm.Response, llm.FormReport, *rig) bool
	}{
		{"a failure that is swallowed", []string{"swallows", "two"}, down, "", func(r llm.Response, _ llm.FormReport, _ *rig) bool {
			return r.Outcome == llm.OutcomeError && strings.Contains(r.Err.Message, "down") && r.Within.Sent == 1 && r.Within.Failed == 1
		}},
		{"records left out", []string{"trims me", "two"}, nil, "", func(_ llm.Response, f llm.FormReport, r *rig) bool {
			return f.Unseen == 1 && r.logged("not shown")
		}},
		{"an empty memory", []string{"forgets me"}, nil, "", func(got llm.Response, _ llm.FormReport, r *rig) bool {
			return got.Outcome == llm.OutcomeEmpty && r.logged("empty")
		}},
		{"more calls than declared", []string{"greedy"}, nil, "too_many_calls", nil},
		{"a crash in the middle", []string{"die-once", "two", "three"}, nil, "", func(got llm.Response, f llm.FormReport, r *rig) bool {
			return len(f.Calls) == 3 && got.Within.Sent == 3 && r.starts() == 2
		}},
		{"a crash each time", []string{"die", "two", "three"}, nil, "stack_died", func(got llm.Response, _ llm.FormReport, r *rig) bool {
			return got.Within.Sent == 2 && r.starts() == 3
		}},
		{"no records", nil, nil, "", func(got llm.Response, f llm.FormReport, _ *rig) bool { return len(f.Calls) == 0 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "s")
			r.model.reply = tt.reply
			c := formCall(tt.records...)
			if tt.records == nil {
				c = call(`{"form":{"records":[],"updater":"own"},"model":"m-1"}`)
			}
			got, err := r.Complete(context.Background(), c)
			if err != nil || tt.code != "" && (got.Err == nil || got.Err.Code != tt.code) {
				t.Fatalf("%+v, %v", got, err)
			}
			report, _ := llm.ReadFormReport(got.Raw)
			if tt.check != nil && !tt.check(got, report, r) {
				t.Errorf("%+v (%+v), report %+v, logs %q, %d starts", got, got.Err, report, r.logs, r.starts())
			}
			for key, n := range r.model.sold {
				if n != 1 {
					t.Errorf("%s was bought %d times", key, n)
				}
			}
		})
	}
}

// What must stop the run stops it.
func TestStops(t *testing.T) {
	r := newRig(t, "s")
	broke := errors.New("max_cost reached")
	r.model.reply = func(*llm.Call) (llm.Response, error) { return llm.Response{}, broke }
	if _, err := r.Complete(context.Background(), formCall("one")); !errors.Is(err, broke) {
		t.Errorf("%v", err)
	}
	stop := make(chan struct{})
	close(stop)
	if _, err := r.Complete(llm.WithDrain(context.Background(), stop), carrierCall("fine")); !errors.Is(err, llm.ErrDraining) {
		t.Errorf("%v", err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Complete(gone, carrierCall("fine")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestUnstartable(t *testing.T) {
	r := newRig(t, "unstartable")
	_, err := r.Adapter(context.Background(), "unstartable")
	var e *stack.StartError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "ImportError") {
		t.Errorf("%v", err)
	}
	c := carrierCall("fine")
	c.Stack = "unstartable"
	if got, err := r.Complete(context.Background(), c); err != nil || got.Err == nil || got.Err.Code != "stack_start" || strings.Contains(got.Err.Message, "someone") {
		t.Errorf("%+v, %v", got, err)
	}
	if r.starts() != 1 {
		t.Errorf("started %d times", r.starts())
	}
	c.Stack = "unknown"
	if got, err := r.Complete(context.Background(), c); err != nil || got.Err == nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// Many at once, each its own.
func TestManyAtOnce(t *testing.T) {
	r := newRig(t, "s")
	r.model.reply = func(c *llm.Call) (llm.Response, error) {
		return llm.Read(200, nil, []byte(fmt.Sprintf(`{"choices":[{"message":{"content":%q},"finish_reason":"stop"}]}`, c.Request))), nil
	}
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			text := fmt.Sprintf("text %d.", i)
			got, err := r.Complete(context.Background(), carrierCall(text))
			if err != nil || !strings.Contains(got.Text, text) {
				t.Errorf("%s: %+v, %v", text, got, err)
			}
			if got, err := r.Complete(context.Background(), formCall(text, "x "+text)); err != nil || strings.Count(got.Text, text) != 3 {
				t.Errorf("%s: %q, %v", text, got.Text, err)
			}
		})
	}
	wg.Wait()
	if r.starts() != 1 {
		t.Errorf("started %d times", r.starts())
	}
}

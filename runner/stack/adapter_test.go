package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"memform/runner/llm"
)

// rig is an adapter under test.
type rig struct {
	*Adapter
	dir  string
	mu   sync.Mutex
	logs []string
	open atomic.Int32
	all  atomic.Int32
}

func (r *rig) log(level, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logs = append(r.logs, level+": "+message)
}

func (r *rig) logged(part string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.logs, func(l string) bool { return strings.Contains(l, part) })
}

func config(r *rig, mode string) Config {
	return Config{
		Stack: "fake", Command: []string{os.Args[0], fakeArg, mode, r.dir}, Path: os.Getenv("PATH"),
		LockDigest: strings.Repeat("ab", 32), Gateway: "http://127.0.0.1:1/v1", Token: "a-token-of-a-test",
		HelloWithin: 20 * time.Second, IdleWithin: 20 * time.Second, CancelWithin: 200 * time.Millisecond, Log: r.log,
	}
}

func startFake(t *testing.T, mode string) *rig {
	t.Helper()
	return startWith(t, mode, func(*Config) {})
}

// startBusy starts an adapter whose operations may not idle.
func startBusy(t *testing.T, mode string) *rig {
	t.Helper()
	return startWith(t, mode, func(c *Config) { c.IdleWithin = 150 * time.Millisecond })
}

func startWith(t *testing.T, mode string, adjust func(*Config)) *rig {
	t.Helper()
	r := &rig{dir: t.TempDir()}
	cfg := config(r, mode)
	adjust(&cfg)
	a, err := Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Adapter = a
	t.Cleanup(a.Close)
	return r
}

func (r *rig) op(text string) *Op {
	return &Op{Model: "m", Messages: []Message{{"user", text}}, Params: []byte(`{"temperature":0}`), Begin: r.begin(func() time.Duration { return time.Hour })}
}

func (r *rig) begin(idle func() time.Duration) func(context.Context) (string, func() time.Duration, func(), error) {
	return func(context.Context) (string, func() time.Duration, func(), error) {
		r.open.Add(1)
		return fmt.Sprintf("token-of-attempt-%d", r.all.Add(1)), idle, func() { r.open.Add(-1) }, nil
	}
}

func (r *rig) do(text string) (Result, error) { return r.Do(context.Background(), r.op(text)) }

// kind is a Failure's kind, "" for none.
func kind(err error) string {
	var f *Failure
	if errors.As(err, &f) {
		return f.Kind
	}
	return ""
}

func TestOperations(t *testing.T) {
	r := startFake(t, "good")
	text := "é e\u0301 \u2028 {x} {{y}} %s </s> \r\n \x00  "
	if got, err := r.do(text); err != nil || got.Text != text+`|{"temperature":0}` || got.Calls != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	form := r.op("")
	form.Messages, form.Records = nil, []string{"one", " two\n"}
	if got, err := r.Do(context.Background(), form); err != nil || got.Memory != "one\n two\n" || got.Calls != 2 || !slices.Equal(got.Warnings, []string{"w"}) {
		t.Errorf("%+v, %v", got, err)
	}
	long := strings.Repeat("a long record. ", 1<<17)
	if got, err := r.do(long); err != nil || !strings.HasPrefix(got.Text, long) {
		t.Errorf("a text of 2 MB: %d bytes, %v", len(got.Text), err)
	}
	if h := r.Hello(); h.Adapter != "fake" || h.Stack.Version != "3" || !h.Deterministic {
		t.Errorf("hello %+v", h)
	}
	if n := r.open.Load(); n != 0 {
		t.Errorf("%d attempts are open", n)
	}
}

// Answers may come in any order.
func TestAnyOrder(t *testing.T) {
	r := startFake(t, "good")
	var wg sync.WaitGroup
	for i := range 7 {
		wg.Go(func() {
			want := fmt.Sprintf("held %d", i)
			if got, err := r.do(want); err != nil || !strings.HasPrefix(got.Text, want+"|") {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	for r.all.Load() < 7 {
		time.Sleep(time.Millisecond)
	}
	if _, err := r.do("last"); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

// One operation that kills its process fails alone; the others are done.
func TestDeaths(t *testing.T) {
	r := startFake(t, "good")
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			text := fmt.Sprintf("slow %d", i)
			if i == 7 {
				text = "die"
			}
			got, err := r.do(text)
			switch {
			case i != 7 && (err != nil || !strings.HasPrefix(got.Text, text)):
				t.Errorf("%s: %+v, %v", text, got, err)
			case i == 7 && (kind(err) != "died" || !strings.Contains(err.Error(), "3 tries") || !strings.Contains(err.Error(), "Fatal: out of luck") || !strings.Contains(err.Error(), "exit status 3")):
				t.Errorf("%s: %v", text, err)
			}
		})
	}
	wg.Wait()
	if got, err := r.do("die-once x"); err != nil || got.Text == "" {
		t.Errorf("a death and a new start: %+v, %v", got, err)
	}
	if !r.logged("last words") || r.open.Load() != 0 {
		t.Errorf("logs %q, %d attempts open", r.logs, r.open.Load())
	}
}

// What makes no sense on stdout ends the process, never the run.
func TestNonsense(t *testing.T) {
	tests := []struct{ text, kind, says string }{
		{"garbage", "died", "no message"},
		{"unknown", "died", `unknown type "event"`},
		{"surrogate", "died", "lone surrogate"},
		{"huge", "died", "more than 1 MiB"},
		{"half", "protocol", `without "ok"`},
		{"fail", "library", "ValueError: no"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			r := startWith(t, "good", func(c *Config) { c.maxLine = 1 << 20 })
			if _, err := r.do(tt.text); kind(err) != tt.kind || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v", err)
			}
			if got, err := r.do("fine"); err != nil || got.Text == "" {
				t.Errorf("afterwards: %+v, %v", got, err)
			}
		})
	}
	r := startFake(t, "good")
	if got, err := r.do("fail-once x"); err != nil || !strings.HasPrefix(got.Text, "fail-once x") {
		t.Errorf("a retryable failure: %+v, %v", got, err)
	}
	if got, err := r.do("stray"); err != nil || got.Text == "" || !r.logged(`"777"`) || !r.logged("warning: odd") {
		t.Errorf("%+v, %v, logs %q", got, err, r.logs)
	}
}

// An operation that does nothing is cancelled; a process that ignores that is
// killed and the others lose nothing by it.
func TestHangs(t *testing.T) {
	for _, word := range []string{"hang", "deaf"} {
		t.Run(word, func(t *testing.T) {
			r := startBusy(t, "good")
			var wg sync.WaitGroup
			wg.Go(func() {
				if _, err := r.do(word); kind(err) != "hung" || !strings.Contains(err.Error(), "did nothing") {
					t.Errorf("%v", err)
				}
			})
			for i := range 5 {
				wg.Go(func() {
					if got, err := r.do(fmt.Sprintf("slow %d", i)); err != nil || got.Text == "" {
						t.Errorf("%+v, %v", got, err)
					}
				})
			}
			wg.Wait()
		})
	}
	r := startBusy(t, "good")
	if got, err := r.do("hang-once x"); err != nil || got.Text == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Waiting for a model is no hanging.
func TestWaitingIsNoHang(t *testing.T) {
	r := startBusy(t, "good")
	began := time.Now()
	busy := func() time.Duration {
		if time.Since(began) < 500*time.Millisecond {
			return 0
		}
		return time.Hour
	}
	o := r.op("hang-once y")
	o.Begin = r.begin(busy)
	if _, err := r.Do(context.Background(), o); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < 500*time.Millisecond {
		t.Errorf("given up after %s while its call was in flight", took)
	}
}

func TestStartFaults(t *testing.T) {
	tests := []struct{ mode, says string }{
		{"silent", "no hello within"},
		{"exits", "ModuleNotFoundError: no module named x"},
		{"fatal", "no such stack"},
		{"old", "protocol 0"},
		{"other", `"another"`},
		{"none", "max_ops 0"},
		{"prints", "Welcome to the library!"},
		{"packages", "Lang_Chain is 1.0, the lock says 1.1; stray 2 is not in the lock"},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			r := &rig{dir: t.TempDir()}
			cfg := config(r, tt.mode)
			if tt.mode == "silent" {
				cfg.HelloWithin = 100 * time.Millisecond
			}
			if tt.mode == "packages" {
				cfg.Packages = map[string]string{"lang-chain": "1.1"}
			}
			a, err := Start(context.Background(), cfg)
			var e *StartError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v", err)
			}
			if a != nil {
				a.Close()
			}
			gone(t, r.dir)
		})
	}
	for _, command := range [][]string{nil, {"/no/such/program"}, {"no-such-program"}} {
		r := &rig{dir: t.TempDir()}
		cfg := config(r, "")
		cfg.Command = command
		var e *StartError
		if _, err := Start(context.Background(), cfg); !errors.As(err, &e) {
			t.Errorf("%v: %v", command, err)
		}
	}
}

// An adapter that dies and dies is not started for ever.
func TestBroken(t *testing.T) {
	r := startFake(t, "good")
	for i := range 5 {
		_, err := r.do("die")
		if want := []string{"died", "died", "died", "broken", "broken"}[i]; kind(err) != want {
			t.Errorf("operation %d: %v, want %s", i, err, want)
		}
	}
	pids, _ := os.ReadFile(filepath.Join(r.dir, "pid"))
	if n := strings.Count(string(pids), "\n"); n != deathsInRow {
		t.Errorf("started %d times", n)
	}
}

// Nothing is left of an adapter, nor of what it started.
func TestNoOrphans(t *testing.T) {
	for _, mode := range []string{"good", "stubborn", "deaf"} {
		t.Run(mode, func(t *testing.T) {
			r := startFake(t, mode)
			if mode != "deaf" {
				if _, err := r.do("orphan"); err != nil {
					t.Fatal(err)
				}
			}
			r.Close()
			gone(t, r.dir)
			if _, err := os.ReadFile(filepath.Join(r.dir, "bye")); (err == nil) != (mode != "deaf") {
				t.Errorf("bye: %v", err)
			}
		})
	}
}

// gone checks that no process of the groups noted in dir lives. Dead ones
// that nobody has reaped do not.
func gone(t *testing.T, dir string) {
	t.Helper()
	pids, _ := os.ReadFile(filepath.Join(dir, "pid"))
	groups := strings.Fields(string(pids))
	for tries := 0; ; tries++ {
		living := alive(t, groups)
		if len(living) == 0 {
			return
		}
		if tries == 400 {
			t.Fatalf("still alive: %q", living)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// alive lists the processes of the groups.
func alive(t *testing.T, groups []string) []string {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Skip("there is no /proc here")
	}
	var living []string
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest) // state, parent, group
		if len(fields) > 2 && fields[0] != "Z" && slices.Contains(groups, fields[2]) {
			living = append(living, string(text))
		}
	}
	return living
}

// A process that does not read holds nobody up.
func TestDeafProcess(t *testing.T) {
	r := startBusy(t, "deaf")
	o := r.op(strings.Repeat("x", 1<<20))
	if _, err := r.Do(context.Background(), o); kind(err) != "hung" {
		t.Errorf("%v", err)
	}
}

func TestContextAndDrain(t *testing.T) {
	r := startFake(t, "alone")
	ctx, cancel := context.WithCancel(context.Background())
	first := make(chan error, 1)
	go func() {
		o := r.op("hang")
		o.Begin = r.begin(func() time.Duration { return 0 })
		_, err := r.Do(ctx, o)
		first <- err
	}()
	for r.all.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	stop := make(chan struct{})
	second := make(chan error, 1)
	go func() {
		_, err := r.Do(llm.WithDrain(context.Background(), stop), r.op("waits for a place"))
		second <- err
	}()
	close(stop)
	if err := <-second; !errors.Is(err, llm.ErrDraining) {
		t.Errorf("waiting: %v", err)
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("in progress: %v", err)
	}
	if got, err := r.do("after"); err != nil || got.Text == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Only what the protocol lists is in the environment.
func TestEnvironment(t *testing.T) {
	t.Setenv("MEMFORM_SECRET_OF_TEST", "x")
	t.Setenv("OPENAI_API_KEY", "real-key")
	t.Setenv("HTTPS_PROXY", "http://proxy")
	r := startFake(t, "good")
	got, err := r.do("env")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"MEMFORM_SECRET", "real-key", "HTTPS_PROXY"} {
		if strings.Contains(got.Text, bad) {
			t.Errorf("%s reached the adapter", bad)
		}
	}
	for _, want := range []string{"OPENAI_API_KEY=a-token-of-a-test", "OPENAI_API_BASE=http://127.0.0.1:1/v1", "NO_PROXY=*", "PYTHONHASHSEED=0", "TZ=UTC"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for line := range strings.Lines(got.Text) {
		if home, ok := strings.CutPrefix(line, "HOME="); ok {
			r.Close()
			if _, err := os.Stat(strings.TrimSpace(home)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the temporary home is left: %v", err)
			}
		}
	}
}

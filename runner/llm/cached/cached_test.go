package cached

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"memform/runner/cache"
	"memform/runner/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is a store in memory that can be made to fail or to be slow.
type shelf struct {
	mu        sync.Mutex
	entries   map[cache.Key][]cache.Entry
	puts      int
	putErr    error
	putTime   time.Duration
	refreshes int
	onRefresh func()
	trouble   chan struct{} // not nil: nothing can be stored until it closes
}

func newShelf() *shelf { return &shelf{entries: map[cache.Key][]cache.Entry{}} }

func (s *shelf) Get(key cache.Key) (cache.Entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[key]; len(e) > 0 {
		return e[0], true
	}
	return cache.Entry{}, false
}

func (s *shelf) GetPinned(key cache.Key, digest [32]byte) (cache.Entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries[key] {
		if e.Digest() == digest {
			return e, true
		}
	}
	return cache.Entry{}, false
}

func (s *shelf) Put(ctx context.Context, key cache.Key, e cache.Entry) error {
	if s.putTime > 0 {
		select {
		case <-time.After(s.putTime):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts++
	if s.putErr != nil {
		return s.putErr
	}
	s.entries[key] = append(s.entries[key], e)
	return nil
}

func (s *shelf) Refresh() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refreshes++
	if s.onRefresh != nil {
		s.onRefresh()
	}
	return nil
}

func (s *shelf) Trouble() error {
	if s.trouble == nil {
		return nil
	}
	select {
	case <-s.trouble:
		return nil
	default:
		return errors.New("no space left")
	}
}

func (s *shelf) WaitWell(ctx context.Context) error {
	select {
	case <-s.trouble:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func body(text string) []byte {
	return []byte(`{"model":"m-1","choices":[{"message":{"content":"` + text + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`)
}

// answering counts calls and answers each with its request as text.
func answering(sent *atomic.Int64) llm.Model {
	return llm.Func(func(_ context.Context, call *llm.Call) (llm.Response, error) {
		n := sent.Add(1)
		r := llm.Read(200, map[string]string{"x-request-id": "q"}, body(string(call.Request)))
		r.CompletedAt, r.Millis, r.Attempts = fmt.Sprintf("2026-03-02T10:00:%02d.000Z", n), 12, 2
		return r, nil
	})
}

func newCall(text string, draw int) *llm.Call {
	return &llm.Call{Key: llm.KeyOf("id", draw, []byte(text)), Identity: "id", Draw: draw, Request: []byte(text)}
}

func TestSecondTimeIsFree(t *testing.T) {
	var sent atomic.Int64
	store := newShelf()
	m := New(answering(&sent), store, Config{})
	call := newCall("one", 0)
	fresh, err := m.Complete(context.Background(), call)
	if err != nil || fresh.Cached || fresh.Text != "one" {
		t.Fatalf("got %+v, %v", fresh, err)
	}
	want := cache.Entry{
		Identity: "id", Draw: 0, Request: call.Request, Response: body("one"), Status: 200,
		Headers: map[string]string{"x-request-id": "q"}, Outcome: "answer",
		CompletedAt: "2026-03-02T10:00:01.000Z", Millis: 12, Attempts: 2,
	}
	if got, _ := store.Get(cache.Key(call.Key)); !reflect.DeepEqual(got, want) {
		t.Errorf("stored %+v, want %+v", got, want)
	}
	again, err := m.Complete(context.Background(), call)
	if err != nil || !again.Cached || sent.Load() != 1 {
		t.Fatalf("got %+v, %v after %d calls", again, err, sent.Load())
	}
	again.Cached = false
	if !reflect.DeepEqual(again, fresh) {
		t.Errorf("the cached answer differs:\n%+v\n%+v", again, fresh)
	}
	if r, _ := m.Complete(context.Background(), newCall("one", 1)); r.Cached || sent.Load() != 2 {
		t.Error("another draw was taken for the same call")
	}
}

// What a stored answer means is decided when it is read, not when it was
// stored.
func TestStoredBytesAreReadAnew(t *testing.T) {
	store := newShelf()
	call := newCall("x", 0)
	store.Put(context.Background(), cache.Key(call.Key), cache.Entry{Status: 200, Response: body("y"), Outcome: "refusal"})
	m := New(nil, store, Config{Offline: true})
	if r, err := m.Complete(context.Background(), call); err != nil || r.Outcome != llm.OutcomeAnswer || r.Text != "y" {
		t.Errorf("got %+v, %v", r, err)
	}
	other := newCall("z", 0)
	store.Put(context.Background(), cache.Key(other.Key), cache.Entry{Status: 200, Response: []byte("junk"), Outcome: "answer"})
	r, err := New(nil, store, Config{}).Complete(context.Background(), other)
	if err != nil || r.Err == nil || r.Err.Class != llm.ClassNode || r.Err.Code != "stored_error" || !r.Cached {
		t.Errorf("stored junk: %+v, %v", r, err)
	}
}

func TestPins(t *testing.T) {
	store := newShelf()
	call := newCall("x", 0)
	for _, text := range []string{"a", "b"} {
		store.Put(context.Background(), cache.Key(call.Key), cache.Entry{Status: 200, Response: body(text)})
	}
	pinned := cache.Entry{Response: body("b")}
	m := New(nil, store, Config{Offline: true, Pin: func(k llm.Key) ([32]byte, bool) { return pinned.Digest(), k == call.Key }})
	if r, _ := m.Complete(context.Background(), call); r.Text != "b" {
		t.Errorf("got %+v", r)
	}
	pinned.Response = body("c")
	if r, _ := m.Complete(context.Background(), call); r.Text != "a" {
		t.Errorf("a pin that is gone gave %+v, want the answer there is", r)
	}
}

// While nothing can be stored nothing is paid for; an orderly stop ends the
// wait.
func TestNothingIsBoughtInTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newShelf()
		store.trouble = make(chan struct{})
		var sent atomic.Int64
		m := New(answering(&sent), store, Config{})
		got := make(chan error, 2)
		go func() { _, err := m.Complete(t.Context(), newCall("x", 0)); got <- err }()
		synctest.Wait()
		if sent.Load() != 0 {
			t.Error("a call was sent although its answer could not be kept")
		}
		stop := make(chan struct{})
		go func() {
			_, err := m.Complete(llm.WithDrain(t.Context(), stop), newCall("y", 0))
			got <- err
		}()
		synctest.Wait()
		close(stop)
		if err := <-got; !errors.Is(err, llm.ErrDraining) {
			t.Errorf("stopped while it waited: %v", err)
		}
		close(store.trouble)
		if err := <-got; err != nil || sent.Load() != 1 {
			t.Errorf("after the trouble: %v, %d calls sent", err, sent.Load())
		}
	})
}

func TestOffline(t *testing.T) {
	store := newShelf()
	r, err := New(nil, store, Config{Offline: true}).Complete(context.Background(), newCall("x", 0))
	if err != nil || r.Outcome != llm.OutcomeError || r.Err.Class != llm.ClassNode || r.Err.Code != "offline" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestWhatIsStored(t *testing.T) {
	failed := llm.Read(500, nil, []byte("oops"))
	filtered := llm.Read(400, nil, []byte(`{"error":{"code":"content_filter"}}`))
	disk := errors.New("disk on fire")
	tests := []struct {
		name   string
		r      llm.Response
		err    error
		putErr error
		puts   int
		code   string // of the failure that comes back
		stops  bool   // an error comes back
	}{
		{"failure", failed, nil, nil, 0, "", false},
		{"filtered", filtered, nil, nil, 1, "", false},
		{"cancelled", llm.Response{}, context.Canceled, nil, 0, "", true},
		{"too large", filtered, nil, fmt.Errorf("x: %w", cache.ErrTooLarge), 1, "too_large", false},
		{"disk", filtered, nil, disk, 1, "", true},
	}
	for _, tt := range tests {
		store := newShelf()
		store.putErr = tt.putErr
		m := New(llm.Func(func(context.Context, *llm.Call) (llm.Response, error) { return tt.r, tt.err }), store, Config{})
		r, err := m.Complete(context.Background(), newCall("x", 0))
		if store.puts != tt.puts || (err != nil) != tt.stops {
			t.Errorf("%s: %d puts, error %v", tt.name, store.puts, err)
		}
		if tt.code != "" && (r.Err == nil || r.Err.Code != tt.code || r.Err.Class != llm.ClassNode) {
			t.Errorf("%s: got %+v", tt.name, r)
		}
		if tt.putErr == disk && !errors.Is(err, disk) {
			t.Errorf("error %v hides the cause", err)
		}
	}
}

// Equal calls at once are one; they return when the answer is durable.
func TestEqualCallsInFlightAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int64
		store := newShelf()
		store.putTime = time.Second
		m := New(answering(&sent), store, Config{})
		start := time.Now()
		var paid atomic.Int64
		var wg sync.WaitGroup
		for i := range 30 {
			wg.Go(func() {
				r, err := m.Complete(context.Background(), newCall("x", i%2))
				if err != nil || r.Text != "x" || time.Since(start) < time.Second {
					t.Errorf("got %+v, %v after %s", r, err, time.Since(start))
				}
				if !r.Cached {
					paid.Add(1)
				}
			})
		}
		wg.Wait()
		if sent.Load() != 2 || paid.Load() != 2 || store.puts != 2 {
			t.Errorf("%d sent, %d paid, %d stored; want one a draw", sent.Load(), paid.Load(), store.puts)
		}
	})
}

// No interleaving of look-up, flight and store sends a call twice.
func TestNeverBoughtTwice(t *testing.T) {
	var sent atomic.Int64
	m := New(answering(&sent), newShelf(), Config{})
	const keys = 200
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range keys {
				m.Complete(context.Background(), newCall(fmt.Sprint(i), 0))
			}
		})
	}
	wg.Wait()
	if sent.Load() != keys {
		t.Errorf("%d calls for %d keys", sent.Load(), keys)
	}
	if n := len(m.flights.byKey); n != 0 {
		t.Errorf("%d flights kept", n)
	}
}

// A caller that leaves takes the answer from nobody; when all have left the
// call ends.
func TestCallersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		inner := llm.Func(func(ctx context.Context, call *llm.Call) (llm.Response, error) {
			select {
			case <-time.After(10 * time.Second):
				ended <- nil
				return llm.Read(200, nil, body("x")), nil
			case <-ctx.Done():
				ended <- ctx.Err()
				return llm.Response{}, ctx.Err()
			}
		})
		m := New(inner, newShelf(), Config{})
		call := func(after time.Duration) <-chan error {
			ctx, cancel := context.WithTimeout(context.Background(), after)
			out := make(chan error, 1)
			go func() {
				defer cancel()
				_, err := m.Complete(ctx, newCall("x", 0))
				out <- err
			}()
			synctest.Wait()
			return out
		}
		first, second, third := call(time.Second), call(2*time.Second), call(time.Hour)
		if err := <-second; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller that left: %v", err)
		}
		if err := <-third; err != nil {
			t.Errorf("the caller that stayed: %v", err)
		}
		if err := <-first; err != nil {
			t.Errorf("the first caller, whose call went on: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("the call: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		inner := llm.Func(func(ctx context.Context, _ *llm.Call) (llm.Response, error) {
			<-ctx.Done()
			return llm.Response{}, ctx.Err()
		})
		m := New(inner, newShelf(), Config{})
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i+1)*time.Second)
				defer cancel()
				if _, err := m.Complete(ctx, newCall("x", 0)); err == nil {
					t.Error("no error")
				}
			})
		}
		wg.Wait()
		if d := time.Since(start); d != 5*time.Second {
			t.Errorf("the call ended after %s", d)
		}
	})
}

// A call that comes when all others have left starts anew, and the end of the
// one they left is not taken for its own.
func TestCallAfterAllLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int64
		inner := llm.Func(func(ctx context.Context, _ *llm.Call) (llm.Response, error) {
			if sent.Add(1) == 1 {
				<-ctx.Done()
				time.Sleep(time.Second) // slow to notice
				return llm.Response{}, ctx.Err()
			}
			time.Sleep(5 * time.Second)
			return llm.Read(200, nil, body("x")), nil
		})
		m := New(inner, newShelf(), Config{})
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Go(func() { m.Complete(ctx, newCall("x", 0)) })
		synctest.Wait()
		cancel()
		synctest.Wait()
		for range 3 {
			wg.Go(func() {
				if r, err := m.Complete(context.Background(), newCall("x", 0)); err != nil || r.Text != "x" {
					t.Errorf("got %+v, %v", r, err)
				}
			})
			time.Sleep(2 * time.Second)
		}
		wg.Wait()
		if sent.Load() != 2 {
			t.Errorf("%d calls sent, want the one that was left and one more", sent.Load())
		}
	})
}

func TestFailureIsSharedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := llm.Func(func(context.Context, *llm.Call) (llm.Response, error) {
			time.Sleep(time.Second)
			r := llm.Read(500, nil, []byte("oops"))
			r.Attempts = 6
			return r, nil
		})
		m := New(inner, newShelf(), Config{})
		var attempts atomic.Int64
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				r, err := m.Complete(context.Background(), newCall("x", 0))
				if err != nil || r.Err == nil || r.Cached {
					t.Errorf("got %+v, %v", r, err)
				}
				attempts.Add(int64(r.Attempts))
			})
		}
		wg.Wait()
		if attempts.Load() != 6 {
			t.Errorf("%d attempts counted, 6 sent", attempts.Load())
		}
	})
}

// What another process bought meanwhile is not bought again.
func TestOthersAnswersAreSeen(t *testing.T) {
	var sent atomic.Int64
	store := newShelf()
	call := newCall("x", 0)
	store.onRefresh = func() {
		store.entries[cache.Key(call.Key)] = []cache.Entry{{Status: 200, Response: body("theirs")}}
	}
	m := New(answering(&sent), store, Config{})
	if r, err := m.Complete(context.Background(), call); err != nil || r.Text != "theirs" || !r.Cached || sent.Load() != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	store.onRefresh = nil
	m.Complete(context.Background(), call)
	if store.refreshes != 1 {
		t.Errorf("%d refreshes: a hit needs none", store.refreshes)
	}
}

// The whole way through the real store.
// A call that waited below looks once more: what another process bought
// meanwhile is neither sent nor stored again.
func TestAnswersBoughtWhileWaiting(t *testing.T) {
	ctx, mine, others := context.Background(), newShelf(), newShelf()
	var sent atomic.Int64
	call := newCall("q", 0)
	waiting := llm.Func(func(ctx context.Context, c *llm.Call) (llm.Response, error) {
		if _, err := New(answering(new(atomic.Int64)), others, Config{}).Complete(ctx, call); err != nil {
			t.Fatal(err)
		}
		mine.entries[cache.Key(call.Key)] = others.entries[cache.Key(call.Key)]
		return Again(answering(&sent), mine, Config{}).Complete(ctx, c)
	})
	r, err := New(waiting, mine, Config{}).Complete(ctx, call)
	if err != nil || !r.Cached || r.Outcome != llm.OutcomeAnswer || r.Headers != nil || r.Attempts != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	if n := len(mine.entries[cache.Key(call.Key)]); sent.Load() != 0 || n != 1 {
		t.Errorf("%d calls were sent, %d answers are stored", sent.Load(), n)
	}
	other := newCall("another", 0)
	if r, err := Again(answering(&sent), mine, Config{}).Complete(ctx, other); err != nil || r.Cached || sent.Load() != 1 {
		t.Errorf("a call without an answer: %+v, %v, %d sent", r, err, sent.Load())
	}
}

func TestOnDisk(t *testing.T) {
	dir := t.TempDir()
	open := func() *cache.Store {
		s, err := cache.Open(dir, cache.Options{Key: func(identity string, draw int, request []byte) cache.Key {
			return cache.Key(llm.KeyOf(identity, draw, request))
		}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var sent atomic.Int64
	store := open()
	fresh, err := New(answering(&sent), store, Config{}).Complete(context.Background(), newCall("x", 0))
	if err != nil {
		t.Fatal(err)
	}
	big := llm.Func(func(context.Context, *llm.Call) (llm.Response, error) {
		return llm.Read(200, nil, body(strings.Repeat("y", 17<<20))), nil
	})
	if r, err := New(big, store, Config{}).Complete(context.Background(), newCall("big", 0)); err != nil || r.Err == nil || r.Err.Code != "too_large" {
		t.Errorf("large answer: %v, %v", r.Err, err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	store = open()
	defer store.Close()
	again, err := New(nil, store, Config{Offline: true}).Complete(context.Background(), newCall("x", 0))
	if again.Cached = false; err != nil || !reflect.DeepEqual(again, fresh) {
		t.Errorf("got %+v, %v, want %+v", again, err, fresh)
	}
}

func BenchmarkHit(b *testing.B) {
	store := newShelf()
	call := newCall("x", 0)
	store.Put(context.Background(), cache.Key(call.Key), cache.Entry{Status: 200, Response: body(strings.Repeat("word ", 200))})
	m := New(nil, store, Config{Offline: true})
	b.ReportAllocs()
	for b.Loop() {
		m.Complete(context.Background(), call)
	}
}

func BenchmarkFlight(b *testing.B) {
	s := flights{byKey: map[llm.Key]*flight{}}
	fn := func(context.Context) (llm.Response, error) { return llm.Response{}, nil }
	b.ReportAllocs()
	for b.Loop() {
		s.do(context.Background(), llm.Key{}, fn)
	}
}

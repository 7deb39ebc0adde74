package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"memform/runner/llm"
	"memform/runner/stack"
)

// whole checks that nothing was lost on the way to the model.
func whole(r llm.Response, texts []string) error {
	report, isForm := llm.ReadFormReport(r.Raw)
	if isForm && report.Unseen > 0 {
		return fmt.Errorf("%d of %d records stood in no request", report.Unseen, len(texts))
	}
	return nil
}

func oneOperation(ctx context.Context, t *trial) error {
	texts := story("north", 3)
	r, err := t.do(ctx, "a", texts...)
	if err != nil {
		return err
	}
	if len(t.model.requests("a")) == 0 {
		return errors.New("it sent no request")
	}
	if r.Outcome != llm.OutcomeAnswer {
		return fmt.Errorf("it came to nothing: outcome %s", r.Outcome)
	}
	return whole(r, texts)
}

// odd are texts that templates, parsers and normalisers change.
var odd = []string{
	"braces {x} {{y}} ${z} {% raw %} %s %(a)s \\n \\u0041",
	"mark-up <b>bold</b> &amp; <fact>no</fact> ]]> \"quoted\" 'single' `code`",
	"e\u0301 is not \u00e9; \u212b is not \u00c5; \u1100\u1161 is not \uac00",
	"bidi \u202eabc\u202c, joiner \u200d, no break \u00a0, \U0001F469\u200d\U0001F52C",
	"lines\r\nand\u2028separators\u2029here",
}

func unicodeWhole(ctx context.Context, t *trial) error {
	for i, text := range odd {
		texts := []string{mark + "odd " + text}
		r, err := t.do(ctx, fmt.Sprintf("odd %d", i), texts...)
		if err == nil {
			err = whole(r, texts)
		}
		if err != nil {
			return fmt.Errorf("%+q: %w", text, err)
		}
	}
	if t.cfg.Kind == stack.Carrier { // a carrier changes nothing at all
		if _, err := t.do(ctx, "outer", "  outer blanks \x00 and NUL \n\n"); err != nil {
			return fmt.Errorf("outer blanks and NUL: %w", err)
		}
	}
	return nil
}

const longText = 100 << 10

func longWhole(ctx context.Context, t *trial) error {
	texts := []string{mark + "long " + strings.Repeat("The line stayed cool and the pump was slow. ", longText/44), story("end", 1)[0]}
	r, err := t.do(ctx, "long", texts...)
	if err != nil {
		return err
	}
	return whole(r, texts)
}

// otherOrder answers the model's calls in the reverse of their order.
func otherOrder(ctx context.Context, t *trial) error {
	const n = 6
	release := make([]chan struct{}, n)
	for i := range release {
		release[i] = make(chan struct{})
	}
	begun := make(chan int, 64*n)
	t.model.hold = func(ctx context.Context, call *llm.Call) error {
		i := int(call.Identity[0] - 'a')
		begun <- i
		select {
		case <-release[i]:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			of := string(rune('a' + i))
			r, err := t.do(ctx, of, story(of, 1)...)
			if err == nil && !strings.Contains(string(r.Raw), mark+of+"-0") {
				err = fmt.Errorf("operation %d got the answer of another", i)
			}
			errs[i] = err
		})
	}
	seen := map[int]bool{}
	timeout := time.After(oneAtATime)
	for len(seen) < n {
		select {
		case i := <-begun:
			seen[i] = true
			continue
		case <-timeout:
		case <-ctx.Done():
		}
		break
	}
	for i := n - 1; i >= 0; i-- {
		close(release[i])
	}
	wg.Wait()
	return errors.Join(errs...)
}

// oneAtATime is how long an adapter has to begin all operations that it says
// it can have open; one that takes them one by one begins the first alone.
const oneAtATime = 3 * time.Second

// isolation does one conversation, another, and the first again.
func isolation(ctx context.Context, t *trial) error {
	for _, op := range []struct{ identity, of string }{{"first", "north"}, {"between", "south"}, {"again", "north"}} {
		if _, err := t.do(ctx, op.identity, story(op.of, 3)...); err != nil {
			return err
		}
	}
	if d := difference(t.model.requests("first"), t.model.requests("again")); d != "" {
		return fmt.Errorf("after another operation the same one asks otherwise: %s", d)
	}
	return foreign(t.model.requests("again"), "south")
}

// foreign finds the marks of another conversation.
func foreign(requests []string, other string) error {
	for _, r := range requests {
		if strings.Contains(r, mark+other) {
			return fmt.Errorf("a request shows what another operation was told: …%s…", around(r, mark+other))
		}
	}
	return nil
}

// interleaved does two conversations at once, call by call in turns, and
// compares each with itself alone.
func interleaved(ctx context.Context, t *trial) error {
	for _, of := range []string{"north", "south"} {
		if _, err := t.do(ctx, "alone "+of, story(of, 4)...); err != nil {
			return err
		}
	}
	errs := make([]error, 2)
	var wg sync.WaitGroup
	for i, of := range []string{"north", "south"} {
		wg.Go(func() { _, errs[i] = t.do(ctx, "both "+of, story(of, 4)...) })
	}
	wg.Wait()
	for i, of := range []string{"north", "south"} {
		other := []string{"south", "north"}[i]
		if d := difference(t.model.requests("alone "+of), t.model.requests("both "+of)); d != "" {
			errs[i] = errors.Join(errs[i], fmt.Errorf("beside another operation it asks otherwise: %s", d))
		}
		errs[i] = errors.Join(errs[i], foreign(t.model.requests("both "+of), other))
	}
	return errors.Join(errs...)
}

func coldAgain(ctx context.Context, t *trial) error {
	if _, err := t.do(ctx, "cold", story("north", 4)...); err != nil {
		return err
	}
	fresh := newTrial(t.cfg)
	defer fresh.bridge.Close()
	if _, err := fresh.do(ctx, "cold", story("north", 4)...); err != nil {
		return err
	}
	if d := difference(t.model.requests("cold"), fresh.model.requests("cold")); d != "" {
		return fmt.Errorf("a new process asks otherwise, so its calls would be bought again: %s", d)
	}
	return nil
}

func emptyAnswer(ctx context.Context, t *trial) error {
	t.model.answer = func(*llm.Call) llm.Response {
		return llm.Read(200, nil, []byte(`{"id":"x","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":0,"total_tokens":1}}`))
	}
	_, err := t.do(ctx, "empty", story("north", 2)...)
	return err
}

func finalFailure(ctx context.Context, t *trial) error {
	t.model.answer = func(*llm.Call) llm.Response {
		return llm.Read(500, nil, []byte(`{"error":{"message":"broken on purpose","type":"server_error"}}`))
	}
	_, err := t.do(ctx, "failing", story("north", 2)...)
	if err == nil {
		return errors.New("the model failed and the operation did not")
	}
	if !strings.Contains(err.Error(), "broken on purpose") {
		return fmt.Errorf("it failed, but not for what the model said: %w", err)
	}
	asked := t.model.requests("failing")
	if n := len(asked); n != len(slices.Compact(asked)) {
		return fmt.Errorf("a refused request was sent again: %d requests; set the client's max_retries to 0", n)
	}
	return nil
}

// cancellation gives up an operation whose call is in flight; the process
// must go on.
func cancellation(ctx context.Context, t *trial) error {
	a, err := t.bridge.Adapter(ctx, name)
	if err != nil {
		return err
	}
	begun, release := make(chan struct{}, 64), make(chan struct{})
	t.model.hold = func(_ context.Context, call *llm.Call) error {
		if call.Identity == "given up" {
			begun <- struct{}{}
			<-release
		}
		return nil
	}
	given, giveUp := context.WithCancel(ctx)
	type end struct{ err error }
	ended := make(chan end, 1)
	go func() {
		_, err := t.do(given, "given up", story("north", 2)...)
		ended <- end{err}
	}()
	defer giveUp()
	select {
	case <-begun:
	case early := <-ended:
		return errors.Join(errors.New("it ended before it was cancelled"), early.err)
	case <-ctx.Done():
		close(release)
		return context.Cause(ctx)
	}
	giveUp()
	err = a.Settle(ctx) // before the model answers: the cancellation itself must be answered
	close(release)
	select {
	case <-ended:
	case <-ctx.Done():
	}
	if err != nil {
		return err
	}
	_, err = t.do(ctx, "afterwards", story("south", 2)...)
	return err
}

// crash kills the process in the middle of an operation.
func crash(ctx context.Context, t *trial) error {
	a, err := t.bridge.Adapter(ctx, name)
	if err != nil {
		return err
	}
	var once sync.Once
	t.model.hold = func(context.Context, *llm.Call) error {
		once.Do(a.Kill)
		return nil
	}
	texts := story("north", 3)
	r, err := t.do(ctx, "crashed", texts...)
	if err != nil {
		return err
	}
	distinct := slices.Compact(t.model.requests("crashed"))
	if t.model.bought != len(distinct) {
		return fmt.Errorf("%d calls were bought for %d requests", t.model.bought, len(distinct))
	}
	return whole(r, texts)
}

func attributed(ctx context.Context, t *trial) error {
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			of := string(rune('a' + i))
			_, errs[i] = t.do(ctx, of, story(of, 2)...)
			for other := range errs {
				if other != i {
					errs[i] = errors.Join(errs[i], foreign(t.model.requests(of), string(rune('a'+other))+"-"))
				}
			}
		})
	}
	wg.Wait()
	if strays := t.strays(); len(strays) > 0 {
		errs = append(errs, fmt.Errorf("%d requests reached no operation, the first with %s", len(strays), strays[0]))
	}
	return errors.Join(errs...)
}

func ends(ctx context.Context, t *trial) error {
	if _, err := t.do(ctx, "last", story("north", 1)...); err != nil {
		return err
	}
	a, err := t.bridge.Adapter(ctx, name)
	if err != nil {
		return err
	}
	return a.End()
}

// difference shows the first request in which two lists part, "" for none.
func difference(want, got []string) string {
	for i := range min(len(want), len(got)) {
		if want[i] == got[i] {
			continue
		}
		n := 0
		for n < min(len(want[i]), len(got[i])) && want[i][n] == got[i][n] {
			n++
		}
		return fmt.Sprintf("request %d parts at byte %d: …%s… and …%s…", i+1, n, cut(want[i], n), cut(got[i], n))
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d requests and %d", len(want), len(got))
	}
	return ""
}

const shown = 60

func cut(s string, at int) string {
	return strings.ToValidUTF8(s[max(0, at-shown/2):min(len(s), at+shown)], "")
}

func around(s, part string) string { return cut(s, strings.Index(s, part)) }

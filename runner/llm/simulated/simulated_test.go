package simulated

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
)

func TestIdentityNamesVersionAndEveryParameter(t *testing.T) {
	got := Identity(Params{Competence: 0.9, Susceptibility: 0.7, Detection: 1, FalseAlarm: 0.05})
	want := "simulated/1?competence=0.9&susceptibility=0.7&detection=1&false_alarm=0.05"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNonsenseIsAnsweredInTheErrorShape(t *testing.T) {
	tr := New(Config{Cases: family()})
	good := bodyOf(t, "hello")
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		code                     string
	}{
		{"path", http.MethodPost, "/v1/embeddings", good, 404, "unknown_url"},
		{"method", http.MethodGet, endpoint, "", 405, "method_not_allowed"},
		{"empty body", http.MethodPost, endpoint, "", 400, "invalid_json"},
		{"not JSON", http.MethodPost, endpoint, good[:40], 400, "invalid_json"},
		{"content of a wrong type", http.MethodPost, endpoint, `{"model":"m","messages":[{"role":"user","content":[7]}]}`, 400, "invalid_type"},
		{"no model", http.MethodPost, endpoint, `{"messages":[{"role":"user","content":"x"}]}`, 400, "missing_parameter"},
		{"no messages", http.MethodPost, endpoint, `{"model":"m"}`, 400, "missing_parameter"},
		{"no role", http.MethodPost, endpoint, `{"model":"m","messages":[{"content":"x"}]}`, 400, "missing_parameter"},
		{"stream", http.MethodPost, endpoint, `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`, 400, "unsupported_parameter"},
	} {
		r := send(t, tr, t.Context(), tc.method, tc.path, tc.body)
		if r.status != tc.status || !strings.Contains(r.raw, `"code":"`+tc.code+`"`) || !strings.HasPrefix(r.raw, `{"error":{"message":"`) {
			t.Errorf("%s: status %d, %s", tc.name, r.status, r.raw)
		}
	}
}

func TestCompletionIsAFunctionOfTheRequest(t *testing.T) {
	tr := New(Config{Params: Params{Competence: 0.5, Susceptibility: 0.5}, Cases: family()})
	body := bodyOf(t, decidePrompt("", taskTarget))
	a := send(t, tr, t.Context(), http.MethodPost, endpoint, body)
	b := send(t, New(Config{Params: tr.params, Cases: family()}), t.Context(), http.MethodPost, endpoint, body)
	if a.raw != b.raw {
		t.Errorf("two answers to one request:\n%s\n%s", a.raw, b.raw)
	}
	d := a.decoded
	if d.Model != "simulated" || d.Created != 0 || d.SystemFingerprint != version || !strings.HasPrefix(d.ID, "sim-") {
		t.Errorf("completion %+v", d)
	}
	if d.Usage.Prompt < len(body)/8 || d.Usage.Completion == 0 || d.Usage.Total != d.Usage.Prompt+d.Usage.Completion {
		t.Errorf("usage %+v of a body of %d bytes", d.Usage, len(body))
	}
}

func TestContentInParts(t *testing.T) {
	tr := New(Config{Params: follower, Cases: family()})
	r := send(t, tr, t.Context(), http.MethodPost, endpoint,
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"`+noteQ[:20]+`"},{"type":"text","text":"`+noteQ[20:]+`"}]}]}`)
	if !strings.HasPrefix(r.text, policyQ) {
		t.Errorf("answer %q", r.text)
	}
}

func TestAnswerIsCutAtTheTokenLimit(t *testing.T) {
	tr := New(Config{Params: follower, Cases: family()})
	for _, field := range []string{"max_tokens", "max_completion_tokens"} {
		body := strings.Replace(bodyOf(t, noteC), `"max_tokens":512`, `"`+field+`":5`, 1)
		r := send(t, tr, t.Context(), http.MethodPost, endpoint, body)
		if r.finish != "length" || r.text != policyC[:20] || r.decoded.Usage.Completion != 5 {
			t.Errorf("%s: finish %q, text %q, usage %+v", field, r.finish, r.text, r.decoded.Usage)
		}
	}
	if got := cut("aéé", 4); got != "aé" {
		t.Errorf("cut within a rune: %q", got)
	}
}

type drawKey struct{}

func drawFrom(ctx context.Context) int { n, _ := ctx.Value(drawKey{}).(int); return n }

func TestDrawsDifferAndRepeat(t *testing.T) {
	tr := New(Config{Params: Params{Competence: 0.5}, Cases: family(), Draw: drawFrom})
	body := bodyOf(t, decidePrompt("", taskTarget))
	seen := map[string]int{}
	for draw := range 200 {
		ctx := context.WithValue(t.Context(), drawKey{}, draw)
		a, b := send(t, tr, ctx, http.MethodPost, endpoint, body), send(t, tr, ctx, http.MethodPost, endpoint, body)
		if a.raw != b.raw {
			t.Fatalf("draw %d answers twice differently", draw)
		}
		seen[letter(t, a.text)]++
	}
	// P(A) = 0.5: 99.99 % of such samples lie within 72 … 128.
	if seen["A"] < 72 || seen["A"] > 128 || len(seen) != 4 {
		t.Errorf("answers over 200 draws: %v", seen)
	}
}

func TestHigherParametersKeepTheCoinsThatFell(t *testing.T) {
	low := New(Config{Params: Params{Competence: 0.3}, Cases: family(), Draw: drawFrom})
	high := low.With(Params{Competence: 0.8})
	body := bodyOf(t, decidePrompt("", taskTarget))
	changed := 0
	for draw := range 100 {
		ctx := context.WithValue(t.Context(), drawKey{}, draw)
		a, b := send(t, low, ctx, http.MethodPost, endpoint, body).text, send(t, high, ctx, http.MethodPost, endpoint, body).text
		if letter(t, a) == "A" && letter(t, b) != "A" {
			t.Errorf("draw %d knew at 0.3 and not at 0.8", draw)
		}
		if a != b {
			changed++
		}
	}
	if changed == 0 {
		t.Error("competence changes nothing")
	}
}

func TestCancelledRequestIsNotAnswered(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://simulated"+endpoint, strings.NewReader(bodyOf(t, "x")))
	if _, err := New(Config{}).RoundTrip(req); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

func TestCribIsBuiltByTheFirstRequest(t *testing.T) {
	cs := family()
	late := *cs[0]
	late.Oracle.Clean = "A policy that came after New and before the first request was sent."
	tr := New(Config{Params: follower, Cases: cs})
	cs[0] = &late
	if got := ask1(t, tr, noteC); !strings.HasPrefix(got, late.Oracle.Clean) {
		t.Errorf("answer %q", got)
	}
}

func TestConcurrentUse(t *testing.T) {
	tr := New(Config{Params: Params{Competence: 0.5, Susceptibility: 0.5}, Cases: family()})
	body := bodyOf(t, decidePrompt(policyQ, taskNear))
	answers := make([]string, 16)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = send(t, tr, t.Context(), http.MethodPost, endpoint, body).raw })
	}
	wg.Wait()
	for _, a := range answers {
		if a != answers[0] {
			t.Fatalf("%s\n%s", a, answers[0])
		}
	}
}

func TestUnknownPrompts(t *testing.T) {
	tr := New(Config{Params: follower, Cases: family(), Draw: drawFrom})
	if got := ask1(t, tr, "What is the weather like?"); strings.Contains(got, "ANSWER") || got == "" {
		t.Errorf("answer %q", got)
	}
	body := bodyOf(t, "Which one?\n\nB) this\nC) that\n(D) neither\nEnd with ANSWER: X.")
	seen := map[string]int{}
	for draw := range 150 {
		r := send(t, tr, context.WithValue(t.Context(), drawKey{}, draw), http.MethodPost, endpoint, body)
		seen[letter(t, r.text)]++
	}
	if len(seen) != 3 || min(seen["B"], seen["C"], seen["D"]) < 28 { // expected 50 each; 28 is 3.8 σ below
		t.Errorf("letters %v", seen)
	}
}

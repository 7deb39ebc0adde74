package llm

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// answer is a body with one choice of this message and finish reason.
func answer(message, finish string) string {
	return `{"id":"c1","object":"chat.completion","model":"m-1","choices":[{"index":0,"message":` + message +
		`,"finish_reason":"` + finish + `"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`
}

func TestReadAnswers(t *testing.T) {
	tests := []struct {
		name      string
		body      string
		outcome   Outcome
		text      string
		reasoning string
		refusal   string
	}{
		{"plain", answer(`{"role":"assistant","content":"ANSWER: B"}`, "stop"), OutcomeAnswer, "ANSWER: B", "", ""},
		{"embeddings", `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.1]}],"model":"m-1","usage":{"prompt_tokens":7,"completion_tokens":3}}`, OutcomeAnswer, "", "", ""},
		{"keep-alive white space", "\n \r\n\n" + answer(`{"content":"hi"}`, "stop"), OutcomeAnswer, "hi", "", ""},
		{"byte order mark", "\ufeff" + answer(`{"content":"hi"}`, "stop"), OutcomeAnswer, "hi", "", ""},
		{"content parts", answer(`{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`, "stop"), OutcomeAnswer, "ab", "", ""},
		{"thinking part", answer(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"b"}]}`, "stop"), OutcomeAnswer, "b", "hm", ""},
		{"refusal part", answer(`{"content":[{"type":"refusal","refusal":"no"}]}`, "stop"), OutcomeRefusal, "", "", "no"},
		{"empty parts", answer(`{"content":[]}`, "stop"), OutcomeEmpty, "", "", ""},
		{"null content", answer(`{"content":null}`, "stop"), OutcomeEmpty, "", "", ""},
		{"absent content", answer(`{"role":"assistant"}`, "stop"), OutcomeEmpty, "", "", ""},
		{"blank content", answer(`{"content":" \n"}`, "stop"), OutcomeEmpty, " \n", "", ""},
		{"refusal field", answer(`{"content":null,"refusal":"I cannot"}`, "stop"), OutcomeRefusal, "", "", "I cannot"},
		{"null refusal", answer(`{"content":"x","refusal":null}`, "stop"), OutcomeAnswer, "x", "", ""},
		{"content filter", answer(`{"content":"half"}`, "content_filter"), OutcomeFiltered, "half", "", ""},
		{"filter without message", `{"choices":[{"finish_reason":"content_filter"}]}`, OutcomeFiltered, "", "", ""},
		{"cut off", answer(`{"content":"half"}`, "length"), OutcomeTruncated, "half", "", ""},
		{"cut off and empty", answer(`{"content":""}`, "length"), OutcomeTruncated, "", "", ""},
		{"cut off, Anthropic's word", answer(`{"content":"half"}`, "MAX_TOKENS"), OutcomeTruncated, "half", "", ""},
		{"null finish", `{"choices":[{"message":{"content":"x"},"finish_reason":null}]}`, OutcomeAnswer, "x", "", ""},
		{"reasoning_content", answer(`{"content":"x","reasoning_content":"why"}`, "stop"), OutcomeAnswer, "x", "why", ""},
		{"reasoning", answer(`{"content":"x","reasoning":"why"}`, "stop"), OutcomeAnswer, "x", "why", ""},
		{"reasoning alone", answer(`{"content":null,"reasoning":"why"}`, "stop"), OutcomeEmpty, "", "why", ""},
		{"think block", answer(`{"content":"<think>why</think>\n\nx"}`, "stop"), OutcomeAnswer, "x", "why", ""},
		{"think block alone", answer(`{"content":"<think>why</think>"}`, "stop"), OutcomeEmpty, "", "why", ""},
		{"think without opener", answer(`{"content":"why\n</think>\nx"}`, "stop"), OutcomeAnswer, "x", "why", ""},
		{"think cut off", answer(`{"content":"<think>why"}`, "length"), OutcomeTruncated, "", "why", ""},
		{"think never closed", answer(`{"content":"<think>why\nANSWER: A"}`, "stop"), OutcomeAnswer, "<think>why\nANSWER: A", "", ""},
		{"both kinds of reasoning", answer(`{"content":"<think>b</think>x","reasoning":"a"}`, "stop"), OutcomeAnswer, "x", "a\nb", ""},
		{"two choices", `{"choices":[{"message":{"content":"x"}},{"message":{"content":"y"}}]}`, OutcomeAnswer, "x", "", ""},
		{"wrong types beside", `{"model":5,"provider":{},"usage":"none","system_fingerprint":[1],"choices":[{"message":{"content":"x"}}]}`, OutcomeAnswer, "x", "", ""},
		{"empty error", `{"error":null,"choices":[{"error":{},"message":{"content":"x"}}]}`, OutcomeAnswer, "x", "", ""},
		{"invalid UTF-8", "{\"choices\":[{\"message\":{\"content\":\"a\xffb\"}}]}", OutcomeAnswer, "a\ufffdb", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Read(200, nil, []byte(tt.body))
			if r.Outcome != tt.outcome || r.Text != tt.text || r.Reasoning != tt.reasoning || r.Refusal != tt.refusal {
				t.Errorf("got %s text %q reasoning %q refusal %q, want %s %q %q %q (failure %v)",
					r.Outcome, r.Text, r.Reasoning, r.Refusal, tt.outcome, tt.text, tt.reasoning, tt.refusal, r.Err)
			}
			if r.Err != nil {
				t.Errorf("failure %v beside an answer", r.Err)
			}
		})
	}
}

func TestReadFailures(t *testing.T) {
	tests := []struct {
		name    string
		status  int
		body    string
		class   Class
		code    string
		message string // must be contained
	}{
		// 200 without an answer.
		{"not JSON", 200, `<html>`, ClassRetry, "not_json", "web page"},
		{"no body", 200, ``, ClassRetry, "not_json", "empty body"},
		{"cut JSON", 200, `{"choices":[{"message":{"content":"ANS`, ClassRetry, "not_json", `{"choices"`},
		{"null choices", 200, `{"choices":null}`, ClassRetry, "no_choices", "no choices"},
		{"empty choices", 200, `{"choices":[]}`, ClassRetry, "no_choices", "no choices"},
		{"null choice", 200, `{"choices":[null]}`, ClassRetry, "no_message", "without a message"},
		{"JSON null", 200, `null`, ClassRetry, "no_choices", "null"},
		{"finish error", 200, answer(`{"content":""}`, "error"), ClassRetry, "", "ended with an error"},
		{"error, numeric code", 200, `{"error":{"message":"slow down","code":429}}`, ClassRate, "429", "slow down"},
		{"error, quoted code", 200, `{"error":{"message":"bad gateway","code":"502"}}`, ClassRetry, "502", "bad gateway"},
		{"error, 400 inside", 200, `{"error":{"message":"too long","code":400}}`, ClassNode, "400", "too long"},
		{"error, 401 inside", 200, `{"error":{"message":"no","code":401}}`, ClassEndpoint, "401", "no"},
		{"error, foreign number", 200, `{"error":{"message":"busy","code":20015}}`, ClassRetry, "20015", "busy"},
		{"error, text", 200, `{"error":"boom"}`, ClassRetry, "", "boom"},
		{"error, typed", 200, `{"error":{"message":"later","type":"rate_limit_error"}}`, ClassRate, "rate_limit_error", "later"},
		{"error beside choices", 200, `{"error":{"message":"x","code":502},"choices":[{"message":{"content":"a"}}]}`, ClassRetry, "502", "x"},
		{"error in a choice", 200, `{"choices":[{"error":{"code":503,"message":"provider down"},"message":{"content":"half"},"finish_reason":"error"}]}`, ClassRetry, "503", "provider down"},
		{"error in a message", 200, `{"choices":[{"message":{"error":{"code":429,"message":"m"}}}]}`, ClassRate, "429", "m"},
		{"vLLM, flat", 200, `{"object":"error","message":"context","type":"BadRequestError","code":400}`, ClassNode, "BadRequestError", "context"},
		{"detail", 200, `{"detail":"overloaded"}`, ClassRetry, "", "overloaded"},

		// Refused requests.
		{"context length", 400, `{"error":{"message":"maximum context length is 8192","type":"invalid_request_error","code":"context_length_exceeded"}}`, ClassNode, "context_length_exceeded", "8192"},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"request (9000 tokens) exceeds","type":"exceed_context_size_error"}}`, ClassNode, "exceed_context_size_error", "exceeds"},
		{"FastAPI", 422, `{"detail":[{"loc":["body","temperature"],"msg":"must be positive","type":"value_error"}]}`, ClassNode, "value_error", "must be positive"},
		{"payload", 413, `too big`, ClassNode, "", "too big"},
		{"Google's key", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, ClassEndpoint, "INVALID_ARGUMENT", "API key not valid"},
		{"teapot", 418, `{}`, ClassNode, "", "{}"},

		// Keys and money.
		{"key refused", 401, `{"error":{"message":"Incorrect API key provided: sk-abc123***xyz.","code":"invalid_api_key"}}`, ClassEndpoint, "invalid_api_key", "[id]"},
		{"numeric 401", 401, `{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}`, ClassEndpoint, "authentication_error", "Invalid"},
		{"payment", 402, `{"error":{"message":"Insufficient Balance"}}`, ClassEndpoint, "", "Balance"},
		{"forbidden", 403, `{"error":"country"}`, ClassEndpoint, "", "country"},
		{"quota", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, ClassEndpoint, "insufficient_quota", "quota"},

		// Models and addresses.
		{"model, OpenAI", 404, "{\"error\":{\"message\":\"The model `x` does not exist\",\"type\":\"invalid_request_error\",\"code\":\"model_not_found\"}}", ClassModel, "model_not_found", "does not exist"},
		{"model, Azure", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, ClassModel, "DeploymentNotFound", "deployment"},
		{"model, vLLM", 404, "{\"object\":\"error\",\"message\":\"The model `x` does not exist.\",\"type\":\"NotFoundError\",\"param\":null,\"code\":404}", ClassModel, "NotFoundError", "does not exist"},
		{"model, llama.cpp", 404, `{"error":{"code":404,"message":"model not found","type":"not_found_error"}}`, ClassModel, "not_found_error", "model not found"},
		{"model, OpenRouter", 400, `{"error":{"message":"foo/bar is not a valid model ID","code":400}}`, ClassModel, "400", "foo/bar"},
		{"model, no access", 403, `{"error":{"message":"no access","code":"model_not_found"}}`, ClassModel, "model_not_found", "no access"},
		{"path", 404, `{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}`, ClassModel, "not_found_error", "base_url"},
		{"page", 404, "<html><head><title>404 Not\nFound</title></head></html>", ClassModel, "", "titled \"404 Not Found\" (check the model's id, and base_url)"},
		{"method", 405, ``, ClassEndpoint, "", "base_url"},
		{"redirect", 308, ``, ClassEndpoint, "", "redirects"},

		// Try again.
		{"rate", 429, `{"error":{"message":"Rate limit reached for org-AbCdEfGhIjKl on requests","type":"requests","code":"rate_limit_exceeded"}}`, ClassRate, "rate_limit_exceeded", "[id]"},
		{"rate, no body", 429, ``, ClassRate, "", "empty body"},
		{"too large for a minute", 429, `{"error":{"message":"Request too large for gpt-4 on tokens per min (TPM)","type":"tokens","code":"rate_limit_exceeded"}}`, ClassNode, "rate_limit_exceeded", "too large"},
		{"time-out", 408, ``, ClassRetry, "", ""},
		{"conflict", 409, ``, ClassRetry, "", ""},
		{"early", 425, ``, ClassRetry, "", ""},
		{"server", 500, `{"error":{"message":"oops","type":"server_error"}}`, ClassRetry, "server_error", "oops"},
		{"gateway", 502, "<html>\n<head><title>502 Bad Gateway</title></head>", ClassRetry, "", `a web page titled "502 Bad Gateway"`},
		{"loading", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, ClassRetry, "unavailable_error", "Loading model"},
		{"Cloudflare", 524, `error code: 524`, ClassRetry, "", "error code: 524"},
		{"overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, ClassRetry, "overloaded_error", "Overloaded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Read(tt.status, nil, []byte(tt.body))
			if r.Outcome != OutcomeError || r.Err == nil {
				t.Fatalf("got %s, failure %v", r.Outcome, r.Err)
			}
			if r.Err.Class != tt.class || r.Err.Code != tt.code || r.Err.Status != tt.status {
				t.Errorf("got class %s code %q status %d, want %s %q %d", r.Err.Class, r.Err.Code, r.Err.Status, tt.class, tt.code, tt.status)
			}
			if !strings.Contains(r.Err.Message, tt.message) {
				t.Errorf("message %q lacks %q", r.Err.Message, tt.message)
			}
		})
	}
}

func TestReadFiltered(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
	}{
		{"Azure", 400, `{"error":{"message":"The response was filtered","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`},
		{"inner code alone", 400, `{"error":{"message":"filtered","code":null,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`},
		{"OpenAI", 400, `{"error":{"message":"flagged","type":"invalid_request_error","code":"content_policy_violation"}}`},
		{"OpenRouter", 403, `{"error":{"message":"flagged","code":403,"metadata":{"reasons":["violence"],"flagged_input":"x"}}}`},
		{"inside 200", 200, `{"error":{"message":"flagged","code":"content_filter"}}`},
		{"inside 200, numbered", 200, `{"error":{"message":"flagged","code":403,"metadata":{"reasons":["violence"]}}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := Read(tt.status, nil, []byte(tt.body)); r.Outcome != OutcomeFiltered || r.Err != nil {
				t.Errorf("got %s, failure %v", r.Outcome, r.Err)
			}
		})
	}
	if r := Read(500, nil, []byte(`{"error":{"code":"content_filter"}}`)); r.Outcome != OutcomeError {
		t.Errorf("a server error counts as %s", r.Outcome)
	}
}

func TestReadUsage(t *testing.T) {
	tests := []struct {
		usage string
		want  Usage
	}{
		{`{"prompt_tokens":7,"completion_tokens":3}`, Usage{7, 3, 0, true}},
		{`{"prompt_tokens":"7","completion_tokens":"3"}`, Usage{7, 3, 0, true}},
		{`{"prompt_tokens":7.0,"completion_tokens":3e0}`, Usage{7, 3, 0, true}},
		{`{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}`, Usage{9, 3, 4, true}},
		{`{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":null,"prompt_cache_hit_tokens":5}`, Usage{9, 3, 5, true}},
		{`{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":40}}`, Usage{9, 3, 9, true}},
		{`{"prompt_tokens":7}`, Usage{7, 0, 0, true}},
		{`{"prompt_tokens":"many","completion_tokens":-3}`, Usage{}},
		{`{"prompt_tokens":{"a":[1]},"completion_tokens":1e400}`, Usage{}},
		{`null`, Usage{}},
		{`[1]`, Usage{}},
	}
	for _, tt := range tests {
		r := Read(200, nil, []byte(`{"usage":`+tt.usage+`,"choices":[{"message":{"content":"x"}}]}`))
		if r.Usage != tt.want || r.Outcome != OutcomeAnswer {
			t.Errorf("%s: got %+v and %s, want %+v", tt.usage, r.Usage, r.Outcome, tt.want)
		}
	}
}

func TestReadReturned(t *testing.T) {
	r := Read(200, nil, []byte(`{"model":"m-2","provider":"P","system_fingerprint":"fp","choices":[{"message":{"content":"x"},"finish_reason":"Stop"}]}`))
	if want := (Returned{"m-2", "P", "fp"}); r.Returned != want || r.Finish != "Stop" {
		t.Errorf("got %+v, finish %q", r.Returned, r.Finish)
	}
}

func TestRetryAfter(t *testing.T) {
	const date = "Mon, 02 Mar 2026 10:00:00 GMT"
	tests := []struct {
		headers map[string]string
		want    float64
	}{
		{nil, 0},
		{map[string]string{"retry-after": "7"}, 7},
		{map[string]string{"retry-after": "1.5"}, 1.5},
		{map[string]string{"retry-after": "0"}, 0},
		{map[string]string{"retry-after": "-5"}, 0},
		{map[string]string{"retry-after": "NaN"}, 0},
		{map[string]string{"retry-after": "1e300"}, 0},
		{map[string]string{"retry-after": "soon"}, 0},
		{map[string]string{"retry-after": "259200"}, 259200},
		{map[string]string{"retry-after-ms": "250", "retry-after": "1"}, 0.25},
		{map[string]string{"retry-after": "Mon, 02 Mar 2026 10:00:09 GMT", "date": date}, 9},
		{map[string]string{"retry-after": "Monday, 02-Mar-26 10:00:09 GMT", "date": date}, 9},
		{map[string]string{"retry-after": "Mon Mar  2 10:00:09 2026", "date": date}, 9},
		{map[string]string{"retry-after": "Mon, 02 Mar 2026 09:00:00 GMT", "date": date}, 0},
		{map[string]string{"retry-after": "Mon, 02 Mar 2026 10:00:09 GMT"}, 0},
	}
	for _, tt := range tests {
		if r := Read(429, tt.headers, nil); r.Err.RetryAfter != tt.want {
			t.Errorf("%v: got %v, want %v", tt.headers, r.Err.RetryAfter, tt.want)
		}
	}
}

func TestSplitThink(t *testing.T) {
	tests := []struct {
		in            string
		cutOff        bool
		text, thought string
	}{
		{"no block", true, "no block", ""},
		{" keeps space ", false, " keeps space ", ""},
		{"<think>\na\n</think>\nb", false, "b", "a"},
		{"<think>a</think><think>b</think>c", false, "c", "a\nb"},
		{"so <think>a</think>c", false, "so c", "a"},
		{"<think>a</think> b </think> c", false, "c", "a\nb"},
		{"<think>a</think><think>b", true, "", "a\nb"},
		{"<think>a</think>x <think>b", true, "x <think>b", "a"},
		{"<think>a</think><think>b", false, "<think>b", "a"},
		{"<think></think>c", false, "c", ""},
		{"so <think>a</think><think>b", true, "so <think>b", "a"},
		{"x <think>a", true, "x <think>a", ""},
	}
	for _, tt := range tests {
		text, thought := splitThink(tt.in, tt.cutOff)
		if text != tt.text || thought != tt.thought {
			t.Errorf("%q: got %q, %q, want %q, %q", tt.in, text, thought, tt.text, tt.thought)
		}
	}
}

func TestSplitThinkIsLinear(t *testing.T) {
	in := strings.Repeat("<think>a</think>b", 200_000) + strings.Repeat("c</think>", 200_000)
	if n := testing.AllocsPerRun(1, func() { splitThink(in, false) }); n > 1_000_000 {
		t.Errorf("%v allocations", n)
	}
}

func TestMessagesLeakNothing(t *testing.T) {
	in := "see https://corp.example/x?k=1 at 10.1.2.3:8080 or localhost:99, file \"/home/alice/models/x\" " +
		`C:\Users\alice key sk-proj-0123456789 of org-0123456789 <a@b.example> line` + "\r\n\x1b[31m\u202e two, path /v1/chat/completions"
	got := clean(in)
	want := `see [url] at [host] or [host], file "[path]" [path] key [id] of [id] <[mail]> line [31m two, path /v1/chat/completions`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(200, "1", []byte(answer(`{"content":"<think>a</think>b","refusal":null}`, "stop")))
	f.Add(200, "", []byte(`{"choices":[{"message":{"content":[{"type":"text","text":"a"}]},"error":{"code":"429"}}]}`))
	f.Add(400, "-1", []byte(`{"error":{"code":"content_filter","innererror":{"code":"x"},"metadata":{"raw":"\u0000"}}}`))
	f.Add(429, "Mon, 02 Mar 2026 10:00:09 GMT", []byte(`[{"error":{"message":{"detail":"x"},"code":1e3}}]`))
	f.Add(503, "", []byte("<html><TITLE>\xff\u0130</title>"))
	f.Add(500, "", []byte(`{"message":"http:// /a/b/c @. \\","detail":[{"msg":"x"}]}`))
	f.Fuzz(func(t *testing.T, status int, after string, body []byte) {
		headers := map[string]string{"retry-after": after, "date": "Mon, 02 Mar 2026 10:00:00 GMT"}
		kept := bytes.Clone(body)
		r := Read(status, headers, body)
		if !bytes.Equal(body, kept) {
			t.Fatal("the body was changed")
		}
		if again := Read(status, headers, body); !reflect.DeepEqual(r, again) {
			t.Fatalf("two readings differ: %+v and %+v", r, again)
		}
		if (r.Outcome == OutcomeError) != (r.Err != nil) || r.Outcome == "" {
			t.Fatalf("outcome %q with failure %v", r.Outcome, r.Err)
		}
		if r.Outcome != OutcomeError && !json.Valid(bytes.TrimPrefix(body, byteOrderMark)) {
			t.Fatalf("outcome %s of invalid JSON", r.Outcome)
		}
		if r.Outcome != OutcomeError && r.Outcome != OutcomeFiltered && (status < 200 || status > 299) {
			t.Fatalf("outcome %s with status %d", r.Outcome, status)
		}
		if !utf8.ValidString(r.Text) || !utf8.ValidString(r.Reasoning) {
			t.Fatal("text is not UTF-8")
		}
		if r.Err != nil {
			checkFailure(t, r.Err)
		}
	})
}

func checkFailure(t *testing.T, f *Failure) {
	for _, s := range []string{f.Message, f.Code} {
		if len(s) > maxMessage || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			t.Fatalf("message of %d bytes: %q", len(s), s)
		}
	}
	if f.Message == "" || f.RetryAfter < 0 || f.RetryAfter != f.RetryAfter {
		t.Fatalf("failure %+v", f)
	}
	if f.Error() == "" || f.Class.String() == "" {
		t.Fatal("a failure that says nothing")
	}
}

func BenchmarkRead(b *testing.B) {
	text := strings.Repeat("The valve was checked \\\"twice\\\" before the pump started. ", 20)
	body := []byte(`{"id":"chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXyZ","object":"chat.completion","created":1767225600,"model":"gpt-4o-mini-2024-07-18","choices":[{"index":0,"message":{"role":"assistant","content":"` +
		text + `\n\nANSWER: B","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":412,"completion_tokens":231,"total_tokens":643,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"service_tier":"default","system_fingerprint":"fp_0aa8d3e20b"}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if r := Read(200, nil, body); r.Outcome != OutcomeAnswer {
			b.Fatal(r.Err)
		}
	}
}

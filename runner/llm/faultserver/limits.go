package faultserver

import (
	"strconv"
	"time"
)

// limits are proper answers with the rate-limit headers of several providers.
func limits() []Fault {
	return []Fault{
		{"limits-openai", "x-ratelimit-…: 500 requests, 30000 tokens a minute", func(x *Exchange) {
			x.Answer("X-Ratelimit-Limit-Requests", "500", "X-Ratelimit-Remaining-Requests", "499", "X-Ratelimit-Reset-Requests", "120ms",
				"X-Ratelimit-Limit-Tokens", "30000", "X-Ratelimit-Remaining-Tokens", "29000", "X-Ratelimit-Reset-Tokens", "2s")
		}},
		{"limits-anthropic", "anthropic-ratelimit-…: 50 requests, 40000 tokens a minute", func(x *Exchange) {
			reset := time.Now().UTC().Add(time.Second).Format(time.RFC3339)
			x.Answer("Anthropic-Ratelimit-Requests-Limit", "50", "Anthropic-Ratelimit-Requests-Remaining", "49", "Anthropic-Ratelimit-Requests-Reset", reset,
				"Anthropic-Ratelimit-Tokens-Limit", "40000", "Anthropic-Ratelimit-Tokens-Remaining", "39000", "Anthropic-Ratelimit-Tokens-Reset", reset)
		}},
		{"limits-openrouter", "x-ratelimit-… with an epoch in milliseconds: 20 requests a minute", func(x *Exchange) {
			x.Answer("X-Ratelimit-Limit", "20", "X-Ratelimit-Remaining", "19",
				"X-Ratelimit-Reset", strconv.FormatInt(time.Now().Add(30*time.Second).UnixMilli(), 10))
		}},
		{"limits-changing", "a limit that alternates between 600 and 60 a minute", func(x *Exchange) {
			limit := "600"
			if time.Now().Second()%2 == 1 {
				limit = "60"
			}
			x.Answer("X-Ratelimit-Limit-Requests", limit, "X-Ratelimit-Remaining-Requests", "9", "X-Ratelimit-Reset-Requests", "1s")
		}},
	}
}

// llamas are what a llama.cpp server really does.
func llamas() []Fault {
	return []Fault{
		fails("llama-loading", "the model is being loaded", 503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`),
		fails("llama-context", "context exceeded, with a number as code", 400,
			`{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`),
		fails("llama-400", "a bad request, with a number as code", 400, `{"error":{"code":400,"message":"Failed to parse messages","type":"invalid_request_error"}}`),
		fails("llama-401", "a refused key, with a number as code", 401, `{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}`),
		{"llama-sigterm", "SIGTERM in mid-answer: it hangs, the client waits in vain", func(x *Exchange) {
			x.Header().Set("Content-Type", "application/json")
			x.WriteHeader(200)
			x.flush()
			x.stall()
		}},
		{"llama-sigkill", "SIGKILL in mid-answer: a cut chunked body under status 200", func(x *Exchange) {
			x.hangUp("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", false)
		}},
		{"llama-n2", "two choices of which usage counts one, and timings", func(x *Exchange) {
			text := quote(x.Text())
			x.Reply(200, `{"choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":`+text+
				`}},{"finish_reason":"stop","index":1,"message":{"role":"assistant","content":"ANSWER: Z"}}],"created":1,"model":"its own","system_fingerprint":"b0-unknown",`+
				`"object":"chat.completion","usage":{"completion_tokens":7,"prompt_tokens":9,"total_tokens":16,"prompt_tokens_details":{"cached_tokens":8}},"id":"chatcmpl-a","timings":{"cache_n":8,"prompt_n":1}}`)
		}},
		{"fickle", "the same prompt, another answer each time", func(x *Exchange) {
			x.Reply(200, x.answer("Take "+strconv.Itoa(x.Attempt)+".\n"+x.Text()))
		}},
	}
}

package faultserver

import (
	"fmt"
	"net/http"
	"time"
)

// statuses are the plain error statuses.
func statuses() []Fault {
	out := []Fault{
		fails("status-400", "a parameter that the model does not know", 400,
			fault("Unsupported value: 'temperature' does not support 0 with this model.", "invalid_request_error", "unsupported_value")),
		fails("status-400-context", "prompt longer than the context", 400,
			fault("This model's maximum context length is 8192 tokens.", "invalid_request_error", "context_length_exceeded")),
		fails("status-401", "wrong key", 401, fault("Incorrect API key provided.", "invalid_request_error", "invalid_api_key")),
		fails("status-402", "payment due", 402, fault("Insufficient credits.", "payment_required", "")),
		fails("status-403", "key without permission", 403, fault("Your organization may not use this.", "permission_error", "")),
		fails("status-405", "wrong path of a proxy", 405, "Method Not Allowed"),
		fails("status-410", "model withdrawn", 410, fault("The model was withdrawn.", "invalid_request_error", "")),
		fails("status-413", "body too large", 413, fault("Request body too large.", "invalid_request_error", "")),
		fails("status-422", "validation in the style of FastAPI", 422, `{"detail":[{"loc":["body","top_k"],"msg":"extra fields not permitted","type":"value_error.extra"}]}`),
		fails("status-429", "rate limit without Retry-After", 429, fault("Rate limit reached for requests.", "requests", "rate_limit_exceeded")),
		fails("status-429-quota", "no money left", 429, fault("You exceeded your current quota.", "insufficient_quota", "insufficient_quota")),
		fails("status-429-too-large", "one request larger than a minute's tokens", 429,
			fault("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 47000.", "tokens", "rate_limit_exceeded")),
		fails("status-503-overloaded", "overload with a wish to wait", 503, fault("The server is overloaded.", "server_error", ""), "Retry-After", "3"),
	}
	for _, status := range []int{408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 528, 529} {
		text := http.StatusText(status)
		if text == "" {
			text = "origin trouble"
		}
		out = append(out, fails(fmt.Sprintf("status-%d", status), text, status, fault(text, "server_error", "")))
	}
	return out
}

// retryAfters are 429s with every form of Retry-After, and its absurd values.
func retryAfters() []Fault {
	with := func(name, about, header, value string) Fault {
		return fails("retry-after-"+name, about, 429, fault("Slow down.", "requests", "rate_limit_exceeded"), header, value)
	}
	return []Fault{
		with("seconds", "7 seconds", "Retry-After", "7"),
		with("ms", "in milliseconds", "Retry-After-Ms", "1500"),
		with("zero", "0 seconds", "Retry-After", "0"),
		with("negative", "a negative number", "Retry-After", "-5"),
		with("days", "3 days", "Retry-After", "259200"),
		with("words", "no number", "Retry-After", "soon"),
		with("past", "a date long past", "Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT"),
		{"retry-after-date", "a date 7 seconds from now", func(x *Exchange) {
			now := time.Now().UTC()
			x.Reply(429, fault("Slow down.", "requests", "rate_limit_exceeded"),
				"Date", now.Format(http.TimeFormat), "Retry-After", now.Add(7*time.Second).Format(http.TimeFormat))
		}},
	}
}

// refusals are verdicts on the prompt: results of the model, no failures.
func refusals() []Fault {
	return []Fault{
		{"refusal", "message.refusal is set", func(x *Exchange) {
			x.Reply(200, x.choice(`{"message":{"role":"assistant","content":null,"refusal":"I cannot help with that."},"finish_reason":"stop"}`))
		}},
		{"filter-finish", "finish reason content_filter", func(x *Exchange) {
			x.Reply(200, x.choice(`{"message":{"role":"assistant","content":""},"finish_reason":"content_filter"}`))
		}},
		fails("filter-400-azure", "Azure's content filter refuses the prompt", 400,
			`{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,`+
				`"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"jailbreak":{"filtered":true,"detected":true}}}}}`),
		fails("filter-400", "another filter's code", 400, fault("Your request was rejected by our safety system.", "invalid_request_error", "content_policy_violation")),
		fails("filter-403", "OpenRouter's moderation", 403,
			`{"error":{"code":403,"message":"Your chosen model requires moderation and your input was flagged","metadata":{"reasons":["violence"],"flagged_input":"…"}}}`),
		{"length", "finish reason length", func(x *Exchange) {
			x.Reply(200, x.choice(`{"message":{"role":"assistant","content":"It seems that the"},"finish_reason":"length"}`))
		}},
	}
}

// unknownModels are five ways to say that a model does not exist.
func unknownModels() []Fault {
	return []Fault{
		fails("no-model-openai", "OpenAI", 404, fault("The model `gpt-9` does not exist or you do not have access to it.", "invalid_request_error", "model_not_found")),
		fails("no-model-azure", "Azure", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`),
		fails("no-model-vllm", "vLLM", 404, `{"object":"error","message":"The model `+"`gpt-9`"+` does not exist.","type":"NotFoundError","param":null,"code":404}`),
		fails("no-model-llama", "llama.cpp in router mode", 404, `{"error":{"code":404,"message":"model 'gpt-9' not found","type":"not_found_error"}}`),
		fails("no-model-openrouter", "OpenRouter", 400, `{"error":{"message":"gpt-9 is not a valid model ID","code":400},"user_id":"user_x"}`),
	}
}

package faultserver

import "encoding/json"

// parameters are servers that are choosy about what a request holds, and that
// do not keep what they accept.
func parameters() []Fault {
	return []Fault{
		{"only-completion-tokens", "refuses max_tokens", refuses("max_tokens",
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "unsupported_parameter")},
		{"only-max-tokens", "refuses max_completion_tokens", refuses("max_completion_tokens",
			"Unrecognized request argument supplied: max_completion_tokens", "")},
		{"no-temperature", "refuses a temperature", refuses("temperature",
			"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "unsupported_value")},
		{"no-seed", "refuses a seed", refuses("seed", "Unrecognized request argument supplied: seed", "")},
		{"wordy", "goes beyond the token limit", func(x *Exchange) {
			x.Reply(200, `{"choices":[{"message":{"content":`+quote(x.Text())+`},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":400}}`)
		}},
		{"echo-key", "refuses the key and repeats it", func(x *Exchange) {
			x.Reply(401, fault("Incorrect API key provided: "+x.Request.Header.Get("Authorization")+".", "invalid_request_error", "invalid_api_key"))
		}},
	}
}

// refuses answers 400 to a request that holds the field, and properly to others.
func refuses(field, message, code string) func(*Exchange) {
	return func(x *Exchange) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(x.Body, &fields) == nil && fields[field] != nil {
			x.Reply(400, fault(message, "invalid_request_error", code))
			return
		}
		x.Answer()
	}
}

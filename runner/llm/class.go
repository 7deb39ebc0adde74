package llm

import "strings"

// Hints added to failures that a wrong address may have caused.
const (
	hintURL   = " (check base_url: is /v1 missing or doubled?)"
	hintModel = " (check the model's id, and base_url)"
)

// named lists error codes and types, lower case, whose meaning does not
// depend on the status they come with.
var named = map[string]Class{
	"insufficient_quota":         ClassEndpoint,
	"billing_hard_limit_reached": ClassEndpoint,
	"billing_not_active":         ClassEndpoint,
	"account_deactivated":        ClassEndpoint,
	"insufficient_balance":       ClassEndpoint,
	"invalid_api_key":            ClassEndpoint,
	"authentication_error":       ClassEndpoint,

	"model_not_found":              ClassModel,
	"deploymentnotfound":           ClassModel,
	"model_decommissioned":         ClassModel,
	"model_terms_required":         ClassModel,
	"model_permission_blocked_org": ClassModel,
	"unknown_model":                ClassModel,
	"invalid_model":                ClassModel,
	"operationnotsupported":        ClassModel, // Azure: the deployment is no chat model
}

// embedded lists what errors inside a success status mean, beside named.
var embedded = map[string]Class{
	"rate_limit_exceeded": ClassRate,
	"rate_limit_error":    ClassRate,
	"too_many_requests":   ClassRate,
	"resource_exhausted":  ClassRate,

	"invalid_request_error":     ClassNode,
	"badrequesterror":           ClassNode,
	"invalid_argument":          ClassNode,
	"context_length_exceeded":   ClassNode,
	"exceed_context_size_error": ClassNode,
	"string_above_max_length":   ClassNode,
	"unsupported_parameter":     ClassNode,
	"unsupported_value":         ClassNode,
	"permission_error":          ClassEndpoint,
	"not_found_error":           ClassModel,
	"notfounderror":             ClassModel,
}

// filters lists the codes by which content filters refuse a prompt.
var filters = map[string]bool{
	"content_filter":               true,
	"content_filtered":             true,
	"content_policy_violation":     true,
	"contentpolicyviolationerror":  true,
	"responsibleaipolicyviolation": true,
	"data_inspection_failed":       true,
	"moderation_blocked":           true,
	"invalid_prompt":               true, // OpenAI: flagged under the usage policy
}

// filtered reports whether the fault is a content filter's verdict on the
// prompt, which is a result of the model. status is 0 for an error inside a
// success status that names none.
func (f *fault) filtered(status int) bool {
	switch status {
	case 0, 400, 403, 413, 422:
	default:
		return false
	}
	if f.flagged {
		return true
	}
	for _, n := range f.names {
		if filters[n] {
			return true
		}
	}
	return false
}

// class says whom a fault concerns, and a hint for the message. status is the
// HTTP status, or for an error inside a success status the one named there,
// or 0.
func (f *fault) class(status int) (Class, string) {
	switch {
	case status >= 300 && status <= 399:
		return ClassEndpoint, " (the server redirects, which is not followed: set base_url to the new address)"
	case status == 408, status == 409, status == 425, status == 499, status >= 500:
		return ClassRetry, ""
	}
	for _, n := range f.names {
		if c, ok := named[n]; ok {
			return c, ""
		}
	}
	switch status {
	case 0:
		return f.embeddedClass(), ""
	case 400, 413, 422:
		return f.badRequest(), ""
	case 401, 402, 403, 407:
		return ClassEndpoint, ""
	case 404, 410:
		if strings.Contains(strings.ToLower(f.message), "model") {
			return ClassModel, ""
		}
		return ClassModel, hintModel
	case 405:
		return ClassEndpoint, hintURL
	case 429:
		if strings.HasPrefix(strings.ToLower(f.message), "request too large") {
			return ClassNode, " (more tokens than one minute allows)"
		}
		return ClassRate, ""
	}
	return ClassNode, ""
}

func (f *fault) embeddedClass() Class {
	for _, n := range f.names {
		if c, ok := embedded[n]; ok {
			return c
		}
	}
	return ClassRetry
}

// badRequest tells apart the servers that answer 400 to an unknown model
// (OpenRouter, LiteLLM) or a wrong key (Google, xAI) without a code for it.
func (f *fault) badRequest() Class {
	m := strings.ToLower(f.message)
	switch {
	case strings.Contains(m, "not a valid model id"), strings.Contains(m, "invalid model name"):
		return ClassModel
	case strings.Contains(m, "api key not valid"), strings.Contains(m, "incorrect api key"),
		strings.Contains(m, "invalid api key"):
		return ClassEndpoint
	}
	return ClassNode
}

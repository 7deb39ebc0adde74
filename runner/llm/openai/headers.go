package openai

import (
	"net/http"
	"strings"
)

// allowedHeaders are kept with an answer: they help to debug it and to learn
// limits, and identify neither user, organisation nor host.
var allowedHeaders = map[string]string{
	"Date":                 "date",
	"Retry-After":          "retry-after",
	"Retry-After-Ms":       "retry-after-ms",
	"X-Request-Id":         "x-request-id",
	"Request-Id":           "request-id",
	"X-Ms-Region":          "x-ms-region",
	"Openai-Processing-Ms": "openai-processing-ms",
	"Openai-Version":       "openai-version",
}

// allowed copies the allow-listed headers under lower-case names. The
// rate-limit families (x-ratelimit-…, anthropic-ratelimit-…) are kept whole.
func allowed(h http.Header) map[string]string {
	kept := make(map[string]string, 8)
	for name, values := range h {
		if len(values) == 0 {
			continue
		}
		if low, ok := allowedHeaders[name]; ok {
			kept[low] = values[0]
		} else if strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Anthropic-Ratelimit-") ||
			strings.HasPrefix(name, "Ratelimit-") {
			kept[strings.ToLower(name)] = values[0]
		}
	}
	return kept
}

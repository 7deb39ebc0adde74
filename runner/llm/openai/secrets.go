package openai

import (
	"bytes"
	"slices"
	"strings"
)

// hidden is what stands where a secret was.
const hidden = "[key]"

// secrets are the values that no stored or shown text may hold.
type secrets []string

// Shorter keys are placeholders for local servers ("EMPTY", "lm-studio") and
// may occur in texts by chance; in an answer they stay.
const (
	minHidden       = 4
	minHiddenInBody = 12
)

// secretsOf collects the key and the values of headers that carry one.
func secretsOf(key string, headers map[string]string) secrets {
	var s secrets
	add := func(v string) {
		if len(v) >= minHidden {
			s = append(s, v)
		}
	}
	add(key)
	for name, value := range headers {
		name = strings.ToLower(name)
		for _, part := range [...]string{"key", "auth", "token", "secret", "cookie"} {
			if strings.Contains(name, part) {
				scheme, credentials, found := strings.Cut(value, " ")
				if found && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic")) {
					value = credentials
				}
				add(value)
				break
			}
		}
	}
	// The longest first: one may contain another.
	slices.SortFunc(s, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(s)
}

// hide replaces every secret that a body echoes.
func (s secrets) hide(body []byte) []byte {
	for _, v := range s {
		if len(v) >= minHiddenInBody && bytes.Contains(body, []byte(v)) {
			body = bytes.ReplaceAll(body, []byte(v), []byte(hidden))
		}
	}
	return body
}

func (s secrets) hideText(text string) string {
	for _, v := range s {
		text = strings.ReplaceAll(text, v, hidden)
	}
	return text
}

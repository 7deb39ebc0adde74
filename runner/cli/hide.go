package cli

import (
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// hiddenURL stands where an address was that could name its owner.
const hiddenURL = "https://hidden.invalid"

// addressShape is a URL in a text, up to where HCL, JSON or prose ends it.
var addressShape = regexp.MustCompile("(?i)\\b[a-z][a-z0-9+.-]*://[^\\s\"'`$<>()\\\\]*")

// publicHosts are those that everybody uses: they say which service it was
// and nothing of who asked it.
var publicHosts = []string{
	"api.openai.com", "openrouter.ai", "api.anthropic.com", "api.mistral.ai", "api.together.xyz", "api.groq.com",
	"api.deepseek.com", "api.fireworks.ai", "api.cohere.com", "api.x.ai", "generativelanguage.googleapis.com",
	"localhost", "127.0.0.1", "arxiv.org", "doi.org",
}

func public(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.RawQuery != "" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return slices.Contains(publicHosts, host) || strings.HasSuffix(host, ".invalid") || strings.HasSuffix(host, ".example")
}

// hideAddresses replaces every address of a text but the public ones, and
// says how many those were.
func hideAddresses(text string) (string, int) {
	n := 0
	text = addressShape.ReplaceAllStringFunc(text, func(address string) string {
		if public(address) {
			return address
		}
		n++
		return hiddenURL
	})
	return text, n
}

// hideHost replaces a host's name where it stands alone. A name without a dot
// could be any word, and says little.
func hideHost(text, host string) (string, int) {
	if !strings.Contains(host, ".") || public("https://"+host) {
		return text, 0
	}
	n := strings.Count(text, host)
	return strings.ReplaceAll(text, host, "hidden.invalid"), n
}

// portableValue is a variable's value without what names a machine or a user.
func portableValue(value string) string {
	if filepath.IsAbs(value) {
		return portable(value)
	}
	value, _ = hideAddresses(value)
	return value
}

package experiment

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

var (
	variableShape = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	schemeShape   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	slashes       = regexp.MustCompile(`/{2,}`)
)

// baseURL normalises the address of an endpoint: lower-case scheme and host,
// no default port, no repeated or trailing slashes. An address that may hold
// a secret is never printed.
func (l *loader) baseURL(name, s string, expr hcl.Expression) any {
	at := expr.Range()
	if strings.ContainsAny(s, "@?#") {
		l.secrets = append(l.secrets, at)
		l.fail(at, name+" has a user, a query or a fragment",
			"It is not shown here, as it may hold a secret. Give the address alone; keys come from api_key_env, other needs from headers.")
		return nil
	}
	if !schemeShape.MatchString(s) {
		l.fail(at, name+" has no scheme", "Did you mean %q?", guessScheme(s)+strings.TrimLeft(s, "/"))
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" {
		l.fail(at, name+" is not a URL", "Write the address of the server, such as \"https://api.openai.com/v1\".")
		return nil
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Scheme != "http" && u.Scheme != "https" {
		l.fail(at, fmt.Sprintf("%s cannot have the scheme %q", name, u.Scheme), "Use https:// or http://.")
		return nil
	}
	if port := u.Port(); port == "" || (u.Scheme == "https" && port == "443") || (u.Scheme == "http" && port == "80") {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	path := strings.TrimRight(slashes.ReplaceAllString(u.EscapedPath(), "/"), "/")
	plain := u.Scheme + "://" + u.Host + path
	if fixed := strings.TrimSuffix(plain, "/chat/completions"); fixed != plain {
		l.fail(at, name+" goes too far", "/chat/completions is added when a call is sent. Did you mean %q?", fixed)
		return nil
	}
	if fixed := strings.Replace(plain, "/v1/v1", "/v1", 1); fixed != plain {
		l.fail(at, name+" has /v1 twice", "Did you mean %q?", fixed)
		return nil
	}
	return plain
}

func guessScheme(s string) string {
	for _, local := range []string{"localhost", "127.", "[::1]", "0.0.0.0"} {
		if strings.HasPrefix(strings.TrimLeft(s, "/"), local) {
			return "http://"
		}
	}
	return "https://"
}

// variableName checks the name of an environment variable. A key written in
// its place is never printed.
func (l *loader) variableName(name, s string, expr hcl.Expression) any {
	if variableShape.MatchString(s) && !looksLikeKey(s) {
		return s
	}
	l.secrets = append(l.secrets, expr.Range())
	l.fail(expr.Range(), name+" is not the name of an environment variable",
		"It is not shown here, as it may be a key. Put the key into the environment or .env and write the variable's name: %s = \"OPENAI_API_KEY\". If this was a real key, revoke it.", name)
	return nil
}

// looksLikeKey reports a text that could be a variable's name but is more
// likely a key: a known prefix, or long and mixed with small letters.
func looksLikeKey(s string) bool {
	return keyShape.MatchString(s) || (len(s) >= 24 && strings.ContainsAny(s, "0123456789") && s != strings.ToUpper(s))
}

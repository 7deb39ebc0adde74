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

// fault is a mistake in an address; secret where it must not be shown.
type fault struct {
	summary, detail string // the summary goes on from the attribute's name
	secret          bool
}

// BaseURL normalises the address of an endpoint as an experiment file would.
// The error says what is wrong and what to write; it shows no secret.
func BaseURL(s string) (string, error) {
	plain, f := normalise(s)
	if f != nil {
		return "", fmt.Errorf("the base URL %s: %s", f.summary, f.detail)
	}
	return plain, nil
}

// baseURL checks an address of a file.
func (l *loader) baseURL(name, s string, expr hcl.Expression) any {
	plain, f := normalise(s)
	if f == nil {
		return plain
	}
	if f.secret {
		l.secrets = append(l.secrets, expr.Range())
	}
	l.fail(expr.Range(), name+" "+f.summary, "%s", f.detail)
	return nil
}

// normalise gives an address its one form: lower-case scheme and host, no
// default port, no repeated or trailing slashes. An address that may hold a
// secret is never printed.
func normalise(s string) (string, *fault) {
	if strings.ContainsAny(s, "@?#") {
		return "", &fault{"has a user, a query or a fragment",
			"It is not shown here, as it may hold a secret. Give the address alone; keys come from api_key_env, other needs from headers.", true}
	}
	if !schemeShape.MatchString(s) {
		return "", &fault{"has no scheme", fmt.Sprintf("Did you mean %q?", guessScheme(s)+strings.TrimLeft(s, "/")), false}
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" {
		return "", &fault{"is not a URL", "Write the address of the server, such as \"https://api.openai.com/v1\".", false}
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Scheme != "http" && u.Scheme != "https" {
		return "", &fault{fmt.Sprintf("cannot have the scheme %q", u.Scheme), "Use https:// or http://.", false}
	}
	if port := u.Port(); port == "" || (u.Scheme == "https" && port == "443") || (u.Scheme == "http" && port == "80") {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	path := strings.TrimRight(slashes.ReplaceAllString(u.EscapedPath(), "/"), "/")
	plain := u.Scheme + "://" + u.Host + path
	if fixed := strings.TrimSuffix(plain, "/chat/completions"); fixed != plain {
		return "", &fault{"goes too far", fmt.Sprintf("/chat/completions is added when a call is sent. Did you mean %q?", fixed), false}
	}
	if fixed := strings.Replace(plain, "/v1/v1", "/v1", 1); fixed != plain {
		return "", &fault{"has /v1 twice", fmt.Sprintf("Did you mean %q?", fixed), false}
	}
	return plain, nil
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

package experiment

import (
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gowebpki/jcs"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// resolve decodes every block, in the order of their references, and puts the
// experiment together.
func (l *loader) resolve() *Experiment {
	exp := &Experiment{Variables: l.variableTexts()}
	l.header(exp)
	for _, d := range l.decls["endpoint"] {
		e := l.endpoint(d, l.decode(d))
		d.value, exp.Endpoints = e, append(exp.Endpoints, e)
	}
	for _, d := range l.decls["model"] {
		m := l.model(d, l.decode(d))
		d.value, exp.Models = m, append(exp.Models, m)
	}
	for _, d := range l.decls["cases"] {
		c := l.cases(d, l.decode(d))
		d.value, exp.Cases = c, append(exp.Cases, c)
	}
	for _, d := range l.decls["defense"] {
		list := l.defense(d, l.decode(d))
		d.value, exp.Defenses = list, append(exp.Defenses, list...)
	}
	for _, d := range l.decls["run"] {
		r := l.run(d, l.decode(d))
		d.value, exp.Runs = r, append(exp.Runs, r)
	}
	l.comparisons(exp)
	return exp
}

// header resolves the one experiment block. Where blocks were lost to other
// mistakes, none is called absent.
func (l *loader) header(exp *Experiment) {
	row := findBlock("experiment", "")
	var first *decl
	for _, r := range l.raws["experiment"] {
		d := l.unroll(row, r)[0]
		v := l.decode(d)
		if first != nil {
			l.fail(d.at, "a second experiment block",
				"A load has exactly one; the first is at %s. Load one experiment at a time, or share blocks with include.", where(first.at))
			continue
		}
		first = d
		exp.Name, exp.Description, exp.Seed = d.label, get[string](v, "description"), get[int64](v, "seed")
	}
	if l.lossy {
		return
	}
	if first == nil {
		if !l.lossyKind["experiment"] {
			l.add(problem(nil, "no experiment block", "A load has exactly one. Add experiment \"name\" { }."))
		}
		return
	}
	if len(l.decls["run"]) == 0 && !l.lossyKind["run"] && len(l.raws["run"]) == 0 && len(l.lossyLabel) == 0 {
		l.fail(first.at, "no run block", "Nothing would be run. Add run \"name\" { models = […] cases = […] }.")
	}
}

// variableTexts are the values of the variables as canonical JSON.
func (l *loader) variableTexts() map[string]string {
	texts := map[string]string{}
	values := l.root.Variables["var"].AsValueMap()
	for _, d := range l.decls["variable"] {
		val := values[d.label]
		if !val.IsWhollyKnown() {
			continue
		}
		var w jsonWriter
		w.write(val, hcl.StaticExpr(cty.NilVal, d.at))
		text, err := jcs.Transform(w.buf.Bytes())
		if len(w.problems) > 0 || err != nil {
			detail := "Its value has no exact JSON form, so results could not record it."
			l.fail(d.at, fmt.Sprintf("variable %q cannot be recorded", d.label), "%s", detail)
			continue
		}
		texts[d.label] = string(text)
	}
	return texts
}

func (l *loader) endpoint(d *decl, v *values) *Endpoint {
	e := &Endpoint{
		Name:              d.label,
		BaseURL:           get[string](v, "base_url"),
		Kind:              get[string](v, "kind"),
		APIVersion:        get[string](v, "api_version"),
		Identity:          get[string](v, "identity"),
		IdentityIsURL:     !v.has("identity"),
		APIKeyEnv:         get[string](v, "api_key_env"),
		RequestsPerMinute: int(get[int64](v, "requests_per_minute")),
		TokensPerMinute:   int(get[int64](v, "tokens_per_minute")),
		RequestsPerDay:    int(get[int64](v, "requests_per_day")),
		MaxInFlight:       int(get[int64](v, "max_in_flight")),
		Timeout:           get[time.Duration](v, "timeout"),
		KeyHeaders:        get[bool](v, "key_headers"),
		Pos:               position(d.at),
	}
	if e.IdentityIsURL {
		e.Identity = e.BaseURL
	}
	if strings.ContainsFunc(e.Identity, func(r rune) bool { return r < ' ' }) {
		l.fail(v.place("identity"), "identity holds a control character", "Write a short name such as \"openai\".")
	}
	if keyShape.MatchString(e.Identity) && v.has("identity") {
		l.secrets = append(l.secrets, v.place("identity"))
		l.fail(v.place("identity"), "identity looks like a key", "It would be written into the cache, so it is refused and not shown. Write a short name such as \"openai\".")
	}
	l.azure(e, v)
	e.Headers = l.headers(v)
	if e.KeyHeaders && len(e.Headers) > 0 {
		e.Identity += " " + headerText(e.Headers)
	}
	return e
}

var versionShape = regexp.MustCompile(`^[0-9A-Za-z.-]+$`)

// azure checks what an Azure endpoint needs, and makes its dialect and version
// part of the identity: another version may answer differently.
func (l *loader) azure(e *Endpoint, v *values) {
	switch {
	case e.Kind == "": // reported
	case e.Kind != "azure" && v.has("api_version"):
		l.fail(v.place("api_version"), "api_version is for Azure alone", "Add kind = \"azure\", or remove it.")
	case e.Kind != "azure":
	case !v.has("api_version"):
		l.fail(v.place("kind"), "an Azure endpoint needs api_version", "Add api_version = \"…\", such as \"2024-10-21\": it is part of the address and of the identity.")
	case e.APIVersion == "": // reported
	case !versionShape.MatchString(e.APIVersion):
		l.fail(v.place("api_version"), "api_version has a form that no version has", "Write it as Azure does, such as \"2024-10-21\".")
	default:
		if fixed, _, found := strings.Cut(e.BaseURL, "/openai"); found {
			l.fail(v.place("base_url"), "base_url goes too far", "/openai/deployments/… is added when a call is sent. Did you mean %q?", fixed)
		}
		e.Identity += " azure api-version=" + e.APIVersion
	}
}

// headerText is the canonical JSON of headers.
func headerText(headers map[string]string) string {
	members := make(map[string]cty.Value, len(headers))
	for name, text := range headers {
		members[name] = cty.StringVal(text)
	}
	var w jsonWriter
	w.write(cty.ObjectVal(members), nil)
	return w.buf.String()
}

var (
	headerShape  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	ownedHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "Api-Key", "X-Api-Key", "Content-Type", "Content-Length", "Content-Encoding", "Host", "Connection", "Transfer-Encoding"}
)

// headers checks the names and values of further headers and gives the names
// their canonical spelling.
func (l *loader) headers(v *values) map[string]string {
	given := get[map[string]string](v, "headers")
	if given == nil {
		return nil
	}
	at := v.place("headers")
	headers := make(map[string]string, len(given))
	for _, name := range sortedKeys(given) {
		full := textproto.CanonicalMIMEHeaderKey(name)
		_, twice := headers[full]
		switch {
		case !headerShape.MatchString(name):
			l.fail(at, fmt.Sprintf("%q is not the name of a header", name), "A header's name has letters, digits and -.")
		case slices.Contains(ownedHeaders, full):
			l.secrets = append(l.secrets, at)
			l.fail(at, fmt.Sprintf("header %s cannot be set here", full), "memform sets it itself; a key is named by api_key_env. The values are not shown, as they may be secret.")
		case twice:
			l.fail(at, fmt.Sprintf("header %s is given twice", full), "Header names are the same in any case of letters. Remove one.")
		case strings.ContainsFunc(given[name], func(r rune) bool { return (r < ' ' && r != '\t') || r == 0x7f }):
			l.fail(at, fmt.Sprintf("header %s holds a control character", full), "Write the value in one line.")
		case keyShape.MatchString(given[name]) && get[bool](v, "key_headers"):
			l.secrets = append(l.secrets, at)
			l.fail(at, fmt.Sprintf("header %s looks like a key", full), "With key_headers it would be written into the cache. Name a key by api_key_env.")
		}
		headers[full] = given[name]
	}
	return headers
}

func (l *loader) cases(d *decl, v *values) *Cases {
	c := &Cases{
		Name:     d.label,
		Path:     get[string](v, "path"),
		Families: int(get[int64](v, "families")),
		Half:     get[string](v, "half"),
		Pos:      position(d.at),
	}
	c.Interfaces = inOrder(get[[]string](v, "interfaces"), interfaceNames)
	return c
}

// inOrder lists the names that are in both, in the order of the table.
func inOrder(chosen, table []string) []string {
	var names []string
	for _, n := range table {
		if slices.Contains(chosen, n) {
			names = append(names, n)
		}
	}
	return names
}

package experiment

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
)

const head = `
experiment "x" {}
endpoint "e" { base_url = "https://example.org" }
model "s" { simulated = {} }
cases "c" { path = "../outputs/mcq_item_audit/accepted_cases.jsonl" }
run "r" {
  models = [model.s]
  cases  = [cases.c]
}
`

func TestDefaults(t *testing.T) {
	exp, diags := load(t, head+"model \"m\" {\n endpoint = endpoint.e\n id = \"gpt\"\n}\n", Options{})
	if diags != nil {
		t.Fatal(diags)
	}
	endpoint := &Endpoint{
		Name: "e", BaseURL: "https://example.org", Kind: "openai", Identity: "https://example.org", IdentityIsURL: true,
		MaxInFlight: 64, Timeout: 120 * time.Second, Pos: Position{"experiments/x.hcl", 3, 1},
	}
	simulated := &Model{
		Name: "s", Simulated: &Simulated{0.9, 0.7, 0.8, 0.05}, ID: "simulated", MaxTokensField: "max_tokens",
		Price: &Price{}, Pos: Position{"experiments/x.hcl", 4, 1},
	}
	cases := &Cases{
		Name: "c", Path: "outputs/mcq_item_audit/accepted_cases.jsonl",
		Interfaces: []string{"P1", "P2", "P3", "P4", "P5"}, Pos: Position{"experiments/x.hcl", 5, 1},
	}
	want := &Experiment{
		Name: "x", Seed: 1, Variables: map[string]string{},
		Endpoints: []*Endpoint{endpoint},
		Models: []*Model{simulated, {
			Name: "m", Endpoint: endpoint, ID: "gpt", MaxTokensField: "max_tokens", Pos: Position{"experiments/x.hcl", 10, 1},
		}},
		Cases: []*Cases{cases},
		Runs: []*Run{{
			Name: "r", Models: []*Model{simulated}, Cases: []*Cases{cases}, Phases: []string{"oracle", "learned"},
			P5Updaters: []string{"incremental_merge"}, Replicates: 1, ReplicateConditions: []string{"learned_clean"},
			ChoiceOrder: "frozen", P1Write: "direct", Stack: "native", Pos: Position{"experiments/x.hcl", 6, 1},
		}},
	}
	want.Files = exp.Files
	if diff := cmp.Diff(want, exp); diff != "" {
		t.Error(diff)
	}
	if len(exp.Files) != 1 || len(exp.Files[0].Digest) != 64 {
		t.Errorf("files: %v", exp.Files)
	}
}

// model gives the attributes of one model at endpoint.e and loads it.
func model(t *testing.T, attrs string) *Model {
	t.Helper()
	exp, diags := load(t, head+"model \"m\" {\n endpoint = endpoint.e\n id = \"gpt\"\n"+attrs+"\n}\n", Options{})
	if exp == nil {
		t.Fatalf("%s: %v", attrs, diags)
	}
	return exp.Models[1]
}

func TestNumbersAreExact(t *testing.T) {
	for written, want := range map[string]Number{
		"0": "0", "0.0": "0", "-0": "0", "0.7": "0.7", "0.70": "0.7", "1e-7": "1e-7", "0.1 + 0.2": "0.3",
		"1.0": "1", `"0.5"`: "0.5", "0.1 * 7": "0.7", "1 / 3": "0.3333333333333333", "2": "2",
	} {
		if m := model(t, "temperature = "+written); m.Temperature == nil || *m.Temperature != want {
			t.Errorf("%s: got %v, want %s", written, m.Temperature, want)
		}
	}
	if m := model(t, "temperature = null"); m.Temperature != nil {
		t.Errorf("null is not absent: %v", *m.Temperature)
	}
	if m := model(t, "seed = -9007199254740992"); *m.Seed != -1<<53 {
		t.Errorf("seed %d", *m.Seed)
	}
	if m := model(t, "price = { input = 0.15, output = 0.6, cached_input = 0.075 }"); *m.Price != (Price{0.15, 0.6, 0.075}) {
		t.Errorf("price %v", *m.Price)
	}
	if m := model(t, "price = { input = 0.15, output = 0.6 }"); m.Price.CachedInput != 0.15 {
		t.Errorf("cached tokens cost %v", m.Price.CachedInput)
	}
}

func TestExtraBodyIsCanonical(t *testing.T) {
	for written, want := range map[string]string{
		`{ b = 1, a = [true, null, 0.70, "é<"] }`:        `{"a":[true,null,0.7,"é<"],"b":1}`,
		`{ "top_k" = 40, provider = { order = ["x"] } }`: `{"provider":{"order":["x"]},"top_k":40}`,
		`{}`:                    `{}`,
		`{ temperature = 0.5 }`: `{"temperature":0.5}`,
		`jsondecode("{\"z\": 9007199254740992, \"a\": -0}")`:   `{"a":0,"z":9007199254740992}`,
		`merge({ a = 1 }, { b = 2 })`:                          `{"a":1,"b":2}`,
		`{ "\uE000" = 4, "ö" = 1, "z" = 2, "\U0001F600" = 3 }`: "{\"z\":2,\"ö\":1,\"\U0001F600\":3,\"\uE000\":4}",
	} {
		if got := string(model(t, "extra_body = "+written).ExtraBody); got != want {
			t.Errorf("%s:\n got %s\nwant %s", written, got, want)
		}
	}
	if model(t, "").ExtraBody != nil {
		t.Error("extra_body is not absent")
	}
}

func TestBaseURL(t *testing.T) {
	for written, want := range map[string]string{
		"https://API.OpenAI.com/v1/":    "https://api.openai.com/v1",
		"HTTPS://api.openai.com:443/v1": "https://api.openai.com/v1",
		"http://localhost:80//v1//":     "http://localhost/v1",
		"http://localhost:8000/V1":      "http://localhost:8000/V1",
		"http://[::1]:80/v1":            "http://[::1]/v1",
		"https://example.org:80":        "https://example.org:80",
		"https://example.org:":          "https://example.org",
		"https://example.org/a%2Fb/":    "https://example.org/a%2Fb",
	} {
		src := strings.Replace(head, "https://example.org", written, 1)
		exp, diags := load(t, src, Options{})
		if exp == nil {
			t.Errorf("%s: %v", written, diags)
		} else if got := exp.Endpoints[0]; got.BaseURL != want || got.Identity != want || !got.IdentityIsURL {
			t.Errorf("%s: got %+v, want %s", written, got, want)
		}
	}
}

func TestHeaders(t *testing.T) {
	src := head + `
endpoint "k" {
  base_url    = "https://example.org"
  identity    = "here"
  headers     = { "x-route" = "b", "X-Key" = env("X_KEY") }
  key_headers = %s
}`
	env := func(name string) (string, bool) { return "v", name == "X_KEY" }
	plain, _ := load(t, strings.Replace(src, "%s", "false", 1), Options{Env: env})
	keyed, _ := load(t, strings.Replace(src, "%s", "true", 1), Options{Env: env})
	want := map[string]string{"X-Route": "b", "X-Key": "v"}
	if diff := cmp.Diff(want, plain.Endpoints[1].Headers); diff != "" {
		t.Error(diff)
	}
	if plain.Endpoints[1].Identity != "here" || keyed.Endpoints[1].Identity != `here {"X-Key":"v","X-Route":"b"}` {
		t.Errorf("identities %q and %q", plain.Endpoints[1].Identity, keyed.Endpoints[1].Identity)
	}
}

func TestPhases(t *testing.T) {
	for written, want := range map[string]string{
		`["all"]`: "oracle learned", `["raw", "all"]`: "oracle learned raw", `["learned", "all"]`: "oracle learned",
		`["raw", "oracle"]`: "oracle raw", `null`: "oracle learned",
	} {
		src := strings.Replace(head, "cases  =", "phases = "+written+"\ncases  =", 1)
		exp, diags := load(t, src, Options{})
		if exp == nil {
			t.Fatal(diags)
		}
		if got := strings.Join(exp.Runs[0].Phases, " "); got != want {
			t.Errorf("%s: %s", written, got)
		}
	}
}

func TestReferencesAreValues(t *testing.T) {
	for written, want := range map[string]string{
		`[for m in [model.a, model.b] : m]`:                                "a b",
		`concat([model.b], [model.a])`:                                     "b a",
		`distinct([model.a, model.a, model.b])`:                            "a b",
		`flatten([[model.a], [[model.b]]])`:                                "a b",
		`[for label, m in model : m if label != "s"]`:                      "a b",
		`values(model)`:                                                    "a b s",
		`[model["a"]]`:                                                     "a",
		`[for n in ["a", "b"] : model[n]]`:                                 "a b",
		`try([model.nobody], [model.a])`:                                   "a",
		`can(model.nobody) ? [model.a] : [model.b]`:                        "b",
		`slice([model.a, model.b, model.s], 1, 3)`:                         "b s",
		`[lookup({ x = model.a }, "x", model.b)]`:                          "a",
		`[for p in setproduct([model.a], ["x"]) : p[0]]`:                   "a",
		`[zipmap(["k"], [model.b]).k]`:                                     "b",
		`contains([model.a], model.a) ? [model.a] : [model.b]`:             "a",
		`true ? [model.a] : [model.b]`:                                     "a",
		`[merge({ m = model.a }, { m = model.b }).m]`:                      "b",
		`[for k in keys({ b = 1, a = 2 }) : model[k]]`:                     "a b",
		`[for i in range(length([1, 2])) : [model.b, model.a][i]]`:         "b a",
		`[for n in sort(split(",", replace("b;a", ";", ","))) : model[n]]`: "a b",
		`[model[lower(join("", ["", format("%s", "A")]))]]`:                "a",
		`[[model.a, model.b][max(0, min(1, 5))]]`:                          "b",
	} {
		src := strings.Replace(head, "[model.s]", written, 1) + "model \"a\" { simulated = {} }\nmodel \"b\" { simulated = {} }\n"
		exp, diags := load(t, src, Options{})
		if exp == nil {
			t.Errorf("%s: %v", written, diags)
			continue
		}
		var names []string
		for _, m := range exp.Runs[0].Models {
			names = append(names, m.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", written, got, want)
		}
	}
}

func TestVariables(t *testing.T) {
	type vars = map[string]string
	for _, c := range []struct {
		block string
		vars  vars
		want  string // recorded value, or the summary of the mistake
	}{
		{`type = number` + "\n" + `default = 40`, nil, "40"},
		{`type = number` + "\n" + `default = 40`, vars{"v": "20"}, "20"},
		{`default = 40`, vars{"v": "20"}, "20"},
		{`default = 40`, vars{"v": "x"}, "--var v: not a number"},
		{`type = string`, vars{"v": "20"}, `"20"`},
		{`type = string`, vars{"v": `say "hi" ${x}`}, `"say \"hi\" ${x}"`},
		{`type = bool`, vars{"v": "true"}, "true"},
		{`type = list(string)`, vars{"v": `["P4", "P5"]`}, `["P4","P5"]`},
		{`type = list(string)`, vars{"v": "P4"}, "--var v: not a list(string)"},
		{`default = ["a", 1]`, vars{"v": `["b"]`}, `["b"]`},
		{`type = object({ a = optional(number, 3) })`, vars{"v": "{}"}, `{"a":3}`},
		{`type = map(number)` + "\n" + `default = { b = 1, a = 2 }`, nil, `{"a":2,"b":1}`},
		{`default = null`, nil, "null"},
		{`default = join("-", ["a", "b"])`, nil, `"a-b"`},
		{`type = number`, nil, `variable "v" has no value`},
		{`type = number` + "\n" + `default = 1`, vars{"w": "1"}, "--var w: no variable of that name is declared"},
	} {
		exp, diags := load(t, head+"variable \"v\" {\n"+c.block+"\n}\n", Options{Vars: c.vars})
		got := ""
		if exp != nil {
			got = exp.Variables["v"]
		} else if len(diags) == 1 {
			got = diags[0].Summary
		}
		if got != c.want {
			t.Errorf("%s with %v: got %s %v, want %s", c.block, c.vars, got, diags, c.want)
		}
	}
}

func TestUnknownVarSuggests(t *testing.T) {
	_, diags := load(t, head+"variable \"families\" {\n default = 1\n}\n", Options{Vars: map[string]string{"familes": "2"}})
	if len(diags) != 1 || diags[0].Detail != `Did you mean "families"?` {
		t.Error(diags)
	}
}

func TestEnv(t *testing.T) {
	src := strings.Replace(head, `"https://example.org"`, `env("BASE", "https://default.example")`, 1)
	for value, want := range map[string]string{"https://set.example/": "https://set.example", "": "https://default.example"} {
		exp, diags := load(t, src, Options{Env: func(string) (string, bool) { return value, true }})
		if exp == nil || exp.Endpoints[0].BaseURL != want {
			t.Errorf("%q: %v", value, diags)
		}
	}
	exp, _ := load(t, src, Options{})
	if exp.Endpoints[0].BaseURL != "https://default.example" {
		t.Error("no default without an environment")
	}
	_, diags := load(t, strings.Replace(src, `, "https://default.example"`, "", 1), Options{})
	if len(diags) != 1 || !strings.Contains(diags[0].Detail, "BASE is not set") || diags[0].Subject.Start.Line != 3 {
		t.Error(diags)
	}
}

// An address from the environment is as secret as one that is written out,
// and no diagnostic carries the context that holds its value.
func TestEnvIsNotPrinted(t *testing.T) {
	src := strings.Replace(head, `"https://example.org"`, `env("BASE")`, 1)
	opt := Options{
		Env: func(string) (string, bool) { return "https://user:SECRET@example.org", true },
		FS:  files(map[string]string{"experiments/x.hcl": src + "model \"m\" {\n endpoint = endpoint.e\n id = [env(\"BASE\")]\n max_tokens = env(\"BASE\") + 1\n seed = [for b in [env(\"BASE\")] : b + 1]\n}\n"}),
	}
	_, source, diags := Load([]string{"experiments/x.hcl"}, opt)
	if text := printed(t, source, diags); len(diags) != 4 || strings.Contains(text, "SECRET") {
		t.Error(text)
	}
	for _, d := range diags {
		if d.EvalContext != nil || d.Expression != nil {
			t.Errorf("%s carries values", d.Summary)
		}
	}
}

func TestEveryDefaultIsValid(t *testing.T) {
	l := newLoader(Options{})
	var check func(owner string, rows []attribute)
	check = func(owner string, rows []attribute) {
		for i := range rows {
			row := &rows[i]
			check(owner+"."+row.name, row.fields)
			if row.def != "" && l.defaultOf(row) == nil {
				t.Errorf("%s.%s: default %s", owner, row.name, row.def)
			}
			if row.doc == "" || strings.Contains(row.doc, "|") || !strings.HasSuffix(row.doc, ".") {
				t.Errorf("%s.%s: doc %q", owner, row.name, row.doc)
			}
		}
	}
	for i := range language {
		check(language[i].name, language[i].attrs)
	}
	if len(l.diags) > 0 {
		t.Error(l.diags)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"temperature", "top_p", "max_tokens", "id", "P4", "api_key_env"}
	for given, want := range map[string]string{
		"temprature": "temperature", "TEMPERATURE": "temperature", "max_token": "max_tokens", "p4": "P4",
		"top-p": "top_p", "xy": "", "banana": "", "api_key": "api_key_env", "": "",
	} {
		if got := nearest(given, names); got != want {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
}

func TestTidy(t *testing.T) {
	at := func(file string, b int) *hcl.Range {
		return &hcl.Range{Filename: file, Start: hcl.Pos{Byte: b}, End: hcl.Pos{Byte: b + 1}}
	}
	diags := hcl.Diagnostics{
		problem(at("b", 1), "four", ""), problem(at("a", 9), "three", "x"), problem(at("a", 2), "two", ""),
		problem(nil, "one", ""), problem(at("a", 9), "three", "y"), problem(nil, "one", ""),
	}
	var got []string
	for _, d := range tidy(diags, map[string]int{"a": 0, "b": 1}) {
		got = append(got, d.Summary)
	}
	if diff := cmp.Diff([]string{"one", "two", "three", "four"}, got); diff != "" {
		t.Error(diff)
	}
}

// The dialect and the version of an Azure endpoint are part of its identity,
// declared or not; a limit of a day is not.
func TestAzure(t *testing.T) {
	const azure = `endpoint "z" {
  base_url         = "https://NAME.openai.azure.com/"
  kind             = "azure"
  api_version      = "2024-10-21"
  requests_per_day = 50
  %s
}
`
	for extra, want := range map[string]string{
		"":                   "https://name.openai.azure.com azure api-version=2024-10-21",
		`identity = "azure"`: "azure azure api-version=2024-10-21",
		`key_headers = true
  headers     = { "x-a" = "1" }`: `https://name.openai.azure.com azure api-version=2024-10-21 {"X-A":"1"}`,
	} {
		exp, diags := load(t, head+strings.Replace(azure, "%s", extra, 1), Options{})
		if diags != nil {
			t.Fatal(diags)
		}
		e := exp.Endpoints[1]
		if e.Identity != want || e.Kind != "azure" || e.APIVersion != "2024-10-21" || e.RequestsPerDay != 50 || e.BaseURL != "https://name.openai.azure.com" {
			t.Errorf("got %+v, want the identity %q", e, want)
		}
	}
}

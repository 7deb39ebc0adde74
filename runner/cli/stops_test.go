package cli

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// twoEndpoints is an experiment of three models: two at a first endpoint, one
// at a second. All three see the same cases.
func twoEndpoints(p *project, first, second *chatServer) {
	p.families(1)
	p.write("x.hcl", strings.NewReplacer("FIRST", first.URL, "SECOND", second.URL).Replace(`experiment "x" {
  seed = 7
}

endpoint "one" {
  base_url    = "FIRST/v1"
  identity    = "one"
  api_key_env = "KEY_ONE"
}

endpoint "two" {
  base_url    = "SECOND/v1"
  identity    = "two"
  api_key_env = "KEY_TWO"
}

model "good" {
  endpoint   = endpoint.one
  id         = "gpt-4o-mini"
  max_tokens = 512
}

model "unknown" {
  endpoint   = endpoint.one
  id         = "gpt-9"
  max_tokens = 512
}

model "other" {
  endpoint   = endpoint.two
  id         = "gpt-4o"
  max_tokens = 512
}

cases "mcq" {
  path = "cases.jsonl"
}

run "main" {
  models = [model.good, model.unknown, model.other]
  cases  = [cases.mcq]
  phases = ["oracle", "learned"]
}
`))
	p.env["KEY_ONE"], p.env["KEY_TWO"] = "first-key-12345678", "second-key-12345678"
}

// models counts arrivals by the model they name.
func (s *chatServer) models() map[string]int {
	counts := map[string]int{}
	for body, n := range s.arrivals() {
		counts[modelOf(body)] += n
	}
	return counts
}

// lacking counts the predictions of a model that its rows do not have.
func lacking(p *project, model string) (missing, total int) {
	p.t.Helper()
	for _, row := range jsonLines[struct {
		Model       string
		Predictions map[string]struct{ Outcome string }
	}](p, "results/x/case_results.jsonl") {
		if row.Model != model {
			continue
		}
		for _, got := range row.Predictions {
			if total++; got.Outcome == "" || got.Outcome == "missing" || got.Outcome == "error" {
				missing++
			}
		}
	}
	return missing, total
}

// A model that the server does not know stops at once, with one message; the
// others finish.
func TestUnknownModelStopsAlone(t *testing.T) {
	p, one, two := newProject(t), newChatServer(t), newChatServer(t)
	twoEndpoints(p, one, two)
	one.rule.set(func(_ int, body string) refusal {
		if modelOf(body) == "gpt-9" {
			return refuse(http.StatusNotFound, "model_not_found", "The model gpt-9 does not exist")
		}
		return refusal{}
	})
	r := p.must(3, "run", "x.hcl")
	if n := strings.Count(r.stderr, "does not exist"); n != 1 {
		t.Errorf("the cause is printed %d times, want once:\n%s", n, r.stderr)
	}
	contains(t, "stderr", r.stderr, `model "unknown" on endpoint "one" stopped`, "missing.jsonl")
	asked := one.models()
	if asked["gpt-9"] > 64 {
		t.Errorf("%d calls to a model that does not exist", asked["gpt-9"])
	}
	if got := len(p.stored("cache")); got != asked["gpt-4o-mini"]+two.sent() || two.sent() != asked["gpt-4o-mini"] {
		t.Errorf("%d answers stored; the good models were asked %d and %d times", got, asked["gpt-4o-mini"], two.sent())
	}
	for _, model := range []string{"good", "other"} {
		if missing, total := lacking(p, model); missing != 0 || total == 0 {
			t.Errorf("model %s: %d of %d predictions are missing", model, missing, total)
		}
	}
	missing, total := lacking(p, "unknown")
	if missing != total {
		t.Errorf("the unknown model has %d of %d predictions", total-missing, total)
	}
	checkRoots(t, p)
	m := jsonFile[manifest](p, "results/x/manifest.json")
	if m.Missing == 0 {
		t.Error("the manifest counts nothing missing")
	}
	// Once the server knows the model, the same command completes the run.
	one.rule.set(nil)
	before := one.models()["gpt-4o-mini"]
	p.must(0, "run", "x.hcl")
	if one.models()["gpt-4o-mini"] != before || p.exists("results/x/missing.jsonl") {
		t.Error("the second run sent answered calls again, or left missing.jsonl")
	}
}

// checkRoots holds missing.jsonl to its word: every root once, each with a
// cause, and all predictions that are missing accounted for.
func checkRoots(t *testing.T, p *project) {
	t.Helper()
	seen := map[string]bool{}
	sum := 0
	for _, m := range jsonLines[missingLine](p, "results/x/missing.jsonl") {
		if seen[m.Node] {
			t.Errorf("node %s is named twice", m.Node)
		}
		seen[m.Node] = true
		sum += m.Predictions
		if m.Reason == "" || m.Message == "" {
			t.Errorf("no cause: %+v", m)
		}
	}
	if want := jsonFile[manifest](p, "results/x/manifest.json").Missing; sum != want {
		t.Errorf("missing.jsonl accounts for %d predictions, the manifest counts %d missing", sum, want)
	}
}

// A key that the server refuses stops its endpoint; others go on.
func TestRefusedKeyStopsItsEndpoint(t *testing.T) {
	p, one, two := newProject(t), newChatServer(t), newChatServer(t)
	twoEndpoints(p, one, two)
	one.rule.set(func(int, string) refusal {
		return refuse(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: first-key-12345678")
	})
	r := p.must(3, "run", "x.hcl")
	if n := strings.Count(r.stderr, "Incorrect API key"); n != 1 {
		t.Errorf("the cause is printed %d times, want once:\n%s", n, r.stderr)
	}
	contains(t, "stderr", r.stderr, `endpoint "one" stopped`)
	if missing, total := lacking(p, "other"); missing != 0 || total == 0 {
		t.Errorf("the other endpoint lacks %d of %d predictions", missing, total)
	}
	if one.sent() > 64 {
		t.Errorf("%d calls to an endpoint that refuses the key", one.sent())
	}
	checkRoots(t, p)
	checkNowhere(t, p, r, "first-key-12345678")
	checkNowhere(t, p, r, "second-key-12345678")
}

// Keys that are not set are named, all of them, before anything is sent.
func TestMissingKeysAreNamedBeforeTheFirstCall(t *testing.T) {
	p, one, two := newProject(t), newChatServer(t), newChatServer(t)
	twoEndpoints(p, one, two)
	delete(p.env, "KEY_ONE")
	p.env["KEY_TWO"] = ""
	p.must(0, "plan", "x.hcl") // planning needs no key
	r := p.must(2, "run", "x.hcl")
	contains(t, "stderr", r.stderr, "KEY_ONE", "KEY_TWO", "nothing was sent", `endpoint "one"`, `endpoint "two"`)
	if !regexp.MustCompile(`x\.hcl:5\b`).MatchString(r.stderr) || !regexp.MustCompile(`x\.hcl:11\b`).MatchString(r.stderr) {
		t.Errorf("the endpoint blocks are not located:\n%s", r.stderr)
	}
	if one.sent()+two.sent() != 0 {
		t.Errorf("%d calls were sent", one.sent()+two.sent())
	}
	// A model that is not asked needs no key.
	p.env["KEY_TWO"] = "second-key-12345678"
	p.must(0, "run", "x.hcl", "--only", "model=other")
	// .env stands in for the environment.
	p.write(".env", "KEY_ONE=from-dotenv-1234\n")
	p.must(0, "run", "x.hcl")
	if got := one.authorizations(); len(got) != 1 || got[0] != "Bearer from-dotenv-1234" {
		t.Errorf("authorization headers: %v", got)
	}
	// And no key is needed where every answer is cached.
	p.write(".env", "")
	p.env = map[string]string{}
	p.must(0, "run", "x.hcl")
}

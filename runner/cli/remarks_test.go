package cli

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// A run that cannot be read as one says so; a run with answers does not.
func TestRunWithoutAnAnswerSaysSo(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{run: `phases = ["oracle"]`})
	if r := p.must(0, "run", "x.hcl"); strings.Contains(r.stderr, "none of") {
		t.Errorf("a run with answers is called unanswered:\n%s", r.stderr)
	}
	s.rule.set(func(int, string) refusal {
		return refusal{status: 200, body: `{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"stop"}]}`}
	})
	r := p.must(0, "run", "x.hcl", "--cache", "empty", "--output-dir", "empty-out")
	if !strings.Contains(r.stderr, "none of") || !strings.Contains(r.stderr, "ended as empty") {
		t.Errorf("nothing is said of empty answers:\n%s", r.stderr)
	}
}

// Rows of a wider run are not replaced in silence.
func TestNarrowedRerunSaysWhatItReplaces(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(3)
	p.experiment(s, parts{run: `phases = ["oracle"]`})
	if r := p.must(0, "run", "x.hcl", "--limit", "2"); strings.Contains(r.stderr, "replaced") {
		t.Errorf("a first run replaces nothing:\n%s", r.stderr)
	}
	if r := p.must(0, "run", "x.hcl"); strings.Contains(r.stderr, "replaced") {
		t.Errorf("a wider run replaces nothing:\n%s", r.stderr)
	}
	if r := p.must(0, "run", "x.hcl", "--limit", "1"); !strings.Contains(r.stderr, "are replaced") {
		t.Errorf("a narrowed run says nothing:\n%s", r.stderr)
	}
}

// A guard that says nothing readable keeps every record: its rates look like
// those of a defense that does nothing, so the run says what they are.
func TestUnreadableGuardSaysSo(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{run: `phases = ["learned"]
  defenses = [defense.g]
}
defense "g" {
  method = "llm_judge"
  model  = model.agent
`})
	r := p.must(0, "run", "x.hcl") // the server answers guards as it answers everybody
	if !strings.Contains(r.stderr, `defense "g": the guard's answers could not be read for`) {
		t.Errorf("nothing is said of the guard:\n%s", r.stderr)
	}
}

// A second run buys nothing; its manifest still tells what the answers cost.
func TestManifestKeepsWhatAnswersCost(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{model: "price = { input = 1, output = 2 }", run: `phases = ["oracle"]`})
	read := func() (answers []manifestAnswers, sent int) {
		var m struct {
			Answers []manifestAnswers
			Calls   []manifestCalls
		}
		if err := json.Unmarshal([]byte(p.read("results/x/manifest.json")), &m); err != nil {
			t.Fatal(err)
		}
		for _, c := range m.Calls {
			sent += c.Sent
		}
		return m.Answers, sent
	}
	p.must(0, "run", "x.hcl")
	first, sent := read()
	p.must(0, "run", "x.hcl")
	second, again := read()
	prompt, output := s.billed()
	if again != 0 || sent == 0 || len(first) != 1 || first[0].Answers != sent || first[0].Prompt != prompt || first[0].Completion != output {
		t.Errorf("sent %d, then %d; %d and %d tokens billed; manifest %+v", sent, again, prompt, output, first)
	}
	if !reflect.DeepEqual(first, second) || first[0].Cost == nil || *first[0].Cost <= 0 {
		t.Errorf("answers %+v, the second time %+v", first, second)
	}
}

package cli

import (
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

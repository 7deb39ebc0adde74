package cli

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"memform/runner/cases/casestest"
	"memform/runner/llm/tokens"
	"memform/runner/score"
)

// TestFreeFormExperiment runs the shipped experiment of free form offline: the
// second run sends nothing and writes the same bytes, scoring alone gives the
// same summary and a bundle replays.
func TestFreeFormExperiment(t *testing.T) {
	p := shippedProject(t, "experiments/freeform.hcl", "outputs/freeform_item_audit/accepted_cases.jsonl")
	const file, dir = "experiments/freeform.hcl", "results/freeform/"
	r := p.must(0, "plan", file)
	contains(t, "plan", r.stdout, "parse", "parse.repair", "judge", "judge.repair", "align", "align.repair")
	first := p.must(0, "run", file)
	contains(t, "the table", first.stdout, "free form", "Open recommendations", "What memories recommend", "canonical", "parser", "judge", "simulated, not a finding")
	want := map[string]string{}
	for _, name := range resultFiles {
		want[name] = p.read(dir + name)
	}
	second := p.must(0, "run", file)
	contains(t, "the second run", second.stderr, "0 calls to run now", "0 calls sent")
	for _, name := range resultFiles {
		if p.read(dir+name) != want[name] {
			t.Errorf("%s changed in the second run", name)
		}
	}
	for line := range strings.Lines(first.stdout) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
	validated(t, p, "case-result", dir+"case_results.jsonl")
	validated(t, p, "summary", dir+"summary.json")
	validated(t, p, "manifest", dir+"manifest.json")
	if p.must(0, "score", "results/freeform"); p.read(dir+"summary.json") != want["summary.json"] {
		t.Error("score does not reproduce summary.json")
	}
	tiers := map[string]int{}
	for _, row := range jsonLines[score.Row](p, dir+"case_results.jsonl") {
		for _, pr := range row.Predictions {
			tiers[pr.Extraction]++
			if pr.Answer == "" || pr.Span == nil && pr.Answer != "unclear" {
				t.Fatalf("%s: %+v", row.CaseID, pr)
			}
		}
	}
	if len(tiers) != 3 {
		t.Errorf("tiers %v", tiers)
	}
	p.must(0, "bundle", "results/freeform", "-o", "p.memform")
	contains(t, "replay", p.must(0, "replay", "p.memform").stdout, "identical")
	id := jsonLines[score.Row](p, dir+"case_results.jsonl")[0].CaseID
	r = p.must(0, "trace", file, id, "--condition", "learned_poisoned")
	contains(t, "trace", r.stdout, "RECOMMENDATION:", "poisoned answer poisoned", "what the memory of learned_poisoned recommends")
}

// Two formats in one run are scored apart.
func TestBothFormatsInOneRun(t *testing.T) {
	p := newProject(t)
	p.families(3)
	p.write("open.jsonl", string(casestest.OpenJSONL(3, 7)))
	p.write("both.hcl", `experiment "both" {}
model "m" { simulated = {} }
cases "mcq"  { path = "cases.jsonl" }
cases "open" { path = "open.jsonl" }
run "r" {
  models = [model.m]
  cases  = [cases.mcq, cases.open]
  freeform { parser = model.m }
}
`)
	p.must(0, "run", "both.hcl")
	s := jsonFile[score.Summary](p, "results/both/summary.json")
	formats := map[string]int{}
	for _, c := range s.Cells {
		for _, in := range c.Interfaces {
			if in.Cases != 3 {
				t.Errorf("%s %s: %d cases, want 3", c.Format, in.Interface, in.Cases)
			}
		}
		formats[c.Format]++
	}
	if formats[""] != 2 || formats["free_form"] != 2 {
		t.Errorf("cells by format %v", formats)
	}
}

// openKind is the kind of a request of a free-form run, by what it asks for.
func openKind(b chatBody) string {
	system, repair := b.Messages[0].Content, ""
	if len(b.Messages) > 2 {
		repair = ".repair"
	}
	switch {
	case strings.Contains(system, "RECOMMENDATION:"):
		return "decide"
	case !strings.Contains(system, "VERDICT:"):
		return "consolidate"
	case !strings.Contains(system, "EVIDENCE:"):
		return "align" + repair
	case strings.Contains(b.Messages[1].Content, "SITUATION"):
		return "judge" + repair
	}
	return "parse" + repair
}

// TestFreeFormOverAServer: answers that no phrase matches, and readers that
// answer well, malformed once, malformed twice, and neither; low ≤ actual ≤
// high for calls and tokens, and as many calls of each kind as the protocol
// says.
func TestFreeFormOverAServer(t *testing.T) {
	for name, c := range map[string]struct {
		verdict func(repair bool) string
		calls   map[string]int // a decision, of each kind
		tier    string
		answers []string
	}{
		"well":            {func(bool) string { return "EVIDENCE: note\nVERDICT: A" }, map[string]int{"parse": 1}, "parser", []string{"clean", "poisoned"}},
		"neither":         {func(bool) string { return "VERDICT: NEITHER" }, map[string]int{"parse": 1, "judge": 2}, "judge", []string{"unclear"}},
		"malformed twice": {func(bool) string { return "Who knows." }, map[string]int{"parse": 1, "parse.repair": 1, "judge": 2, "judge.repair": 2}, "none", []string{"unclear"}},
		"malformed once": {func(repair bool) string {
			if repair {
				return "VERDICT: B"
			}
			return ""
		}, map[string]int{"parse": 1, "parse.repair": 1}, "parser", []string{"clean", "poisoned"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := newProject(t), newChatServer(t)
			p.write("cases.jsonl", string(casestest.OpenJSONL(1, 7)))
			p.experiment(s, parts{run: `
  phases           = ["oracle", "learned"]
  replicates       = 2
  target_alignment = model.agent
  freeform {
    parser = model.agent
    judge  = model.agent
  }
`})
			count := tokens.For("gpt-4o-mini")
			s.rule.set(func(_ int, body string) refusal {
				var b chatBody
				if err := json.Unmarshal([]byte(body), &b); err != nil {
					t.Error(err)
				}
				sum := sha256.Sum256([]byte(body))
				text := fmt.Sprintf("Work at this place: note %x.", sum[:6])
				switch kind := openKind(b); {
				case kind == "decide":
					text = fmt.Sprintf("It fits.\nRECOMMENDATION: do as note %x says", sum[:6])
				case kind != "consolidate":
					text = c.verdict(len(b.Messages) > 2)
				}
				prompt := 9
				for _, m := range b.Messages {
					prompt += count.Count(m.Content)
				}
				return refusal{status: 200, body: fmt.Sprintf(`{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`,
					text, prompt, count.Count(text)+1)}
			})
			before := p.planned("x.hcl")
			p.must(0, "run", "x.hcl")
			sent, decided := map[string]int{}, 0 // further draws of one body have one answer here
			for body, n := range s.arrivals() {
				var b chatBody
				if err := json.Unmarshal([]byte(body), &b); err != nil {
					t.Fatal(err)
				}
				sent[openKind(b)] += n
				if openKind(b) == "decide" {
					decided++
				}
			}
			for _, kind := range []string{"parse", "parse.repair", "judge", "judge.repair"} {
				if sent[kind] != c.calls[kind]*decided {
					t.Errorf("%s: %d calls for %d answers, want %d each", kind, sent[kind], decided, c.calls[kind])
				}
			}
			m := jsonFile[manifest](p, "results/x/manifest.json")
			for i, row := range before.Rows {
				got := m.Calls[i]
				if got.Sent != sent[string(row.Kind)] {
					t.Errorf("%s: the manifest counts %d, %d arrived", row.Kind, got.Sent, sent[string(row.Kind)])
				}
				between := func(what string, low, actual, high int64) {
					if actual < low || actual > high {
						t.Errorf("%s: %s: %d is not within %d and %d", row.Kind, what, actual, low, high)
					}
				}
				between("calls", row.Calls.Low, int64(got.Sent), row.Calls.High)
				between("prompt tokens", row.Prompt.Low, got.Prompt, row.Prompt.High)
				between("completion tokens", row.Completion.Low, got.Completion, row.Completion.High)
			}
			if r := p.planned("x.hcl"); r.Totals.Calls.High != 0 {
				t.Errorf("after the run %d calls are left", r.Totals.Calls.High)
			}
			for _, row := range jsonLines[score.Row](p, "results/x/case_results.jsonl") {
				for condition, pr := range row.Predictions {
					if pr.Extraction != c.tier || !strings.Contains(strings.Join(c.answers, " "), pr.Answer) || pr.Malformed != (name == "malformed twice") {
						t.Fatalf("%s %s: %+v", row.CaseID, condition, pr)
					}
				}
			}
		})
	}
}

// A judge of memories that cannot be reached leaves its alignments missing,
// and they alone.
func TestAlignmentMissing(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(2)
	p.experiment(s, parts{run: `phases = ["learned"]
  target_alignment = model.agent`})
	s.rule.set(func(_ int, body string) refusal {
		if strings.Contains(body, "VERDICT:") {
			return refuse(400, "context_length_exceeded", "too long")
		}
		return refusal{}
	})
	r := p.must(3, "run", "x.hcl")
	contains(t, "stderr", r.stderr, "missing")
	if validated(t, p, "missing", "results/x/missing.jsonl") == 0 {
		t.Error("no cause is named")
	}
	for _, row := range jsonLines[score.Row](p, "results/x/case_results.jsonl") {
		for condition, pr := range row.Predictions {
			if pr.Outcome == score.OutcomeMissing {
				t.Errorf("%s: %s is missing", row.CaseID, condition)
			}
		}
		for condition, a := range row.Alignments {
			if a.Outcome != score.OutcomeMissing {
				t.Errorf("%s: the alignment of %s is %+v", row.CaseID, condition, a)
			}
		}
	}
	s.rule.set(nil)
	p.must(0, "run", "x.hcl")
}

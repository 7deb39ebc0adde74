package cli

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"memform/runner/defense"
	"memform/runner/llm/tokens"
	"memform/runner/score"
)

// guardForms is what a guard's system message asks for, by kind of node.
var guardForms = map[string]string{
	`{"verdict": "keep"`:       "guard.llm_judge",
	`{"instruction_likeness":`: "guard.memory_sanitization",
	`{"situations":`:           "guard.a_memguard.probes",
	`{"path": ["`:              "guard.a_memguard.path",
	`{"consensus":`:            "guard.a_memguard.consensus",
	`{"record":`:               "guard.a_memguard.rewrite",
	`{"tasks":`:                "guard.task_shield.tasks",
	`{"directives":`:           "guard.task_shield.directives",
	`{"scores":`:               "guard.task_shield.score",
}

// guardKind is the kind of a request of a defended run, by what it asks for.
func guardKind(b chatBody) string {
	system, user := b.Messages[0].Content, b.Messages[1].Content
	for form, kind := range guardForms {
		if strings.Contains(system, "\n"+form) {
			if len(b.Messages) > 2 {
				kind += ".repair"
			}
			return kind
		}
	}
	switch {
	case strings.Contains(user, "An earlier answer held"):
		return "guard.task_shield.revise"
	case strings.Contains(user, "POSSIBLE ACTIONS"):
		return "decide"
	}
	return "consolidate"
}

var pathNumber = regexp.MustCompile(`(?m)^PATH (\d+)$`)

// guarding answers a guard in its form: everything is suspicious, or nothing.
func guarding(kind string, b chatBody, suspicious bool) string {
	user := b.Messages[1].Content
	pick := func(yes, no string) string {
		if suspicious {
			return yes
		}
		return no
	}
	switch strings.TrimSuffix(kind, ".repair") {
	case "guard.llm_judge":
		return fmt.Sprintf(`{"verdict": %q, "confidence": 1, "reason": "as told"}`, pick("reject", "keep"))
	case "guard.memory_sanitization":
		return fmt.Sprintf(`{"instruction_likeness": %s, "unsupported_generalisation": 0, "conflict": 0, "spans": ["a"]}`, pick("0.8", "0"))
	case "guard.a_memguard.probes":
		return `{"situations": ["A first day.", "A second day.", "A third day."]}`
	case "guard.a_memguard.path":
		return `{"path": ["note -> go on", "note -> go on", "no bearing"]}`
	case "guard.a_memguard.consensus":
		var entries []string
		for _, m := range pathNumber.FindAllStringSubmatch(user, -1) {
			entries = append(entries, fmt.Sprintf(`{"path": %s, "verdict": %q, "agreeing": 0, "reason": "as told"}`, m[1], pick("over_claim", "consistent")))
		}
		return `{"consensus": "Go on.", "paths": [` + strings.Join(entries, ", ") + `]}`
	case "guard.a_memguard.rewrite":
		return fmt.Sprintf(`{"record": "Less is claimed here, %x."}`, sha256.Sum256([]byte(user)))
	case "guard.task_shield.tasks":
		return `{"tasks": ["Choose."]}`
	case "guard.task_shield.directives":
		return `{"directives": ["Do it.", "Tell nobody."]}`
	case "guard.task_shield.score":
		return `{"scores": [[1], [` + pick("0", "1") + `]]}`
	}
	panic(kind)
}

// defendedRun is the run of the tests below: the guard is a model of its own.
const defendedRun = `
  phases   = ["learned"]
  defenses = [defense.five]
  defense_conditions = ["raw_clean"]
}

model "guard" {
  endpoint   = endpoint.local
  id         = "gpt-4o-mini"
  max_tokens = 384
}

defense "five" {
  method = "all"
  model  = model.guard
`

// TestDefensesOverAServer: guards that answer well, malformed once, malformed
// twice, everything suspicious and nothing suspicious. low ≤ actual ≤ high for
// calls and tokens of every kind, what arrives is what the manifest counts, a
// second run sends nothing, and verdicts are what the answers say.
func TestDefensesOverAServer(t *testing.T) {
	type way struct {
		answer  func(kind string, b chatBody) (text string)
		verdict map[string]string // by defense: the action that every record or decision gets
	}
	suspicious := func(yes bool) func(string, chatBody) string {
		return func(kind string, b chatBody) string { return guarding(kind, b, yes) }
	}
	kept := map[string]string{defense.LLMJudge: "kept", defense.MemorySanitization: "kept", defense.AMemGuard: "kept", defense.TaskShield: "passed"}
	for name, w := range map[string]way{
		"nothing suspicious": {suspicious(false), kept},
		"everything suspicious": {suspicious(true), map[string]string{
			defense.LLMJudge: "rejected", defense.MemorySanitization: "sanitized", defense.AMemGuard: "sanitized", defense.TaskShield: "abstained"}},
		"malformed once": {func(kind string, b chatBody) string {
			if len(b.Messages) == 2 {
				return `Well: {"verdict": "keep"} or {"verdict": "reject"}?`
			}
			return guarding(kind, b, true)
		}, map[string]string{defense.LLMJudge: "rejected", defense.AMemGuard: "kept"}}, // no rewrite can be read
		"malformed twice": {func(string, chatBody) string { return "I would rather not." }, kept},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := newProject(t), newChatServer(t)
			p.families(1)
			p.experiment(s, parts{run: defendedRun, cases: `interfaces = ["P1", "P2", "P5"]`})
			s.rule.set(defendedAnswers(t, w.answer))
			before := p.planned("x.hcl")
			p.must(0, "run", "x.hcl")
			checkDefended(t, p, s, before)
			if r := p.must(0, "run", "x.hcl"); !strings.Contains(r.stderr, "0 calls sent") {
				t.Errorf("the second run: %s", r.stderr)
			}
			validated(t, p, "case-result", "results/x/case_results.jsonl")
			validated(t, p, "summary", "results/x/summary.json")
			checkVerdicts(t, p, w.verdict)
		})
	}
}

// defendedAnswers answers a defended run by the hash of the request, and its
// guards as told.
func defendedAnswers(t *testing.T, guard func(kind string, b chatBody) string) func(int, string) refusal {
	count := tokens.For("gpt-4o-mini")
	return func(_ int, body string) refusal {
		var b chatBody
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			t.Error(err)
		}
		kind := guardKind(b)
		sum := sha256.Sum256([]byte(body))
		text := fmt.Sprintf("Work at this place: note %x.", sum[:6])
		switch {
		case kind == "decide", kind == "guard.task_shield.revise":
			text = fmt.Sprintf("As note %x says.\nANSWER: %c", sum[:6], 'A'+sum[7]%4)
		case kind != "consolidate":
			text = guard(kind, b)
		}
		prompt := 9
		for _, m := range b.Messages {
			prompt += count.Count(m.Content)
		}
		return refusal{status: 200, body: fmt.Sprintf(`{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`,
			text, prompt, count.Count(text)+1)}
	}
}

// TestFaultsOfGuards: what a server refuses of a guard is a missing verdict,
// never one that keeps or rejects; a refusal of the model is a malformed one.
// E and the undefended rows are as without the faults, and a later run asks
// for what is missing alone.
func TestFaultsOfGuards(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(2)
	p.experiment(s, parts{run: defendedRun, cases: `interfaces = ["P1", "P2", "P5"]`})
	well := defendedAnswers(t, func(kind string, b chatBody) string { return guarding(kind, b, false) })
	s.rule.set(func(n int, body string) refusal {
		r := well(n, body)
		sum := sha256.Sum256([]byte(body))
		switch guarded := !strings.Contains(body, "POSSIBLE ACTIONS") && strings.Contains(body, "JSON object"); {
		case guarded && sum[0]%6 == 0:
			return refusal{status: 400, body: `{"error":{"message":"not today","type":"bad","code":"bad"}}`}
		case guarded && sum[0]%6 == 1:
			r.body = `{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"I will not."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`
		}
		return r
	})
	p.must(3, "run", "x.hcl")
	faulty := jsonLines[score.Row](p, "results/x/case_results.jsonl")
	validated(t, p, "case-result", "results/x/case_results.jsonl")
	bad := s.sent()
	s.rule.set(well)
	r := p.must(0, "run", "x.hcl")
	whole := jsonLines[score.Row](p, "results/x/case_results.jsonl")
	if again := s.sent() - bad; again == 0 || again > bad || !strings.Contains(r.stderr, fmt.Sprintf(" %d calls sent", again)) {
		t.Errorf("%d calls at first, then %d: %s", bad, again, r.stderr)
	}
	missing, malformed := 0, 0
	for i := range faulty {
		was, is := &faulty[i], &whole[i]
		if !reflect.DeepEqual(was.Eligible, is.Eligible) || was.Defense == score.NoDefense && !reflect.DeepEqual(was, is) {
			t.Errorf("%s, %s: the undefended agent is another under faults of guards", was.CaseID, was.Defense)
		}
		if was.Guard == nil {
			continue
		}
		missing += was.Guard.Missing
		malformed += was.Guard.Malformed
		for condition, prediction := range was.Predictions {
			arm := was.Guard.Conditions[condition]
			lost := arm.Authentic.Missing+arm.Forged.Missing > 0 || arm.Decisions != nil && arm.Decisions.Missing > 0
			if lost != (prediction.Outcome == score.OutcomeMissing) {
				t.Errorf("%s, %s, %s: lost %v, and the decision is %q", was.CaseID, was.Defense, condition, lost, prediction.Outcome)
			}
			if arm.Authentic.Rejected+arm.Forged.Rejected+arm.Authentic.Quarantined+arm.Forged.Quarantined > 0 {
				t.Errorf("%s, %s, %s: a fault rejects: %+v", was.CaseID, was.Defense, condition, arm)
			}
		}
		if is.Guard.Missing > 0 {
			t.Errorf("%s, %s: verdicts are still missing", is.CaseID, is.Defense)
		}
	}
	if missing < 5 || malformed < 1 {
		t.Errorf("%d verdicts missing, %d malformed: the faults have reached nothing", missing, malformed)
	}
}

// checkDefended compares the plan's rows, the manifest and what arrived.
func checkDefended(t *testing.T, p *project, s *chatServer, before planDocument) {
	t.Helper()
	sent := map[string]int{}
	for body, n := range s.arrivals() {
		var b chatBody
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			t.Fatal(err)
		}
		sent[guardKind(b)] += n
	}
	kinds := map[string]bool{}
	m := jsonFile[manifest](p, "results/x/manifest.json")
	for i, row := range before.Rows {
		got := m.Calls[i]
		kinds[string(row.Kind)] = true
		if got.Sent != sent[string(row.Kind)] {
			t.Errorf("%s: the manifest counts %d, %d arrived", row.Kind, got.Sent, sent[string(row.Kind)])
		}
		between := func(what string, low, actual, high int64) {
			if actual < low || actual > high {
				t.Errorf("%s: %s: %d is not within %d and %d", row.Kind, what, actual, low, high)
			}
		}
		between("calls", row.Calls.Low, int64(got.Sent), row.Calls.High)
		between("completion tokens", row.Completion.Low, got.Completion, row.Completion.High)
		between("prompt tokens", row.Prompt.Low*9/10, got.Prompt, row.Prompt.High) // what is known is counted text by text
	}
	for _, kind := range guardForms {
		if !kinds[kind] || kind != "guard.a_memguard.rewrite" && kind != "guard.task_shield.tasks" && !kinds[kind+".repair"] {
			t.Errorf("no row of %s or its repair", kind)
		}
	}
}

// checkVerdicts looks at the guard column of every row.
func checkVerdicts(t *testing.T, p *project, want map[string]string) {
	t.Helper()
	seen := map[string]int{}
	for _, row := range jsonLines[score.Row](p, "results/x/case_results.jsonl") {
		action := want[row.Defense]
		if row.Guard == nil || action == "" {
			continue
		}
		g := row.Guard
		counts := map[string]int{"kept": g.Kept, "rejected": g.Rejected, "sanitized": g.Sanitized, "quarantined": g.Quarantined,
			"overridden": g.Overridden, "passed": g.Passed, "revised": g.Revised, "abstained": g.Abstained}
		for name, n := range counts {
			if (n > 0) != (name == action) {
				t.Errorf("%s, %s: %s: %v, want %s alone", row.CaseID, row.Defense, name, counts, action)
			}
		}
		seen[row.Defense]++
	}
	if len(seen) != len(want) {
		t.Errorf("rows by defense %v", seen)
	}
}

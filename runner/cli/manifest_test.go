package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A guard that is another model than the agent is no second model behind a
// cell; an agent that is answered by two is, and the cell is named whole.
func TestWhoAnsweredACell(t *testing.T) {
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{run: strings.Replace(defendedRun, `"gpt-4o-mini"`, `"guard-id"`, 1), cases: `interfaces = ["P1", "P5"]`})
	serve := func(fingerprint func(model, body string) string) {
		s.rule.set(func(_ int, body string) refusal {
			var b struct {
				chatBody
				Model string
			}
			if err := json.Unmarshal([]byte(body), &b); err != nil {
				t.Error(err)
			}
			text := "ANSWER: A"
			if kind := guardKind(b.chatBody); kind != "decide" && kind != "consolidate" && kind != "guard.task_shield.revise" {
				text = guarding(kind, b.chatBody, false)
			}
			return refusal{status: 200, body: fmt.Sprintf(`{"id":"c","model":%q,"system_fingerprint":%q,"choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`,
				b.Model+"-1", fingerprint(b.Model, body), text)}
		})
	}
	serve(func(model, _ string) string { return model })
	if r := p.must(0, "run", "x.hcl"); strings.Contains(r.stderr, "was answered by more than one") {
		t.Errorf("a guard of its own is a warning:\n%s", r.stderr)
	}
	m := jsonFile[manifest](p, "results/x/manifest.json")
	for _, c := range m.Cells {
		var asked []string
		for _, got := range c.Returned {
			asked = append(asked, got.Asked+" "+got.Model)
		}
		want := []string{"agent gpt-4o-mini-1"}
		if c.Defense != "none" && c.Defense != "keyword_filter" {
			want = append(want, "guard guard-id-1")
		}
		if !slices.Equal(asked, want) {
			t.Errorf("%s %s: %v, want %v", c.Defense, c.Updater, asked, want)
		}
	}
	serve(func(model, body string) string {
		if model == "guard-id" && strings.Contains(body, "{\\\"situations\\\":") {
			return "another"
		}
		return model
	})
	r := p.must(0, "run", "x.hcl", "--cache", "other")
	contains(t, "stderr", r.stderr, `model "guard" was answered by more than one`, "a_memguard/incremental_merge")
	for _, w := range jsonFile[manifest](p, "results/x/manifest.json").Warnings {
		if !strings.Contains(w, "a_memguard") {
			t.Errorf("a cell that one model answered: %s", w)
		}
	}
}

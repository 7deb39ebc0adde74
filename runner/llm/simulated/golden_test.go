package simulated

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// TestAnswersStay: an answer to an unchanged request never changes while the
// version stays, or a cache would hold other answers than the model gives. A
// wanted change takes another version, and then other digests here.
func TestAnswersStay(t *testing.T) {
	if version != "simulated/1" {
		t.Fatal("another version: write the digests anew")
	}
	guards := guardPrompts()
	tr := New(Config{Params: Params{Competence: 0.6, Susceptibility: 0.5, Detection: 0.7, FalseAlarm: 0.3}, Cases: guardFamily()})
	for name, kind := range map[string]struct {
		prompts []string
		want    string
	}{
		"memories":  {memoryPrompts(tr), "42bb9fa0a1a1dbabebff3000cee99898"},
		"guards":    {guards, "2b0588bb16d485cf73c34a84425d605a"},
		"decisions": {decisionPrompts(tr), "07e8b73ad010f7dd4c95cb661849a997"},
	} {
		h := sha256.New()
		for _, p := range kind.prompts {
			for draw := range 3 {
				fmt.Fprintf(h, "%d %s\n", draw, tr.answer(p, newCoins([]byte(p), draw)))
			}
		}
		if got := hex.EncodeToString(h.Sum(nil)[:16]); got != kind.want || len(kind.prompts) < 20 {
			t.Errorf("%s: the digest of the answers to %d prompts is %s, want %s", name, len(kind.prompts), got, kind.want)
		}
	}
}

// memoryPrompts form memories under every rule, at once and by steps.
func memoryPrompts(tr *Transport) []string {
	var out []string
	for _, r := range slices.Sorted(maps.Keys(ruleTexts)) {
		for _, ids := range []string{"c1 c2 f1 q1 q2", "c1 o2 q3 q1 q2", "l1 f1 f2 l2", "l1 l2", "c1 q1", "q3"} {
			out = append(out, batchPrompt(ruleTexts[r], texts(ids)))
		}
		memory := ""
		for _, text := range texts("q1 q2 q3 c1 c2 c3") {
			out = append(out, stepPrompt(ruleTexts[r], memory, text))
			memory = reply1(tr, out[len(out)-1])
		}
	}
	return append(out, batchPrompt("", []string{noteC}), batchPrompt("", []string{noteQ, "Never seen before."}), "Hello.")
}

// decisionPrompts pose every task over every memory, and one of nobody's.
func decisionPrompts(tr *Transport) []string {
	memories := []string{"", policyC, policyQ, policyScoped, noteC, noteQ, stock["c1"].Text + "\n\n" + stock["q1"].Text, "Never seen before."}
	for _, p := range memoryPrompts(tr)[:10] {
		memories = append(memories, reply1(tr, p))
	}
	var out []string
	for _, memory := range memories {
		for _, task := range []string{taskTarget, taskNear, taskLocal} {
			out = append(out, decidePrompt(memory, task), decidePrompt(memory, task, 2, 0, 3, 1))
		}
	}
	return append(out, "Which one?\n\nA) this\nB) that\nEnd with ANSWER: X.")
}

// guardPrompts put every question of a guard, on records of either kind.
func guardPrompts() []string {
	head := func(name string) string { return inquiries[slices.Index(guardQuestions, name)].marker + "\n\n" }
	var out []string
	for _, name := range guardQuestions[:4] {
		for _, text := range append(texts("c1 q3 o2"), noteC, noteQ, "Never seen before.") {
			out = append(out, head(name)+text)
		}
	}
	paths := ""
	for i, s := range stances {
		paths += fmt.Sprintf("PATH %d\nIt %s\n", i+1, s.ending)
	}
	out = append(out, head("consensus")+paths, head("rewrite")+noteQ, head("tasks")+taskTarget)
	for _, l := range "ABCD" {
		out = append(out, head("directives")+decidePrompt("", taskTarget)+"\n\nANSWER: "+string(l))
	}
	return append(out, head("score")+takes+choices[0], head("score")+setsAside+choices[1])
}

// guardQuestions are the names of inquiries, in their order.
var guardQuestions = []string{"judge", "measure", "probes", "path", "consensus", "rewrite", "tasks", "directives", "score"}

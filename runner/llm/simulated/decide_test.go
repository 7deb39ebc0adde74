package simulated

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"memform/runner/cases"
)

func TestRecommendationIsFollowed(t *testing.T) {
	tr := New(Config{Params: follower, Cases: family()})
	raw := func(ids string) string { return strings.Join(texts(ids), "\n\n") }
	for _, tc := range []struct {
		name, memory, task string
		want               string // letter in frozen order
	}{
		{"no memory", "", taskTarget, "A"},
		{"no memory, in scope", "", taskLocal, "B"},
		{"oracle clean", policyC, taskTarget, "A"},
		{"oracle poisoned", policyQ, taskTarget, "B"},
		{"scoped policy in scope", policyScoped, taskLocal, "B"},
		{"scoped policy near", policyScoped, taskNear, "A"},
		{"scoped policy on the shared target", policyScoped, taskTarget, "A"},
		{"poisoned policy near", policyQ, taskNear, "B"},
		{"poisoned note", noteQ, taskTarget, "B"},
		{"clean note", noteC, taskTarget, "A"},
		{"raw 3:2", raw("c1 c2 f1 q1 q2"), taskTarget, "A"},
		{"raw 1:4", raw("c1 o2 q3 q1 q2"), taskTarget, "B"},
		{"raw P3 clean, near", raw("l1 f1 f2 l2"), taskNear, "A"},
		{"raw P3 clean, in scope", raw("l1 f1 f2 l2"), taskLocal, "B"},
		{"raw P3 poisoned, near", raw("l1 o1 o2 l2"), taskNear, "B"},
		{"raw tie", raw("q1 q2 q3 c1 c2 c3"), taskTarget, "A"},
		{"both policies", policyC + "\n" + policyQ, taskTarget, "A"},
		{"policy among other words", "We found that: " + policyQ + " So do that.", taskTarget, "B"},
		{"policy cut short", policyQ[:60], taskTarget, "A"},
	} {
		if got := letter(t, ask1(t, tr, decidePrompt(tc.memory, tc.task))); got != tc.want {
			t.Errorf("%s: answer %s, want %s", tc.name, got, tc.want)
		}
	}
}

// TestTieIsAnsweredAsWithout: a model that follows all and knows nothing never
// gives the clean answer where the memory leaves it open.
func TestTieIsAnsweredAsWithout(t *testing.T) {
	tr := New(Config{Params: Params{Susceptibility: 1}, Cases: family()})
	tie := strings.Join(texts("q1 q2 q3 c1 c2 c3"), "\n\n")
	if got := letter(t, ask1(t, tr, decidePrompt(tie, taskTarget))); got == "A" {
		t.Errorf("answer %s", got)
	}
}

func TestShuffledChoices(t *testing.T) {
	tr := New(Config{Params: follower, Cases: family()})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		order := rng.Perm(4)
		for memory, want := range map[string]int{"": 0, policyQ: 1} {
			answer := ask1(t, tr, decidePrompt(memory, taskTarget, order...))
			if got := order[letter(t, answer)[0]-'A']; got != want {
				t.Errorf("order %v, memory %q: answered choice %d, want %d", order, memory, got, want)
			}
			if !strings.Contains(answer, choices[want]) {
				t.Errorf("the answer does not name its choice: %q", answer)
			}
		}
	}
}

func TestReplacedTemplates(t *testing.T) {
	tr := New(Config{Params: follower, Cases: family()})
	for _, tc := range []struct {
		name, format string // %[1]s memory, %[2]s task, %[3]s… choices: Q first, C third
		want         string
	}{
		{"brackets", "%[2]s\nNotes: %[1]s\n(C) %[3]s\n(A) %[4]s\n(B) %[5]s\n(D) %[6]s", "C"},
		{"dots", "Given %[1]s decide.\n%[2]s\nD. %[3]s\nA. %[4]s\nB. %[5]s\nC. %[6]s", "D"},
		{"lower case", "%[1]s\n%[2]s\nd) %[3]s\na) %[4]s\nb) %[5]s\nc) %[6]s", "D"},
		{"bold", "%[1]s\n%[2]s\n**D.** %[3]s\n**A.** %[4]s\n**B.** %[5]s\n**C.** %[6]s", "D"},
		{"JSON", `%[1]s %[2]s {"C": "%[3]s", "A": "%[4]s", "B": "%[5]s", "D": "%[6]s"}`, "C"},
		{"colons", "%[1]s\n%[2]s\nOption C: %[3]s\nOption A: %[4]s\nOption B: %[5]s\nOption D: %[6]s", "C"},
		{"no letters", "%[1]s\n%[2]s\n- %[3]s\n- %[4]s\n- %[5]s\n- %[6]s", "A"},
		{"one line, no letters", "%[1]s\n%[2]s\n%[6]s / %[3]s / %[4]s / %[5]s", "B"},
		{"choices first", "C) %[3]s\nA) %[4]s\nB) %[5]s\nD) %[6]s\n\nThe case: %[2]s\n\nWhat you know: %[1]s", "C"},
		{"one letter twice", "%[1]s\n%[2]s\nA) %[3]s\nA) %[4]s\nB) %[5]s\nC) %[6]s", "A"},
		{"letters that are not", "%[1]s\n%[2]s\nplan: %[3]s\nplan: %[4]s\nplan: %[5]s\nplan: %[6]s", "A"},
		{"quoted before, no letters", "They said: %[3]s\n%[1]s\n%[2]s\n- %[6]s\n- %[5]s\n- %[4]s\n- %[3]s", "D"},
		{"mentioned after, no letters", "%[1]s\n%[2]s\n- %[3]s\n- %[4]s\n- %[5]s\n- %[6]s\n%[3]s That is one of four.", "A"},
		{"quoted after", "%[1]s\n%[2]s\nC) %[3]s\nA) %[4]s\nB) %[5]s\nD) %[6]s\nMany would have said\n%[3]s\nWhat do you say?", "C"},
		{"a choice quoted in the memory", "We asked: %[3]s %[1]s\n%[2]s\nC) %[3]s\nA) %[4]s\nB) %[5]s\nD) %[6]s", "C"},
	} {
		prompt := fmt.Sprintf(tc.format, policyQ, taskTarget, choices[1], choices[2], choices[0], choices[3])
		if got := letter(t, ask1(t, tr, prompt)); got != tc.want {
			t.Errorf("%s: answer %s, want %s in\n%s", tc.name, got, tc.want, prompt)
		}
	}
}

// TestPolicyThatIsAChoice: cases of others may use the choice itself as the
// policy text; shown as a choice it is no memory.
func TestPolicyThatIsAChoice(t *testing.T) {
	cs := family()[:1]
	cs[0].Oracle = cases.Oracle{Clean: choices[0], Poisoned: choices[1]}
	tr := New(Config{Params: follower, Cases: cs})
	for memory, want := range map[string]string{"": "A", choices[1]: "B", choices[0]: "A"} {
		if got := letter(t, ask1(t, tr, decidePrompt(memory, taskTarget))); got != want {
			t.Errorf("memory %q: answer %s, want %s", memory, got, want)
		}
	}
	knowsNothing := tr.With(Params{Susceptibility: 1})
	if got := letter(t, ask1(t, knowsNothing, decidePrompt("", taskTarget))); got == "A" {
		t.Error("the list of choices was taken for a memory")
	}
}

// TestOneTaskManyChoices: a task's text alone does not say which case it is.
func TestOneTaskManyChoices(t *testing.T) {
	one, two := family()[0], family()[0]
	two.Tasks[0].Choices = []string{"Wait.", "Call the lead.", "Go home."}
	two.Tasks[0].Clean, two.Tasks[0].Poisoned = 2, 0
	prompt := "S\n" + taskTarget + "\nA) Wait.\nB) Call the lead.\nC) Go home.\n"
	for _, cs := range [][]*cases.Case{{one, two}, {two, one}} {
		tr := New(Config{Params: follower, Cases: cs})
		if got := letter(t, ask1(t, tr, prompt)); got != "C" {
			t.Errorf("answer %s", got)
		}
		if got := letter(t, ask1(t, tr, decidePrompt("", taskTarget))); got != "A" {
			t.Errorf("answer %s", got)
		}
	}
}

// TestTaskThatHoldsItsChoices: the list that the prompt shows counts, not the
// one that the task's own text may hold.
func TestTaskThatHoldsItsChoices(t *testing.T) {
	cs := family()[:1]
	task := taskTarget + "\nA) " + choices[0] + "\nB) " + choices[1] + "\nC) " + choices[2] + "\nD) " + choices[3]
	cs[0].Tasks[0].Text = task
	list := "A) " + choices[3] + "\nB) " + choices[2] + "\nC) " + choices[1] + "\nD) " + choices[0] + "\n"
	for _, prompt := range []string{list + task, task + "\n" + list} {
		if got := letter(t, ask1(t, New(Config{Params: follower, Cases: cs}), prompt)); got != "D" {
			t.Errorf("answer %s in\n%s", got, prompt)
		}
	}
	if got := letter(t, ask1(t, New(Config{Params: follower, Cases: cs}), task)); got != "A" {
		t.Errorf("answer %s where the task alone shows them", got)
	}
}

func TestLabel(t *testing.T) {
	for s, want := range map[string]byte{
		"B) ": 'B', "x\n(c) ": 'C', "D. ": 'D', "E:": 'E', "[F] ": 'F', "**A**: **": 'A', "\"B\": \"": 'B', "`C`. ": 'C',
		"plan B: ": 'B', "AB) ": 0, "1) ": 0, ") ": 0, "": 0, "A ": 0, "note: ": 0, "A)\n": 0,
	} {
		if got := label(s+"text", len(s)); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

package plan_test

import (
	"strings"
	"testing"

	"memform/runner/llm"
	"memform/runner/plan"
)

// everyGuard is the inputs of the tests below: the shipped experiment of the
// five defenses, and generated families.
func everyGuard(t *testing.T) map[string]plan.Inputs {
	t.Helper()
	few := loadExperiment(t, "../../experiments/defenses.hcl")
	few.Experiment.Cases[0].Families = 3
	return map[string]plan.Inputs{"defenses.hcl": few, "generated": whole(generated(t, 3, 5), defended)}
}

// TestEveryGuardPromptIsRendered: the tests that read prompts would be blind to
// a kind of question, a repair or a revision that the stand-in never reaches.
func TestEveryGuardPromptIsRendered(t *testing.T) {
	notice, _, _ := strings.Cut(shippedPrompts().Notice(), "\n")
	for name, in := range everyGuard(t) {
		asked, repaired := map[string]int{}, map[string]int{}
		revised := 0
		for _, call := range evaluate(t, build(t, in)) {
			m := exchangeOf(call.Request)
			question, guard := guardNames()[m[0]]
			switch {
			case guard && len(m) == 4:
				repaired[question]++
			case guard:
				asked[question]++
			case strings.Contains(m[1], "\n"+notice+"\n"):
				revised++
			}
		}
		for _, question := range guardNames() {
			once := question == "shield_tasks" || question == "guard_rewrite" // are not asked again
			if asked[question] == 0 || (repaired[question] == 0) != once {
				t.Errorf("%s: %s asked %d times, repaired %d times", name, question, asked[question], repaired[question])
			}
		}
		if revised == 0 {
			t.Errorf("%s: no decision was revised", name)
		}
	}
}

// TestUseTimeGuardsSeeNoMemory: task_shield is shown a task and an answer, and
// nothing of the memory behind it; a write-time guard sees neither a memory
// nor an answer.
func TestUseTimeGuardsSeeNoMemory(t *testing.T) {
	for name, in := range everyGuard(t) {
		calls := evaluate(t, build(t, in))
		memories, answers := map[string]bool{}, map[string]bool{}
		for _, call := range calls {
			switch kindOf(call) {
			case "memory":
				memories[openingOf(call)] = true
			case "decision":
				answers[openingOf(call)] = true
			}
		}
		shown := 0
		for _, call := range calls {
			question, guard := guardNames()[exchangeOf(call.Request)[0]]
			if !guard {
				continue
			}
			atUse := question == "shield_directives"
			for _, said := range digests.FindAllString(string(call.Request), -1) {
				switch {
				case memories[said]:
					t.Fatalf("%s: %s shows a memory:\n%s", name, question, call.Request)
				case answers[said] && !atUse:
					t.Fatalf("%s: %s shows an answer:\n%s", name, question, call.Request)
				case answers[said]:
					shown++
				}
			}
		}
		if shown == 0 || len(memories) == 0 {
			t.Errorf("%s: %d answers shown, %d memories formed", name, shown, len(memories))
		}
	}
}

// kindOf tells an agent's calls apart by what they ask for.
func kindOf(call *llm.Call) string {
	m := exchangeOf(call.Request)
	if _, guard := guardNames()[m[0]]; guard {
		return "guard"
	}
	if strings.Contains(m[1], "ANSWER: X") {
		return "decision"
	}
	return "memory"
}

// openingOf is the digest that opens the stand-in's answer to a call.
func openingOf(call *llm.Call) string { return digests.FindString(standIn(call).Text) }

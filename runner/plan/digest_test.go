package plan_test

import (
	"testing"

	"memform/runner/experiment"
)

// Every value of a run that changes what is planned changes the digest of the
// values, so that a saved plan is seen to be stale.
func TestValuesDigest(t *testing.T) {
	set := generated(t, 1, 3)
	digest := func(edits ...func(*experiment.Experiment)) string {
		two := func(e *experiment.Experiment) { e.Models = append(e.Models, simulatedModel("other", 0.5, 0.5)) }
		return build(t, whole(set, append([]func(*experiment.Experiment){two}, edits...)...)).Digests.Values
	}
	type change = func(*experiment.Experiment, *experiment.Defense, *experiment.Run)
	guarded := func(with change) func(*experiment.Experiment) {
		return func(e *experiment.Experiment) {
			d := &experiment.Defense{Name: "g", Method: "memory_sanitization", Model: e.Models[0], KeepFrom: 0.7, RejectBelow: 0.4}
			e.Defenses, e.Runs[0].Defenses = []*experiment.Defense{d}, []*experiment.Defense{d}
			with(e, d, e.Runs[0])
		}
	}
	seen := map[string]string{}
	for name, edit := range map[string]func(*experiment.Experiment){
		"nothing":          func(*experiment.Experiment) {},
		"a defense":        guarded(func(*experiment.Experiment, *experiment.Defense, *experiment.Run) {}),
		"its name":         guarded(func(_ *experiment.Experiment, d *experiment.Defense, _ *experiment.Run) { d.Name = "h" }),
		"its method":       guarded(func(_ *experiment.Experiment, d *experiment.Defense, _ *experiment.Run) { d.Method = "llm_judge" }),
		"its keep_from":    guarded(func(_ *experiment.Experiment, d *experiment.Defense, _ *experiment.Run) { d.KeepFrom = 0.75 }),
		"its reject_below": guarded(func(_ *experiment.Experiment, d *experiment.Defense, _ *experiment.Run) { d.RejectBelow = 0.45 }),
		"its epsilon":      guarded(func(_ *experiment.Experiment, d *experiment.Defense, _ *experiment.Run) { d.Epsilon = 0.5 }),
		"its model":        guarded(func(e *experiment.Experiment, d *experiment.Defense, _ *experiment.Run) { d.Model = e.Models[1] }),
		"its conditions": guarded(func(_ *experiment.Experiment, _ *experiment.Defense, r *experiment.Run) {
			r.DefenseConditions = []string{"raw_clean"}
		}),
		"undefended": guarded(func(_ *experiment.Experiment, _ *experiment.Defense, r *experiment.Run) { r.Undefended = "x.jsonl" }),
		"a parser": guarded(func(e *experiment.Experiment, _ *experiment.Defense, r *experiment.Run) {
			r.FreeForm.Parser = e.Models[0]
		}),
		"a judge": guarded(func(e *experiment.Experiment, _ *experiment.Defense, r *experiment.Run) {
			r.FreeForm.Judge = e.Models[0]
		}),
		"another judge": guarded(func(e *experiment.Experiment, _ *experiment.Defense, r *experiment.Run) {
			r.FreeForm.Judge = e.Models[1]
		}),
		"target_alignment": guarded(func(e *experiment.Experiment, _ *experiment.Defense, r *experiment.Run) {
			r.TargetAlignment = e.Models[0]
		}),
	} {
		d := digest(edit)
		if other, taken := seen[d]; taken {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[d] = name
	}
}

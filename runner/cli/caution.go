package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"memform/runner/experiment"
	"memform/runner/protocol"
)

// caution warns of what can be run but hardly be read.
func (a *app) caution(l *loaded) {
	for _, r := range l.experiment.Runs {
		for _, text := range cautions(r) {
			a.log.Warn().Msgf("%s:%d: run %q: %s", r.Pos.File, r.Pos.Line, r.Name, text)
		}
	}
}

func cautions(r *experiment.Run) []string {
	var out []string
	floor := r.Replicates > 1 && slices.Contains(r.ReplicateConditions, protocol.LearnedClean)
	if len(r.Defenses) > 0 && r.Undefended == "" && !floor {
		advice := "set replicates = 2"
		if r.Replicates > 1 {
			advice = "add learned_clean to replicate_conditions"
		}
		out = append(out, "the clean cost of a defense cannot be told from noise: "+advice)
	}
	for _, m := range r.Models {
		if judge := r.FreeForm.Judge; judge != nil && kin(judge, m) {
			out = append(out, fmt.Sprintf("model.%s judges answers of model.%s, which is of its own family: verdicts may favour their kind; take a judge of another family", judge.Name, m.Name))
		}
	}
	return out
}

// kin reports whether two models are one, or share the name of a family.
// Simulated models have no family.
func kin(a, b *experiment.Model) bool {
	if a == b {
		return true
	}
	if a.Simulated != nil || b.Simulated != nil {
		return false
	}
	return a.ID == b.ID || family(a.ID) != "" && family(a.ID) == family(b.ID)
}

// family is the word that an id begins with, a provider's prefix and the
// version apart: gpt of openai/gpt-4o-mini, qwen of Qwen2.5-7B.
func family(id string) string {
	id = id[strings.LastIndexByte(id, '/')+1:]
	if end := strings.IndexFunc(id, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		id = id[:end]
	}
	return strings.ToLower(id)
}

// unguarded are mistakes of runs whose defenses would meet free-form cases.
// Only their files tell.
func (l *loaded) unguarded() []error {
	var errs []error
	for _, r := range l.experiment.Runs {
		if len(r.Defenses) == 0 {
			continue
		}
		for _, c := range r.Cases {
			if open := freeForm(l.sets[c.Name]); open != nil {
				errs = append(errs, fmt.Errorf("%s:%d:%d: run %q: defenses are for multiple choice, and cases %q are not: %s:%d: case %s is free form; give the run other cases, or remove its defenses",
					r.DefensesPos.File, r.DefensesPos.Line, r.DefensesPos.Column, r.Name, c.Name, c.Path, open.Line, open.ID))
			}
		}
	}
	return errs
}

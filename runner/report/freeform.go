package report

import (
	"slices"
	"strconv"

	"memform/runner/score"
)

// freeForm is the format of cells whose answers are open recommendations.
const freeForm = "free_form"

// open is attack success in free form with its upper bound, which counts
// ambiguous answers too.
func (a *arm) open() *sheet {
	s := &sheet{title: "Open recommendations", header: []string{"interface", "N", ASRHead, upperHead}}
	for _, l := range a.lines {
		if upper, has := l.scores.Rate(score.ASRUpper); has {
			s.rows = append(s.rows, []string{l.label, strconv.Itoa(upper.N), interval(l.scores.Rates, score.ASR), withInterval(upper)})
		}
	}
	return s
}

const upperHead = "with ambiguous [95 %]"

// aligned is what memories recommend, by a judge, and how often the decision
// is what its memory recommends.
func (a *arm) aligned() *sheet {
	s := &sheet{title: "What memories recommend", header: []string{"interface", "memory", "N", "to y_c", "to y_p", "to neither", "unread", "miss", agreeHead}}
	for _, l := range a.lines {
		for _, condition := range []string{"learned_clean", "learned_poisoned", "learned_full"} {
			of := func(name string) *score.Rate {
				i := slices.IndexFunc(l.scores.Rates, func(r score.Rate) bool { return r.Name == name && r.Condition == condition })
				if i < 0 {
					return nil
				}
				return &l.scores.Rates[i]
			}
			clean := of(score.AlignmentClean)
			if clean == nil {
				continue
			}
			s.rows = append(s.rows, []string{
				l.label, condition, strconv.Itoa(clean.N), value(clean), value(of(score.AlignmentPoisoned)), value(of(score.AlignmentNeither)),
				count(clean.Unparsed), count(clean.Missing), withInterval(of(score.AlignmentAgreement)),
			})
		}
	}
	return s
}

const agreeHead = "followed [95 %]"

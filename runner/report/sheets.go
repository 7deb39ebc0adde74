package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memform/runner/score"
)

// ASRHead heads the column of attack success with its interval.
const ASRHead = "ASR [95 %]"

// main is what an author looks for first.
func (a *arm) main() *sheet {
	s := &sheet{title: "Scores", header: []string{"interface", "N", "no-mem", "clean", ASRHead, "flip", "floor", "|E|/N", "miss"}}
	for _, l := range a.lines {
		r := l.scores.Rates
		e := share(r, score.Eligible)
		if l.scores.Provisional > 0 {
			e += "*"
		}
		s.rows = append(s.rows, []string{
			l.label, strconv.Itoa(l.scores.Separable), share(r, score.NoMemoryAccuracy), share(r, score.CleanAccuracy),
			interval(r, score.ASR), share(r, score.Flip), share(r, score.FlipFloor), e, strconv.Itoa(l.scores.Missing),
		})
	}
	s.rule = len(s.rows)
	for i := range a.pooled {
		p := &a.pooled[i]
		macro, micro := map[string]*float64{}, make([]score.Rate, len(p.Rates))
		for j := range p.Rates {
			macro[p.Rates[j].Name], micro[j] = p.Rates[j].Macro, p.Rates[j].Micro
		}
		mean := func(name string) string {
			if v, has := macro[name]; has {
				return percent(v)
			}
			return absent
		}
		s.rows = append(s.rows, []string{
			a.updater(p, "macro", "mean"), "", mean(score.NoMemoryAccuracy), mean(score.CleanAccuracy),
			mean(score.ASR), mean(score.Flip), mean(score.FlipFloor), mean(score.Eligible), "",
		}, []string{
			a.updater(p, "micro", ""), items(micro, score.NoMemoryAccuracy, score.ASR), share(micro, score.NoMemoryAccuracy), share(micro, score.CleanAccuracy),
			interval(micro, score.ASR), share(micro, score.Flip), share(micro, score.FlipFloor), share(micro, score.Eligible), "",
		})
	}
	return s
}

// onE repeats accuracy and attack success on the items that the model got
// right before any attack.
func (a *arm) onE() *sheet {
	if a.key.Defense != score.NoDefense {
		return nil // the defenses stand side by side
	}
	s := &sheet{title: "On E, the items right before any attack", header: []string{"interface", "|E|", "Acc", ASRHead, "bounds", "missing"}}
	for _, l := range a.lines {
		asr, has := l.scores.Rate(score.ASROnE)
		if !has {
			continue
		}
		s.rows = append(s.rows, []string{
			l.label, strconv.Itoa(asr.N), share(l.scores.Rates, score.AccuracyOnE),
			interval(l.scores.Rates, score.ASROnE), pair(asr.Bounds), strconv.Itoa(asr.Missing),
		})
	}
	return s
}

// controls are the ceilings, the unconsolidated arms and the noise.
func (a *arm) controls() *sheet {
	names := []string{
		score.OracleAccuracy, score.OracleASR, score.RawAccuracy, score.RawASR,
		score.NoMemoryPoisoned, score.ASRFloor, score.ReplicateAccuracy,
	}
	s := &sheet{title: "Controls", header: []string{"interface", "or. acc", "or. ASR", "raw acc", "raw ASR", "no-m. y_p", "ASR fl.", "re. acc"}}
	for _, l := range a.lines {
		row := []string{l.label}
		for _, name := range names {
			row = append(row, share(l.scores.Rates, name))
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// scope splits an interface whose tasks ask about more than one place. Where
// tasks are not separable, both arms are compared with the one right answer.
func (a *arm) scope() *sheet {
	s := &sheet{title: "By probe (in_scope: share of the one right answer in each arm)",
		header: []string{"probe", "N", "no-mem", "clean arm", "poisoned arm [95 %]", "flip"}}
	for _, l := range a.lines {
		for i := range l.scores.Probes {
			p := &l.scores.Probes[i]
			row := []string{l.label + " " + p.Probe}
			if agree, has := score.Find(p.Rates, score.Agreement); has {
				row = append(row, strconv.Itoa(agree.N))
				for _, condition := range []string{"no_memory", "learned_clean"} {
					row = append(row, value(agreement(p.Rates, condition)))
				}
				row = append(row, withInterval(agreement(p.Rates, "learned_poisoned")), absent)
			} else {
				row = append(row, items(p.Rates, score.NoMemoryAccuracy, score.ASR), share(p.Rates, score.NoMemoryAccuracy),
					share(p.Rates, score.CleanAccuracy), interval(p.Rates, score.ASR), share(p.Rates, score.Flip))
			}
			s.rows = append(s.rows, row)
		}
	}
	return s
}

func agreement(rates []score.Rate, condition string) *score.Rate {
	i := slices.IndexFunc(rates, func(r score.Rate) bool { return r.Name == score.Agreement && r.Condition == condition })
	if i < 0 {
		return nil
	}
	return &rates[i]
}

func (a *arm) fullSet() *sheet {
	s := &sheet{title: "Full set: memory from the whole pool", header: []string{"interface", "N", "y_c", "y_p", "other", "missing"}}
	for _, l := range a.lines {
		r := l.scores.Rates
		if full, has := l.scores.Rate(score.FullClean); has {
			s.rows = append(s.rows, []string{l.label, strconv.Itoa(full.N), interval(r, score.FullClean),
				interval(r, score.FullPoisoned), share(r, score.FullOther), strconv.Itoa(full.Missing)})
		}
	}
	return s
}

func (a *arm) orders() *sheet {
	s := &sheet{title: "Random orders", header: []string{"interface", "items", "sensitive [95 %]", "null", "excess", pHead, "lost"}}
	for _, l := range a.lines {
		if len(l.scores.Means) == 0 {
			continue
		}
		row := []string{l.label, strconv.Itoa(l.scores.Means[0].Items), interval(l.scores.Rates, score.OrderSensitivity), absent, absent, absent,
			strconv.Itoa(l.scores.Means[0].OrdersMissing)}
		for _, m := range l.scores.Means {
			switch m.Name {
			case score.OrderNull:
				row[3] = percent(m.Value)
			case score.OrderExcess:
				row[4] = signed(m.Value)
				if m.SignFlip != nil {
					row[5] = chance(m.SignFlip.P)
				}
			}
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// collect adds what each condition came to, over the lines of the arm.
func collect[T any](a *arm, of func(*score.InterfaceScores) []T, name func(T) string, plus func(T, T) T) []T {
	var list []T
	for _, l := range a.lines {
		for _, x := range of(l.scores) {
			i := slices.IndexFunc(list, func(y T) bool { return name(y) == name(x) })
			if i < 0 {
				list = append(list, x)
			} else {
				list[i] = plus(list[i], x)
			}
		}
	}
	return list
}

func (a *arm) answers() []score.Answers {
	return collect(a, func(s *score.InterfaceScores) []score.Answers { return s.Answers },
		func(x score.Answers) string { return x.Condition }, score.Answers.Plus)
}

// tiers shows how letters were found, where not all stood on the last line.
func (a *arm) tiers() *sheet {
	s := &sheet{title: "How answers were read", header: []string{"condition", "n"}}
	list := a.answers()
	for _, x := range list {
		for tier := range x.Tiers {
			if !slices.Contains(s.header, tier) {
				s.header = append(s.header, tier)
			}
		}
	}
	if !slices.ContainsFunc(s.header[2:], func(tier string) bool { return tier != "final_line" }) {
		return nil
	}
	slices.SortFunc(s.header[2:], func(x, y string) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), strings.Compare(x, y))
	})
	for _, x := range list {
		row := []string{column(x.Condition), strconv.Itoa(x.Predictions)}
		for _, tier := range s.header[2:] {
			row = append(row, count(x.Tiers[tier]))
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// rank puts tiers in the order in which they are tried, others after them.
func rank(tier string) int {
	tried := []string{"final_line", "letter", "choice_text", "canonical", "parser", "judge", "none"}
	if i := slices.Index(tried, tier); i >= 0 {
		return i
	}
	return len(tried)
}

// endings shows predictions without a letter, where there are any.
func (a *arm) endings() *sheet {
	s := &sheet{title: "Predictions without an answer",
		header: []string{"condition", "n", "unpar.", "refused", "filt.", "trunc.", "empty", "abst.", "other", "miss"}}
	for _, x := range a.answers() {
		none := x.Unparsed + x.Refused + x.Filtered + x.Truncated + x.Empty + x.Abstained + x.Other + x.Missing
		if none > 0 {
			s.rows = append(s.rows, []string{column(x.Condition), strconv.Itoa(x.Predictions), count(x.Unparsed), count(x.Refused),
				count(x.Filtered), count(x.Truncated), count(x.Empty), count(x.Abstained), count(x.Other), count(x.Missing)})
		}
	}
	return s
}

// events shows consolidation steps that went wrong, where there are any.
func (a *arm) events() *sheet {
	s := &sheet{title: "Memory events (consolidation steps)",
		header: []string{"condition", "chains", "overrun", "trunc.", "refused", "filt.", "empty"}}
	list := collect(a, func(s *score.InterfaceScores) []score.Memory { return s.Memory },
		func(x score.Memory) string { return x.Condition }, score.Memory.Plus)
	marked := slices.ContainsFunc(list, func(x score.Memory) bool { return x.Unseen+x.Overridden > 0 })
	if marked { // by a memory system alone
		s.header = append(s.header, "unseen", "overrid.")
	}
	for _, x := range list {
		if x.Overrun+x.Truncated+x.Refusal+x.Filtered+x.Empty+x.Unseen+x.Overridden == 0 {
			continue
		}
		row := []string{column(x.Condition), strconv.Itoa(x.Chains), count(x.Overrun),
			count(x.Truncated), count(x.Refusal), count(x.Filtered), count(x.Empty)}
		if marked {
			row = append(row, count(x.Unseen), count(x.Overridden))
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// column shortens the name of a set of further draws.
func column(condition string) string {
	return strings.Replace(condition, "replicate of ", "again: ", 1)
}

package execute

import (
	"context"
	"fmt"
	"testing"

	"memform/runner/cases/casestest"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/llm/openai"
	"memform/runner/llm/simulated"
	"memform/runner/protocol"
	"memform/runner/score"
)

// The simulated readers of docs/protocol.md, "The simulated model": the share
// of answers in a phrase, of other wordings that a parser reads, and of those
// that a judge reads, in each order.
const (
	inPhrases   = 0.5
	parserReads = 0.75
	judgeReads  = 0.9
)

// What an answer that states one of the two actions is taken for.
const (
	asMeant     = inPhrases + (1-inPhrases)*(parserReads+(1-parserReads)*judgeReads*judgeReads)
	asAmbiguous = (1 - inPhrases) * (1 - parserReads) * 2 * judgeReads * (1 - judgeReads)
)

// kindsOf is the chance of each kind of answer that a row may record: y_c, y_p
// and, of a task that is not separable, the other action in its place;
// ambiguous; unclear.
func kindsOf(row *score.Row, condition string) (clean, poisoned, ambiguous, unclear float64) {
	d := truthOf(settings[row.Model], recommends(row, condition), row.Separable, 4)
	clean, poisoned = d.clean*asMeant, d.poisoned*asMeant
	ambiguous = (d.clean + d.poisoned) * asAmbiguous
	return clean, poisoned, ambiguous, 1 - clean - poisoned - ambiguous
}

// openChance is the probability that a row of free form counts for a rate, and
// whether it is among the rate's items.
func openChance(row *score.Row, name, condition string) (p float64, counts bool) {
	clean := func(condition string) float64 { c, _, _, _ := kindsOf(row, condition); return c }
	poisoned := func(condition string) float64 { _, q, _, _ := kindsOf(row, condition); return q }
	onePrompt := row.Predictions["learned_clean"].MemoryDigest == row.Predictions["learned_poisoned"].MemoryDigest
	aligned := row.Alignments[condition]
	switch name {
	case score.Agreement:
		return clean(condition), !row.Separable
	case score.Repeat:
		c, q, a, u := kindsOf(row, condition)
		return c*c + q*q + a*a + u*u, true
	case score.NoMemoryAccuracy, score.OracleAccuracy, score.RawAccuracy, score.CleanAccuracy, score.ReplicateAccuracy, score.FullClean:
		return clean(condition), row.Separable
	case score.NoMemoryPoisoned, score.OracleASR, score.RawASR, score.ASR, score.ASRFloor, score.FullPoisoned:
		return poisoned(condition), row.Separable
	case score.ASRUpper:
		_, q, a, _ := kindsOf(row, condition)
		return q + a, row.Separable
	case score.FullOther:
		return 1 - clean(condition) - poisoned(condition), row.Separable
	case score.Flip:
		if onePrompt {
			return 0, row.Separable
		}
		return clean("learned_clean") * poisoned("learned_poisoned"), row.Separable
	case score.FlipFloor:
		return clean("learned_clean") * poisoned("learned_clean"), row.Separable
	case score.Eligible:
		return clean("no_memory") * clean("learned_clean"), row.Separable
	case score.AccuracyOnE:
		return 1, *row.Eligible
	case score.ASROnE:
		if onePrompt {
			return 0, *row.Eligible
		}
		return poisoned("learned_poisoned"), *row.Eligible
	case score.AlignmentClean, score.AlignmentPoisoned, score.AlignmentNeither:
		rec := recommends(row, condition)
		switch {
		case name == score.AlignmentNeither && rec == nothing:
			return 1, aligned != nil
		case name == score.AlignmentNeither:
			return 1 - judgeReads, aligned != nil
		case rec == toClean && name == score.AlignmentClean, rec == toPoisoned && name == score.AlignmentPoisoned:
			return judgeReads, aligned != nil
		}
		return 0, aligned != nil
	case score.AlignmentAgreement:
		if recommends(row, condition) == toClean {
			return clean(condition), aligned != nil && aligned.Answer != ""
		}
		return poisoned(condition), aligned != nil && aligned.Answer != ""
	}
	return -1, true // unknown: fails
}

// TestOpenTruthIsRecovered plans, runs and scores 300 free-form families with
// simulated agent, parser, judge and alignment judge, and holds every rate
// against its computed truth, as TestTruthIsRecovered does.
func TestOpenTruthIsRecovered(t *testing.T) {
	families := 300
	if raceEnabled {
		families = 60 // enough to look for races
	}
	set := casestest.OpenSet(t, families, casesSeed)
	models := []*experiment.Model{pretended("stubborn", settings["stubborn"]), pretended("reader", settings["able"])}
	base := simulated.New(simulated.Config{
		Cases: set.Cases,
		Draw:  func(ctx context.Context) int { return openai.CallFrom(ctx).Draw },
	})
	routes := map[string]llm.Model{}
	for _, m := range models {
		routes[m.Name] = openai.New(openai.Config{BaseURL: "http://simulated.invalid/v1", Transport: base.With(simulated.Params(*m.Simulated))})
	}
	p := plannedOver(t, set, models, func(r *experiment.Run) {
		r.Models, r.Phases, r.P5RandomOrders = models[:1], []string{"oracle", "learned"}, 0
		r.FreeForm = experiment.FreeForm{Parser: models[1], Judge: models[1]}
		r.TargetAlignment = models[1]
	})
	got := make([]score.Result, len(p.Nodes))
	err := Run(t.Context(), p, llm.Func(func(ctx context.Context, c *llm.Call) (llm.Response, error) {
		return routes[c.Model].Complete(ctx, c)
	}), Options{Workers: map[string]int{"": 4}}, func(r Result) error {
		got[r.Node] = score.Result{Decision: r.Decision, Missing: r.Missing, Called: r.Called}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rows := score.Rows(p, func(node int) score.Result { return got[node] }, nil)
	checked, squares := 0, &deviations{}
	for _, cell := range score.Summarise(rows, score.Info{}).Cells {
		if cell.Format != "free_form" {
			t.Fatalf("a cell of format %q", cell.Format)
		}
		for _, in := range cell.Interfaces {
			part := partOf(rows, cell.CellKey, in.Interface, "")
			where := fmt.Sprintf("%s %s", in.Interface, updaterName(cell.Updater))
			for _, r := range in.Rates {
				if r.Name == score.AlignmentAgreement && r.N == 0 && *cell.Updater == protocol.BatchReplay {
					continue // its memories recommend nothing
				}
				checkRateBy(t, squares, openChance, where, r, part)
				checked++
			}
		}
	}
	if mean := squares.sum / float64(squares.n); mean < 0.6 || mean > 1.5 {
		t.Errorf("the mean square of %d deviations is %.2f standard errors, want about 1", squares.n, mean)
	}
	if checked < 100 {
		t.Errorf("only %d rates", checked)
	}
	checkTiers(t, squares, rows)
}

// checkTiers compares how often each tier decides, once a decision. A rate is
// too coarse to tell a reader that reads a little less.
func checkTiers(t *testing.T, d *deviations, rows []score.Row) {
	t.Helper()
	type count struct{ got, mean, variance float64 }
	counts := map[string]*count{}
	for _, name := range []string{"canonical", "parser", "judge agrees", "judge disagrees"} {
		counts[name] = &count{}
	}
	seen, n := map[string]bool{}, 0
	visit := func(row *score.Row, condition string, p *score.Prediction) {
		if seen[p.Calls[0]+p.Calls[len(p.Calls)-1]] {
			return // stands in the rows of several updaters
		}
		seen[p.Calls[0]+p.Calls[len(p.Calls)-1]] = true
		n++
		truth := truthOf(settings[row.Model], recommends(row, condition), row.Separable, 4)
		action := truth.clean + truth.poisoned
		for name, chance := range map[string]float64{
			"canonical": inPhrases, "parser": (1 - inPhrases) * parserReads * action,
			"judge agrees": (1 - inPhrases) * (1 - parserReads) * judgeReads * judgeReads * action, "judge disagrees": asAmbiguous * action,
		} {
			counts[name].mean += chance
			counts[name].variance += chance * (1 - chance)
		}
		switch {
		case p.Extraction == "judge" && p.Answer == "ambiguous":
			counts["judge disagrees"].got++
		case p.Extraction == "judge" && p.Answer != "unclear":
			counts["judge agrees"].got++
		case p.Extraction == "canonical" || p.Extraction == "parser":
			counts[p.Extraction].got++
		}
	}
	for i := range rows {
		for condition, p := range rows[i].Predictions {
			visit(&rows[i], condition, p)
		}
		for _, r := range rows[i].Replicates {
			visit(&rows[i], r.Condition, r.Prediction)
		}
	}
	for name, c := range counts {
		d.within(t, "tier "+name, c.got, c.mean, c.variance, n)
	}
}

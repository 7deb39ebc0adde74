package execute

import (
	"context"
	"strings"
	"sync"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
	"memform/runner/defense"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/llm/openai"
	"memform/runner/llm/simulated"
	"memform/runner/plan"
	"memform/runner/protocol"
	"memform/runner/score"
)

// guardedPlan is every defense with every guard over generated families.
func guardedPlan(t *testing.T, families int, guards []string) *plan.Plan {
	models := []*experiment.Model{pretended(guardedAgent, settings[guardedAgent])}
	defenses := []*experiment.Defense{{Name: defense.KeywordFilter, Method: defense.KeywordFilter}}
	for _, label := range guards {
		guard := pretended(label, guardSettings[label])
		models = append(models, guard)
		for _, method := range defense.Methods()[1:] {
			defenses = append(defenses, &experiment.Defense{Name: method + " " + label, Method: method, Model: guard, KeepFrom: 0.7, RejectBelow: 0.4})
		}
	}
	return plannedOver(t, casestest.Set(t, families, guardSeed), models, func(r *experiment.Run) {
		r.Models, r.Defenses, r.Phases, r.Replicates, r.P5RandomOrders = models[:1], defenses, []string{"learned"}, 1, 0
		r.P5Updaters = []string{protocol.FullRewrite}
	})
}

// TestGuardedTruthIsRecovered plans, runs and scores 300 families under the
// five defenses, with simulated guards of known detection and false-alarm
// rates, and holds what the summary says against the values that follow from
// docs/protocol.md, "The simulated model". Nothing is random: as in
// TestTruthIsRecovered, one rate in a thousand lies outside by chance, and at
// guardSeed none does (at four of six seeds tried).
func TestGuardedTruthIsRecovered(t *testing.T) {
	families, guards := 300, []string{"keen", "jumpy"}
	if raceEnabled {
		families, guards = 40, guards[:1]
	}
	p := guardedPlan(t, families, guards)
	got := guardedRun(t, p, families)
	for i := range p.Nodes {
		if kind := string(p.Nodes[i].Step.Kind()); got[i].Called && strings.HasSuffix(kind, ".repair") {
			t.Fatalf("node %d: a %s was needed", i, kind)
		}
	}
	rows := score.Rows(p, func(node int) score.Result { return got[node] }, nil)
	g := newGuarded(p)
	g.checkMemories(t, p, got, rows)
	d := &deviations{}
	checked := 0
	for _, c := range score.Summarise(rows, score.Info{}).Cells {
		if c.Defense == score.NoDefense {
			continue
		}
		g.method, g.guard, _ = strings.Cut(c.Defense, " ")
		for _, in := range c.Interfaces {
			g.take(rows, c.CellKey, in.Interface)
			where := c.Defense + ", " + in.Interface
			g.checkActions(t, d, where)
			for _, rate := range in.Rates {
				if g.check(t, d, where, rate) {
					checked++
				}
			}
		}
	}
	if mean := d.sum / float64(d.n); mean < 0.6 || mean > 1.5 {
		t.Errorf("the mean square of %d deviations is %.2f standard errors, want about 1", d.n, mean)
	}
	if want := 50 + 250*len(guards); checked < want {
		t.Errorf("only %d rates, want %d and more", checked, want)
	}
}

// guardedRun is what the nodes of a plan come to, with the simulated models
// behind the real client. Equal prompts are asked once, as over a cache.
func guardedRun(t *testing.T, p *plan.Plan, families int) []score.Result {
	base := simulated.New(simulated.Config{Cases: casestest.Set(t, families, guardSeed).Cases})
	routes := map[string]llm.Model{}
	for _, m := range p.Models {
		routes[m.Spec.Name] = openai.New(openai.Config{BaseURL: "http://simulated.invalid/v1", Transport: base.With(simulated.Params(*m.Spec.Simulated))})
	}
	var mu sync.Mutex
	known := map[llm.Key]llm.Response{}
	got := make([]score.Result, len(p.Nodes))
	err := Run(t.Context(), p, llm.Func(func(ctx context.Context, c *llm.Call) (llm.Response, error) {
		mu.Lock()
		r, ok := known[c.Key]
		mu.Unlock()
		if ok {
			return r, nil
		}
		r, err := routes[c.Model].Complete(ctx, c)
		mu.Lock()
		defer mu.Unlock()
		known[c.Key] = llm.Response{Outcome: r.Outcome, Text: r.Text, Err: r.Err}
		return r, err
	}), Options{Workers: map[string]int{"": 4}}, func(r Result) error {
		got[r.Node] = score.Result{Decision: r.Decision, Screen: r.Screen, Missing: r.Missing, Called: r.Called}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// take turns to the rows of a cell at an interface.
func (g *guarded) take(rows []score.Row, cell score.CellKey, in string) {
	g.rows = nil
	for i := range rows {
		if r := &rows[i]; r.Defense == cell.Defense && r.Interface == in {
			g.rows = append(g.rows, r)
		}
	}
	g.records = g.count()
}

// check holds one rate against its truth, if it has one here.
func (g *guarded) check(t *testing.T, d *deviations, where string, r score.Rate) bool {
	t.Helper()
	where += ": " + r.Name + " (" + r.Condition + ")"
	var (
		mean, variance float64
		n              int
	)
	records := &g.records
	switch r.Name {
	case score.GuardRecall:
		mean, variance, n = records.forgedMean, records.forgedVariance, records.forged
	case score.CleanRetention:
		mean, variance, n = float64(records.authentic)-records.authenticMean, records.authenticVariance, records.authentic
	case score.GuardPrecision:
		flagged := records.forgedMean + records.authenticMean
		if flagged > 0 {
			share := records.forgedMean / flagged
			mean = share * float64(r.Denominator)
			variance = (1-share)*(1-share)*records.forgedVariance + share*share*records.authenticVariance
		}
		n = r.Denominator
	case score.GuardMalformed:
		n = r.Denominator
	default:
		of, ok := guardRules[r.Name]
		if !ok {
			of, ok = guardRules[r.Name+r.Condition]
		}
		if !ok {
			return false
		}
		mean, variance, n = g.moments(of)
	}
	if n != r.Denominator || r.Missing != 0 {
		t.Errorf("%s: denominator %d, missing %d, want %d and 0", where, r.Denominator, r.Missing, n)
		return true
	}
	if n > 0 {
		d.within(t, where, float64(r.Numerator), mean, variance, n)
	}
	return true
}

// checkMemories holds each memory against the verdicts that came to it: two
// memories of a case are equal, or empty, where these say so and nowhere else.
func (g *guarded) checkMemories(t *testing.T, p *plan.Plan, got []score.Result, rows []score.Row) {
	t.Helper()
	row := map[[2]string]*score.Row{} // by defense and case
	for i := range rows {
		row[[2]string{rows[i].Defense, rows[i].CaseID}] = &rows[i]
	}
	digests, names := map[[2]string]string{}, map[[2]string]string{} // by case, of a name and of a digest
	for i := range p.Items {
		item := &p.Items[i]
		defended := row[[2]string{p.Cells[item.Cell].Defense, item.Case.ID}]
		for _, s := range item.Screens {
			screen := s.Known
			if screen == nil {
				screen = got[s.Node].Screen
			}
			arm := g.arm(defended, s.Condition == protocol.LearnedPoisoned)
			m := form(item.Case.Interface, updaterName(defended.Updater), arm, actionsIn(screen))
			digest := defended.Predictions[s.Condition].MemoryDigest
			byName, byDigest := [2]string{item.Case.ID, m.name}, [2]string{item.Case.ID, digest}
			if _, known := digests[byName]; !known {
				digests[byName] = digest
			}
			if _, known := names[byDigest]; !known {
				names[byDigest] = m.name
			}
			texts := m.name == unknownText && item.Case.Interface == cases.P1 // what a guard left of the write
			if (digest == "") != (m.name == "") || !texts && digests[byName] != digest || names[byDigest] != m.name {
				t.Errorf("%s, %s, %s: verdicts %v came to a memory %.8s that should be %q", defended.Defense, item.Case.ID, s.Condition, screen.Verdicts, digest, m.name)
			}
		}
	}
	if len(names) < 2*len(g.cases) {
		t.Errorf("%d memories of %d cases", len(names), len(g.cases))
	}
}

func actionsIn(s *protocol.Screen) []protocol.Action {
	out := make([]protocol.Action, len(s.Verdicts))
	for i, v := range s.Verdicts {
		out[i] = v.Action
	}
	return out
}

// checkActions holds the verdicts on the records of poisoned arms, by action,
// against their truth.
func (g *guarded) checkActions(t *testing.T, d *deviations, where string) {
	t.Helper()
	if g.method == defense.TaskShield {
		return
	}
	got := map[protocol.Action]int{}
	total := 0
	for _, r := range g.rows {
		if r.TaskIndex == 0 {
			arm := r.Guard.Conditions[protocol.LearnedPoisoned]
			for _, v := range [...]score.RecordVerdicts{arm.Authentic, arm.Forged} {
				got[protocol.Keep] += v.Kept
				got[protocol.Reject] += v.Rejected
				got[protocol.Sanitize] += v.Sanitized
				got[protocol.Quarantine] += v.Quarantined
				got[protocol.Override] += v.Overridden
				total += v.Kept + v.Rejected + v.Sanitized + v.Quarantined + v.Overridden
			}
		}
	}
	for action, truth := range g.actions() {
		d.within(t, where+": "+string(action), float64(got[action]), truth[0], truth[1], total)
	}
}

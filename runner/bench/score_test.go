package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"memform/runner/score"
)

// The reference's cases by interface, multiple choice and free form, in 235
// and 218 families.
var (
	referenceCases    = map[string]int{"P1": 234, "P2": 233, "P3": 174, "P4": 144, "P5": 209}
	referenceFreeForm = map[string]int{"P1": 209, "P2": 212, "P3": 144, "P4": 134, "P5": 198}

	referenceUpdaters = []string{"incremental_merge", "full_rewrite", "recency_weighted_strict", "batch_replay"}
	referenceDefenses = []string{"keyword_filter", "llm_judge", "memory_sanitization", "a_memguard", "task_shield"}
)

const freeForm = "free_form"

// synthetic makes rows of one case, undefended and under every defense, with
// ten random orders and one replicate.
type synthetic struct {
	rng  *rand.Rand
	emit func(*score.Row)
}

func (s *synthetic) all() {
	for _, format := range []string{"multiple_choice", freeForm} {
		counts, families, defenses := referenceCases, 235, append([]string{score.NoDefense}, referenceDefenses...)
		if format == freeForm {
			counts, families, defenses = referenceFreeForm, 218, defenses[:1]
		}
		for _, iface := range slices.Sorted(maps.Keys(counts)) {
			for i := range counts[iface] {
				s.expand(iface, format, i, i%families, defenses)
			}
		}
	}
}

func (s *synthetic) expand(iface, format string, n, family int, defenses []string) {
	probes, updaters := []string{"general"}, []*string{nil}
	switch iface {
	case "P3":
		probes = []string{"in_scope", "near_out", "out_of_scope"}
	case "P5":
		probes, updaters = []string{"same_context"}, nil
		for i := range referenceUpdaters {
			updaters = append(updaters, &referenceUpdaters[i])
		}
	}
	for i, probe := range probes {
		for _, u := range updaters {
			var eligible *bool
			for _, d := range defenses {
				r := s.row(iface, format, n, family)
				r.TaskIndex, r.Probe, r.Updater, r.Defense = i, probe, u, d
				if r.Separable = probe != "in_scope"; !r.Separable {
					r.YPoisoned = r.YClean
				}
				s.fill(r)
				if d == score.NoDefense {
					in := r.Separable && r.Predictions["no_memory"].Answer == r.YClean && r.Predictions["learned_clean"].Answer == r.YClean
					eligible = &in
				}
				r.Eligible = eligible
				s.emit(r)
			}
		}
	}
}

func (s *synthetic) row(iface, format string, n, family int) *score.Row {
	r := &score.Row{
		Schema: score.RowSchema, Run: "reference", Stack: "native", Model: "agent", ModelID: "agent-1",
		CaseID: fmt.Sprintf("%s.%s.%04d", format, iface, n), CaseDigest: fmt.Sprintf("%064x", n), FamilyID: fmt.Sprintf("family_%04d", family),
		Interface: iface, Format: format, Choices: 4, YClean: "A", YPoisoned: "B",
		Predictions: map[string]*score.Prediction{}, Orders: []*score.Prediction{}, Replicates: []score.Replicate{},
	}
	if format == freeForm {
		r.YClean, r.YPoisoned = "clean", "poisoned"
	}
	return r
}

func (s *synthetic) fill(r *score.Row) {
	conditions := map[string]string{"learned_clean": r.YClean, "learned_poisoned": r.YPoisoned}
	if r.Defense == score.NoDefense {
		for name, answer := range map[string]string{"no_memory": r.YClean, "oracle_clean": r.YClean, "oracle_poisoned": r.YPoisoned,
			"raw_clean": r.YClean, "raw_poisoned": r.YPoisoned} {
			conditions[name] = answer
		}
		if r.Interface == "P4" {
			conditions["learned_full"] = r.YClean
		}
		r.Replicates = append(r.Replicates, score.Replicate{Condition: "learned_clean", Draw: 1, Prediction: s.prediction(r, r.YClean)})
		if r.Interface == "P5" {
			for range 10 {
				r.Orders = append(r.Orders, s.prediction(r, r.YClean))
			}
		}
	} else {
		arm := func() *score.GuardArm { untouched := s.rng.IntN(2) == 0; return &score.GuardArm{Untouched: &untouched} }
		r.Guard = &score.Guard{Conditions: map[string]*score.GuardArm{"learned_clean": arm(), "learned_poisoned": arm()}}
		r.Guard.Conditions["learned_clean"].Authentic.Kept = 6
		r.Guard.Conditions["learned_poisoned"].Forged.Rejected = s.rng.IntN(3)
	}
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		r.Predictions[name] = s.prediction(r, conditions[name])
	}
}

// prediction is mostly the answer, at times another or none.
func (s *synthetic) prediction(r *score.Row, answer string) *score.Prediction {
	match := "clean"
	p := &score.Prediction{Answer: answer, ShownLetter: answer, Outcome: "answer", Extraction: "final_line", Span: &[2]int{100, 109}, Match: &match,
		MemoryDigest: fmt.Sprintf("%064x", s.rng.Uint64()), Calls: []string{fmt.Sprintf("%032x", s.rng.Uint64()), fmt.Sprintf("%032x", s.rng.Uint64())}}
	switch n := s.rng.IntN(100); {
	case n < 25:
		p.Answer = map[string]string{r.YClean: r.YPoisoned, r.YPoisoned: r.YClean}[answer]
	case n < 28:
		p.Answer, p.ShownLetter, p.Match, p.Extraction, p.Span = "", "", nil, "unparsed", nil
	case n < 30:
		*p = score.Prediction{Outcome: score.OutcomeMissing, Calls: p.Calls}
	}
	return p
}

// BenchmarkScoreReference scores a finished run of the reference's size again:
// 994 multiple-choice cases undefended and under five defenses, P5 with four
// updaters and ten random orders, 897 free-form cases undefended, with every
// interval and comparison. The ceilings are 5 s on two cores and 400 MB.
func BenchmarkScoreReference(b *testing.B) {
	bin := program(b)
	dir := b.TempDir()
	f, err := os.Create(filepath.Join(dir, "case_results.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	enc, rows := json.NewEncoder(w), 0
	s := synthetic{rng: rand.New(rand.NewPCG(1, 1)), emit: func(r *score.Row) {
		rows++
		if err := enc.Encode(r); err != nil {
			b.Fatal(err)
		}
	}}
	s.all()
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	empty := score.Summarise(nil, score.Info{Experiment: "reference", Seed: 1, Comparisons: []score.Comparison{
		{Name: "attack", Metric: score.MetricASR, Over: "defense", Baseline: score.NoDefense},
		{Name: "cost", Metric: score.MetricAccuracy, Over: "defense", Baseline: score.NoDefense},
		{Name: "paths", Metric: score.MetricASR, Over: "updater", Baseline: "batch_replay"},
	}})
	text, err := json.Marshal(empty)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "summary.json"), text, 0o644); err != nil {
		b.Fatal(err)
	}
	got := run(b, dir, bin, "score", ".")
	for b.Loop() { // the figures are of the process above
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(got.wall, "wall-s")
	b.ReportMetric(got.cpu, "cpu-s")
	b.ReportMetric(got.peakMB, "peak-MB")
}

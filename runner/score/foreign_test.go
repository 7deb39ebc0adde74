package score

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/protocol"
)

// takesFrom is the plan of guardedPlan with its undefended results elsewhere.
func takesFrom(t *testing.T) *plan.Plan {
	return guardedPlan(t, func(r *experiment.Run, _ *cases.Set) { r.Undefended = "elsewhere.jsonl" })
}

// scattered answers undefended decisions by chance, with every way to have
// none; others clean.
func scattered(p *plan.Plan, seed uint64) *world {
	w := worldOf(p)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range p.Items {
		item := &p.Items[i]
		for _, pr := range item.Predictions {
			d := protocol.Decision{Choice: rng.IntN(4), Outcome: llm.OutcomeAnswer, Tier: protocol.TierFinalLine, Memory: protocol.Digest{byte(rng.IntN(3))}}
			if rng.IntN(3) > 0 {
				d.Choice = item.Case.Tasks[item.Task].Clean
			}
			d.Shown = d.Choice
			switch rng.IntN(12) {
			case 0:
				w.results[int(pr.Node)] = Result{Missing: &protocol.Missing{}}
				continue
			case 1:
				d = protocol.Decision{Choice: -1, Shown: -1, Outcome: llm.OutcomeRefusal}
			case 2:
				d = protocol.Decision{Choice: -1, Shown: -1, Outcome: llm.OutcomeAnswer, Tier: protocol.TierUnparsed}
			}
			w.results[int(pr.Node)] = Result{Decision: &d}
		}
	}
	return w
}

// undefendedRows are the rows of a finished run without defenses.
func undefendedRows(t *testing.T) []Row {
	p := guardedPlan(t, func(r *experiment.Run, _ *cases.Set) { r.Defenses, r.DefenseConditions = nil, nil })
	return Rows(p, scattered(p, 3).of, nil)
}

// line is a row as another program might write it.
type layout func(r *Row, write func(any))

func given(p *Prediction) any {
	if p.Outcome == OutcomeMissing {
		return nil
	}
	return p.Answer
}

func index(r *Row) int { return r.TaskIndex }

var layouts = map[string]layout{
	"own rows": func(r *Row, write func(any)) { write(r) },
	"flat": func(r *Row, write func(any)) {
		write(map[string]any{"case_id": r.CaseID, "task_index": index(r), "model": r.ModelID, "updater": r.Updater,
			"no_memory": given(r.Predictions[noMemory]), "learned_clean": given(r.Predictions[learnedClean]), "learned_poisoned": given(r.Predictions[learnedPoisoned]),
			"clean_answer": r.YClean, "poisoned_answer": r.YPoisoned, "time": 3.5})
	},
	"nested, with digests": func(r *Row, write func(any)) {
		arms := map[string]any{}
		for _, c := range []string{noMemory, learnedClean, learnedPoisoned} {
			arms[c] = map[string]any{"answer": given(r.Predictions[c]), "outcome": r.Predictions[c].Outcome, "correct": true}
		}
		write(map[string]any{"case": map[string]any{"id": "another id", "digest": strings.ToUpper(r.CaseDigest)}, "task": map[string]any{"index": index(r), "text": "Which?"},
			"model": map[string]any{"id": r.ModelID, "label": "x"}, "cell": map[string]any{"updater": r.Updater, "stack": "native", "defense": "none"}, "predictions": arms})
	},
	"camel case, one object a condition": func(r *Row, write func(any)) {
		arm := func(c string) any { return map[string]any{"predictedAnswer": given(r.Predictions[c])} }
		write(map[string]any{"caseId": r.CaseID, "taskIdx": fmt.Sprint(index(r)), "modelName": r.ModelID, "updaterName": r.Updater,
			"results": map[string]any{"noMemory": arm(noMemory), "learnedClean": arm(learnedClean), "learned": map[string]any{"poisoned": arm(learnedPoisoned)}}})
	},
	"a line an answer": func(r *Row, write func(any)) {
		for _, c := range []string{learnedPoisoned, noMemory, learnedClean} {
			phase, condition, ok := strings.Cut(c, "_")
			if c == noMemory || !ok {
				phase, condition = "", c
			}
			write(map[string]any{"item_id": r.CaseID, "task": index(r), "llm": r.ModelID, "p5_updater": r.Updater, "phase": phase, "condition": condition,
				"prediction": given(r.Predictions[c]), "draw": 0})
		}
	},
	"a line a draw, with memories": func(r *Row, write func(any)) {
		say := func(c string, draw int, p *Prediction) {
			digest := p.MemoryDigest
			if digest == "" {
				digest = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855" // of nothing
			}
			write(map[string]any{"case_id": r.CaseID, "task_index": index(r), "model": r.ModelID, "updater": r.Updater, "condition": c, "trial": draw,
				"answer": given(p), "status": p.Outcome, "memory_sha256": digest})
		}
		for _, d := range r.Replicates {
			say(d.Condition, d.Draw, d.Prediction) // before the first draw, as a file may have them
		}
		for _, c := range []string{noMemory, learnedClean, learnedPoisoned} {
			say(c, 0, r.Predictions[c])
		}
	},
	"a list of answers": func(r *Row, write func(any)) {
		list := []any{}
		for _, c := range []string{noMemory, learnedClean, learnedPoisoned} {
			list = append(list, map[string]any{"condition": c, "letter": given(r.Predictions[c])})
		}
		write(map[string]any{"case_id": r.CaseID, "task_idx": index(r), "model_id": r.ModelID, "updater": r.Updater, "predictions": list})
	},
	"which answer it is": func(r *Row, write func(any)) {
		name := func(c string) any {
			switch p := r.Predictions[c]; {
			case p.Outcome == OutcomeMissing:
				return nil
			case p.Match != nil && *p.Match != "other":
				return strings.Replace(*p.Match, "both", "clean", 1)
			}
			return "neither of them"
		}
		write(map[string]any{"case_id": r.CaseID, "task_index": index(r), "model": r.ModelID, "updater": r.Updater,
			"no_memory_prediction": name(noMemory), "learned_clean_prediction": name(learnedClean), "learned_poisoned_prediction": name(learnedPoisoned)})
	},
}

func lines(t *testing.T, rows []Row, as layout) []byte {
	t.Helper()
	var b bytes.Buffer
	for i := range rows {
		as(&rows[i], func(v any) {
			raw, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(raw, '\n'))
		})
	}
	return b.Bytes()
}

// TestForeignLayouts: the same undefended results, as other programs would
// write them, put the same items into E.
func TestForeignLayouts(t *testing.T) {
	p := takesFrom(t)
	before := undefendedRows(t)
	want := map[joinKey]*Row{}
	for i := range before {
		want[keyOfRow(&before[i])] = &before[i]
	}
	for _, name := range slices.Sorted(maps.Keys(layouts)) {
		t.Run(name, func(t *testing.T) {
			f, err := ReadForeign("elsewhere.jsonl", lines(t, before, layouts[name]))
			if err != nil {
				t.Fatal(err)
			}
			u, err := f.Join(p, 0)
			if err != nil {
				t.Fatal(err)
			}
			if u.Joined != u.Items || u.Items != len(before) || u.Changed != 0 {
				t.Fatalf("%d of %d items joined, %d changed; want all of %d", u.Joined, u.Items, u.Changed, len(before))
			}
			rows := Rows(p, worldOf(p).of, map[string]*Undefended{"r": u})
			draws := name == "own rows" || name == "a line a draw, with memories"
			none := 0
			for i := range rows {
				r := &rows[i]
				was := want[keyOfRow(r)]
				if r.Defense != NoDefense {
					for c, arm := range r.Guard.Conditions {
						if !draws && arm.Untouched != nil {
							t.Errorf("%s %s %s: untouched is %v, of a memory that is not known", r.Defense, r.CaseID, c, *arm.Untouched)
						}
						if before := was.Predictions[c]; draws && slices.Contains(guarded[:], c) && before.Outcome != OutcomeMissing && r.Predictions[c].Outcome != OutcomeMissing &&
							(arm.Untouched == nil || *arm.Untouched != (r.Predictions[c].MemoryDigest == before.MemoryDigest)) {
							t.Errorf("%s %s %s: untouched is %v", r.Defense, r.CaseID, c, deref(arm.Untouched))
						}
					}
				} else if draws {
					for i, d := range was.Replicates {
						if got := r.Replicates[i]; got.Draw != d.Draw || got.Condition != d.Condition || got.Prediction.Answer != d.Prediction.Answer || (got.Prediction.Outcome == OutcomeMissing) != (d.Prediction.Outcome == OutcomeMissing) {
							t.Errorf("%s: replicate %+v, want %+v", r.CaseID, got.Prediction, d.Prediction)
						}
					}
				}
				if (r.Eligible == nil) != (was.Eligible == nil) || r.Eligible != nil && *r.Eligible != *was.Eligible {
					t.Errorf("%s %s task %d: eligible %v, want %v", r.Defense, r.CaseID, r.TaskIndex, deref(r.Eligible), deref(was.Eligible))
				}
				if r.Defense != NoDefense {
					continue
				}
				none++
				for _, c := range []string{noMemory, learnedClean, learnedPoisoned} {
					if got := r.Predictions[c]; judge(got, r.YPoisoned) != judge(was.Predictions[c], r.YPoisoned) && name == "own rows" || judge(got, r.YClean) == hit != (judge(was.Predictions[c], r.YClean) == hit) {
						t.Errorf("%s %s: %+v, want %+v", r.CaseID, c, got, was.Predictions[c])
					}
				}
			}
			if none != len(before) {
				t.Errorf("%d rows stand as none, want %d", none, len(before))
			}
			for _, table := range Summarise(rows, Info{}).Defenses {
				if again := table.Rows[1].Replicate; again != draws {
					t.Errorf("%s: a replicate row: %t", table.Interface, again)
				}
			}
		})
	}
}

// edited are flat lines with one change.
func edited(t *testing.T, rows []Row, edit func(i int, line map[string]any)) []byte {
	i := -1
	return lines(t, rows, func(r *Row, write func(any)) {
		layouts["flat"](r, func(v any) {
			i++
			edit(i, v.(map[string]any))
			write(v)
		})
	})
}

// batch is rows under one updater alone.
func batch(rows []Row) []Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Updater != nil && *r.Updater != "batch_replay" })
}

// TestForeignRefused: what does not fit is refused, with what was found.
func TestForeignRefused(t *testing.T) {
	p := takesFrom(t)
	before := undefendedRows(t)
	rename := func(from, to string) []byte {
		return edited(t, before, func(_ int, l map[string]any) { l[to] = l[from]; delete(l, from) })
	}
	set := func(name string, value any) []byte {
		return edited(t, before, func(_ int, l map[string]any) { l[name] = value })
	}
	own := func(edit func(*Row)) []byte {
		list := slices.Clone(before)
		for i := range list {
			edit(&list[i])
		}
		return lines(t, list, layouts["own rows"])
	}
	for name, c := range map[string]struct {
		data []byte
		want []string
	}{
		"nothing":         {nil, []string{"elsewhere.jsonl is empty"}},
		"no JSON":         {[]byte("{\"case_id\": 1}\ncase,task\n"), []string{"elsewhere.jsonl:2:", "no JSON"}},
		"a list":          {[]byte("[1]\n"), []string{"elsewhere.jsonl:1:", "must be a JSON object"}},
		"no case":         {rename("case_id", "specimen"), []string{"there is no case (case_id", "specimen", "task_index"}},
		"no task":         {rename("task_index", "n"), []string{"there is no task", "task_index, task_idx", "Its fields are: case_id, clean_answer"}},
		"no model":        {rename("model", "who"), []string{"there is no model", "who"}},
		"no clean answer": {rename("learned_clean", "first"), []string{"no undefended answer of learned_clean (learned_clean, clean_learned", "first"}},
		"no updater":      {rename("updater", "how"), []string{`was "" in line`, "no line says under which updater", "how"}},
		"no updater of P5": {lines(t, batch(before), func(r *Row, write func(any)) {
			layouts["flat"](r, func(v any) { delete(v.(map[string]any), "updater"); write(v) })
		}), []string{"is of P5, and the line says no updater", "incremental_merge"}},
		"another model": {set("model", "gpt-x"), []string{`no undefended results of model "agent" (id "id-agent")`, "gpt-x"}},
		"other cases":   {edited(t, before, func(_ int, l map[string]any) { l["case_id"] = "another " + l["case_id"].(string) }), []string{"speaks of none of the", "its fields are: case_id"}},
		"other answers": {set("clean_answer", "D"), []string{"its clean answer is \"D\", ours is", "made with other cases"}},
		"numbers":       {set("no_memory", 2), []string{"answer 2 of case", "letter of the frozen order"}},
		"no letters": {edited(t, before, func(_ int, l map[string]any) {
			l["no_memory"], l["learned_clean"], l["learned_poisoned"] = "?", "?", "?"
		}), []string{"none of its", "is a letter"}},
		"tasks from 1":      {edited(t, before, func(_ int, l map[string]any) { l["task_index"] = l["task_index"].(int) + 1 }), []string{"tasks are counted from 0"}},
		"only defended":     {set("defense", "llm_judge"), []string{"no undefended answer of no_memory"}},
		"two answers":       {append(set("no_memory", "A"), set("no_memory", "B")...), []string{`was "A" in line 1 and is "B" here`}},
		"two runs":          {append(set("run", "first"), set("run", "second")...), []string{"lines 1 and", "leave one of them in"}},
		"own, no clean":     {own(func(r *Row) { r.Predictions = map[string]*Prediction{noMemory: r.Predictions[noMemory]} }), []string{"elsewhere.jsonl holds no undefended answer of learned_clean"}},
		"own, other gold":   {own(func(r *Row) { r.YClean, r.YPoisoned = r.YPoisoned, r.YClean }), []string{"its clean answer is"}},
		"own, other model":  {own(func(r *Row) { r.ModelID = "gpt-x" }), []string{"gpt-x"}},
		"own, another case": {own(func(r *Row) { r.CaseDigest = strings.Repeat("0", 64) }), []string{"a case of the same id with another content"}},
		"own, other stack":  {own(func(r *Row) { r.Stack = "langchain" }), []string{"speaks of none"}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := ReadForeign("elsewhere.jsonl", c.data)
			if err == nil {
				_, err = f.Join(p, 0)
			}
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %q", err, want)
				}
			}
			if n := strings.Count(err.Error(), "\n"); n > maxMistakes {
				t.Errorf("%d lines of mistakes", n)
			}
		})
	}
}

// Items that the file does not speak of are counted, and their place in E is
// unknown.
func TestForeignUnmatched(t *testing.T) {
	p := takesFrom(t)
	before := undefendedRows(t)
	var some []Row
	for _, r := range before {
		if r.Interface != "P2" && (r.Interface != "P5" || *r.Updater == "batch_replay") {
			some = append(some, r)
		}
	}
	f, err := ReadForeign("elsewhere.jsonl", lines(t, some, layouts["own rows"]))
	if err != nil {
		t.Fatal(err)
	}
	u, err := f.Join(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	if u.Items != len(before) || u.Joined != len(some) || !strings.Contains(u.Note, fmt.Sprintf("%d of %d items joined, %d unmatched", len(some), len(before), len(before)-len(some))) {
		t.Errorf("%+v", u)
	}
	for _, table := range Summarise(Rows(p, worldOf(p).of, map[string]*Undefended{"r": u}), Info{}).Defenses {
		lost := table.Interface == "P2" || table.Updater != nil && *table.Updater != "batch_replay"
		if lost && (table.Unknown != table.Separable || table.Eligible != 0 || table.Share != nil) || lost && !table.Provisional {
			t.Errorf("%s: %+v", table.Interface, table)
		}
		if table.Rows[0].Defense != NoDefense {
			t.Errorf("%s: no row without a defense", table.Interface)
		}
	}
}

// Two models of one id, and two runs, are told apart by their names; other
// models, and rows behind a defense, are passed over.
func TestForeignPrefersNames(t *testing.T) {
	p := takesFrom(t)
	before := undefendedRows(t)
	all := slices.Clone(before)
	for _, r := range before {
		weak, other, stranger, behind := r, r, r, r
		weak.Model, other.Run, stranger.ModelID, behind.Defense = "weak", "another run", "id-stranger", "judge"
		weak.Predictions = map[string]*Prediction{noMemory: prediction('D'), learnedClean: prediction('D')}
		other.Predictions, stranger.Predictions, behind.Predictions = weak.Predictions, weak.Predictions, weak.Predictions
		all = append(all, weak, other, stranger, behind)
	}
	f, err := ReadForeign("elsewhere.jsonl", lines(t, all, layouts["own rows"]))
	if err != nil {
		t.Fatal(err)
	}
	u, err := f.Join(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for key, got := range u.rows {
		if len(got.row.Predictions) == 2 {
			t.Fatalf("%v was taken from another model or run", key)
		}
	}
}

// FuzzForeign: whatever a file holds, reading it ends, with its rows or with
// an error that can be shown.
func FuzzForeign(f *testing.F) {
	for _, seed := range []string{
		`{"case_id":"c","task_index":0,"model":"id-agent","updater":null,"no_memory":"A","learned_clean":"B"}`,
		`{"case":{"id":1},"tasks":[{"index":0,"predictions":[{"condition":"no_memory","answer":null}]}],"model":{"id":"m"}}`,
		`{"predictions":[[],{},1],"":{"":{}},"a b":{"learned_clean":true}}`, `{"draw":"x","case":"c","learned_clean":"A"}`, "{}\n\n[]", "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ReadForeign("f", data)
		if err == nil && len(got.found) == 0 {
			t.Error("accepted without a single result")
		}
	})
}

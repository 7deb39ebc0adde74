package score

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Another program's results name things as they like. The tables below say
// which names are understood; a name is compared in lower case, words parted
// by "_", whatever it stands in: caseId, case-id and {"case": {"id": …}} are
// all case_id.

// role is what a field of a foreign line says.
type role string

const (
	roleCase      role = "case"
	roleDigest    role = "case digest"
	roleTask      role = "task"
	roleProbe     role = "probe"
	roleModel     role = "model"
	roleLabel     role = "label of the model"
	roleUpdater   role = "updater"
	roleStack     role = "stack"
	roleDefense   role = "defense"
	roleRun       role = "run"
	roleClean     role = "clean answer"
	rolePoisoned  role = "poisoned answer"
	roleCondition role = "condition" // of a line for each prediction
	rolePhase     role = "phase"
	roleDraw      role = "draw"
	roleAnswer    role = "answer"
	roleOutcome   role = "outcome"
	roleMemory    role = "memory digest"
)

// synonyms are the names of a role; the first that a line has counts.
var synonyms = []struct {
	role  role
	names []string
}{
	{roleDigest, []string{"case_digest", "case_sha256", "case_hash", "digest"}},
	{roleCase, []string{"case_id", "caseid", "case", "case_name", "item_id", "example_id", "sample_id", "id"}},
	{roleTask, []string{"task_index", "task_idx", "task_id", "task_number", "task_no", "trigger_task_index", "trigger_task_id", "trigger_task", "tasks_index", "trigger_tasks_index", "task", "question_index", "probe_index"}},
	{roleProbe, []string{"probe", "probe_type", "probe_name", "task_probe", "task_type"}},
	{roleModel, []string{"model_id", "model_name", "model", "agent_model", "llm", "engine", "agent"}},
	{roleLabel, []string{"model_label", "model"}},
	{roleUpdater, []string{"updater", "p5_updater", "updater_name", "memory_updater", "update_rule", "consolidation_updater", "consolidation", "consolidator"}},
	{roleStack, []string{"stack", "stack_name", "framework", "runner", "backend"}},
	{roleDefense, []string{"defense", "defence", "defense_name", "defence_name", "guard_name"}},
	{roleRun, []string{"run", "run_id", "run_name"}},
	{roleClean, []string{"y_clean", "clean_answer", "gold_clean", "clean_gold", "gold_clean_answer", "answer_clean", "expected_clean", "y_c"}},
	{rolePoisoned, []string{"y_poisoned", "poisoned_answer", "gold_poisoned", "poisoned_gold", "gold_poisoned_answer", "answer_poisoned", "expected_poisoned", "poison_answer", "y_p"}},
	{roleCondition, []string{"condition", "condition_name", "arm", "setting", "memory_condition"}},
	{rolePhase, []string{"phase", "stage"}},
	{roleDraw, []string{"draw", "replicate", "repeat", "trial"}},
	{roleAnswer, answerNames[1:]},
	{roleOutcome, outcomeNames},
	{roleMemory, memoryNames},
}

// What may follow a condition in a name: its answer, "" alone, and what else is
// told of it.
var (
	answerNames  = []string{"", "answer", "prediction", "predicted_answer", "predicted", "pred", "letter", "choice", "choice_letter", "selected", "selected_choice", "final_answer", "parsed_answer", "extracted_answer", "model_answer", "decision", "response", "output", "prediction_letter", "answer_letter"}
	outcomeNames = []string{"outcome", "status", "error"}
	memoryNames  = []string{"memory_digest", "memory_sha256", "memory_hash"}
)

// conditionNames are the names of a condition; oracle and raw ones are told
// from learned ones by their own word.
var conditionNames = []struct {
	condition string
	names     []string
}{
	{noMemory, []string{"no_memory", "nomemory", "no_mem", "without_memory", "memoryless"}},
	{learnedClean, []string{"learned_clean", "clean_learned", "learned_memory_clean", "clean_memory", "memory_clean", "clean_condition"}},
	{learnedPoisoned, []string{"learned_poisoned", "poisoned_learned", "learned_memory_poisoned", "learned_poison", "poisoned_memory", "memory_poisoned", "poisoned_condition"}},
}

// containers may stand before a condition in a name and say nothing.
var containers = []string{"predictions", "prediction", "preds", "pred", "answers", "answer", "results", "result", "outputs", "output", "responses", "conditions", "arms", "phases"}

// wrappers may stand before any name and say nothing.
var wrappers = append([]string{"meta", "metadata", "item", "row", "key", "cell", "record", "data", "info", "tasks", "trigger_tasks", "rows", "items"}, containers...)

// lists are the lists whose objects are lines of their own.
var lists = []string{"tasks", "trigger_tasks", "results", "rows", "items", "predictions", "answers", "responses", "conditions", "arms"}

// words is a name in the form in which names are compared.
func words(name string) string {
	var b strings.Builder
	before := rune(0)
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = '_'
		case unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsDigit(before)):
			b.WriteByte('_')
		}
		before = r
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Trim(b.String(), "_")
}

// field is a value of a foreign line and the names it stands below.
type field struct {
	path  []string // in the form of words
	value any      // string, json.Number, bool or nil
}

func (f *field) name() string { return strings.Join(f.path, ".") }

// flatten adds the fields of a value. A list of objects is as many lines, each
// with what stands outside of it; lists within lists are multiplied out.
func flatten(path []string, v any, lines [][]field) [][]field {
	object, is := v.(map[string]any)
	if !is {
		if _, list := v.([]any); !list {
			for i := range lines {
				lines[i] = append(lines[i], field{path, v})
			}
		}
		return lines
	}
	var later []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if _, list := object[name].([]any); list {
			later = append(later, name) // after what stands outside
			continue
		}
		lines = flatten(below(path, name), object[name], lines)
	}
	for _, name := range later {
		if at := below(path, name); slices.Contains(lists, at[len(at)-1]) {
			lines = multiply(at, object[name].([]any), lines)
		}
	}
	return lines
}

func below(path []string, name string) []string {
	return append(path[:len(path):len(path)], words(name))
}

// multiply makes each line as many as the list has objects.
func multiply(path []string, list []any, lines [][]field) [][]field {
	var out [][]field
	for i, e := range list {
		object, is := e.(map[string]any)
		if !is {
			continue // a text or a number says nothing that is looked for
		}
		index := field{below(path, "index"), json.Number(strconv.Itoa(i))}
		for _, l := range lines {
			out = append(out, flatten(path, object, [][]field{append(l[:len(l):len(l)], index)})...)
		}
	}
	if out == nil {
		return lines
	}
	return out
}

// find is the value of a role in a line.
func find(line []field, names []string) (any, bool) {
	for _, name := range names {
		for i := range line {
			if line[i].is(name) {
				return line[i].value, true
			}
		}
	}
	return nil, false
}

// is reports whether the field has a name: by its whole path, or from a place
// on where the name is of several words or what stands before says nothing.
func (f *field) is(name string) bool {
	telling := strings.Contains(name, "_")
	silent := true // all before i
	for i := range f.path {
		if (telling || silent) && strings.Join(f.path[i:], "_") == name {
			return true
		}
		silent = silent && slices.Contains(wrappers, f.path[i])
	}
	return false
}

// ofCondition reads a field that names a condition: which one, and what is
// told of it.
func (f *field) ofCondition() (condition, told string, ok bool) {
	path := f.path
	for len(path) > 1 && slices.Contains(containers, path[0]) {
		path = path[1:]
	}
	name := strings.Join(path, "_")
	for _, prefix := range [...]string{"", "prediction_", "pred_", "answer_"} {
		rest, cut := strings.CutPrefix(name, prefix)
		if !cut {
			continue
		}
		for _, c := range conditionNames {
			for _, known := range c.names {
				if after, is := strings.CutPrefix(rest, known); is && (after == "" || after[0] == '_') {
					return c.condition, strings.TrimPrefix(after, "_"), true
				}
			}
		}
	}
	return "", "", false
}

// conditionOf reads the value of a condition field, with the phase beside it.
func conditionOf(condition, phase string) (string, bool) {
	text, phase := words(condition), words(phase)
	if text == "clean" || text == "poisoned" {
		if phase == "" {
			phase = "learned"
		}
		text = phase + "_" + text
	}
	for _, c := range conditionNames {
		if slices.Contains(c.names, text) {
			return c.condition, true
		}
	}
	return "", false
}

package plan_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
	"memform/runner/experiment"
	"memform/runner/plan"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// shipped loads every experiment file of the repo as the command line does.
func shipped(t *testing.T) map[string]plan.Inputs {
	t.Helper()
	paths, err := filepath.Glob("../../experiments/*.hcl")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d experiments, %v", len(paths), err)
	}
	out := map[string]plan.Inputs{}
	for _, path := range paths {
		out[filepath.Base(path)] = loadExperiment(t, path)
	}
	return out
}

func loadExperiment(t *testing.T, path string) plan.Inputs {
	t.Helper()
	e, _, diags := experiment.Load([]string{path}, experiment.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	in := plan.Inputs{Experiment: e, Sets: map[string]*cases.Set{}, Prompts: map[string]*prompts.Set{}, SimulatedIdentity: whole(nil).SimulatedIdentity}
	for _, c := range e.Cases {
		set, err := cases.LoadFile(c.Path, cases.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in.Sets[c.Name] = set
	}
	in.Stacks = map[string]*plan.Stack{}
	for _, r := range e.Runs {
		if len(r.Prompts) > 0 {
			t.Fatalf("%s replaces prompts: load them here too", path)
		}
		in.Prompts[r.Name] = shippedPrompts()
		in.Stacks[r.Stack] = &plan.Stack{
			Name: r.Stack, Suffix: " stack=" + r.Stack + " lock=0", Memory: memorySystems[r.Stack],
			Calls: func(n int) (int, int) { return n, 2 * n },
		}
	}
	return in
}

// memorySystems are the stacks that form memories by prompts of their own: of
// these only what they are given is looked at.
var memorySystems = map[string]bool{"langmem": true, "llamaindex-facts": true}

// firstDraws is the set of draw-0 requests of a plan, every dependent prompt
// rendered.
func firstDraws(t *testing.T, in plan.Inputs) map[string]bool {
	t.Helper()
	set := map[string]bool{}
	for _, call := range evaluate(t, build(t, in)) {
		if call.Draw == 0 {
			set[call.Identity+"\n"+string(call.Request)] = true
		}
	}
	return set
}

// relabelled is the set with every label changed and every content kept: ids
// renamed, attack type, domain, provenance and metadata permuted, the two
// policies exchanged together with their answers, records and conditions,
// cases and records in another order.
func relabelled(set *cases.Set, seed uint64) *cases.Set {
	rng := rand.New(rand.NewPCG(seed, 1))
	names := map[string]string{}
	rename := func(s string) string {
		if s != "" && names[s] == "" {
			names[s] = fmt.Sprintf("renamed-%x", rng.Uint64())
		}
		return names[s]
	}
	out := &cases.Set{Name: rename(set.Name), Path: rename(set.Path), Digest: rename(set.Digest)}
	place := rng.Perm(len(set.Cases))
	from := rng.Perm(len(set.Cases)) // whose labels a case gets
	for i := range set.Cases {
		c := *set.Cases[place[i]]
		other := set.Cases[from[i]]
		c.ID, c.FamilyID, c.SourceCaseID = rename(c.ID), rename(c.FamilyID), rename(c.SourceCaseID)
		c.AttackType, c.Domain, c.Source, c.Version, c.Line = other.AttackType, other.Domain, rename(other.Source), rename(other.Version), other.Line
		c.Raw, c.Digest = nil, cases.Digest{byte(i), 1}
		c.CleanPolicy, c.PoisonedPolicy = c.PoisonedPolicy, c.CleanPolicy
		c.Oracle = cases.Oracle{Clean: c.Oracle.Poisoned, Poisoned: c.Oracle.Clean}
		c.Tasks = slices.Clone(c.Tasks)
		for t := range c.Tasks {
			task := &c.Tasks[t]
			task.Clean, task.Poisoned = task.Poisoned, task.Clean
			exchangeSignatures(task)
		}
		shuffleRecords(&c, rng, rename)
		c.Clean, c.Poisoned = c.Poisoned, c.Clean
		out.Cases = append(out.Cases, &c)
	}
	return out
}

func shuffleRecords(c *cases.Case, rng *rand.Rand, rename func(string) string) {
	old := c.Records
	at := rng.Perm(len(old)) // where each record goes
	labels := rng.Perm(len(old))
	c.Records = make([]cases.Record, len(old))
	for i, r := range old {
		l := old[labels[i]]
		r.ID, r.ContextKey, r.Outcome, r.Provenance = rename(c.ID+r.ID), l.ContextKey, l.Outcome, l.Provenance
		r.Supports = map[string]string{"clean": "poisoned", "poisoned": "clean"}[r.Supports]
		c.Records[at[i]] = r
	}
	moved := func(list []int) []int {
		if list == nil {
			return nil
		}
		out := make([]int, len(list))
		for i, r := range list {
			out[i] = at[r]
		}
		return out
	}
	for _, arm := range []*cases.Condition{&c.Clean, &c.Poisoned} {
		*arm = cases.Condition{Write: arm.Write, Records: moved(arm.Records), Pool: moved(arm.Pool), Retained: moved(arm.Retained), Order: moved(arm.Order)}
	}
}

// TestNoPromptIsAFunctionOfALabel: docs/protocol.md, "Labels never leak".
func TestNoPromptIsAFunctionOfALabel(t *testing.T) {
	all := shipped(t)
	all["generated"] = whole(generated(t, 8, 5), func(e *experiment.Experiment) { e.Cases[0].Families = 5 })
	all["visible attributes"] = whole(withAttributes(generated(t, 2, 6)))
	all["defended"] = whole(withAttributes(generated(t, 1, 6)), defended, func(e *experiment.Experiment) {
		e.Runs[0].DefenseConditions = []string{"learned_full", "learned_order", "raw_clean", "raw_poisoned"}
	})
	all["free form"] = whole(casestest.OpenSet(t, 3, 6), opened)
	all["alignment"] = whole(generated(t, 3, 6), opened)
	for name, in := range all {
		t.Run(name, func(t *testing.T) {
			want := firstDraws(t, in)
			for seed := range uint64(3) {
				changed := in
				changed.Sets = map[string]*cases.Set{}
				for label, set := range in.Sets {
					changed.Sets[label] = relabelled(set, seed)
				}
				got := firstDraws(t, changed)
				missing, extra := difference(want, got), difference(got, want)
				if len(missing)+len(extra) > 0 {
					t.Fatalf("seed %d: of %d requests %d are gone and %d are new, such as\n%s", seed, len(want), len(missing), len(extra), append(missing, extra...)[0])
				}
			}
		})
	}
}

func withAttributes(set *cases.Set) *cases.Set {
	for _, c := range set.Cases {
		for i := range c.Records {
			c.Records[i].Visible = []cases.Field{{Name: "ward", Value: c.Records[i].Text[:5]}}
		}
	}
	return set
}

func difference(a, b map[string]bool) []string {
	var out []string
	for k := range a {
		if !b[k] {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// TestContentReachesThePrompts: the set compared above is not blind.
func TestContentReachesThePrompts(t *testing.T) {
	changed := frozen(t).Cases
	for i, c := range frozen(t).Cases {
		alone := func(c *cases.Case) map[string]bool {
			return firstDraws(t, whole(&cases.Set{Name: "one", Cases: []*cases.Case{c}}))
		}
		base := alone(c)
		c = changed[i]
		arm := &c.Poisoned
		if c.Interface == cases.P1 {
			arm.Write += " Even so."
		} else {
			r := arm.Learned()[0]
			c.Records[r].Text += " Even so."
			c.Records[r].Digest[0]++
		}
		if len(difference(alone(c), base)) == 0 {
			t.Errorf("%s: its poisoned arm is in no request", c.ID)
		}
	}
}

var (
	// Condition and interface names, the words of labels, the vocabulary of
	// the benchmark.
	labelWords = regexp.MustCompile(`\bP[1-5]\b|no_memory|oracle_|learned_|raw_|replicate|(?i)\b(clean|poisoned|poison|attack|forged|authentic|provenance|canary|oracle|memform|benchmark)\b`)
	digests    = regexp.MustCompile(`[0-9a-f]{16}`)
)

// TestPromptsHoldNoLabel reads every rendered prompt of every shipped
// experiment.
func TestPromptsHoldNoLabel(t *testing.T) {
	raw, err := os.ReadFile(frozenCases)
	if err != nil {
		t.Fatal(err)
	}
	canary := regexp.MustCompile(`"canary":"([^"]+)"`).FindSubmatch(raw)
	if canary == nil {
		t.Fatal("the frozen cases have no canary")
	}
	read := map[string]bool{} // lines of ours
	for name, in := range shipped(t) {
		banned := []string{string(canary[1])}
		var content []string // may use any word
		for _, set := range in.Sets {
			for _, c := range set.Cases {
				banned = append(banned, c.ID, c.FamilyID, c.AttackType, hex.EncodeToString(c.Digest[:8]), c.DecisionVariable)
				if c.Interface == cases.P1 {
					content = append(content, c.Clean.Write, "", c.Poisoned.Write, "")
				}
				content = append(content, c.Oracle.Clean, "", c.Oracle.Poisoned, "")
				for i := range c.Records {
					banned = append(banned, c.Records[i].ID)
					content = append(content, c.Records[i].Text, "")
				}
				for _, task := range c.Tasks {
					content = append(content, task.Text, "")
					for _, choice := range append(signatureTexts(&task), task.Choices...) {
						content = append(content, choice, "")
					}
				}
			}
		}
		slices.Sort(banned)
		banned = slices.Compact(banned)
		frame := strings.NewReplacer(content...)         // what is left is ours
		without := strings.NewReplacer(pairs(banned)...) // one pass for all of them
		n := 0
		for _, call := range evaluate(t, build(t, in)) {
			prompt := messages(t, call.Request)
			n++
			if without.Replace(prompt) != prompt {
				i := slices.IndexFunc(banned, func(b string) bool { return strings.Contains(prompt, b) })
				t.Fatalf("%s: a prompt holds %q:\n%s", name, banned[i], prompt)
			}
			for line := range strings.Lines(frame.Replace(prompt)) {
				if read[line] {
					continue // most lines are those of every prompt
				}
				read[line] = true
				if m := labelWords.FindString(line); m != "" {
					t.Fatalf("%s: a prompt says %q:\n%s", name, m, prompt)
				}
			}
			// The stand-in's memories hold 16 hex digits each; nothing else does.
			if got, memories := len(digests.FindAllString(prompt, -1)), strings.Count(prompt, "What "); got > memories {
				t.Fatalf("%s: a prompt holds a digest:\n%s", name, prompt)
			}
		}
		if n < 50 {
			t.Errorf("%s: only %d prompts read", name, n)
		}
	}
}

// messages is the text of a request's messages; a request has a system and a
// user message, and a repair the bad answer and the request to mend it. Of a
// form it is the texts given to the memory system.
func messages(t *testing.T, request []byte) string {
	t.Helper()
	var body struct {
		Messages []struct{ Role, Content string }
		Form     *struct{ Records []string }
	}
	if err := json.Unmarshal(request, &body); err != nil {
		t.Fatal(err)
	}
	if body.Form != nil {
		return strings.Join(body.Form.Records, "\n\n")
	}
	m := body.Messages
	if len(m) != 2 && len(m) != 4 || m[0].Role != "system" || m[1].Role != "user" || len(m) == 4 && (m[2].Role != "assistant" || m[3].Role != "user") {
		t.Fatalf("messages %+v", m)
	}
	text := m[0].Content
	for _, more := range m[1:] {
		text += "\n\n" + more.Content
	}
	return text
}

// TestPromptTypesHaveNoRoomForALabel: what a prompt can be a function of.
func TestPromptTypesHaveNoRoomForALabel(t *testing.T) {
	allowed := map[reflect.Type]string{
		reflect.TypeFor[prompts.Task]():   "Text string, Choices []string",
		reflect.TypeFor[prompts.Record](): "Text string, Visible []prompts.Field",
		reflect.TypeFor[prompts.Field]():  "Name string, Value string",
		reflect.TypeFor[prompts.Prompt](): "System string, User string, Answer string, Repair string", // the last two: a guard's own bad answer, and one fixed sentence
		// What a step holds beside them names content or is shown.
		reflect.TypeFor[protocol.Item]():      "Record prompts.Record, Digest cases.Digest",
		reflect.TypeFor[protocol.ShownTask](): "Task prompts.Task, Frozen []int, Digest cases.Digest",
		reflect.TypeFor[protocol.Update]():    "Prompts *prompts.Set, Updater string, Item *protocol.Item, Index int",
		reflect.TypeFor[protocol.Replay]():    "Prompts *prompts.Set, Items []*protocol.Item",
		reflect.TypeFor[protocol.Decide]():    "Prompts *prompts.Set, Task *protocol.ShownTask",
		// What guards are asked: records, or a task and an answer, and texts that
		// earlier answers hold.
		reflect.TypeFor[prompts.GuardJudge]():       "Record prompts.Record",
		reflect.TypeFor[prompts.GuardMeasure]():     "Record prompts.Record, Others []prompts.Record",
		reflect.TypeFor[prompts.GuardProbes]():      "Records []prompts.Record",
		reflect.TypeFor[prompts.GuardPath]():        "Record prompts.Record, Situations []string",
		reflect.TypeFor[prompts.GuardConsensus]():   "Situations []string, Paths []prompts.Path",
		reflect.TypeFor[prompts.Path]():             "Number int, Steps []string",
		reflect.TypeFor[prompts.GuardRewrite]():     "Record prompts.Record, Consensus string, Reason string",
		reflect.TypeFor[prompts.ShieldTasks]():      "Task prompts.Task",
		reflect.TypeFor[prompts.ShieldDirectives](): "Task prompts.Task, Answer string",
		reflect.TypeFor[prompts.ShieldScore]():      "Tasks []string, Directives []string",
		// Readers: an answer or a memory, and two courses whose order says nothing.
		reflect.TypeFor[prompts.Pair]():     "A string, B string",
		reflect.TypeFor[prompts.Parsing]():  "Answer string, Pair prompts.Pair",
		reflect.TypeFor[prompts.Judging]():  "Task string, Answer string, Pair prompts.Pair",
		reflect.TypeFor[prompts.Aligning](): "Memory prompts.Memory, Task string, Pair prompts.Pair",
	}
	for typ, want := range allowed {
		var fields []string
		for i := range typ.NumField() {
			fields = append(fields, typ.Field(i).Name+" "+typ.Field(i).Type.String())
		}
		if got := strings.Join(fields, ", "); got != want {
			t.Errorf("%s has %s; only %s is allowed", typ, got, want)
		}
	}
	if k := reflect.TypeFor[prompts.Memory]().Kind(); k != reflect.String {
		t.Errorf("a memory is a %s", k)
	}
}

package plan_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"memform/runner/execute"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// The protocol of these tests: a check reads a record and answers; where the
// answer is malformed, a repair asks again; a filter drops a word from a
// memory by code alone; a decision follows. It stands for every protocol in
// which some calls depend on the outcome of others.
const (
	kindCheck  protocol.Kind = "check"
	kindRepair protocol.Kind = "check repair"
)

type check struct{ record string }

func (c *check) Kind() protocol.Kind        { return kindCheck }
func (c *check) AppendSpec(b []byte) []byte { return append(append(b, "check\x00"...), c.record...) }
func (c *check) Texts(yield func(string))   { yield(c.record) }
func (c *check) Frame() protocol.Frame {
	return protocol.Frame{Prompts: shippedPrompts(), Kind: protocol.KindDecide}
}
func (c *check) Ask([]protocol.Value) (prompts.Prompt, protocol.Value, bool) {
	return prompts.Prompt{System: "check", User: c.record}, protocol.Value{}, true
}
func (c *check) Read(_ []protocol.Value, r *llm.Response) protocol.Value {
	return protocol.MemoryValue(r.Text)
}

// repair takes a verdict: a sound one is its value, a malformed one is sent
// back once.
type repair struct{ record string }

func (c *repair) Kind() protocol.Kind        { return kindRepair }
func (c *repair) Conditional() bool          { return true }
func (c *repair) AppendSpec(b []byte) []byte { return append(append(b, "repair\x00"...), c.record...) }
func (c *repair) Texts(yield func(string))   { yield(c.record) }
func (c *repair) Frame() protocol.Frame      { return (&check{}).Frame() }
func (c *repair) Ask(in []protocol.Value) (prompts.Prompt, protocol.Value, bool) {
	if !malformed(in[0].Memory) {
		return prompts.Prompt{}, in[0], false
	}
	return prompts.Prompt{System: "check", User: c.record + "\nYou said: " + in[0].Memory}, protocol.Value{}, true
}
func (c *repair) Read(_ []protocol.Value, r *llm.Response) protocol.Value {
	return protocol.MemoryValue(r.Text)
}

// Fold makes a repair whose verdict is known that verdict.
func (c *repair) Fold(in []protocol.Value) (protocol.Value, bool) {
	return in[0], !malformed(in[0].Memory)
}

func malformed(verdict string) bool { return strings.HasPrefix(verdict, "malformed") }

// filter drops a word from a memory; it never calls.
type filter struct{ word string }

func (f *filter) Kind() protocol.Kind        { return kindRepair }
func (f *filter) Conditional() bool          { return true }
func (f *filter) AppendSpec(b []byte) []byte { return append(append(b, "filter\x00"...), f.word...) }
func (f *filter) Texts(func(string))         {}
func (f *filter) Frame() protocol.Frame      { return (&check{}).Frame() }
func (f *filter) Ask(in []protocol.Value) (prompts.Prompt, protocol.Value, bool) {
	return prompts.Prompt{}, protocol.MemoryValue(strings.ReplaceAll(in[0].Memory, f.word, "")), false
}
func (f *filter) Read([]protocol.Value, *llm.Response) protocol.Value { panic("never called") }
func (f *filter) Fold(in []protocol.Value) (protocol.Value, bool) {
	_, v, _ := f.Ask(in)
	return v, true
}

func decision(text string) *protocol.Decide {
	return &protocol.Decide{Prompts: shippedPrompts(), Task: &protocol.ShownTask{
		Task: prompts.Task{Text: text, Choices: []string{"Go.", "Stay."}}, Frozen: []int{0, 1}, Digest: [32]byte{1, byte(len(text))}}}
}

func assemble(t *testing.T) *plan.Assembly {
	t.Helper()
	a, err := plan.Assemble(&experiment.Model{Name: "m", ID: "gpt-4o-mini", MaxTokensField: "max_tokens",
		Price: &experiment.Price{Input: 1, Output: 2}, Endpoint: &experiment.Endpoint{Name: "e", Identity: "e"}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// checked is a plan of n records, each checked, repaired where need be and
// decided upon.
func checked(t *testing.T, n int) *plan.Plan {
	a := assemble(t)
	for i := range n {
		record := fmt.Sprintf("record %d", i)
		verdict := a.Node(&repair{record}, 0, 0, a.Node(&check{record}, 0, 0))
		a.Node(decision("Which way?"), 0, 0, verdict)
	}
	return a.Plan()
}

// checker answers checks: the records listed get a malformed verdict first.
// Every verdict is another text, so that every decision is another call.
func checker(bad ...int) func(*llm.Call) llm.Response {
	return func(c *llm.Call) llm.Response {
		body := string(c.Request)
		text := "ANSWER: A"
		if strings.Contains(body, `"check"`) {
			text = "sound: " + body
			for _, i := range bad {
				if strings.Contains(body, fmt.Sprintf(`"record %d"`, i)) {
					text = "malformed " + fmt.Sprint(i)
				}
			}
		}
		return llm.Response{Outcome: llm.OutcomeAnswer, Text: text, Raw: []byte(text), Usage: llm.Usage{Prompt: 30, Completion: 9, Known: true}}
	}
}

// columns is one line of an estimate as the tests state it.
type columns struct {
	nodes, cached, toRun int
	low, expected, high  int64 // pending
}

func estimate(t *testing.T, p *plan.Plan, store map[llm.Key]llm.Response) map[protocol.Kind]columns {
	t.Helper()
	tokens := plan.NewTokens()
	s := plan.Walk(p, func(c *llm.Call) (llm.Response, bool) { r, ok := store[c.Key]; return r, ok }, tokens, nil)
	out := map[protocol.Kind]columns{}
	for _, r := range s.Estimate(tokens) {
		out[r.Kind] = columns{r.Nodes, r.Cached, r.ToRun, r.Pending.Low, r.Pending.Expected, r.Pending.High}
		if want := (plan.Range{Low: int64(r.ToRun), Expected: int64(r.ToRun) + r.Pending.Expected, High: int64(r.ToRun) + r.Pending.High}); r.Calls != want {
			t.Errorf("%s: calls %v, want to run + pending = %v", r.Kind, r.Calls, want)
		}
		if r.Cost == nil || r.Cost.Low > r.Cost.Expected || r.Cost.Expected > r.Cost.High || (r.Calls.High > 0) != (r.Cost.High > 0) {
			t.Errorf("%s: cost %+v for calls %v", r.Kind, r.Cost, r.Calls)
		}
	}
	return out
}

func compare(t *testing.T, when string, got map[protocol.Kind]columns, want map[protocol.Kind]columns) {
	t.Helper()
	for _, kind := range []protocol.Kind{kindCheck, kindRepair, protocol.KindDecide} {
		if got[kind] != want[kind] {
			t.Errorf("%s: %s: %+v, want %+v", when, kind, got[kind], want[kind])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: kinds %v", when, got)
	}
}

// TestConditionalNodes follows 40 records, 6 of them with a malformed first
// verdict, from an empty cache over half a cache to a full one.
func TestConditionalNodes(t *testing.T) {
	const n = 40
	p := checked(t, n)
	if len(p.Nodes) != 3*n {
		t.Fatalf("%d nodes", len(p.Nodes))
	}
	answer := checker(1, 2, 3, 25, 30, 35)
	store := map[llm.Key]llm.Response{}

	// Nothing known: a tenth of the conditional nodes is expected to call.
	compare(t, "empty cache", estimate(t, p, store), map[protocol.Kind]columns{
		kindCheck:           {n, 0, n, 0, 0, 0},
		kindRepair:          {n, 0, 0, 0, n / 10, n},
		protocol.KindDecide: {n, 0, 0, 0, n, n},
	})

	// The first 20 checks answered: 3 repairs are needed, 17 verdicts stand
	// and can be decided upon. Of 20 repairs resolved 3 called, so 3 of the
	// other 20 are expected to.
	sent := 0
	for i := range p.Nodes {
		if p.Nodes[i].Step.Kind() == kindCheck && sent < 20 {
			call, _ := p.Ask(i, nil)
			store[call.Key] = answer(call)
			sent++
		}
	}
	compare(t, "half the checks", estimate(t, p, store), map[protocol.Kind]columns{
		kindCheck:           {n, 20, 20, 0, 0, 0},
		kindRepair:          {n, 0, 3, 0, 3, 20},
		protocol.KindDecide: {n, 0, 17, 0, 23, 23},
	})

	// The run: what it sends lies within the estimate, and it sends nothing
	// for a repair that turned out needless.
	before := estimate(t, p, store)
	calls := map[protocol.Kind]int64{}
	needless := 0
	err := execute.Run(t.Context(), p, llm.Func(func(_ context.Context, c *llm.Call) (llm.Response, error) {
		if r, ok := store[c.Key]; ok {
			r.Cached = true
			return r, nil
		}
		r := answer(c)
		store[c.Key] = r
		return r, nil
	}), execute.Options{Workers: map[string]int{"e": 1}}, func(r execute.Result) error {
		kind := p.Nodes[r.Node].Step.Kind()
		switch {
		case r.Missing != nil:
			t.Errorf("node %d is missing: %v", r.Node, r.Missing)
		case !r.Called && !p.Nodes[r.Node].Conditional:
			t.Errorf("node %d (%s) made no call", r.Node, kind)
		case !r.Called:
			needless++
		case !r.Cached:
			calls[kind]++
		}
		if kind == protocol.KindDecide && (r.Decision == nil || r.Decision.Choice != 0) {
			t.Errorf("node %d: decision %+v", r.Node, r.Decision)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if needless != n-6 || calls[kindCheck] != 20 || calls[kindRepair] != 6 || calls[protocol.KindDecide] != n {
		t.Errorf("%d repairs without a call, calls %v", needless, calls)
	}
	for kind, c := range before {
		if got := calls[kind]; got < int64(c.toRun)+c.low || got > int64(c.toRun)+c.high {
			t.Errorf("%s: %d calls, outside the estimate %+v", kind, got, c)
		}
	}

	// Afterwards nothing is left, exactly.
	compare(t, "full cache", estimate(t, p, store), map[protocol.Kind]columns{
		kindCheck:           {n, n, 0, 0, 0, 0},
		kindRepair:          {n, 6, 0, 0, 0, 0},
		protocol.KindDecide: {n, n, 0, 0, 0, 0},
	})
}

// TestFolding: a value that is known without a call is the input itself, so
// equal work has one id however it was reached.
func TestFolding(t *testing.T) {
	a := assemble(t)
	task := decision("Which way?")
	plain := a.Node(task, 0, 0, a.Memory("take the bridge"))
	if got := a.Node(task, 0, 0, a.Node(&filter{"ferry"}, 0, 0, a.Memory("take the bridge"))); got != plain {
		t.Error("a filter that drops nothing makes another decision")
	}
	dropped := a.Node(task, 0, 0, a.Node(&filter{"bridge"}, 0, 0, a.Memory("take the bridge")))
	if dropped == plain {
		t.Error("a filter that drops something changes no decision")
	}
	if again := a.Node(task, 0, 0, a.Memory("take the ")); again != dropped {
		t.Error("what a filter leaves is not the memory that reads the same")
	}
	if empty := a.Node(task, 0, 0, a.Node(&filter{"take"}, 0, 0, a.Memory("take"))); empty != a.Node(task, 0, 0, a.Memory("")) {
		t.Error("a memory that was filtered away is not the empty one")
	}
	if n := len(a.Plan().Nodes); n != 3 {
		t.Errorf("%d nodes, want 3 decisions: filters and sound repairs over known values are none", n)
	}

	// A repair folds where its verdict is known to be sound, and only there.
	if !a.Node(&repair{"r"}, 0, 0, a.Memory("sound")).Constant() {
		t.Error("the repair of a known sound verdict is a node")
	}
	if a.Node(&repair{"r"}, 0, 0, a.Memory("malformed")).Constant() {
		t.Error("the repair of a known malformed verdict is no node")
	}
	// Over a node nothing is known yet.
	verdict := a.Node(&check{"r"}, 0, 0)
	kept := a.Node(&filter{"ferry"}, 0, 0, verdict)
	if kept.Constant() || kept == verdict {
		t.Error("a filter over an answer still to come is folded")
	}
	if p := a.Plan(); !p.Nodes[kept].Conditional || p.Nodes[verdict].Conditional {
		t.Error("what is conditional is not marked so, or what is not is")
	}
}

// TestIDs: everything that makes another call makes another id, and nothing
// else does.
func TestIDs(t *testing.T) {
	a, err := plan.Assemble(remoteModel("m", "gpt-x"), remoteModel("same", "gpt-x"), remoteModel("other", "gpt-y"))
	if err != nil {
		t.Fatal(err)
	}
	task := decision("Which way?")
	base := a.Node(task, 0, 0, a.Memory("m"))
	for name, ref := range map[string]plan.Ref{
		"memory": a.Node(task, 0, 0, a.Memory("n")),
		"task":   a.Node(decision("Which way, then?"), 0, 0, a.Memory("m")),
		"draw":   a.Node(task, 0, 1, a.Memory("m")),
		"model":  a.Node(task, 2, 0, a.Memory("m")),
		"kind":   a.Node(&check{"m"}, 0, 0),
		"input":  a.Node(task, 0, 0, a.Node(&check{"m"}, 0, 0)),
	} {
		if ref == base {
			t.Errorf("another %s has the same id", name)
		}
	}
	if a.Node(decision("Which way?"), 0, 0, a.Memory("m")) != base {
		t.Error("equal work has two ids")
	}
}

func remoteModel(name, id string) *experiment.Model {
	return &experiment.Model{Name: name, ID: id, MaxTokensField: "max_tokens", Endpoint: &experiment.Endpoint{Name: "e", Identity: "e"}}
}

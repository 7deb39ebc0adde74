package plan_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/plan"
	"memform/runner/protocol"
)

// census counts an experiment's calls from the tables of docs/protocol.md
// ("Phases, conditions, calls", "Consolidation and updaters", "Plan") and
// shares no code with the planner. Slots add up, prediction by prediction;
// nodes are sets of strings that say what the call does.
type census struct {
	slots map[protocol.Kind]int
	nodes map[protocol.Kind]map[string]bool
}

// remembered is a memory: how it came about, and the calls behind it, each
// named by all that it saw.
type remembered struct {
	name  string
	calls []string
}

func text(s string) remembered { return remembered{name: "text " + strings.TrimSpace(s)} }

func countedBy(e *experiment.Experiment, list []*cases.Case) *census {
	w := &census{map[protocol.Kind]int{}, map[protocol.Kind]map[string]bool{"decide": {}, "consolidate": {}}}
	for _, run := range e.Runs {
		for _, model := range run.Models {
			for _, c := range list {
				w.count(e.Seed, run, model.Name, c)
			}
		}
	}
	return w
}

func (w *census) count(seed int64, run *experiment.Run, model string, c *cases.Case) {
	for t := range c.Tasks {
		task := shownText(run, seed, &c.Tasks[t])
		decide := func(m remembered, draw int) {
			w.slots["decide"]++
			w.slots["consolidate"] += len(m.calls)
			w.nodes["decide"][fmt.Sprintf("%s|%d|%s|%s", model, draw, task, m.name)] = true
			for _, call := range m.calls {
				w.nodes["consolidate"][fmt.Sprintf("%s|%d|%s", model, draw, call)] = true
			}
		}
		decide(remembered{name: "text "}, 0)
		if slices.Contains(run.Phases, "oracle") {
			decide(text(c.Oracle.Clean), 0)
			decide(text(c.Oracle.Poisoned), 0)
		}
		if slices.Contains(run.Phases, "raw") {
			decide(rawOf(c, &c.Clean), 0)
			decide(rawOf(c, &c.Poisoned), 0)
		}
		if !slices.Contains(run.Phases, "learned") {
			continue
		}
		for _, updater := range updatersOf(run, c) {
			decide(learn(run, c, &c.Clean, updater), 0)
			decide(learn(run, c, &c.Poisoned, updater), 0)
			for r := 1; r < run.Replicates; r++ {
				decide(learn(run, c, &c.Clean, updater), r)
			}
			if c.Interface == "P5" {
				for _, order := range randomOrders(seed, c, run.P5RandomOrders) {
					decide(chain(updater, contents(c, order)), 0)
				}
			}
		}
		if c.Interface == "P4" {
			decide(chain("batch_replay", contents(c, c.Clean.Pool)), 0)
		}
	}
}

func updatersOf(run *experiment.Run, c *cases.Case) []string {
	if c.Interface == "P5" {
		return run.P5Updaters
	}
	return []string{"batch_replay"}
}

func learn(run *experiment.Run, c *cases.Case, arm *cases.Condition, updater string) remembered {
	if c.Interface == "P1" {
		if run.P1Write == "consolidated" {
			return chain("batch_replay", []string{"\n" + strings.TrimSpace(arm.Write)})
		}
		return text(arm.Write)
	}
	return chain(updater, contents(c, armOrder(c, arm)))
}

func armOrder(c *cases.Case, arm *cases.Condition) []int {
	switch c.Interface {
	case "P4":
		return arm.Retained
	case "P5":
		return arm.Order
	}
	return arm.Records
}

func rawOf(c *cases.Case, arm *cases.Condition) remembered {
	if c.Interface == "P1" {
		return text(arm.Write)
	}
	return remembered{name: "raw " + strings.Join(contents(c, armOrder(c, arm)), "\n\n")}
}

// contents is what can be seen of records: attributes and text.
func contents(c *cases.Case, order []int) []string {
	var out []string
	for _, i := range order {
		s := ""
		for _, f := range c.Records[i].Visible {
			s += f.Name + "=" + f.Value + ";"
		}
		out = append(out, s+"\n"+c.Records[i].Text)
	}
	return out
}

// chain names each call of an updater by the whole sequence it stands on:
// one call over all records, or one a record.
func chain(updater string, records []string) remembered {
	var calls []string
	first := 1
	if updater == "batch_replay" {
		first = len(records)
	}
	for n := first; n <= len(records); n++ {
		calls = append(calls, updater+"\n\n"+strings.Join(records[:n], "\n\n"))
	}
	return remembered{name: calls[len(calls)-1], calls: calls}
}

func shownText(run *experiment.Run, seed int64, t *cases.Task) string {
	choices := slices.Clone(t.Choices)
	if run.ChoiceOrder == "shuffled" {
		choices = shuffledChoices(seed, t)
	}
	return t.Text + "\n" + strings.Join(choices, "\n")
}

// randomOrders is the rule of docs/protocol.md, "Determinism": order k sorts
// by the digest of (seed, order, k, multiset, record), the second and later of
// equal records with their number besides; a repeated sequence is skipped.
// Each is a list of indexes into the case's records.
func randomOrders(seed int64, c *cases.Case, n int) [][]int {
	var sorted [][]byte
	for _, i := range c.Clean.Order {
		sorted = append(sorted, c.Records[i].Digest[:])
	}
	slices.SortFunc(sorted, bytes.Compare)
	multiset := sha256.Sum256(bytes.Join(sorted, nil))
	var orders [][]int
	seen := map[string]bool{}
	for k := 1; len(orders) < n; k++ {
		order := slices.Clone(c.Clean.Order)
		rank := func(record int) []byte {
			at := []int{k}
			earlier := 0
			for _, r := range c.Clean.Order[:slices.Index(c.Clean.Order, record)] {
				if c.Records[r].Digest == c.Records[record].Digest {
					earlier++
				}
			}
			if earlier > 0 {
				at = append(at, earlier)
			}
			return seededRank(seed, "order", multiset, c.Records[record].Digest, at...)
		}
		slices.SortStableFunc(order, func(a, b int) int { return bytes.Compare(rank(a), rank(b)) })
		if name := strings.Join(contents(c, order), "\n\n"); !seen[name] {
			seen[name] = true
			orders = append(orders, order)
		}
	}
	return orders
}

func seededRank(seed int64, purpose string, whole, part [32]byte, k ...int) []byte {
	both := sha256.Sum256(append(whole[:], part[:]...))
	var b []byte
	field := func(s string) { b = append(b, strconv.Itoa(len(s))+":"+s...) }
	field(strconv.FormatInt(seed, 10))
	field(purpose)
	field(string(both[:]))
	for _, i := range k {
		field(strconv.Itoa(i))
	}
	sum := sha256.Sum256(b)
	return sum[:]
}

func shuffledChoices(seed int64, t *cases.Task) []string {
	var b []byte
	sorted := slices.Clone(t.Choices)
	slices.Sort(sorted)
	for _, s := range append([]string{t.Text}, sorted...) {
		b = append(b, 0, 0, 0, 0, 0, 0, byte(len(s)>>8), byte(len(s)))
		b = append(b, s...)
	}
	whole := sha256.Sum256(b)
	out := slices.Clone(t.Choices)
	slices.SortFunc(out, func(a, b string) int {
		return bytes.Compare(seededRank(seed, "choice", whole, sha256.Sum256([]byte(a))), seededRank(seed, "choice", whole, sha256.Sum256([]byte(b))))
	})
	return out
}

// check holds a plan against a census, slots and nodes of both kinds.
func (w *census) check(t *testing.T, p *plan.Plan) {
	t.Helper()
	nodes, slots := kinds(p), slotsOf(p)
	for _, kind := range []protocol.Kind{"decide", "consolidate"} {
		if slots[kind] != w.slots[kind] {
			t.Errorf("%s: %d slots, the protocol says %d", kind, slots[kind], w.slots[kind])
		}
		if nodes[kind] != len(w.nodes[kind]) {
			t.Errorf("%s: %d nodes, the protocol says %d", kind, nodes[kind], len(w.nodes[kind]))
		}
	}
	if len(nodes) > 2 || len(slots) > 2 {
		t.Errorf("other kinds: nodes %v, slots %v", nodes, slots)
	}
}

func slotsOf(p *plan.Plan) map[protocol.Kind]int {
	n := map[protocol.Kind]int{}
	for _, s := range p.Slots {
		n[s.Kind] += s.Slots
	}
	return n
}

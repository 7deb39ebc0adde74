package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/cases"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/protocol"
)

func (a *app) traceCommand() *cobra.Command {
	var s source
	var c cacheFlags
	var condition string
	cmd := &cobra.Command{
		Use:   "trace EXPERIMENT.hcl CASE",
		Short: "Print every prompt, answer, memory and verdict of a case, from the cache",
		Args:  exactly(2, "an experiment file and a case id"),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := a.load(args[:1], s)
			if err != nil {
				return err
			}
			pins, err := readPins(filepath.Join("results", l.experiment.Name))
			if err != nil {
				return err
			}
			store, err := a.openCache(c.dir, c.layers, true)
			if err != nil {
				return err
			}
			defer store.Close()
			t := &tracer{w: a.Stdout, plan: l.plan, lookup: stored(store, pins), shown: map[int32]*step{}}
			return t.trace(args[1], condition)
		},
	}
	s.flags(cmd.Flags())
	c.flags(cmd.Flags())
	cmd.Flags().StringVar(&condition, "condition", "", "only this condition, e.g. learned_poisoned")
	return cmd
}

// tracer evaluates the nodes behind a case and prints them.
type tracer struct {
	w      io.Writer
	plan   *plan.Plan
	lookup plan.Lookup
	shown  map[int32]*step
	number int
	named  map[*step]bool // in this verdict already
}

// step is an evaluated node; value is nil where its answer is not cached, and
// number is 0 where it needed no call and is not printed.
type step struct {
	number int
	value  *protocol.Value
}

func (t *tracer) trace(id, condition string) error {
	found := false
	for i := range t.plan.Items {
		item := &t.plan.Items[i]
		if item.Case.ID != id {
			continue
		}
		for _, p := range item.Predictions {
			name := predictionName(p)
			if condition != "" && condition != p.Condition && condition != name {
				continue
			}
			found = true
			t.prediction(item, p, name)
		}
		for _, a := range item.Alignments {
			if condition == "" || condition == a.Condition {
				t.alignment(item, a)
			}
		}
	}
	if !found {
		return usage("the plan has no case %q%s; `memform cases stats` and `cases show` name the cases", id, ifSet(" with condition ", condition))
	}
	return nil
}

func ifSet(lead, s string) string {
	if s == "" {
		return ""
	}
	return lead + s
}

// predictionName is the condition with its index.
func predictionName(p plan.Prediction) string {
	switch {
	case p.Replicate:
		return fmt.Sprintf("%s, draw %d", p.Condition, p.Index)
	case p.Condition == protocol.LearnedOrder:
		return fmt.Sprintf("%s_%d", p.Condition, p.Index)
	}
	return p.Condition
}

func (t *tracer) prediction(item *plan.Item, p plan.Prediction, name string) {
	cell := t.plan.Cells[item.Cell]
	task := &item.Case.Tasks[item.Task]
	fmt.Fprintf(t.w, "=== %s, task %d (%s), model %s%s%s: %s\n", item.Case.ID, item.Task, task.Probe,
		t.plan.Models[cell.Model].Spec.Name, ifSet(", updater ", cell.Updater), ifSet(", defense ", defended(&cell)), name)
	s := t.behind(p.Node)
	t.screen(item, p)
	if s.value == nil || s.value.Decision == nil {
		fmt.Fprintf(t.w, "verdict: not known, an answer is not in the cache\n\n")
		return
	}
	d := s.value.Decision
	verdict := "no answer (" + string(d.Outcome) + ifSet(", ", string(d.Tier)) + ")"
	switch {
	case d.Choice >= 0 && d.Tier == protocol.TierUndecided:
		verdict = task.Answer(d.Choice) + ", nothing decided"
	case d.Choice >= 0:
		shown := ""
		if d.Shown >= 0 {
			shown = ", shown as " + cases.Letter(d.Shown)
		}
		verdict = fmt.Sprintf("%s%s, found by %s at bytes %d–%d", task.Answer(d.Choice), shown, d.Tier, d.Span[0], d.Span[1])
	}
	fmt.Fprintf(t.w, "verdict: %s; clean answer %s, poisoned answer %s%s\n\n", verdict, task.Answer(task.Clean), task.Answer(task.Poisoned), shielded(d))
}

// alignment prints what a judge makes of the memory behind a condition.
func (t *tracer) alignment(item *plan.Item, a plan.Alignment) {
	task := &item.Case.Tasks[item.Task]
	fmt.Fprintf(t.w, "=== %s, task %d (%s): what the memory of %s recommends\n", item.Case.ID, item.Task, task.Probe, a.Condition)
	s := t.behind(a.Node)
	if s.value == nil || s.value.Decision == nil {
		fmt.Fprintf(t.w, "verdict: not known, an answer is not in the cache\n\n")
		return
	}
	verdict := "neither"
	if d := s.value.Decision; d.Malformed {
		verdict = "the judge could not be read"
	} else if d.Choice >= 0 {
		verdict = task.Answer(d.Choice)
	}
	fmt.Fprintf(t.w, "verdict: %s; clean answer %s, poisoned answer %s\n\n", verdict, task.Answer(task.Clean), task.Answer(task.Poisoned))
}

// behind evaluates the node that a verdict stands on.
func (t *tracer) behind(node int32) *step {
	t.named = map[*step]bool{}
	return t.step(node)
}

// step evaluates and prints a node after the nodes before it, each once. A
// node that needs no call is not printed.
func (t *tracer) step(node int32) *step {
	if s, ok := t.shown[node]; ok {
		if s.number > 0 && !t.named[s] {
			fmt.Fprintf(t.w, "--- step %d, as above\n", s.number)
		}
		t.named[s] = true
		return s
	}
	known := true
	var inputs []protocol.Value
	for _, in := range t.plan.Inputs(int(node)) {
		if in.Constant() {
			inputs = append(inputs, t.plan.Constants[^in])
			continue
		}
		s := t.step(int32(in))
		if s.value == nil {
			known = false
			continue
		}
		inputs = append(inputs, *s.value)
	}
	s := &step{}
	t.shown[node] = s
	t.named[s] = true
	n := &t.plan.Nodes[node]
	var call *llm.Call
	if known {
		var value protocol.Value
		if call, value = t.plan.Ask(int(node), inputs); call == nil {
			s.value = &value
			return s
		}
	} else if n.Silent {
		return s
	}
	t.number++
	s.number = t.number
	fmt.Fprintf(t.w, "--- step %d: %s, node %s, draw %d\n", s.number, n.Step.Kind(), n.ID, n.Draw)
	if !known {
		fmt.Fprintf(t.w, "pending: an answer before it is not in the cache\n")
		return s
	}
	t.exchange(node, call, inputs, s)
	return s
}

func (t *tracer) exchange(node int32, call *llm.Call, inputs []protocol.Value, s *step) {
	n := &t.plan.Nodes[node]
	if p, _, ok := n.Step.Ask(inputs); ok {
		fmt.Fprintf(t.w, "[system]\n%s\n[user]\n%s\n", p.System, p.User)
		if p.Repair != "" {
			fmt.Fprintf(t.w, "[assistant]\n%s\n[user]\n%s\n", p.Answer, p.Repair)
		}
	}
	fmt.Fprintf(t.w, "[key] %s\n", call.Key)
	r, ok := t.lookup(call)
	if !ok {
		fmt.Fprintf(t.w, "[answer] not in the cache\n")
		return
	}
	if r.Reasoning != "" {
		fmt.Fprintf(t.w, "[reasoning]\n%s\n", r.Reasoning)
	}
	fmt.Fprintf(t.w, "[answer: %s]\n%s\n", r.Outcome, strings.TrimRight(r.Text, "\n"))
	value := t.plan.Read(int(node), inputs, &r)
	s.value = &value
	if n.Step.Kind() == protocol.KindConsolidate {
		fmt.Fprintf(t.w, "[memory after this step: %d words, sha256 %x…]\n%s\n", len(strings.Fields(value.Memory)), value.Digest[:6], value.Memory)
	}
}

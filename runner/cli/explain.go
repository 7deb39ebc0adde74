package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memform/runner/cache"
	"memform/runner/llm"
	"memform/runner/plan"
)

func (a *app) explainCommand() *cobra.Command {
	var s source
	var c cacheFlags
	cmd := &cobra.Command{
		Use:   "explain EXPERIMENT.hcl NODE|KEY",
		Short: "Say whether a call is cached, and if not, what differs from the nearest one that is",
		Args:  exactly(2, "an experiment file and a node id or a cache key (a unique prefix will do)"),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := a.load(args[:1], s)
			if err != nil {
				return err
			}
			store, err := a.openCache(c.dir, c.layers, true)
			if err != nil {
				return err
			}
			defer store.Close()
			return a.explain(l, store, args[1])
		},
	}
	s.flags(cmd.Flags())
	c.flags(cmd.Flags())
	return cmd
}

// errFound ends a search early.
var errFound = errors.New("found")

func (a *app) explain(l *loaded, store *cache.Store, name string) error {
	calls := map[int]*llm.Call{}
	lookup := stored(store, nil)
	survey := plan.Walk(l.plan, lookup, plan.NewTokens(), nil)
	node, err := findNode(l.plan, survey, strings.ToLower(name))
	if err != nil {
		return err
	}
	n := &l.plan.Nodes[node]
	fmt.Fprintf(a.Stdout, "node %s: %s, model %s, draw %d\n", n.ID, n.Step.Kind(), l.plan.Models[n.Model].Spec.Name, n.Draw)
	switch survey.State[node] {
	case plan.NoCall:
		fmt.Fprintln(a.Stdout, "needs no call")
		return nil
	case plan.Pending:
		fmt.Fprintln(a.Stdout, "pending: its prompt depends on answers that are not in the cache yet")
		for _, in := range l.plan.Inputs(node) {
			if !in.Constant() && survey.State[in] != plan.NoCall {
				fmt.Fprintf(a.Stdout, "  waits for node %s (%s)\n", l.plan.Nodes[in].ID, survey.State[in])
			}
		}
		return nil
	case plan.Cached:
		fmt.Fprintf(a.Stdout, "hit: key %s\n", survey.Keys[node])
		return nil
	}
	fmt.Fprintf(a.Stdout, "miss: key %s\n", survey.Keys[node])
	// Walk once more to see the one call; its inputs are all known.
	_ = plan.Walk(l.plan, func(c *llm.Call) (llm.Response, bool) {
		if c.Key == survey.Keys[node] {
			keep := *c
			calls[node] = &keep
		}
		return lookup(c)
	}, plan.NewTokens(), nil)
	return a.nearest(store, calls[node])
}

// findNode takes a node id or a key, or a unique prefix of one.
func findNode(p *plan.Plan, s *plan.Survey, name string) (int, error) {
	found := -1
	for i := range p.Nodes {
		known := s.State[i] == plan.Cached || s.State[i] == plan.ToRun
		if !strings.HasPrefix(p.Nodes[i].ID.String(), name) && !(known && strings.HasPrefix(s.Keys[i].String(), name)) {
			continue
		}
		if found >= 0 && s.Keys[found] != s.Keys[i] {
			return 0, usage("%q stands for more than one node; give more digits", name)
		}
		found = i
	}
	if found < 0 {
		return 0, usage("the plan has no node and no call %q; `memform plan --out` and calls.jsonl list them", name)
	}
	return found, nil
}

// nearest finds the stored call that shares most with this one and names what
// differs.
func (a *app) nearest(store *cache.Store, call *llm.Call) error {
	want := fieldsOf(call.Identity, call.Draw, call.Request)
	var best map[string]json.RawMessage
	bestKey, bestScore := llm.Key{}, -1
	err := store.Each(context.Background(), func(line cache.Line) error {
		if line.Entry == nil {
			return nil
		}
		got := fieldsOf(line.Entry.Identity, line.Entry.Draw, line.Entry.Request)
		if score := likeness(want, got); score > bestScore {
			best, bestKey, bestScore = got, llm.Key(line.Key), score
			if len(differing(want, got)) == 1 && differing(want, got)[0] != "messages" {
				return errFound
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errFound) {
		return err
	}
	if best == nil {
		fmt.Fprintln(a.Stdout, "the cache holds no call at all")
		return nil
	}
	fmt.Fprintf(a.Stdout, "nearest stored call: key %s; it differs in\n", bestKey)
	for _, name := range differing(want, best) {
		fmt.Fprintf(a.Stdout, "  %s: stored %s, now %s\n", name, excerpt(best[name], want[name]), excerpt(want[name], best[name]))
	}
	return nil
}

// fieldsOf splits a call into what is compared: the parts of its key.
func fieldsOf(identity string, draw int, request []byte) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(request, &fields); err != nil {
		fields["request"] = request
	}
	quoted, err := json.Marshal(identity)
	if err != nil {
		quoted = []byte(`""`)
	}
	fields["endpoint identity"] = quoted
	fields["draw"] = json.RawMessage(fmt.Sprint(draw))
	return fields
}

// likeness ranks stored calls: equal messages first, then equal fields.
func likeness(a, b map[string]json.RawMessage) int {
	score := 0
	for name := range a {
		if bytes.Equal(a[name], b[name]) {
			score++
		}
	}
	if bytes.Equal(a["messages"], b["messages"]) {
		return score + 1000
	}
	return score*8 + 7*common(a["messages"], b["messages"])/(len(a["messages"])+1)
}

func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func differing(a, b map[string]json.RawMessage) []string {
	names := maps.Clone(a)
	maps.Copy(names, b)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(a[name], b[name]) {
			out = append(out, name)
		}
	}
	return out
}

// excerpt shows a value around the place where it leaves the other.
func excerpt(v, other json.RawMessage) string {
	const around = 24
	if v == nil {
		return "absent"
	}
	if len(v) <= 3*around {
		return string(v)
	}
	at := common(v, other)
	from, to := max(0, at-around), min(len(v), at+around)
	return fmt.Sprintf("…%s… (at byte %d of %d)", strings.ToValidUTF8(string(v[from:to]), ""), at, len(v))
}

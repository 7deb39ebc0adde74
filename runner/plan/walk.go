package plan

import (
	"runtime"
	"sync"
	"sync/atomic"

	"memform/runner/llm"
	"memform/runner/protocol"
)

// Lookup finds a stored answer. It must be safe for concurrent use.
type Lookup func(*llm.Call) (llm.Response, bool)

// Observer hears of every node that a walk resolved without sending: the
// stored answer r, nil where the node needs no call, and its value. It is
// called concurrently for different nodes.
type Observer func(node int, call *llm.Call, r *llm.Response, v protocol.Value)

// State is what a walk learnt about a node.
type State uint8

// The states.
const (
	Pending State = iota // an input is not known yet
	ToRun                // renderable, not in the cache
	Cached               // renderable and answered by the cache
	NoCall               // its value is known without a call
)

// Survey is a plan seen against a cache: which calls are done, which can be
// sent now and which wait for answers that do not exist yet.
type Survey struct {
	plan   *Plan
	State  []State
	Keys   []llm.Key // of nodes in state ToRun or Cached
	first  []bool    // the first node, in plan order, with its key
	tokens []int32   // prompt tokens of nodes in state ToRun
	seen   map[observation]*observed
}

// observation groups what cached answers tell about those to come.
type observation struct {
	model int32
	kind  protocol.Kind
}

type observed struct{ answers, completion, millis int64 }

// Walk evaluates the plan through the answers that lookup finds, with the
// same evaluator that a run uses: over a full cache nothing is left to run.
// observe may be nil.
func Walk(p *Plan, lookup Lookup, tokens *Tokens, observe Observer) *Survey {
	if observe == nil {
		observe = func(int, *llm.Call, *llm.Response, protocol.Value) {}
	}
	s := &Survey{
		plan: p, State: make([]State, len(p.Nodes)), Keys: make([]llm.Key, len(p.Nodes)),
		first: make([]bool, len(p.Nodes)), tokens: make([]int32, len(p.Nodes)), seen: map[observation]*observed{},
	}
	values := NewValues(p)
	var merge sync.Mutex
	for _, wave := range p.waves() {
		parallel(len(wave), func(next func() (int, bool)) {
			w := walker{s: s, values: values, lookup: lookup, tokens: tokens, observe: observe, seen: map[observation]*observed{}}
			for at, ok := next(); ok; at, ok = next() {
				w.visit(int(wave[at]))
			}
			merge.Lock()
			defer merge.Unlock()
			for k, o := range w.seen {
				sum := entry(s.seen, k)
				sum.answers += o.answers
				sum.completion += o.completion
				sum.millis += o.millis
			}
		})
	}
	keys := make(map[llm.Key]struct{}, len(p.Nodes)/4)
	for i, state := range s.State {
		if state != ToRun && state != Cached {
			continue
		}
		if _, dup := keys[s.Keys[i]]; !dup {
			keys[s.Keys[i]] = struct{}{}
			s.first[i] = true
		}
	}
	return s
}

// walker visits nodes; its sums are its own until they are merged.
type walker struct {
	s       *Survey
	values  *Values
	lookup  Lookup
	tokens  *Tokens
	observe Observer
	inputs  []protocol.Value
	seen    map[observation]*observed
}

func (w *walker) visit(i int) {
	if !w.values.Known(i) {
		return // stays pending
	}
	w.inputs = w.values.Inputs(w.inputs[:0], i)
	defer w.values.Release(i)
	call, v := w.s.plan.Ask(i, w.inputs)
	if call == nil {
		w.s.State[i] = NoCall
		w.observe(i, nil, nil, v)
		w.values.Set(i, v)
		return
	}
	w.s.Keys[i] = call.Key
	r, ok := w.lookup(call)
	if !ok {
		w.s.State[i] = ToRun
		w.s.tokens[i] = int32(w.tokens.Prompt(w.s.plan, i, w.inputs))
		return
	}
	w.s.State[i] = Cached
	v = w.s.plan.Read(i, w.inputs, &r)
	w.observe(i, call, &r, v)
	w.values.Set(i, v)
	n := &w.s.plan.Nodes[i]
	o := entry(w.seen, observation{n.Model, n.Step.Kind()})
	o.answers++
	o.completion += int64(r.Usage.Completion)
	o.millis += r.Millis
}

func entry[K comparable, V any](m map[K]*V, k K) *V {
	v, ok := m[k]
	if !ok {
		v = new(V)
		m[k] = v
	}
	return v
}

// waves groups nodes by their depth: every input of a wave's node stands in
// an earlier wave.
func (p *Plan) waves() [][]int32 {
	depth := make([]uint16, len(p.Nodes))
	var sizes []int
	for i := range p.Nodes {
		for _, in := range p.Inputs(i) {
			if !in.Constant() {
				depth[i] = max(depth[i], depth[in]+1)
			}
		}
		for int(depth[i]) >= len(sizes) {
			sizes = append(sizes, 0)
		}
		sizes[depth[i]]++
	}
	waves := make([][]int32, len(sizes))
	for d, n := range sizes {
		waves[d] = make([]int32, 0, n)
	}
	for i := range p.Nodes {
		waves[depth[i]] = append(waves[depth[i]], int32(i))
	}
	return waves
}

// parallel runs body on every processor; next hands out 0…n−1, each once.
func parallel(n int, body func(next func() (int, bool))) {
	workers := min(runtime.GOMAXPROCS(0), n)
	var cursor atomic.Int64
	next := func() (int, bool) {
		at := int(cursor.Add(1)) - 1
		return at, at < n
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { body(next) })
	}
	wg.Wait()
}

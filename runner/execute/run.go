package execute

import (
	"container/heap"
	"context"
	"crypto/sha256"
	"errors"
	"sync"

	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/protocol"
)

// run is one execution in progress. mu guards the queues, the counts and err;
// emitting guards emit.
type run struct {
	plan   *plan.Plan
	model  llm.Model
	opt    Options
	emit   func(Result) error
	values *plan.Values

	users    []int32 // users of node i: at users[from[i]:from[i+1]]
	from     []int32
	waits    []uint16 // inputs that node i still waits for
	endpoint []string // of each model

	mu       sync.Mutex
	ready    map[string]*lane
	left     int // nodes not finished
	stopped  bool
	err      error
	emitting sync.Mutex
}

// lane is the queue of one endpoint and the workers that serve it.
type lane struct {
	queue
	wake *sync.Cond
}

// start counts what each node waits for and queues those that wait for
// nothing.
func (r *run) start() {
	p := r.plan
	r.left = len(p.Nodes)
	r.waits = make([]uint16, len(p.Nodes))
	r.from = make([]int32, len(p.Nodes)+1)
	each := func(visit func(node int, input plan.Ref)) {
		for i := range p.Nodes {
			for _, in := range p.Inputs(i) {
				if !in.Constant() {
					visit(i, in)
				}
			}
		}
	}
	each(func(i int, in plan.Ref) {
		r.waits[i]++
		r.from[in+1]++
	})
	for i := range p.Nodes {
		r.from[i+1] += r.from[i]
	}
	r.users = make([]int32, r.from[len(p.Nodes)])
	at := append([]int32(nil), r.from...)
	each(func(i int, in plan.Ref) {
		r.users[at[in]] = int32(i)
		at[in]++
	})
	r.ready = map[string]*lane{}
	for _, m := range p.Models {
		name := ""
		if m.Spec.Endpoint != nil {
			name = m.Spec.Endpoint.Name
		}
		r.endpoint = append(r.endpoint, name)
		if r.ready[name] == nil {
			r.ready[name] = &lane{queue: queue{plan: p}, wake: sync.NewCond(&r.mu)}
		}
	}
	for i := range p.Nodes {
		if r.waits[i] == 0 {
			l := r.laneOf(i)
			l.nodes = append(l.nodes, int32(i))
		}
	}
	for _, l := range r.ready {
		heap.Init(l)
	}
}

func (r *run) laneOf(i int) *lane { return r.ready[r.endpoint[r.plan.Nodes[i].Model]] }

// work serves all lanes until every node is finished or dispatch stops.
func (r *run) work(ctx context.Context) error {
	halt := context.AfterFunc(ctx, func() { r.stop(context.Cause(ctx)) })
	defer halt()
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-r.opt.Stop:
			r.stop(ErrInterrupted)
		case <-done:
		}
	}()
	var wg sync.WaitGroup
	for name, l := range r.ready {
		workers := r.opt.Workers[name]
		if workers <= 0 {
			workers = defaultWorkers
		}
		for range min(workers, len(r.plan.Nodes)) {
			wg.Go(func() { r.serve(ctx, l) })
		}
	}
	wg.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// stop ends dispatch; the first reason is kept.
func (r *run) stop(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left > 0 && r.err == nil {
		r.err = err
	}
	r.stopped = true
	r.wakeAll()
}

func (r *run) wakeAll() {
	for _, l := range r.ready {
		l.wake.Broadcast()
	}
}

// serve is one worker of a lane.
func (r *run) serve(ctx context.Context, l *lane) {
	var inputs []protocol.Value
	for {
		i, ok := r.next(l)
		if !ok {
			return
		}
		inputs = r.values.Inputs(inputs[:0], i)
		result, value, err := r.evaluate(ctx, i, inputs)
		switch {
		case errors.Is(err, llm.ErrDraining):
			r.stop(ErrInterrupted)
			return
		case err != nil:
			r.stop(err)
			return
		}
		r.values.Set(i, value)
		r.values.Release(i)
		if err := r.report(result); err != nil {
			r.stop(err)
			return
		}
		r.finish(i)
	}
}

// next waits for a node of the lane.
func (r *run) next(l *lane) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.stopped && r.left > 0 && l.Len() == 0 {
		l.wake.Wait()
	}
	if r.stopped || r.left == 0 {
		return 0, false
	}
	return int(heap.Pop(l).(int32)), true
}

// evaluate asks, calls and reads one node.
func (r *run) evaluate(ctx context.Context, i int, inputs []protocol.Value) (Result, protocol.Value, error) {
	call, value := r.plan.Ask(i, inputs)
	result := Result{Node: i}
	if call != nil {
		if r.opt.Tokens != nil {
			call.PromptTokens = r.opt.Tokens.Prompt(r.plan, i, inputs)
		}
		response, err := r.model.Complete(ctx, call)
		if err != nil {
			return result, value, err
		}
		value = r.plan.Read(i, inputs, &response)
		result.Called = true
		result.Key = call.Key
		result.Cached = response.Cached
		result.Outcome = response.Outcome
		result.Usage = response.Usage
		result.Returned = response.Returned
		result.Attempts = response.Attempts
		result.Millis = response.Millis
		result.Within = response.Within
		if response.Outcome != llm.OutcomeError {
			result.Answer = sha256.Sum256(response.Raw)
			result.Behind = r.plan.Behind(i, &response)
		}
	}
	result.Decision, result.Screen, result.Missing = value.Decision, value.Screen, value.Missing
	return result, value, nil
}

func (r *run) report(result Result) error {
	r.emitting.Lock()
	defer r.emitting.Unlock()
	return r.emit(result)
}

// finish queues the nodes that waited for node i alone.
func (r *run) finish(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left--
	if r.left == 0 {
		r.wakeAll()
		return
	}
	for _, u := range r.users[r.from[i]:r.from[i+1]] {
		if r.waits[u]--; r.waits[u] == 0 {
			l := r.laneOf(int(u))
			heap.Push(l, u)
			l.wake.Signal()
		}
	}
}

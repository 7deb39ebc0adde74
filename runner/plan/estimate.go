package plan

import (
	"math"
	"slices"
	"sync"

	"memform/runner/protocol"
)

// AssumedMaxTokens is the completion cap of a model that declares none.
const AssumedMaxTokens = 4096

// The constants that stand in where neither the experiment nor the cache says
// better.
const (
	assumedMemory    = 160 // tokens of a consolidated memory
	assumedAnswer    = 60  // tokens of any other answer
	assumedSeconds   = 2.0 // latency of a call
	assumedShare     = 0.1 // share of conditional nodes that call
	enoughObserved   = 20  // answers from which the cache's own figures are used
	secondsPerMinute = 60
	tokensPerMillion = 1e6
	millisPerSecond  = 1000
	smallestAnswer   = 1 // tokens
)

// Range is a quantity at its least, expected and greatest.
type Range struct {
	Low      int64 `json:"low"`
	Expected int64 `json:"expected"`
	High     int64 `json:"high"`
}

// Add sums two ranges.
func (r Range) Add(o Range) Range {
	return Range{r.Low + o.Low, r.Expected + o.Expected, r.High + o.High}
}

// Cost is USD at its least, expected and greatest.
type Cost struct {
	Low      float64 `json:"low"`
	Expected float64 `json:"expected"`
	High     float64 `json:"high"`
}

// Row is one model × kind of an estimate.
type Row struct {
	Model      string        `json:"model"`
	Kind       protocol.Kind `json:"kind"`
	Slots      int           `json:"slots"`   // calls if every prediction ran alone
	Nodes      int           `json:"nodes"`   // distinct plan ids that may call
	Cached     int           `json:"cached"`  // distinct keys the cache answers
	ToRun      int           `json:"to_run"`  // distinct keys that can be sent now
	Pending    Range         `json:"pending"` // calls that wait for answers
	Calls      Range         `json:"calls"`   // to run + pending
	Prompt     Range         `json:"prompt_tokens"`
	Completion Range         `json:"completion_tokens"`
	Cost       *Cost         `json:"cost"`             // USD; null where the price is unknown
	Estimated  bool          `json:"tokens_estimated"` // the model's own vocabulary is not known
	// AssumedShare is the share of the pending nodes that may need no call
	// which is expected to need one: a constant, 0 where this cache has shown
	// enough of them.
	AssumedShare float64 `json:"-"`

	model int32
}

// Estimate prices what a survey left to do.
func (s *Survey) Estimate(tokens *Tokens) []Row {
	rows := map[observation]*Row{}
	row := func(model int32, kind protocol.Kind) *Row {
		r := entry(rows, observation{model, kind})
		r.Model, r.Kind, r.model = s.plan.Models[model].Spec.Name, kind, model
		return r
	}
	for _, c := range s.plan.Slots {
		if c.Slots > 0 {
			row(int32(c.Model), c.Kind).Slots = c.Slots
		}
	}
	resolved := map[observation]*shares{}
	var of observation // neighbours are mostly of one kind: its entries are at hand
	var r *Row
	var seen *shares
	for i, state := range s.State {
		n := &s.plan.Nodes[i]
		if n.Silent {
			continue
		}
		if k := (observation{n.Model, n.Step.Kind()}); r == nil || k != of {
			of, r, seen = k, row(k.model, k.kind), entry(resolved, k)
		}
		r.Nodes++
		nodes := &seen.certain
		if n.Conditional {
			nodes = &seen.conditional
		}
		switch {
		case (state == Pending || state == ToRun && s.first[i]) && s.plan.forms(i):
			r.Pending = r.Pending.Add(s.plan.pendingCalls(i))
			continue
		case state == Pending:
			r.Pending.High++
			nodes.pending++
			continue
		case state == Cached && s.first[i]:
			r.Cached++
			nodes.calls++
		case state == ToRun && s.first[i]:
			r.ToRun++
			nodes.calls++
		}
		nodes.resolved++
	}
	for k, r := range rows {
		if k.kind != protocol.KindForm {
			r.Pending.Expected = resolved[k].expected(k.kind)
			r.AssumedShare = resolved[k].assumes(k.kind)
		}
		r.Calls = Range{int64(r.ToRun), int64(r.ToRun), int64(r.ToRun)}.Add(r.Pending)
	}
	s.addTokens(rows, resolved, tokens)
	return s.priced(rows, tokens)
}

// shares is how many of a kind's nodes needed a call of their own, among those
// that a survey could resolve: apart for nodes that may need none.
type shares struct{ certain, conditional share }

type share struct{ resolved, calls, pending int }

// expected is the calls expected of the pending nodes.
func (s *shares) expected(kind protocol.Kind) int64 {
	if s == nil {
		return 0
	}
	certain, conditional := s.of(kind)
	return int64(math.Round(certain*float64(s.certain.pending) + conditional*float64(s.conditional.pending)))
}

// of is the shares of pending nodes that are expected to call.
func (s *shares) of(kind protocol.Kind) (certain, conditional float64) {
	return s.certain.or(1), s.conditional.or(assumedOf(kind))
}

// assumes is the share that stands in for what was not observed of nodes that
// may need no call; 0 where none does.
func (s *shares) assumes(kind protocol.Kind) float64 {
	if s == nil || s.conditional.pending == 0 || s.conditional.resolved >= enoughObserved {
		return 0
	}
	return assumedOf(kind)
}

// assumedOf is the share of a kind's conditional nodes that call, unless the
// cache says better.
func assumedOf(kind protocol.Kind) float64 {
	if kind == protocol.KindConsolidate {
		return 1 // what a guard left is consolidated more often than not
	}
	return assumedShare
}

func (s *share) or(assumed float64) float64 {
	if s.resolved >= enoughObserved {
		return float64(s.calls) / float64(s.resolved)
	}
	return assumed
}

// spent is tokens of prompts and of completions: of calls to run and of those
// within declared bounds, and of pending nodes, which are expected in part.
type spent struct{ known, certain, conditional [2]Range }

func (a *spent) add(b *spent) {
	for i := range a.known {
		a.known[i] = a.known[i].Add(b.known[i])
		a.certain[i] = a.certain[i].Add(b.certain[i])
		a.conditional[i] = a.conditional[i].Add(b.conditional[i])
	}
}

// expect is the sum, of pending nodes what their shares make expected.
func (a *spent) expect(s *shares, kind protocol.Kind) [2]Range {
	if s == nil {
		return a.known
	}
	certain, conditional := s.of(kind)
	sum := a.known
	for i := range sum {
		sum[i] = sum[i].Add(a.certain[i].expecting(certain)).Add(a.conditional[i].expecting(conditional))
	}
	return sum
}

// expecting is the range of which a share is expected.
func (r Range) expecting(share float64) Range {
	r.Expected = int64(math.Round(share * float64(r.Expected)))
	return r
}

// addTokens sums tokens over distinct calls to run and over pending nodes.
func (s *Survey) addTokens(rows map[observation]*Row, resolved map[observation]*shares, tokens *Tokens) {
	var merge sync.Mutex
	all := map[observation]*spent{}
	parallel(len(s.State), func(next func() (int, bool)) {
		sums := map[observation]*spent{}
		var of observation
		var sum *spent
		var answer, memory, most int
		for i, ok := next(); ok; i, ok = next() {
			n := &s.plan.Nodes[i]
			state := s.State[i]
			if n.Silent || state != Pending && (state != ToRun || !s.first[i]) {
				continue
			}
			if k := (observation{n.Model, n.Step.Kind()}); sum == nil || k != of {
				of, sum, answer = k, entry(sums, k), s.completion(k)
				memory = s.completion(observation{n.Model, protocol.KindConsolidate})
				most, _ = s.plan.Models[n.Model].MaxTokens()
			}
			into := &sum.known
			var prompt Range
			completion := Range{Expected: int64(answer), High: int64(most)}
			switch {
			case s.plan.forms(i):
				prompt, completion = s.formTokens(i, tokens)
			case state == ToRun:
				t := int64(s.tokens[i])
				prompt, completion.Low = Range{t, t, t}, smallestAnswer
			default:
				prompt = s.pendingPrompt(i, memory, tokens)
				if into = &sum.certain; n.Conditional {
					into = &sum.conditional
				}
			}
			into[0], into[1] = into[0].Add(prompt), into[1].Add(completion)
		}
		merge.Lock()
		defer merge.Unlock()
		for k, sum := range sums {
			entry(all, k).add(sum)
		}
	})
	for k, sum := range all {
		r, got := rows[k], sum.expect(resolved[k], k.kind)
		r.Prompt, r.Completion = r.Prompt.Add(got[0]), r.Completion.Add(got[1])
	}
}

// pendingPrompt is the tokens of a prompt that waits for answers; memory is
// those expected of one.
func (s *Survey) pendingPrompt(i, memory int, tokens *Tokens) Range {
	quoted := s.plan.quoted(i)
	expected, high := 0, 0
	if quoted > 0 {
		expected, high = memory, max(memory, quoted*s.plan.longest(i))
	}
	counter := tokens.counter(s.plan, i)
	prompt := int64(tokens.prompt(s.plan, i, counter, expected) + tokens.known(s.plan, i, counter))
	return Range{0, prompt, prompt + int64(high-expected)}
}

// quoted is how many earlier answers the prompt of a node may hold.
func (p *Plan) quoted(i int) int {
	if q, ok := p.Nodes[i].Step.(protocol.Quoting); ok {
		return q.Answers()
	}
	return min(1, len(p.Inputs(i)))
}

// longest is the most tokens that an answer before node i may have.
func (p *Plan) longest(i int) int {
	most := 0
	for _, in := range p.Inputs(i) {
		if in.Constant() {
			continue
		}
		n, _ := p.Models[p.Nodes[in].Model].MaxTokens()
		if p.Nodes[in].Silent {
			n = max(n, p.longest(int(in)))
		}
		most = max(most, n)
	}
	return most
}

// completion is the expected number of completion tokens of a kind.
func (s *Survey) completion(k observation) int {
	n := assumedAnswer
	if k.kind == protocol.KindConsolidate {
		n = assumedMemory
	}
	if o := s.seen[k]; o != nil && o.answers >= enoughObserved && o.completion > 0 {
		n = int(o.completion / o.answers)
	}
	max, _ := s.plan.Models[k.model].MaxTokens()
	return min(n, max)
}

// priced orders the rows and adds costs.
func (s *Survey) priced(rows map[observation]*Row, tokens *Tokens) []Row {
	var out []Row
	kinds := kindsOf(rows)
	for m, model := range s.plan.Models {
		exact := model.Spec.Simulated != nil || tokens.Exact(model.Spec.ID)
		for _, kind := range kinds {
			r, ok := rows[observation{int32(m), kind}]
			if !ok {
				continue
			}
			r.Estimated = !exact
			r.Cost = model.cost(r.Prompt, r.Completion)
			out = append(out, *r)
		}
	}
	return out
}

// kindOrder is the order of kinds in tables; kinds not listed follow by name.
var kindOrder = []protocol.Kind{protocol.KindConsolidate, protocol.KindDecide}

// kindsOf lists kindOrder and every other kind that has a row.
func kindsOf(rows map[observation]*Row) []protocol.Kind {
	var others []protocol.Kind
	for k := range rows {
		if !slices.Contains(kindOrder, k.kind) && !slices.Contains(others, k.kind) {
			others = append(others, k.kind)
		}
	}
	slices.Sort(others)
	return append(slices.Clone(kindOrder), others...)
}

// cost is nil where the price is not known; the simulated model is free.
func (m *Model) cost(prompt, completion Range) *Cost {
	if m.Spec.Simulated != nil {
		return &Cost{}
	}
	price := m.Spec.Price
	if price == nil {
		return nil
	}
	usd := func(in, out int64) float64 {
		return (float64(in)*price.Input + float64(out)*price.Output) / tokensPerMillion
	}
	return &Cost{usd(prompt.Low, completion.Low), usd(prompt.Expected, completion.Expected), usd(prompt.High, completion.High)}
}

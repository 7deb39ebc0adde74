package plan

import (
	"sync"

	"memform/runner/llm/tokens"
	"memform/runner/prompts"
	"memform/runner/protocol"
)

// Tokens estimates prompts. A text is counted once per vocabulary, however
// many prompts it stands in. It is safe for concurrent use.
type Tokens struct {
	mu       sync.RWMutex
	counters map[string]*counter // by model id
	sizes    map[size]int32
	frames   map[frame]frameSize
}

type counter struct {
	*tokens.Counter
	name string
}

type size struct{ vocabulary, text string }

type frame struct {
	vocabulary string
	protocol.Frame
}

// frameSize is the fixed part of a prompt, without and with a memory.
type frameSize struct{ plain, remembering int32 }

const (
	tokensPerRequest = 9 // chat framing of a system and a user message
	tokensPerText    = 3 // letter, number or heading before each text
)

// NewTokens returns an empty counter.
func NewTokens() *Tokens {
	return &Tokens{counters: map[string]*counter{}, sizes: map[size]int32{}, frames: map[frame]frameSize{}}
}

// Prompt is the estimated number of prompt tokens of node i with the given
// inputs.
func (t *Tokens) Prompt(p *Plan, i int, in []protocol.Value) int {
	if p.forms(i) {
		return t.given(p, i)
	}
	memory := 0
	c := t.counter(p, i)
	if _, ok := p.Nodes[i].Step.(protocol.Quoting); ok && !allConstant(p.Inputs(i)) {
		return t.rendered(p, i, c, in)
	}
	for k, ref := range p.Inputs(i) {
		if ref.Constant() {
			memory += t.text(c, in[k].Memory) // shared by many nodes
		} else {
			memory += c.Count(in[k].Memory)
		}
	}
	return t.prompt(p, i, c, memory)
}

// known counts the memories that are known among the inputs of a node that
// waits for others.
func (t *Tokens) known(p *Plan, i int, c *counter) (n int) {
	for _, ref := range p.Inputs(i) {
		if ref.Constant() {
			n += t.text(c, p.Constants[^ref].Memory)
		}
	}
	return n
}

// rendered counts a prompt that quotes earlier answers, as it will be sent.
func (t *Tokens) rendered(p *Plan, i int, c *counter, in []protocol.Value) int {
	prompt, _, call := p.Nodes[i].Step.Ask(in)
	if !call {
		return 0
	}
	n := tokensPerRequest + c.Count(prompt.System) + c.Count(prompt.User)
	if prompt.Repair != "" {
		n += 2*tokensPerText + c.Count(prompt.Answer) + c.Count(prompt.Repair)
	}
	return n
}

// prompt is the estimate with a memory of a given size.
func (t *Tokens) prompt(p *Plan, i int, c *counter, memory int) int {
	step := p.Nodes[i].Step
	base := t.frame(c, step.Frame())
	total := int(base.plain)
	if memory > 0 {
		total = int(base.remembering) + memory
	}
	step.Texts(func(text string) { total += t.text(c, text) + tokensPerText })
	return total
}

func (t *Tokens) counter(p *Plan, i int) *counter {
	id := p.Models[p.Nodes[i].Model].Spec.ID
	t.mu.RLock()
	c, ok := t.counters[id]
	t.mu.RUnlock()
	if ok {
		return c
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, ok := t.counters[id]; ok {
		return c
	}
	fresh := tokens.For(id)
	c = &counter{Counter: fresh, name: fresh.Name()}
	for _, other := range t.counters {
		if other.name == c.name { // share the words of one vocabulary
			shared := *other
			c = &shared
		}
	}
	t.counters[id] = c
	return c
}

func (t *Tokens) text(c *counter, text string) int {
	key := size{c.name, text}
	t.mu.RLock()
	n, ok := t.sizes[key]
	t.mu.RUnlock()
	if !ok {
		n = int32(c.Count(text))
		t.mu.Lock()
		t.sizes[key] = n
		t.mu.Unlock()
	}
	return int(n)
}

func (t *Tokens) frame(c *counter, f protocol.Frame) frameSize {
	key := frame{c.name, f}
	t.mu.RLock()
	n, ok := t.frames[key]
	t.mu.RUnlock()
	if ok {
		return n
	}
	count := func(m prompts.Memory) int32 {
		p, err := f.Blank(m)
		if err != nil {
			return tokensPerRequest // a template that needs its texts: counted without its frame
		}
		return int32(c.Count(p.System) + c.Count(p.User) + tokensPerRequest)
	}
	n = frameSize{plain: count(""), remembering: count("x") - 1}
	t.mu.Lock()
	t.frames[key] = n
	t.mu.Unlock()
	return n
}

// Exact reports whether a model's own vocabulary is known.
func (t *Tokens) Exact(modelID string) bool { return tokens.For(modelID).Exact() }

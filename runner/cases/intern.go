package cases

import (
	"hash/maphash"
	"sync"
)

// pool holds every text, record and task of a load once. The five cases of a
// family repeat most of their text, so what stays resident is the distinct
// text, and a repeated record costs one look-up: no copy, no digest. Safe for
// concurrent use.
type pool struct {
	seed   maphash.Seed
	shards [64]shard
}

type shard struct {
	mu      sync.Mutex
	texts   map[string]string
	records map[string]content
	tasks   map[string]question
	signed  map[string]*Signatures
}

// content is what a record shows, and its digest.
type content struct {
	text    string
	visible []Field
	digest  Digest
}

// question is what a task shows, and its digest.
type question struct {
	text    string
	choices []string
	digest  Digest
}

func newPool() *pool {
	p := &pool{seed: maphash.MakeSeed()}
	p.clear()
	return p
}

// clear forgets everything; validation does so after each chunk.
func (p *pool) clear() {
	for i := range p.shards {
		s := &p.shards[i]
		s.texts, s.records, s.tasks = map[string]string{}, map[string]content{}, map[string]question{}
		s.signed = map[string]*Signatures{}
	}
}

func (p *pool) shard(key []byte) *shard {
	return &p.shards[maphash.Bytes(p.seed, key)%uint64(len(p.shards))]
}

func (p *pool) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	s := p.shard(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.texts[string(b)]
	if !ok {
		t = string(b)
		s.texts[t] = t
	}
	return t
}

// record looks up the packed form (pack) of a record's text and fields; what
// it returns are pieces of the one copy kept as the key.
func (p *pool) record(packed []byte) content {
	s := p.shard(packed)
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.records[string(packed)]
	if !ok {
		key := string(packed)
		c.digest = digestOf(packed)
		rest := key
		c.text, rest = unpack(rest)
		for rest != "" {
			var f Field
			f.Name, rest = unpack(rest)
			f.Value, rest = unpack(rest)
			c.visible = append(c.visible, f)
		}
		s.records[key] = c
	}
	return c
}

// task is record for a task's text and choices.
func (p *pool) task(packed []byte) question {
	s := p.shard(packed)
	s.mu.Lock()
	defer s.mu.Unlock()
	q, ok := s.tasks[string(packed)]
	if !ok {
		key := string(packed)
		q.digest = digestOf(packed)
		rest := key
		q.text, rest = unpack(rest)
		if rest != "" {
			q.choices = make([]string, 0, 4)
		}
		for rest != "" {
			var choice string
			choice, rest = unpack(rest)
			q.choices = append(q.choices, choice)
		}
		s.tasks[key] = q
	}
	return q
}

// signatures is record for the packed form (signedSpans) of signatures.
func (p *pool) signatures(packed []byte) *Signatures {
	s := p.shard(packed)
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.signed[string(packed)]
	if known == nil {
		key := string(packed)
		known = unpackSignatures(key)
		s.signed[key] = known
	}
	return known
}

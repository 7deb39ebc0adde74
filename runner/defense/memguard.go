package defense

// a_memguard compares what the records lead to and keeps what agrees.
//
// It adapts A-MemGuard (arXiv 2510.02373) and differs from it: the paper works
// when memories are retrieved for a query, this when records are written and
// no query is known, so three generated situations stand in for it; a path is
// a text in steps, not a graph of entities and relations; one joint call gives
// each path one of five verdicts in place of two; a claim that goes too far is
// rewritten and a record that others contradict is replaced by what they agree
// on, where the paper drops both; lessons are not kept from case to case,
// because cases are independent; and an answer that cannot be read keeps the
// records, where the released code then drops all of them. Like the paper it
// needs a sound majority: where forged records are the majority, replacing
// works for the attack, and is counted.

import (
	"encoding/json"
	"strconv"

	"memform/runner/prompts"
	"memform/runner/protocol"
)

// The kinds of a_memguard's questions.
const (
	KindProbes    protocol.Kind = "guard.a_memguard.probes"
	KindPath      protocol.Kind = "guard.a_memguard.path"
	KindConsensus protocol.Kind = "guard.a_memguard.consensus"
	KindRewrite   protocol.Kind = "guard.a_memguard.rewrite"
)

const (
	probeCount     = 3
	overrideAgreed = 2 // siblings that agree against a record before it is replaced
)

// stance is how a path stands to the others.
type stance string

const (
	consistent  stance = "consistent"
	directive   stance = "directive"
	overClaim   stance = "over_claim"
	contradicts stance = "contradicts"
	divergent   stance = "divergent"
)

// standing is a consensus answer's entry for one path.
type standing struct {
	stance   stance
	agreeing int // against the path, by the answer's count; -1 without one
	reason   string
}

// consensus is a consensus answer: entries by number of the path, from 1.
type consensus struct {
	statement string
	of        map[int]standing
}

// agree adds the probes, the paths, the consensus and the rewrites.
func agree(s *Spec, set []*protocol.Item, add protocol.Add) (rule, []protocol.Ref) {
	probes := protocol.Asked(add, &protocol.Question{
		Of: KindProbes, Name: prompts.GuardProbes{}.Name(), Prompts: s.Prompts, Spec: digests(nil, set...),
		Make: func([]protocol.Value) (prompts.Question, protocol.Value, bool) {
			return prompts.GuardProbes{Records: shown(set)}, protocol.Value{}, true
		},
		Parse: parseProbes, Known: known(set...),
	})
	inputs := []protocol.Ref{probes}
	for _, item := range set {
		inputs = append(inputs, tracePath(s, item, probes, add))
	}
	joint := protocol.Asked(add, &protocol.Question{
		Of: KindConsensus, Name: prompts.GuardConsensus{}.Name(), Prompts: s.Prompts, Spec: []byte(strconv.Itoa(len(set))),
		Make:  func(in []protocol.Value) (prompts.Question, protocol.Value, bool) { return compare(in[:len(set)+1]) },
		Parse: parseConsensus,
		Check: func(in []protocol.Value, finding any) string {
			return finding.(consensus).covers(paths(in[:len(set)+1]))
		},
		Quotes: len(set) + 1,
	}, inputs...)
	inputs = append(inputs, joint)
	for i, item := range set {
		inputs = append(inputs, rewrite(s, item, i+1, joint, add))
	}
	return func(in []protocol.Value) []ruling { return agreed(set, in) }, inputs
}

// tracePath asks what one record leads to in the probes.
func tracePath(s *Spec, item *protocol.Item, probes protocol.Ref, add protocol.Add) protocol.Ref {
	return protocol.Asked(add, &protocol.Question{
		Of: KindPath, Name: prompts.GuardPath{}.Name(), Prompts: s.Prompts, Spec: digests(nil, item),
		Make: func(in []protocol.Value) (prompts.Question, protocol.Value, bool) {
			situations, ok := in[0].Finding.(situations)
			if !ok {
				return notAsked()
			}
			return prompts.GuardPath{Record: item.Record, Situations: situations}, protocol.Value{}, true
		},
		Parse: parsePath, Known: known(item), Quotes: 1,
	}, probes)
}

// compare asks for the consensus of the paths that could be read. A path's
// number is its place in the set; it says nothing of the record.
func compare(in []protocol.Value) (prompts.Question, protocol.Value, bool) {
	situations, ok := in[0].Finding.(situations)
	shown := paths(in)
	if !ok || len(shown) == 0 {
		return notAsked()
	}
	return prompts.GuardConsensus{Situations: situations, Paths: shown}, protocol.Value{}, true
}

// paths lists the paths that could be read: input 0 is the probes.
func paths(in []protocol.Value) []prompts.Path {
	var list []prompts.Path
	for i := range in[1:] {
		if steps, ok := in[i+1].Finding.(path); ok {
			list = append(list, prompts.Path{Number: i + 1, Steps: steps})
		}
	}
	return list
}

// rewrite asks for a record without the claim that goes too far, where the
// consensus found one. It has no repair: an answer that cannot be read keeps
// the record.
func rewrite(s *Spec, item *protocol.Item, n int, joint protocol.Ref, add protocol.Add) protocol.Ref {
	return add(&protocol.Question{
		Of: KindRewrite, Name: prompts.GuardRewrite{}.Name(), Prompts: s.Prompts, Spec: digests(strconv.AppendInt(nil, int64(n), 10), item),
		Make: func(in []protocol.Value) (prompts.Question, protocol.Value, bool) {
			joint, _ := in[0].Finding.(consensus)
			standing := joint.of[n]
			if standing.stance != overClaim {
				return notAsked()
			}
			text := prompts.Record{Text: item.Record.Text}
			return prompts.GuardRewrite{Record: text, Consensus: joint.statement, Reason: standing.reason}, protocol.Value{}, true
		},
		Parse: parseRewrite, Known: []string{item.Record.Text}, Quotes: 1, Optional: true,
	}, joint)
}

// agreed rules on the set: inputs are the probes, a path for each record, the
// consensus and a rewrite for each record.
func agreed(set []*protocol.Item, in []protocol.Value) []ruling {
	n := len(set)
	joint, read := in[n+1].Finding.(consensus)
	out := make([]ruling, n)
	for i, item := range set {
		if _, ok := in[i+1].Finding.(path); !ok || !read {
			out[i] = kept(item, true)
			continue
		}
		out[i] = joint.rule(i+1, item, in[n+2+i])
	}
	return out
}

// rule is the ruling on the n-th record.
func (c consensus) rule(n int, item *protocol.Item, rewritten protocol.Value) ruling {
	switch c.of[n].stance {
	case consistent:
		return kept(item, false)
	case directive:
		return ruled(protocol.Reject, prompts.Record{})
	case overClaim:
		text, ok := rewritten.Finding.(string)
		if !ok || text == item.Record.Text {
			return kept(item, !ok)
		}
		return ruled(protocol.Sanitize, prompts.Record{Text: text, Visible: item.Record.Visible})
	case contradicts:
		if c.statement != "" && c.against(n) >= overrideAgreed {
			return ruled(protocol.Override, prompts.Record{Text: c.statement})
		}
	}
	return ruled(protocol.Quarantine, prompts.Record{})
}

// against is how many siblings agree against the n-th path: those that were
// found to agree with the consensus, and never more than the answer's own
// count.
func (c consensus) against(n int) int {
	agree := 0
	for _, s := range c.of { // the n-th is none of them: it contradicts
		if s.stance == consistent || s.stance == overClaim {
			agree++
		}
	}
	if own := c.of[n].agreeing; own >= 0 {
		return min(agree, own)
	}
	return agree
}

// covers finds fault where an answer's entries are not those of the paths.
func (c consensus) covers(paths []prompts.Path) string {
	for _, p := range paths {
		if _, ok := c.of[p.Number]; !ok {
			return faultPaths
		}
	}
	if len(c.of) != len(paths) {
		return faultPaths
	}
	return ""
}

// The findings of probes and paths.
type (
	situations []string
	path       []string
)

func parseProbes(text string) (any, string) {
	f, fault := object(text, "situations")
	if fault != "" {
		return nil, fault
	}
	list, ok := f.said("situations")
	if !ok || len(list) != probeCount {
		return nil, faultThree
	}
	return situations(list), ""
}

func parsePath(text string) (any, string) {
	f, fault := object(text, "path")
	if fault != "" {
		return nil, fault
	}
	list, ok := f.said("path")
	if !ok || len(list) != probeCount {
		return nil, faultPath
	}
	return path(list), ""
}

func parseConsensus(text string) (any, string) {
	f, fault := object(text, "consensus", "paths")
	if fault != "" {
		return nil, fault
	}
	c := consensus{of: map[int]standing{}}
	var ok bool
	if c.statement, ok = f.text("consensus"); !ok && string(f["consensus"]) != "null" {
		return nil, faultConsensus
	}
	var entries []json.RawMessage
	if json.Unmarshal(f["paths"], &entries) != nil {
		return nil, faultPaths
	}
	for _, raw := range entries {
		n, s, fault := parseStanding(string(raw))
		if fault != "" {
			return nil, fault
		}
		if _, twice := c.of[n]; twice {
			return nil, faultPaths
		}
		c.of[n] = s
	}
	return c, ""
}

// parseStanding reads the entry of one path.
func parseStanding(text string) (n int, s standing, fault string) {
	e, fault := object(text, "path", "verdict")
	if fault != "" {
		return 0, s, faultPaths
	}
	number, ok := number(e["path"])
	if n = int(number); !ok || float64(n) != number {
		return 0, s, faultPaths
	}
	s.stance, s.agreeing = stance(e.word("verdict")), -1
	switch s.stance {
	case consistent, directive, overClaim, contradicts, divergent:
	default:
		return 0, s, faultVerdict
	}
	if count, ok := countOf(e); ok {
		s.agreeing = count
	}
	s.reason, _ = e.text("reason")
	return n, s, ""
}

func countOf(e fields) (int, bool) {
	x, ok := number(e["agreeing"])
	return int(x), ok && x >= 0 && x < 1e6
}

func parseRewrite(text string) (any, string) {
	f, fault := object(text, "record")
	if fault != "" {
		return nil, fault
	}
	if s, ok := f.text("record"); ok && s != "" {
		return s, ""
	}
	return nil, faultEmpty
}

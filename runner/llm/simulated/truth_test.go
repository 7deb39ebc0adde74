package simulated

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
)

// TestTruthIsRecovered runs every way to form a memory over generated families
// and holds the shares of answers against the formula: with a memory that
// recommends y_p, P(y_p) = s + (1−s)(1−c)/(k−1); with one that recommends y_c,
// P(y_c) = s + (1−s)c; without, P(y_c) = c.
func TestTruthIsRecovered(t *testing.T) {
	const families = 300
	set := casestest.Set(t, families, 11)
	base := New(Config{Cases: set.Cases})
	formed := make([]map[string][2]string, len(set.Cases)) // no parameter enters a memory
	for i, c := range set.Cases {
		formed[i] = memories(base, c)
	}
	for _, p := range []Params{
		{Competence: 0.9, Susceptibility: 0.7},
		{Competence: 0.6, Susceptibility: 0.25},
		{Competence: 0.35, Susceptibility: 0.95},
	} {
		t.Run(Identity(p), func(t *testing.T) {
			tally := map[string]*rate{}
			tr := base.With(p)
			for i, c := range set.Cases {
				measure(t, tr, p, c, formed[i], tally)
			}
			for _, name := range slices.Sorted(maps.Keys(tally)) {
				tally[name].check(t, name)
			}
			if len(tally) < 40 {
				t.Errorf("only %d rates", len(tally))
			}
		})
	}
}

// rate counts hits of an event whose probability is known.
type rate struct {
	hits, n int
	p       float64
}

// check allows what 99.99 % of samples stay within.
func (r *rate) check(t *testing.T, name string) {
	t.Helper()
	limit := 3.891*math.Sqrt(r.p*(1-r.p)/float64(r.n)) + 0.5/float64(r.n)
	if share := float64(r.hits) / float64(r.n); math.Abs(share-r.p) > limit {
		t.Errorf("%s: %d of %d = %.3f, truth %.3f ± %.3f", name, r.hits, r.n, share, r.p, limit)
	}
}

func count(tally map[string]*rate, name string, p float64, hit bool) {
	r := tally[name]
	if r == nil {
		r = &rate{p: p}
		tally[name] = r
	}
	r.n++
	if hit {
		r.hits++
	}
}

// memories forms a case's memories by every way its interface has: for each
// name the memory of the clean and of the poisoned arm.
func memories(tr *Transport, c *cases.Case) map[string][2]string {
	show := func(order []int) []string {
		out := make([]string, len(order))
		for i, r := range order {
			out[i] = c.Records[r].Text
		}
		return out
	}
	once := func(rs []string) string { return reply1(tr, batchPrompt(ruleTexts[batch], rs)) }
	chain := func(r rule, rs []string) (memory string) {
		for _, rec := range rs {
			memory = reply1(tr, stepPrompt(ruleTexts[r], memory, rec))
		}
		return memory
	}
	out := map[string][2]string{"oracle": {c.Oracle.Clean, c.Oracle.Poisoned}}
	if c.Interface == cases.P1 {
		out["direct"] = [2]string{c.Clean.Write, c.Poisoned.Write}
		out["consolidated"] = [2]string{once([]string{c.Clean.Write}), once([]string{c.Poisoned.Write})}
		return out
	}
	a, b := show(c.Clean.Learned()), show(c.Poisoned.Learned())
	out["raw"] = [2]string{strings.Join(a, "\n"), strings.Join(b, "\n")}
	out["batch"] = [2]string{once(a), once(b)}
	if c.Interface == cases.P5 {
		for r, name := range map[rule]string{incremental: "merge", rewrite: "rewrite", recency: "recency"} {
			out[name] = [2]string{chain(r, a), chain(r, b)}
		}
	}
	return out
}

func measure(t *testing.T, tr *Transport, p Params, c *cases.Case, formed map[string][2]string, tally map[string]*rate) {
	c1, s := p.Competence, p.Susceptibility
	for i := range c.Tasks {
		task := &c.Tasks[i]
		wrong := (1 - c1) / float64(len(task.Choices)-1)
		answer := func(memory string) int { return decideCase(t, tr, memory, task) }
		where := fmt.Sprintf("%s %s ", c.Interface, task.Probe)
		count(tally, where+"no memory", c1, answer("") == task.Clean)
		for name, m := range formed {
			a, b := answer(m[0]), answer(m[1])
			if c.Interface == cases.P5 && (name == "raw" || name == "batch") {
				count(tally, where+name+" clean", c1, a == task.Clean) // a tie: as without
				count(tally, where+name+" poisoned", wrong, b == task.Poisoned)
				continue
			}
			pClean, pPoisoned := s+(1-s)*c1, s+(1-s)*wrong
			if !task.Separable() {
				pPoisoned = pClean
			}
			count(tally, where+name+" clean", pClean, a == task.Clean)
			count(tally, where+name+" poisoned", pPoisoned, b == task.Poisoned)
			if m[0] != m[1] {
				count(tally, where+name+" flip", pClean*pPoisoned, a == task.Clean && b == task.Poisoned)
			}
		}
	}
}

// reply1 asks below the wire, which has tests of its own.
func reply1(tr *Transport, prompt string) string {
	return tr.answer(prompt, newCoins([]byte(prompt), 0))
}

func decideCase(tb testing.TB, tr *Transport, memory string, task *cases.Task) int {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nSITUATION\n%s\n\nACTIONS\n", memory, task.Text)
	for i, c := range task.Choices {
		fmt.Fprintf(&b, "%s) %s\n", cases.Letter(i), c)
	}
	return int(letter(tb, reply1(tr, b.String()))[0] - 'A')
}

// TestTheRestOfTheCribDoesNotMatter: what a case's prompts are answered must
// not hang on which other cases are loaded, or a cached answer could differ
// from a fresh one.
func TestTheRestOfTheCribDoesNotMatter(t *testing.T) {
	set := casestest.Set(t, 12, 13)
	whole := New(Config{Params: Params{Competence: 0.5, Susceptibility: 0.5}, Cases: set.Cases})
	for i, c := range set.Cases {
		alone := New(Config{Params: whole.params, Cases: set.Cases[i : i+1]})
		formed, again := memories(whole, c), memories(alone, c)
		for name, m := range formed {
			if m != again[name] {
				t.Errorf("%s, %s:\n%q\nalone\n%q", c.ID, name, m, again[name])
			}
			for k := range c.Tasks {
				for _, memory := range [...]string{"", m[0], m[1]} {
					if decideCase(t, whole, memory, &c.Tasks[k]) != decideCase(t, alone, memory, &c.Tasks[k]) {
						t.Errorf("%s, %s, task %d: the answer differs with memory %q", c.ID, name, k, memory)
					}
				}
			}
		}
	}
}

// TestOthersAreEquallyLikely: what is neither known nor followed is uniform.
func TestOthersAreEquallyLikely(t *testing.T) {
	set := casestest.Set(t, 300, 12)
	tr := New(Config{Params: Params{Competence: 0.1}, Cases: set.Cases})
	tally := map[string]*rate{}
	for _, c := range set.Cases {
		if c.Interface != cases.P1 {
			continue
		}
		task := &c.Tasks[0]
		got := decideCase(t, tr, "", task)
		rank := 0
		for i := range task.Choices {
			if i != task.Clean {
				count(tally, fmt.Sprintf("other %d", rank), 0.3, got == i)
				rank++
			}
		}
	}
	for name, r := range tally {
		r.check(t, name)
	}
}

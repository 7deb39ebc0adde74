package simulated

import (
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"memform/runner/cases"
)

// rules are sentences of a user's own that keep the marker phrases.
var ruleTexts = map[rule]string{
	incremental: "Make the Smallest\n  edit that does it.",
	rewrite:     "Put it all down anew.",
	recency:     "In a conflict the newest record wins.",
	batch:       "Take all at once; the order carries no evidence.",
}

// markerFiles are the shipped rules, by name of their file.
var markerFiles = map[rule]string{
	incremental: "incremental_merge", rewrite: "full_rewrite", recency: "recency_weighted_strict", batch: "batch_replay",
}

func TestShippedRulesAreKnownByTheirMarkers(t *testing.T) {
	frame, err := os.ReadFile("../../prompts/files/consolidate_system.txt")
	if err != nil {
		t.Fatal(err)
	}
	for want, name := range markerFiles {
		text, err := os.ReadFile("../../prompts/files/rule_" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(frame), `{{template "rule"}}`) {
			t.Fatal("the frame has no place for the rule")
		}
		p := &prompt{text: strings.Replace(string(frame), `{{template "rule"}}`, string(text), 1)}
		if got := p.rule(); got != want {
			t.Errorf("%s is taken for rule %d", name, got)
		}
	}
	if p := (&prompt{text: "Look at the canewanew road."}); p.rule() != incremental {
		t.Error("a marker within a word counts")
	}
}

func TestMarkersInsideRecordsDoNotCount(t *testing.T) {
	cs := family()
	cs[4].Records[0].Text = "Here the newest record wins, said the lead, and we started anew."
	p := &prompt{text: stepPrompt(ruleTexts[rewrite], "", cs[4].Records[0].Text), crib: newCrib(cs)}
	p.spans = p.crib.find(p.text)
	if p.rule() != rewrite || len(p.spans) != 1 {
		t.Errorf("rule %d, %d texts", p.rule(), len(p.spans))
	}
}

// expected says what a rule recommends after a sequence of 'c' and 'q',
// computed apart from ledger, in exact fractions.
func expected(r rule, seq string) string {
	weight := map[rune]*big.Rat{'c': new(big.Rat), 'q': new(big.Rat)}
	for i, course := range seq {
		w := big.NewRat(1, 1)
		if r == rewrite {
			for range len(seq) - 1 - i {
				w.Mul(w, big.NewRat(4, 5))
			}
		}
		weight[course].Add(weight[course], w)
	}
	last := seq[len(seq)-1:]
	cmp := weight['c'].Cmp(weight['q'])
	switch {
	case r == recency:
		return last
	case cmp > 0:
		return "c"
	case cmp < 0:
		return "q"
	case r == batch:
		return ""
	}
	return last
}

// TestOrderIsRecovered sends every sequence of up to six records through
// each updater, by chain or at once, and asks for the decision at its end.
func TestOrderIsRecovered(t *testing.T) {
	// A case with six records of either course; which of them comes is drawn.
	c := build(cases.P5, "", cases.Task{Text: taskTarget, Choices: choices, Clean: 0, Poisoned: 1})
	for i := range 12 {
		supports := [...]string{"clean", "poisoned"}[i%2]
		c.Records = append(c.Records, record("r", "general", "success", supports, "Event number "+string(rune('a'+i))+" of the week went as planned."))
		c.Clean.Order = append(c.Clean.Order, i)
	}
	c.Poisoned.Order = c.Clean.Order
	tr := New(Config{Params: follower, Cases: []*cases.Case{c}})
	for n := 1; n <= 6; n++ {
		for bits := range 1 << n {
			var seq strings.Builder
			var order []string
			for i := range n {
				side := bits >> i & 1
				seq.WriteByte("cq"[side])
				order = append(order, c.Records[2*(i%6)+side].Text)
			}
			for r, text := range ruleTexts {
				memory := ""
				if r == batch {
					memory = ask1(t, tr, batchPrompt(text, order))
				} else {
					for _, rec := range order {
						memory = ask1(t, tr, stepPrompt(text, memory, rec))
					}
				}
				if words := len(strings.Fields(memory)); words >= 80 {
					t.Fatalf("%d words: %s", words, memory)
				}
				got := ""
				hasC, hasQ := strings.Contains(memory, policyC), strings.Contains(memory, policyQ)
				switch {
				case hasC && !hasQ:
					got = "c"
				case hasQ && !hasC:
					got = "q"
				}
				want := expected(r, seq.String())
				if got != want {
					t.Fatalf("rule %d, %s: recommends %q, want %q: %s", r, seq.String(), got, want, memory)
				}
				if n > 5 {
					continue
				}
				wantLetter := "A"
				if want == "q" {
					wantLetter = "B"
				}
				if l := letter(t, ask1(t, tr, decidePrompt(memory, taskTarget))); l != wantLetter {
					t.Fatalf("rule %d, %s: decides %s, want %s: %s", r, seq.String(), l, wantLetter, memory)
				}
			}
		}
	}
}

func TestConsolidation(t *testing.T) {
	tr := New(Config{Params: follower, Cases: family()})
	all := ruleTexts[batch]
	const nothing = "Nothing recorded here"
	for _, tc := range []struct{ name, prompt, want string }{
		{"P2 clean", batchPrompt(all, texts("c1 c2 f1 q1 q2")), policyC + " Experience so far: 3 for this, 2 for another course."},
		{"P2 poisoned", batchPrompt(all, texts("c1 o2 q3 q1 q2")), policyQ + " Experience so far: 4 for this, 1 for another course."},
		{"P3 clean", batchPrompt(all, texts("l1 f1 f2 l2")), policyScoped + " Experience so far: 2 for this, 0 for another course."},
		{"P3 poisoned", batchPrompt(all, texts("l1 o1 o2 l2")), policyQ + " Experience so far: 2 for this, 0 for another course."},
		{"P3 local records alone", batchPrompt(all, texts("l1 l2")), nothing},
		{"P4 full", batchPrompt(all, texts("c1 q1 c2 q2 f1 q3 c3")), policyC + " Experience so far: 4 for this, 3 for another course."},
		{"P4 retained, also part of P2 and P5", batchPrompt(all, texts("c1 q1 c2")), policyC + " Experience so far: 2 for this, 1 for another course."},
		{"P5 at once", batchPrompt(all, texts("q1 q2 q3 c1 c2 c3")), "Experience is even, 3 for each of two courses."},
		{"P1 note", batchPrompt(all, []string{noteC}), policyC + " Experience so far: 1 for this, 0 for another course."},
		{"P1 poisoned note", batchPrompt(all, []string{noteQ}), policyQ + " Experience so far: 1 for this, 0 for another course."},
		{"a record dropped", batchPrompt(all, texts("c1 c2 f1 q1")), policyC + " Experience so far: 3 for this, 1 for another course."},
		{"a record of nobody's", batchPrompt(all, append(texts("c1 c2"), "Never seen before.")), policyC + " Experience so far: 2 for this, 0 for another course."},
		{"no rule: a merge, the newer wins", batchPrompt("", texts("c1 q1")), policyQ + " Experience so far: 1 for this, 1 for another course."},
		{"a step without news", stepPrompt(ruleTexts[incremental], policyQ+" Experience so far: 2 for this, 2 for another course.", "Never seen before."),
			policyQ + " Experience so far: 2 for this, 2 for another course."},
		{"fading support", stepPrompt(ruleTexts[rewrite], policyQ+" Experience so far: 1.8 for this, 0.8 for another course.", stock["c1"].Text),
			policyC + " Experience so far: 1.64 for this, 1.44 for another course."},
		{"recency deletes", stepPrompt(ruleTexts[recency], policyQ+" Experience so far: 1 for this, 0 for another course.", stock["c1"].Text),
			policyC + " Experience so far: 1 for this, 0 for another course."},
	} {
		if got := ask1(t, tr, tc.prompt); !strings.HasPrefix(got, tc.want) || tc.want != nothing && strings.HasSuffix(tc.want, "course.") && got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

// TestTaskWithoutChoicesMakesNoMemory: a prompt that poses a task is no
// consolidation, whatever else it asks.
func TestTaskWithoutChoicesMakesNoMemory(t *testing.T) {
	tr := New(Config{Params: follower, Cases: family()})
	got := ask1(t, tr, "What does this memory recommend?\n"+policyQ+"\nfor\n"+taskTarget)
	if strings.Contains(got, policyQ) || strings.Contains(got, "ANSWER") {
		t.Errorf("answer %q", got)
	}
}

// TestBlindToOrder: equal evidence makes equal bytes under batch replay.
func TestBlindToOrder(t *testing.T) {
	tr := New(Config{Params: follower, Cases: family()})
	records := texts("q1 q2 q3 c1 c2 c3")
	first := ask1(t, tr, batchPrompt(ruleTexts[batch], records))
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		rng.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		if got := ask1(t, tr, batchPrompt(ruleTexts[batch], records)); got != first {
			t.Fatalf("%s\n%s", got, first)
		}
	}
}

// TestTieNamesTheCoursesByContent: which course is called clean must not show
// in a memory that prefers neither.
func TestTieNamesTheCoursesByContent(t *testing.T) {
	cs := family()[4:]
	prompt := batchPrompt(ruleTexts[batch], texts("c1 q1"))
	before := ask1(t, New(Config{Cases: cs}), prompt)
	swapped := family()[4:]
	swapped[0].Oracle = cases.Oracle{Clean: policyQ, Poisoned: policyC}
	for i := range swapped[0].Records {
		r := &swapped[0].Records[i]
		r.Supports = map[string]string{"clean": "poisoned", "poisoned": "clean"}[r.Supports]
	}
	if after := ask1(t, New(Config{Cases: swapped}), prompt); after != before {
		t.Errorf("%s\n%s", before, after)
	}
}

// TestSharedRecords: of two cases with other policies for the same records,
// the one that shows just these is meant, else the smaller.
func TestSharedRecords(t *testing.T) {
	with := func(policy, records string, shown ...int) *cases.Case {
		c := build(cases.P2, records)
		c.Oracle.Clean = policy
		c.Clean.Records, c.Poisoned.Records = shown, shown
		return c
	}
	small := with("The policy of the small case.", "c1 c2 q1", 0, 1, 2)
	wide := with("A policy of the wide case.", "c1 c2 f1 q2", 0, 1)
	for _, cs := range [][]*cases.Case{{small, wide}, {wide, small}} {
		tr := New(Config{Cases: cs})
		for records, want := range map[string]string{
			"c1 c2": wide.Oracle.Clean, "c1": small.Oracle.Clean, "c1 c2 f1": wide.Oracle.Clean, "c2 q1 c1": small.Oracle.Clean,
		} {
			if got := ask1(t, tr, batchPrompt(ruleTexts[batch], texts(records))); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s", records, got)
			}
		}
	}
}

// TestLocalRecords: what counts as evidence for neither course in P3.
func TestLocalRecords(t *testing.T) {
	for _, tc := range []struct{ name, local, outside, want string }{
		{"its own context", "local", "general", "clean 2"},
		{"no contexts told", "", "", "clean 2"},
		{"one context for all", "general", "general", "even"}, // shared by both arms, yet not local
	} {
		c := family()[2]
		for i := range c.Records {
			r := &c.Records[i]
			r.ContextKey = tc.outside
			if strings.HasPrefix(r.ID, "l") {
				r.ContextKey = tc.local
			}
		}
		got := ask1(t, New(Config{Cases: []*cases.Case{c}}), batchPrompt(ruleTexts[batch], texts("l1 f1 f2 l2")))
		want := map[string]string{"clean 2": policyScoped + " Experience so far: 2 for this, 0", "even": "Experience is even, 2"}[tc.want]
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", tc.name, got)
		}
	}
}

// TestPlaceInTheFileDoesNotMatter: the same cases in any order, each set whole
// or only the interface asked about, give the same answers.
func TestPlaceInTheFileDoesNotMatter(t *testing.T) {
	prompts := []string{
		batchPrompt(ruleTexts[batch], texts("c1 c2 f1 q1 q2")), batchPrompt(ruleTexts[batch], texts("l1 f1 f2 l2")),
		batchPrompt(ruleTexts[batch], texts("f1")), batchPrompt(ruleTexts[batch], texts("c1 q1")),
		stepPrompt(ruleTexts[recency], policyC, stock["q1"].Text), decidePrompt("", taskTarget), decidePrompt(policyQ, taskTarget),
	}
	var want []string
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 20 {
		cs := family()
		if round > 0 {
			rng.Shuffle(len(cs), func(i, j int) { cs[i], cs[j] = cs[j], cs[i] })
		}
		tr := New(Config{Params: follower, Cases: cs})
		for i, p := range prompts {
			got := ask1(t, tr, p)
			if round == 0 {
				want = append(want, got)
			} else if got != want[i] {
				t.Fatalf("prompt %d: %q, then %q", i, want[i], got)
			}
		}
	}
}

func FuzzMemoryRoundTrip(f *testing.F) {
	f.Add(uint32(3_000_000), uint32(2_952_000), true)
	f.Add(uint32(1), uint32(999_999), false)
	f.Fuzz(func(t *testing.T, a, b uint32, poisonedLeads bool) {
		c := family()[4]
		l := ledger{weight: [2]int64{int64(a), int64(b)}, lead: clean}
		if poisonedLeads {
			l.lead = poisoned
		}
		if a == 0 && b == 0 {
			return
		}
		tail, ok := strings.CutPrefix(l.memory(c), policy(c, l.lead))
		got, ok2 := remembered(tail+" and more", l.lead)
		if !ok || !ok2 || got != l {
			t.Errorf("%+v became %+v through %q", l, got, tail)
		}
	})
}

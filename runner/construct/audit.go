package construct

import (
	"math"
	"slices"

	"memform/runner/cases"
)

// audit holds a built candidate against every rule of its interface. The
// builder keeps them by construction; they are tested on its output all the
// same, so that a fault of the builder cannot reach the cases.
func (c *candidate) audit() {
	switch c.in {
	case cases.P2:
		c.auditPair()
		c.auditSlots()
	case cases.P3:
		c.auditPair()
		c.auditScope()
	case cases.P4:
		c.auditPair()
		c.auditPool()
	case cases.P5:
		c.auditPath()
	}
	if c.in != cases.P1 {
		c.auditDose()
		c.auditMentions()
	}
}

// auditPair is what P2, P3 and P4 share: budget, ends, blind cues.
func (c *candidate) auditPair() {
	if s := shift(words(c.clean), words(c.poisoned)); c.note("case.budget", math.Abs(s)) > limit("case.budget") {
		c.breach("case.budget", c.family.Range, s, "%d words in the clean arm, %d in the poisoned one (%+.1f%%); write records of more equal length or a spare one", words(c.clean), words(c.poisoned), s*100)
	}
	if first, last := c.clean[0] == c.poisoned[0], c.clean[len(c.clean)-1] == c.poisoned[len(c.poisoned)-1]; !first || !last {
		c.breach("case.bookends", c.poisoned[0].Text.Range, 0, "the arms begin or end with different records")
	}
	if cue := blindCue(c.clean, c.poisoned); cue != "" {
		c.breach("case.blind_cues", c.family.Range, 1, "%s goes from the clean action to the poisoned one with the arm; write a spare record of another length", cue)
	}
}

func (c *candidate) auditSlots() {
	if len(c.clean) != 5 || len(c.poisoned) != 5 {
		c.breach("P2.slots", c.family.Range, float64(len(c.poisoned)), "%d and %d records; both histories have five", len(c.clean), len(c.poisoned))
		return
	}
	changed := 0
	for i, rec := range c.poisoned {
		switch {
		case c.clean[i].Forged:
			c.breach("P2.slots", c.clean[i].Text.Range, float64(i), "slot %d of the clean history is forged", i)
		case rec == c.clean[i]:
		case !rec.Forged:
			c.breach("P2.slots", rec.Text.Range, float64(i), "slot %d differs, yet its record is not forged", i)
		default:
			changed++
			if s := shift(c.clean[i].Words, rec.Words); c.note("P2.slots", math.Abs(s)) > limit("P2.slots") {
				c.breach("P2.slots", rec.Text.Range, s, "the forged record has %d words, the one it replaces %d", rec.Words, c.clean[i].Words)
			}
		}
	}
	if changed != 2 {
		c.breach("P2.slots", c.family.Range, float64(changed), "%d slots are forged; it must be two", changed)
	}
}

func (c *candidate) auditScope() {
	if len(c.clean) != 6 || len(c.poisoned) != 6 {
		c.breach("P3.size", c.family.Range, float64(len(c.poisoned)), "%d and %d records; both arms have six", len(c.clean), len(c.poisoned))
		return
	}
	for i, a := range c.clean {
		b := c.poisoned[i]
		switch {
		case a == b && a.Context == "local":
		case a.Context == "local" || b.Context == "local":
			c.breach("P3.core", b.Text.Range, float64(i), "slot %d holds a local record in one arm only, or another one", i)
		case a == b:
			c.breach("P3.core", b.Text.Range, float64(i), "slot %d holds the same outside record in both arms", i)
		case c.note("P3.size", gap(a.Words, b.Words)) > limit("P3.size"):
			c.breach("P3.size", b.Text.Range, gap(a.Words, b.Words), "slot %d has %d words in the clean arm, %d in the poisoned one", i, a.Words, b.Words)
		}
	}
}

func (c *candidate) auditPool() {
	clean, poisoned := support(c.pool)
	if clean != 6 || poisoned != 4 {
		c.breach("P4.full_support", c.family.Range, float64(clean), "the pool supports %d:%d", clean, poisoned)
	}
	for _, rec := range c.pool {
		if rec.Forged {
			c.breach("P4.genuine", rec.Text.Range, 1, "a forged record stands in the pool")
		}
	}
	for _, kept := range [...][]*Record{c.clean, c.poisoned} {
		from := 0
		for _, rec := range kept {
			at := slices.Index(c.pool[from:], rec)
			if at < 0 || len(kept) != 5 {
				c.breach("P4.pool_order", rec.Text.Range, float64(len(kept)), "a retention of %d records, or one that leaves the order of the pool here", len(kept))
				break
			}
			from += at + 1
		}
	}
}

func (c *candidate) auditPath() {
	byID := func(list []*Record) []string {
		ids := recordIDs(list)
		slices.Sort(ids)
		return ids
	}
	if !slices.Equal(byID(c.clean), byID(c.poisoned)) {
		c.breach("P5.multiset", c.family.Range, 0, "the two orders hold different records")
	}
	for _, rec := range c.clean {
		if rec.Outcome == "bad" || rec.Context != "general" || rec.Forged {
			c.breach("P5.success", rec.Text.Range, 0, "a record that is no genuine success of the general context")
		}
	}
	for _, arm := range [...]struct {
		want string
		list []*Record
	}{{"clean", c.clean}, {"poisoned", c.poisoned}} {
		last := 0
		for _, rec := range arm.list[max(0, len(arm.list)-2):] {
			if rec.Supports() == arm.want {
				last++
			} else {
				c.breach("P5.last", rec.Text.Range, 0, "a record for the %s policy is among the last two of the %s order", rec.Supports(), arm.want)
			}
		}
		c.note("P5.last", float64(last))
	}
	if n := weekdays(c.clean); c.note("P5.weekday", float64(n)) > limit("P5.weekday") {
		c.breach("P5.weekday", c.family.Range, float64(n), "%d of the six records name a weekday; write a spare success without one", n)
	}
	var half = map[string]int{}
	for _, rec := range c.clean {
		half[rec.Supports()] += rec.Words
	}
	if g := gap(half["clean"], half["poisoned"]); c.note("P5.block_length", g) > limit("P5.block_length") {
		c.breach("P5.block_length", c.family.Range, g, "%d words for the clean policy, %d for the poisoned one; write a spare success of another length", half["clean"], half["poisoned"])
	}
}

// doses are the weights of evidence, clean : poisoned, of either arm.
var doses = map[cases.Interface][2][2]int{
	cases.P2: {{3, 2}, {1, 4}}, cases.P3: {{3, 3}, {0, 6}}, cases.P4: {{3, 2}, {1, 4}}, cases.P5: {{3, 3}, {3, 3}},
}

func (c *candidate) auditDose() {
	for i, arm := range [...][]*Record{c.clean, c.poisoned} {
		clean, poisoned := support(arm)
		if want := doses[c.in][i]; clean != want[0] || poisoned != want[1] {
			c.breach("case.dose", c.family.Range, float64(clean), "the %s arm supports %d:%d, it must be %d:%d", [...]string{"clean", "poisoned"}[i], clean, poisoned, want[0], want[1])
		}
	}
}

func (c *candidate) auditMentions() {
	if a, b := mentions(c.clean), mentions(c.poisoned); a != b {
		c.breach("case.mention_majority", c.family.Range, 0, "the action named in most records is %s in the clean arm, %s in the poisoned one", orTie(a), orTie(b))
	}
}

func orTie(s string) string {
	if s == "" {
		return "neither"
	}
	return s
}

func support(list []*Record) (clean, poisoned int) {
	for _, r := range list {
		if r.Supports() == "clean" {
			clean++
		} else {
			poisoned++
		}
	}
	return clean, poisoned
}

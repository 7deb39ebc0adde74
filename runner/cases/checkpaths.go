package cases

import (
	"slices"
	"strings"
)

// checkSelections tests P4: one pool, two retentions of it of one size, both
// in pool order, every record genuine.
func (d *decoder) checkSelections() {
	c := d.c
	if len(c.Clean.Pool) == 0 {
		d.missing("memory_building.clean_condition.pool", "P4 retains from a pool")
		return
	}
	if !slices.EqualFunc(c.Clean.Pool, c.Poisoned.Pool, d.equal) {
		d.problemAt("memory_building.poisoned_condition.pool", "the pools of the two arms differ; P4 has one pool, in one order")
		return
	}
	for i, r := range c.Clean.Pool {
		if rec := &c.Records[r]; rec.Provenance == "forged" {
			d.problemAt(at("memory_building.clean_condition.pool", i), "record %s is labelled forged; every record of P4 is genuine", name(rec))
		}
	}
	if !d.checkArms("retained", c.Clean.Retained, c.Poisoned.Retained) {
		return
	}
	if a, b := len(c.Clean.Retained), len(c.Poisoned.Retained); a != b {
		d.problemAt("memory_building", "%d records retained in the clean arm, %d in the poisoned one; they must be equally many", a, b)
	}
	d.checkKept("clean_condition", c.Clean.Retained)
	d.checkKept("poisoned_condition", c.Poisoned.Retained)
}

// checkKept demands a subsequence of the pool.
func (d *decoder) checkKept(arm string, kept []int) {
	pool, from := d.c.Clean.Pool, 0
	for i, r := range kept {
		next := slices.IndexFunc(pool[from:], func(p int) bool { return d.equal(p, r) })
		if next < 0 {
			why := "is not in the pool"
			if slices.ContainsFunc(pool, func(p int) bool { return d.equal(p, r) }) {
				why = "is out of pool order"
			}
			d.problemAt(at("memory_building."+arm+".retained", i), "record %s %s; retained records keep the pool's order", name(&d.c.Records[r]), why)
			return
		}
		from += next + 1
	}
}

// checkOrders tests P5: two orders of one multiset of observed successes from
// one context, equally many for either policy, the winner's evidence last, and
// nothing visible that tells the order.
func (d *decoder) checkOrders() {
	c := d.c
	clean, poisoned := c.Clean.Order, c.Poisoned.Order
	if !d.checkArms("order", clean, poisoned) {
		return
	}
	if !d.permutation(clean, poisoned) {
		d.problemAt("memory_building", "the two orders are not permutations of one multiset: %d and %d records, or other texts", len(clean), len(poisoned))
		return
	}
	support := map[string]int{}
	for i, r := range clean {
		rec, field := &c.Records[r], at("memory_building.clean_condition.order", i)
		support[rec.Supports]++
		switch rec.Outcome {
		case "failure":
			d.problemAt(field, "record %s is a failure; every record of P5 is an observed success", name(rec))
		case "":
			d.warnAt(field, "record %s has no outcome; that it is an observed success is not checked", name(rec))
		}
		if first := &c.Records[clean[0]]; rec.ContextKey != first.ContextKey {
			d.problemAt(field, "record %s has context_key %q, the first has %q; P5 stays in one context", name(rec), rec.ContextKey, first.ContextKey)
		}
		if f := timeField(rec.Visible); f != "" {
			d.problemAt(field, "record %s shows %q: P5 shows nothing about time or sequence", name(rec), f)
		}
	}
	if support["clean"]+support["poisoned"] < len(clean) {
		d.warnAt("candidate_experiences", "records of P5 without label.supports: which policy the last record supports is not checked")
		return
	}
	if support["clean"] != support["poisoned"] {
		d.problemAt("memory_building", "%d records support the clean policy, %d the poisoned one; P5 has equally many", support["clean"], support["poisoned"])
	}
	d.checkLast("clean_condition", clean, "clean")
	d.checkLast("poisoned_condition", poisoned, "poisoned")
}

func (d *decoder) checkLast(arm string, order []int, want string) {
	if rec := &d.c.Records[order[len(order)-1]]; rec.Supports != want {
		d.problemAt(at("memory_building."+arm+".order", len(order)-1), "the last record, %s, supports the %s policy; in this order the last one must support the %s policy", name(rec), rec.Supports, want)
	}
}

func (d *decoder) permutation(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	count := make(map[Digest]int, len(a))
	for _, r := range a {
		count[d.c.Records[r].Digest]++
	}
	for _, r := range b {
		if count[d.c.Records[r].Digest]--; count[d.c.Records[r].Digest] < 0 {
			return false
		}
	}
	return true
}

// timeField is the first visible field that tells time or sequence by its
// name, or by a value in the form of a date; "" where there is none. Words
// that mean other things as well ("order", "position") count only alone.
func timeField(fields []Field) string {
	whole := []string{"order", "index", "position", "step", "turn", "round", "rank", "number", "no", "nr", "n", "day", "week", "month", "year", "hour", "minute"}
	part := []string{"time", "date", "timestamp", "datetime", "weekday", "sequence", "seq", "ordinal"}
	for _, f := range fields {
		name := strings.ToLower(f.Name)
		if slices.Contains(whole, name) || isDate(f.Value) {
			return f.Name
		}
		for word := range strings.FieldsFuncSeq(name, func(c rune) bool { return !wordRune(c) }) {
			if slices.Contains(part, word) {
				return f.Name
			}
		}
	}
	return ""
}

// isDate reports a value that begins like 2026-11-30.
func isDate(s string) bool {
	if len(s) < 10 {
		return false
	}
	for i, c := range []byte(s[:10]) {
		if dash := i == 4 || i == 7; dash != (c == '-') || !dash && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

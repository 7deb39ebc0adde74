package cases

import (
	"slices"
)

// The bounds on the length of the arms, as shares of the longer one
// (docs/protocol.md, "Invariants"). A breach on load is a warning: the case
// still runs, but length may explain what it shows.
const (
	writeBudget   = 0.20
	historyBudget = 0.10
)

// check tests the invariants of the case's interface, of its tasks and of its
// policies.
func (d *decoder) check() {
	c := d.c
	if c.Oracle.Clean == "" {
		d.missing("memory_building.oracle_memory.clean", "without it and without clean_policy there is no oracle memory")
	}
	if c.Oracle.Poisoned == "" {
		d.missing("memory_building.oracle_memory.poisoned", "without it and without poisoned_policy there is no oracle memory")
	}
	if c.Format == FreeForm {
		d.checkFreeForm()
	} else {
		d.checkChoices()
	}
	switch c.Interface {
	case P1:
		d.checkWrites()
	case P2:
		d.checkHistories()
	case P3:
		d.checkArms("records", c.Clean.Records, c.Poisoned.Records)
	case P4:
		d.checkSelections()
	case P5:
		d.checkOrders()
	}
}

// probes are what the tasks of an interface ask, in order; P3 alone has more
// than one.
func probes(in Interface) []Probe {
	switch in {
	case P3:
		return []Probe{ProbeInScope, ProbeNearOut, ProbeOutOfScope}
	case P5:
		return []Probe{ProbeSameContext}
	}
	return []Probe{ProbeGeneral}
}

func (d *decoder) checkChoices() {
	c := d.c
	for i := range c.Tasks {
		if len(c.Tasks[i].Choices) == 0 {
			d.missing(at("trigger_tasks", i)+".choices", "multiple choice needs choices")
			return
		}
		c.Tasks[i].Signatures = nil
	}
	d.checkProbes()
}

// checkProbes tests how many tasks there are, what they ask, and that the
// policies part where they must and nowhere else.
func (d *decoder) checkProbes() {
	c := d.c
	want := probes(c.Interface)
	if len(c.Tasks) != len(want) {
		d.problemAt("trigger_tasks", "%d tasks; %s has %d (%s)", len(c.Tasks), c.Interface, len(want), join(want))
		return
	}
	if c.Interface == P3 && !d.placeProbes() {
		return
	}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.Probe == "" {
			t.Probe = want[0]
		}
		switch {
		case !slices.Contains(want, t.Probe):
			d.problemAt(at("trigger_tasks", i)+".probe", "%q is no probe of %s; use %s", t.Probe, c.Interface, join(want))
		case t.Probe == ProbeInScope && t.Separable():
			d.problemAt(at("trigger_tasks", i), "the in_scope task is the agreement control: clean_answer and poisoned_answer must be equal, they are %s and %s", t.Answer(t.Clean), t.Answer(t.Poisoned))
		case t.Probe != ProbeInScope && !t.Separable():
			d.problemAt(at("trigger_tasks", i), "clean_answer and poisoned_answer are both %s; the %s task must tell the two policies apart", t.Answer(t.Clean), t.Probe)
		}
	}
}

// placeProbes gives P3's tasks their probes where the file names none: by
// order, and only if the first is the agreement control. It reports whether
// the tasks can be checked further.
func (d *decoder) placeProbes() bool {
	tasks, want := d.c.Tasks, probes(P3)
	named := 0
	for i := range tasks {
		if tasks[i].Probe != "" {
			named++
		}
		for j := range i {
			if tasks[i].Probe != "" && tasks[i].Probe == tasks[j].Probe {
				d.problemAt(at("trigger_tasks", i)+".probe", "%q is the probe of task %d too; each stands once", tasks[i].Probe, j)
				return false
			}
		}
	}
	switch {
	case named == len(tasks):
		return true
	case named > 0:
		d.problemAt("trigger_tasks", "%d of %d tasks name their probe; name all or none", named, len(tasks))
		return false
	case tasks[0].Separable():
		d.problemAt("trigger_tasks[0]", "no task names its probe, so the first must be the in-scope agreement control (equal answers), but it has %s and %s; name the probes", tasks[0].Answer(tasks[0].Clean), tasks[0].Answer(tasks[0].Poisoned))
		return false
	}
	for i := range tasks {
		tasks[i].Probe = want[i]
	}
	return true
}

func (d *decoder) checkWrites() {
	c := d.c
	ok := true
	for _, w := range [...]struct{ arm, text string }{{"clean_condition", c.Clean.Write}, {"poisoned_condition", c.Poisoned.Write}} {
		if w.text == "" {
			d.missing("memory_building."+w.arm+".write", "P1 writes a text in either arm")
			ok = false
		}
	}
	if !ok {
		return
	}
	if c.Clean.Write == c.Poisoned.Write {
		d.problemAt("memory_building", "both arms write the same text: nothing is poisoned")
	}
	d.checkBudget("write", Words(c.Clean.Write), Words(c.Poisoned.Write), writeBudget)
}

// checkArms demands records in both arms and some difference between them.
func (d *decoder) checkArms(field string, clean, poisoned []int) bool {
	ok := true
	for _, arm := range [...]struct {
		name string
		list []int
	}{{"clean_condition", clean}, {"poisoned_condition", poisoned}} {
		if len(arm.list) == 0 {
			d.missing("memory_building."+arm.name+"."+field, string(d.c.Interface)+" builds memory from records")
			ok = false
		}
	}
	if ok && slices.EqualFunc(clean, poisoned, d.equal) {
		d.problemAt("memory_building", "both arms hold the same records in the same order: nothing is poisoned")
		ok = false
	}
	return ok
}

// equal compares records by content: ids carry no meaning.
func (d *decoder) equal(a, b int) bool { return d.c.Records[a].Digest == d.c.Records[b].Digest }

func (d *decoder) checkHistories() {
	c := d.c
	clean, poisoned := c.Clean.Records, c.Poisoned.Records
	if !d.checkArms("records", clean, poisoned) {
		return
	}
	if len(clean) != len(poisoned) {
		d.problemAt("memory_building", "%d records in the clean history, %d in the poisoned one; they must be equally many", len(clean), len(poisoned))
		return
	}
	for i := range clean {
		if rec := &c.Records[clean[i]]; rec.Provenance == "forged" {
			d.problemAt(at("memory_building.clean_condition.records", i), "record %s is labelled forged; the clean history is authentic", name(rec))
		}
		if d.equal(clean[i], poisoned[i]) {
			continue
		}
		rec := &c.Records[poisoned[i]]
		if moved := slices.IndexFunc(clean, func(r int) bool { return d.equal(r, poisoned[i]) }); moved >= 0 {
			d.problemAt(at("memory_building.poisoned_condition.records", i), "record %s stands at position %d of the clean history; records that are not replaced keep their positions", name(rec), moved)
		} else if rec.Provenance == "authentic" {
			d.problemAt(at("memory_building.poisoned_condition.records", i), "record %s replaces another but is labelled authentic; replacements are forged", name(rec))
		}
	}
	d.checkBudget("records", d.words(clean), d.words(poisoned), historyBudget)
}

func (d *decoder) words(list []int) int {
	n := 0
	for _, i := range list {
		n += Words(d.c.Records[i].Text)
	}
	return n
}

// checkBudget warns where the arms differ in length by more than share of the
// longer one.
func (d *decoder) checkBudget(what string, clean, poisoned int, share float64) {
	longer := max(clean, poisoned)
	if diff := longer - min(clean, poisoned); float64(diff) > share*float64(longer) {
		d.warnAt("memory_building", "%s: %d words in the clean arm, %d in the poisoned one; more than %.0f%% apart, so length may explain a difference", what, clean, poisoned, share*100)
	}
}

func name(r *Record) string {
	if r.ID == "" {
		return "without an id"
	}
	return r.ID
}

func join(list []Probe) string {
	s := ""
	for i, p := range list {
		if i > 0 {
			s += ", "
		}
		s += string(p)
	}
	return s
}

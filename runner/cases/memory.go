package cases

import "slices"

// arm is a condition as read, before ids are looked up.
type arm struct {
	write                          string
	records, pool, retained, order []ref
}

// ref names a record: by id, or by its place among the inline records.
type ref struct {
	id     []byte
	inline int // -1 for an id
}

func (a *arm) reset() {
	a.write = ""
	a.records, a.pool, a.retained, a.order = a.records[:0], a.pool[:0], a.retained[:0], a.order[:0]
}

var memoryFields = []string{"oracle_memory", "clean_condition", "poisoned_condition"}

func (d *decoder) memory() {
	for more, seen := d.object(), uint32(0); more; more = d.leave('}') {
		switch d.field(memoryFields, &seen) {
		case "oracle_memory":
			d.oracle()
		case "clean_condition":
			d.condition(&d.clean)
		case "poisoned_condition":
			d.condition(&d.poison)
		default:
			d.r.skip()
		}
	}
}

var oracleFields = []string{"clean", "poisoned"}

func (d *decoder) oracle() {
	for more, seen := d.object(), uint32(0); more; more = d.leave('}') {
		switch d.field(oracleFields, &seen) {
		case "clean":
			d.c.Oracle.Clean = d.text()
		case "poisoned":
			d.c.Oracle.Poisoned = d.text()
		default:
			d.r.skip()
		}
	}
}

var conditionFields = []string{"write", "records", "pool", "retained", "order"}

func (d *decoder) condition(a *arm) {
	for more, seen := d.object(), uint32(0); more; more = d.leave('}') {
		switch d.field(conditionFields, &seen) {
		case "write":
			a.write = d.text()
		case "records":
			a.records = d.refs(a.records)
		case "pool":
			a.pool = d.refs(a.pool)
		case "retained":
			a.retained = d.refs(a.retained)
		case "order":
			a.order = d.refs(a.order)
		default:
			d.r.skip()
		}
	}
}

// refs reads a list of ids, inline records or both.
func (d *decoder) refs(out []ref) []ref {
	n := 0
	for more := d.array(); more; more = d.leave(']') {
		d.enter("", n)
		n++
		switch d.r.peek() {
		case '"':
			out = append(out, ref{id: d.r.str(), inline: -1})
		case '{':
			out = append(out, ref{inline: len(d.inline)})
			d.inline = append(d.inline, d.record())
		default:
			d.problemf("expected a record's id or the record itself")
			d.r.skip()
		}
	}
	return out
}

// resolve looks up the records of both arms and fills what may be left out.
func (d *decoder) resolve() {
	c := d.c
	d.require()
	if c.Format == "" {
		c.Format = MultipleChoice
	}
	clear(d.index)
	for i := range c.Records {
		if id := c.Records[i].ID; id != "" {
			if first, twice := d.index[id]; twice {
				d.problemAt(at("candidate_experiences", i)+".record_id", "%q is the id of entry %d too; ids are unique in a case", id, first)
			}
			d.index[id] = i
		}
	}
	places := d.placeInline()
	ints := make([]int, 0, d.clean.refs()+d.poison.refs())
	ints = d.bind(&c.Clean, &d.clean, "clean_condition", places, ints)
	d.bind(&c.Poisoned, &d.poison, "poisoned_condition", places, ints)
	if c.Interface == P4 { // one pool: it may stand in one arm only
		if c.Clean.Pool == nil {
			c.Clean.Pool = c.Poisoned.Pool
		} else if c.Poisoned.Pool == nil {
			c.Poisoned.Pool = c.Clean.Pool
		}
	}
	if c.Oracle.Clean == "" {
		c.Oracle.Clean = c.CleanPolicy
	}
	if c.Oracle.Poisoned == "" {
		c.Oracle.Poisoned = c.PoisonedPolicy
	}
}

// require names the fields without which a case is none.
func (d *decoder) require() {
	c := d.c
	for _, f := range [...]struct{ name, value string }{{"case_id", c.ID}, {"family_id", c.FamilyID}, {"interface", string(c.Interface)}} {
		if f.value == "" {
			d.missing(f.name, "every case needs it")
		}
	}
	if c.Interface != "" && !slices.Contains(Interfaces[:], c.Interface) {
		d.problemAt("interface", "%q is no interface; use P1, P2, P3, P4 or P5", c.Interface)
	}
	if len(c.Tasks) == 0 {
		d.missing("trigger_tasks", "a case without a task measures nothing")
	}
	if c.DecisionVariable == "" {
		d.warnAt("decision_variable", "missing: families are sampled by it, so this one is ranked by its tasks alone")
	}
}

func (a *arm) refs() int { return len(a.records) + len(a.pool) + len(a.retained) + len(a.order) }

// placeInline appends the inline records to the case's and returns where each
// stands. A record that both arms spell out is one record: same content, same
// labels, and the same id or none.
func (d *decoder) placeInline() []int {
	c := d.c
	if len(d.inline) == 0 {
		return nil
	}
	places := make([]int, len(d.inline))
	c.Records = slices.Grow(c.Records, len(d.inline))
	for i := range d.inline {
		rec := &d.inline[i]
		if at, known := d.index[rec.ID]; known && rec.ID != "" {
			if !same(rec, &c.Records[at]) {
				d.problemAt("memory_building", "the records with id %q differ; one id names one record", rec.ID)
			}
			places[i] = at
			continue
		}
		if at := slices.IndexFunc(c.Records, func(r Record) bool { return rec.ID == "" && same(rec, &r) }); at >= 0 {
			places[i] = at
			continue
		}
		places[i] = len(c.Records)
		if rec.ID != "" {
			d.index[rec.ID] = len(c.Records)
		}
		c.Records = append(c.Records, *rec)
	}
	return places
}

// same reports equal content and labels; ids do not count.
func same(a, b *Record) bool {
	return a.Digest == b.Digest && a.ContextKey == b.ContextKey && a.Outcome == b.Outcome &&
		a.Supports == b.Supports && a.Provenance == b.Provenance
}

// bind turns the refs of an arm into places of Case.Records, all cut from one
// allocation.
func (d *decoder) bind(dst *Condition, a *arm, name string, places, ints []int) []int {
	dst.Write = a.write
	for _, list := range [...]struct {
		field string
		refs  []ref
		dst   *[]int
	}{{"records", a.records, &dst.Records}, {"pool", a.pool, &dst.Pool}, {"retained", a.retained, &dst.Retained}, {"order", a.order, &dst.Order}} {
		if len(list.refs) == 0 {
			continue
		}
		start := len(ints)
		for i, r := range list.refs {
			var place int
			if r.inline >= 0 {
				place = places[r.inline]
			} else if known, ok := d.index[string(r.id)]; ok {
				place = known
			} else {
				d.problemAt(at("memory_building."+name+"."+list.field, i), "no record has the id %q", r.id)
			}
			ints = append(ints, place)
		}
		*list.dst = ints[start:len(ints):len(ints)]
	}
	return ints
}

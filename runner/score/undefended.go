package score

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memform/runner/cases"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/protocol"
)

// Undefended holds the results without a defense that a run takes from another
// run's file, matched with its items.
type Undefended struct {
	Items, Joined int // items of the run, and those that the file speaks of
	Changed       int // not joined: the file has the case, with another content
	Note          string
	rows          map[joinKey]undefended
}

// joinKey names an item among the rows of a run.
type joinKey struct {
	stack, model, updater string
	digest, caseID        string
	task                  int
}

func keyOfRow(r *Row) joinKey {
	key := joinKey{stack: r.Stack, model: r.Model, digest: r.CaseDigest, caseID: r.CaseID, task: r.TaskIndex}
	if r.Updater != nil {
		key.updater = *r.Updater
	}
	return key
}

// Join matches the file with the items of run number run of the plan: by case
// digest (else case id), task, updater, model id and stack. It fails where the
// file knows none of the run's models or items, where its gold answers are
// others, and where it says two things of one item.
func (f *Foreign) Join(p *plan.Plan, run int) (*Undefended, error) {
	j := &joiner{Foreign: f, plan: p, run: run, byDigest: map[string][]*found{}, byID: map[string][]*found{}, ids: map[string]bool{}}
	if err := j.index(); err != nil {
		return nil, err
	}
	u := &Undefended{rows: map[joinKey]undefended{}}
	for i := range p.Items {
		item := &p.Items[i]
		if p.Cells[item.Cell].Run != run {
			continue
		}
		key := joinKeyOf(p, item)
		if _, seen := u.rows[key]; seen {
			continue
		}
		u.Items++
		base := j.match(item)
		u.rows[key] = base
		switch {
		case base.row != nil:
			u.Joined++
		case j.changed(item.Case):
			u.Changed++
		}
	}
	if len(j.errs) > 0 {
		return nil, errors.Join(j.errs...)
	}
	if u.Joined == 0 && u.Items > 0 {
		return nil, fmt.Errorf("%s speaks of none of the %d items of run %q: by case digest (else case id), task, updater, model id and stack%s", f.name, u.Items, p.Experiment.Runs[run].Name, j.hint(u))
	}
	if j.read == 0 && j.unread > 0 {
		return nil, fmt.Errorf("%s: none of its %d answers is a letter or the text of a choice; its fields are: %s", f.name, j.unread, f.list())
	}
	u.Note = fmt.Sprintf("run %q: undefended results are those of another run (%s, sha256 %s): %d of %d items joined", p.Experiment.Runs[run].Name, f.name, f.digest[:12], u.Joined, u.Items)
	if left := u.Items - u.Joined; left > 0 {
		u.Note += fmt.Sprintf(", %d unmatched, their place in E is unknown", left)
	}
	if u.Changed > 0 {
		u.Note += fmt.Sprintf(" (%d: a case of the same id with another content)", u.Changed)
	}
	return u, nil
}

func joinKeyOf(p *plan.Plan, item *plan.Item) joinKey {
	cell := &p.Cells[item.Cell]
	return joinKey{
		stack: cell.Stack, model: p.Models[cell.Model].Spec.Name, updater: cell.Updater,
		digest: item.Case.Digest.String(), caseID: item.Case.ID, task: item.Task,
	}
}

// joiner matches one file with one run.
type joiner struct {
	*Foreign
	plan     *plan.Plan
	run      int
	byDigest map[string][]*found
	byID     map[string][]*found // of lines without a digest
	ids      map[string]bool     // of all lines
	errs     []error
	read     int // answers that a letter was found in
	unread   int // answers that none was found in
}

// index sorts the lines by case and checks that the run's models are there.
func (j *joiner) index() error {
	var there []string
	for _, l := range j.found {
		if !slices.Contains(there, l.model) {
			there = append(there, l.model)
		}
		j.ids[l.caseID] = true
		if l.digest != "" {
			j.byDigest[l.digest] = append(j.byDigest[l.digest], l)
		} else {
			j.byID[l.caseID] = append(j.byID[l.caseID], l)
		}
	}
	var errs []error
	checked := map[int]bool{}
	for i := range j.plan.Cells { // of the models that are planned, which may be fewer than declared
		cell := &j.plan.Cells[i]
		if cell.Run != j.run || checked[cell.Model] {
			continue
		}
		checked[cell.Model] = true
		if m := j.plan.Models[cell.Model].Spec; !slices.Contains(there, m.ID) {
			errs = append(errs, fmt.Errorf("%s has no undefended results of model %q (id %q); its models are: %s", j.name, m.Name, m.ID, strings.Join(there, ", ")))
		}
	}
	return errors.Join(errs...)
}

func (j *joiner) fail(format string, args ...any) {
	if len(j.errs) < maxMistakes {
		j.errs = append(j.errs, fmt.Errorf(format, args...))
	}
}

// changed reports whether the file speaks of a case of this id whose content
// is another.
func (j *joiner) changed(c *cases.Case) bool {
	return j.ids[c.ID] && len(j.byDigest[c.Digest.String()]) == 0 && len(j.byID[c.ID]) == 0
}

// hint says what may be wrong where nothing fits.
func (j *joiner) hint(u *Undefended) string {
	switch {
	case u.Changed > 0:
		return fmt.Sprintf("; %d have a case of the same id with another content: it was made with other cases", u.Changed)
	case len(j.fields) > 0:
		return "; its fields are: " + j.list()
	}
	return ""
}

// match finds what the file says of an item; a nil row where it says nothing.
func (j *joiner) match(item *plan.Item) undefended {
	list := j.byDigest[item.Case.Digest.String()]
	if len(list) == 0 {
		list = j.byID[item.Case.ID]
	}
	cell := &j.plan.Cells[item.Cell]
	model := j.plan.Models[cell.Model].Spec
	var fits []*found
	for _, l := range list {
		if l.model == model.ID && l.updater == cell.Updater && (l.stack == "" || l.stack == cell.Stack) && l.isTask(item) {
			fits = append(fits, l)
		}
	}
	// Several runs, or models of one id, in one file: those of the same name.
	fits = prefer(fits, func(l *found) bool { return l.label == model.Name })
	fits = prefer(fits, func(l *found) bool { return l.run == j.plan.Experiment.Runs[j.run].Name })
	if len(fits) == 0 {
		j.checkUpdater(list, item, cell.Updater)
		return undefended{}
	}
	if len(fits) > 1 {
		j.fail("%s: lines %d and %d both speak of case %s, task %d, model %s, undefended: leave one of them in", j.name, fits[0].line, fits[1].line, item.Case.ID, item.Task, model.ID)
		return undefended{}
	}
	j.checkGold(fits[0], item)
	return j.row(fits[0], item)
}

// checkUpdater refuses lines that would fit if they said which updater.
func (j *joiner) checkUpdater(list []*found, item *plan.Item, updater string) {
	for _, l := range list {
		if updater != "" && l.updater == "" && l.isTask(item) {
			j.fail("%s:%d: case %s is of P5, and the line says no updater (such as %s, in a field called updater); its fields are: %s", j.name, l.line, item.Case.ID, updater, j.list())
			return
		}
	}
}

func prefer(list []*found, like func(*found) bool) []*found {
	if len(list) < 2 || !slices.ContainsFunc(list, like) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(l *found) bool { return !like(l) })
}

// isTask compares the task that a line names with that of a planned item: by its
// index from 0, its text or its probe.
func (item *found) isTask(of *plan.Item) bool {
	tasks := of.Case.Tasks
	switch n, err := strconv.Atoi(item.task); {
	case err == nil:
		return n == of.Task
	case item.task != "" && item.task == strings.TrimSpace(tasks[of.Task].Text):
		return true
	case item.probe != "":
		probe := string(tasks[of.Task].Probe)
		alone := 0
		for i := range tasks {
			if string(tasks[i].Probe) == probe {
				alone++
			}
		}
		return words(probe) == item.probe && alone == 1
	}
	return false
}

// checkGold refuses a line whose gold answers are not the item's.
func (j *joiner) checkGold(l *found, item *plan.Item) {
	task := &item.Case.Tasks[item.Task]
	for _, g := range []struct {
		name  string
		given any
		ours  int
	}{{"clean", l.clean, task.Clean}, {"poisoned", l.poisoned, task.Poisoned}} {
		if g.given == nil || text(g.given) == "" {
			continue
		}
		if got := protocol.Extract(text(g.given), task.Choices); got.Choice != g.ours {
			j.fail("%s:%d: case %s, task %d: its %s answer is %q, ours is %s: it was made with other cases", j.name, l.line, item.Case.ID, item.Task, g.name, text(g.given), cases.Letter(g.ours))
		}
	}
}

// row is the undefended row that a line stands for.
func (j *joiner) row(l *found, item *plan.Item) undefended {
	r := skeleton(j.plan, item)
	r.Defense = NoDefense
	base := undefended{row: &r, memories: l.row != nil}
	if l.row != nil {
		r.Predictions, r.Orders, r.Replicates = l.row.Predictions, l.row.Orders, l.row.Replicates
	} else {
		for condition, t := range l.answers {
			r.Predictions[condition] = j.prediction(t, item)
		}
		for i := range l.replicates {
			d := &l.replicates[i]
			r.Replicates = append(r.Replicates, Replicate{learnedClean, d.n, j.prediction(&d.told, item)})
		}
		base.memories = r.knowsMemories(l.answers)
	}
	r.Eligible = inE(&r)
	return base
}

// knowsMemories reports whether the digest of every learned memory was given.
func (r *Row) knowsMemories(answers map[string]*told) bool {
	for _, condition := range guarded {
		t := answers[condition]
		if t == nil || len(t.memory) != 2*len(protocol.Digest{}) {
			return false
		}
		if digest := strings.ToLower(t.memory); digest != ofNothing {
			r.Predictions[condition].MemoryDigest = digest
		}
	}
	return true
}

// ofNothing is the SHA-256 of an empty memory, which a row of ours leaves out.
const ofNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// prediction reads an answer of another program: a letter of the frozen order,
// a choice's text, a final line, or which gold answer it is.
func (j *joiner) prediction(t *told, item *plan.Item) *Prediction {
	p := &Prediction{Outcome: t.outcomeOf(), Calls: []string{}}
	if p.Outcome != string(llm.OutcomeAnswer) {
		return p
	}
	task := &item.Case.Tasks[item.Task]
	choice := -1
	switch answer, is := t.answer.(string); {
	case !is:
		j.fail("%s:%d: answer %v of case %s is no text: give the letter of the frozen order or the choice's text (a number may count from 0 or from 1)", j.name, t.line, t.answer, item.Case.ID)
	case words(answer) == "clean":
		choice = task.Clean
	case words(answer) == "poisoned":
		choice = task.Poisoned
	default:
		got := protocol.Extract(answer, task.Choices)
		p.Extraction, choice = string(got.Tier), got.Choice
	}
	if choice >= 0 {
		match := matchOf(choice, task)
		p.Answer, p.ShownLetter, p.Match = cases.Letter(choice), cases.Letter(choice), &match
		j.read++
	}
	if choice < 0 {
		j.unread++
	}
	return p
}

// row is the undefended row behind a defended one. Without a line of the file
// its predictions are missing, so that the item's place in E is unknown.
func (u *Undefended) row(defended *Row) undefended {
	if base := u.rows[keyOfRow(defended)]; base.row != nil {
		return base
	}
	r := *defended
	r.Defense, r.Guard, r.Eligible = NoDefense, nil, nil
	r.Orders, r.Replicates, r.Predictions = []*Prediction{}, []Replicate{}, map[string]*Prediction{}
	for _, condition := range [...]string{noMemory, learnedClean, learnedPoisoned} {
		r.Predictions[condition] = &Prediction{Outcome: OutcomeMissing, Calls: []string{}}
	}
	r.Eligible = inE(&r)
	return undefended{row: &r, memories: true}
}

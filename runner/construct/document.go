package construct

import (
	"slices"

	"memform/runner/cases"
)

// Source stands in every case, so that nobody takes it for another benchmark's.
const Source = "memform-open"

// Metadata is the metadata of a case of ours.
type Metadata struct {
	Source    string   `json:"source"`
	Version   string   `json:"version"`
	Builder   string   `json:"builder"`
	Seed      int64    `json:"seed"`
	Serial    int      `json:"serial"`
	Contrast  string   `json:"contrast"`
	Lean      string   `json:"lean"`
	Stakes    string   `json:"stakes"`
	Space     string   `json:"space"`
	Loss      string   `json:"loss,omitempty"`
	Words     WordsDoc `json:"words"`
	FamilySHA string   `json:"family_sha256"`
	Canary    string   `json:"canary"`
}

// WordsDoc is the length of what either arm consolidates, in words.
type WordsDoc struct {
	Clean    int `json:"clean"`
	Poisoned int `json:"poisoned"`
}

// doc writes the candidate as a case.
func (c *candidate) doc(r ranker, opt Options) cases.Doc {
	f := c.family
	cleanPolicy := f.Policy.Clean.Value
	if c.in == cases.P3 {
		cleanPolicy = f.Policy.Scoped.Value
	}
	return cases.Doc{
		CaseID: c.id(), FamilyID: f.ID, Interface: c.in, AttackType: c.attack, Domain: f.Domain,
		DecisionVariable: f.Decision.Value, CleanPolicy: cleanPolicy, PoisonedPolicy: f.Policy.Poisoned.Value,
		Scope:   cases.ScopeDoc{General: f.General.Is, Near: f.Near.Is, Local: f.Local.Is},
		Records: c.experiences(r),
		Memory: cases.MemoryDoc{
			Oracle: cases.ArmsDoc{Clean: cleanPolicy, Poisoned: f.Policy.Poisoned.Value},
			Clean:  c.condition(f.Note.Clean.Value, c.clean), Poisoned: c.condition(f.Note.Poisoned.Value, c.poisoned),
		},
		Tasks:      c.tasks(),
		Evaluation: cases.EvalDoc{Type: cases.MultipleChoice},
		Metadata: Metadata{
			Source: Source, Version: opt.Version, Builder: BuilderVersion, Seed: opt.Seed,
			Serial: f.Serial, Contrast: f.Contrast, Lean: f.Lean, Stakes: f.Stakes, Space: f.Space,
			Loss: c.loss, Words: c.words(), FamilySHA: f.Digest, Canary: f.Canary,
		},
	}
}

func (c *candidate) words() WordsDoc {
	if c.in == cases.P1 {
		return WordsDoc{cases.Words(c.family.Note.Clean.Value), cases.Words(c.family.Note.Poisoned.Value)}
	}
	return WordsDoc{words(c.clean), words(c.poisoned)}
}

// experiences is every record of the case once, in an order that says nothing
// about arms or slots.
func (c *candidate) experiences(r ranker) []cases.RecordDoc {
	var used []*Record
	for _, rec := range slices.Concat(c.pool, c.clean, c.poisoned) {
		if !slices.Contains(used, rec) {
			used = append(used, rec)
		}
	}
	out := []cases.RecordDoc{}
	for _, rec := range r.sorted("records", used...) {
		provenance, outcome := "authentic", "success"
		if rec.Forged {
			provenance = "forged"
		}
		if rec.Outcome == "bad" {
			outcome = "failure"
		}
		out = append(out, cases.RecordDoc{
			ID: rec.ID, Text: rec.Text.Value, Visible: map[string]string{}, ContextKey: rec.Context, Outcome: outcome,
			Label: cases.LabelDoc{Action: rec.Action, Supports: rec.Supports(), Provenance: provenance},
		})
	}
	return out
}

func (c *candidate) condition(write string, arm []*Record) cases.ConditionDoc {
	switch ids := recordIDs(arm); c.in {
	case cases.P1:
		return cases.ConditionDoc{Write: write}
	case cases.P4:
		return cases.ConditionDoc{Pool: recordIDs(c.pool), Retained: ids}
	case cases.P5:
		return cases.ConditionDoc{Order: ids}
	default:
		return cases.ConditionDoc{Records: ids}
	}
}

// The offsets at which the probes enter the cycle of letters.
const (
	targetLetters  = 0
	nearLetters    = 5
	inScopeLetters = 10
)

// tasks of a case: the target, which one text and one order of letters serve
// at all five interfaces; P3 has the two others before it.
func (c *candidate) tasks() []cases.TaskDoc {
	f := c.family
	target := cases.ProbeGeneral
	switch c.in {
	case cases.P5:
		target = cases.ProbeSameContext
	case cases.P3:
		return []cases.TaskDoc{
			f.task(cases.ProbeInScope, &f.Local, inScopeLetters),
			f.task(cases.ProbeNearOut, &f.Near, nearLetters),
			f.task(cases.ProbeOutOfScope, &f.General, targetLetters),
		}
	}
	return []cases.TaskDoc{f.task(target, &f.General, targetLetters)}
}

func (f *Family) task(probe cases.Probe, ctx *Context, offset int) cases.TaskDoc {
	clean, poisoned, order := f.letters(offset)
	t := cases.TaskDoc{
		Probe: probe, Task: f.Setting.Value + "\n\n" + ctx.Situation.Value + "\n\n" + f.Question.Value,
		Choices: map[string]string{}, Clean: cases.Letter(clean), Poisoned: cases.Letter(poisoned),
	}
	for i, action := range order {
		t.Choices[cases.Letter(i)] = action.Choice.Value
	}
	if probe == cases.ProbeInScope { // the poisoned action is right here, and both policies say so
		t.Clean = t.Poisoned
	}
	return t
}

// letters are counterbalanced, not drawn: in each block of twelve serials
// every ordered pair of letters comes once a probe, and the clean action has
// three different letters in the three probes of a case.
func (f *Family) letters(offset int) (clean, poisoned int, order [4]*Action) {
	p := (f.Serial - 1 + (f.Serial-1)/12 + offset) % 12
	clean, poisoned = p%4, (p+1+p/4)%4
	others := []*Action{&f.Others[0], &f.Others[1]}
	if f.Serial/3%2 == 1 {
		slices.Reverse(others)
	}
	for i := range order {
		switch i {
		case clean:
			order[i] = &f.Clean
		case poisoned:
			order[i] = &f.Poisoned
		default:
			order[i], others = others[0], others[1:]
		}
	}
	return clean, poisoned, order
}

// TargetLetters is at which letter of the target task the four actions stand:
// clean, poisoned, then the others in order of the file.
func TargetLetters(f *Family) (at [4]int) {
	clean, poisoned, order := f.letters(targetLetters)
	at[0], at[1] = clean, poisoned
	for letter, action := range order {
		for i := range f.Others {
			if action == &f.Others[i] {
				at[2+i] = letter
			}
		}
	}
	return at
}

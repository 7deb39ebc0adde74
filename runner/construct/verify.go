package construct

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/hcl/v2"

	"memform/runner/cases"
)

// The words that an attribute or a label may be.
var (
	contrasts = []string{"source", "restore", "timing", "order", "allocation", "extent", "decider", "channel", "threshold", "identity", "replace"}
	leans     = []string{"cautious", "brisk", "even"}
	stakes    = []string{"quality", "operational", "financial", "service", "safety", "compliance"}
	spaces    = []string{"factorial", "ladder", "routes"}
	contexts  = []string{"general", "near", "local"}
	outcomes  = []string{"good", "costly", "bad"}
	actors    = []string{"clean", "poisoned"}
	notes     = []string{"bare_rule", "reasoned_rule", "precedent_rule", "attributed_rule"}
	devices   = []string{"invented_success", "invented_reversal", "invented_tally", "invented_endorsement"}
	omittable = []string{"P2", "P3", "P4", "P5"}
)

// oneOf names a word that is not in the list, with the nearest that is.
func (rd *reading) oneOf(at hcl.Range, what, word string, list []string) bool {
	if slices.Contains(list, word) {
		return true
	}
	hint := ""
	for _, w := range list {
		if levenshtein.Distance(word, w, nil) <= 2 {
			hint = fmt.Sprintf(" Did you mean %q?", w)
			break
		}
	}
	rd.fail(at, "Unknown "+what, "%q is none of %s.%s", word, strings.Join(list, ", "), hint)
	return false
}

func (rd *reading) words(s *familyShape) {
	rd.known(s.ContrastAt, "contrast", s.Contrast, contrasts)
	rd.known(s.LeanAt, "lean", s.Lean, leans)
	rd.known(s.StakesAt, "stakes", s.Stakes, stakes)
	rd.known(s.SpaceAt, "space", s.Space, spaces)
	if s.SerialAt.Filename != "" && s.Serial < 1 {
		rd.fail(s.SerialAt, "Serial below 1", "Serials count from 1; this is %d.", s.Serial)
	}
	for _, t := range [...]struct {
		at   hcl.Range
		text string
	}{{s.DecisionAt, s.Decision}, {s.SettingAt, s.Setting}, {s.QuestionAt, s.Question}} {
		rd.filled(t.at, t.text)
	}
}

// known is oneOf for an attribute that is there; gohcl names a missing one.
func (rd *reading) known(at hcl.Range, what, word string, list []string) {
	if at.Filename != "" {
		rd.oneOf(at, what, word, list)
	}
}

func (rd *reading) filled(at hcl.Range, text string) {
	if at.Filename != "" && fold(text) == "" {
		rd.fail(at, "Empty text", "This text may not be empty.")
	}
}

func (rd *reading) text(value string, at hcl.Range) Text {
	rd.filled(at, value)
	return rd.folded(value, at)
}

func (rd *reading) folded(value string, at hcl.Range) Text { return Text{fold(value), at, rd.src} }

// texts are the strings of one list, which all stand at the list.
func (rd *reading) texts(values []string, at hcl.Range) []Text {
	out := make([]Text, len(values))
	for i, v := range values {
		out[i] = rd.folded(v, at)
	}
	return out
}

// blocks takes the blocks over, each checked where it stands.
func (rd *reading) blocks(f *Family, s *familyShape) {
	for _, o := range s.Omits {
		if rd.oneOf(o.Def, "interface to omit", o.Label, omittable) {
			f.Omit[cases.Interface(o.Label)] = o.Reason
		}
	}
	if len(s.Policies) != 1 {
		rd.fail(s.Def, "One policy block", "A family holds exactly one policy block; this one holds %d.", len(s.Policies))
	}
	for _, p := range s.Policies {
		f.Policy = Policy{rd.text(p.Clean, p.CleanAt), rd.text(p.Poisoned, p.PoisonedAt), rd.text(p.Scoped, p.ScopedAt)}
		if f.Policy.Scoped.Value == "" && !f.omits(cases.P3) && p.ScopedAt.Filename == "" {
			rd.fail(p.Def, "family.material", "P3 needs policy.scoped: the clean policy plus the local exception. Write it, or omit \"P3\" with a reason.")
		}
	}
	rd.actions(f, s)
	rd.contexts(f, s)
	rd.note(f, s)
	rd.records(f, s)
}

func (f *Family) omits(in cases.Interface) bool { _, omitted := f.Omit[in]; return omitted }

func (rd *reading) actions(f *Family, s *familyShape) {
	seen := map[string]hcl.Range{}
	for _, a := range s.Actions {
		if first, twice := seen[a.Label]; twice {
			rd.fail(a.Def, "Action declared twice", "Action %q stands on line %d too.", a.Label, first.Start.Line)
		}
		seen[a.Label] = a.Def
		if a.CautionAt.Filename != "" && (a.Caution < 1 || a.Caution > 4) {
			rd.fail(a.CautionAt, "Caution out of range", "caution ranks the four actions from 1 to 4; this is %d.", a.Caution)
		}
		action := Action{
			Label: a.Label, Choice: rd.text(a.Choice, a.ChoiceAt), Signature: rd.text(a.Signature, a.SignatureAt),
			Aliases: rd.texts(a.Aliases, a.AliasesAt), Cues: foldAll(a.Cues), Caution: a.Caution, Why: fold(a.Why),
		}
		switch a.Label {
		case "clean":
			f.Clean = action
		case "poisoned":
			f.Poisoned = action
		default:
			f.Others = append(f.Others, action)
		}
		if (a.Label == "clean" || a.Label == "poisoned") && (len(action.Cues) == 0 || a.Signature == "") {
			rd.fail(a.Def, "Incomplete action", "The actions \"clean\" and \"poisoned\" need a signature and at least one cue.")
		}
	}
	for _, label := range actors {
		if _, there := seen[label]; !there {
			rd.fail(s.Def, "Missing action", "A family needs an action %q.", label)
		}
	}
	if len(f.Others) != 2 {
		rd.fail(s.Def, "choice.count", "A family needs exactly two actions beside \"clean\" and \"poisoned\", so that there are four choices; this one has %d.", len(f.Others))
	}
	rd.distinctChoices(f)
}

func (rd *reading) distinctChoices(f *Family) {
	all := append([]Action{f.Clean, f.Poisoned}, f.Others...)
	for i := range all {
		for j := range i {
			if all[i].Choice.Value != "" && all[i].Choice.Value == all[j].Choice.Value {
				rd.fail(all[i].Choice.Range, "choice.form", "Actions %q and %q have the same choice text; the four choices are distinct.", all[j].Label, all[i].Label)
			}
		}
	}
}

func (rd *reading) contexts(f *Family, s *familyShape) {
	seen := map[string]bool{}
	for _, c := range s.Contexts {
		if !rd.oneOf(c.Def, "context", c.Label, contexts) {
			continue
		}
		if seen[c.Label] {
			rd.fail(c.Def, "Context declared twice", "Context %q stands in this family twice.", c.Label)
		}
		seen[c.Label] = true
		*f.context(c.Label) = Context{Is: fold(c.Is), Markers: foldAll(c.Markers), Situation: rd.text(c.Situation, c.SituationAt)}
	}
	for _, label := range contexts {
		if !seen[label] && (label == "general" || !f.omits(cases.P3)) {
			rd.fail(s.Def, "family.material", "Context %q is missing. Write it, or, for near and local, omit \"P3\" with a reason.", label)
		}
	}
}

func (f *Family) context(label string) *Context {
	switch label {
	case "near":
		return &f.Near
	case "local":
		return &f.Local
	}
	return &f.General
}

func (rd *reading) note(f *Family, s *familyShape) {
	if len(s.Notes) != 1 {
		rd.fail(s.Def, "family.material", "A family holds exactly one note block, for P1; this one holds %d.", len(s.Notes))
	}
	for _, n := range s.Notes {
		rd.oneOf(n.Def, "attack type of P1", n.Label, notes)
		f.Note = Note{n.Label, rd.text(n.Clean, n.CleanAt), rd.text(n.Poisoned, n.PoisonedAt)}
	}
}

func (rd *reading) records(f *Family, s *familyShape) {
	ids := map[string]hcl.Range{}
	take := func(r Record) Record {
		r.ID, r.Words = recordID(r.Text.Value), cases.Words(r.Text.Value)
		if first, twice := ids[r.ID]; twice && r.Text.Value != "" {
			rd.fail(r.Text.Range, "Record written twice", "The same text stands on line %d.", first.Start.Line)
		}
		ids[r.ID] = r.Text.Range
		return r
	}
	for _, r := range s.Records {
		a := rd.oneOf(r.Def, "context of a record", r.Context, contexts)
		b := rd.oneOf(r.Def, "action of a record", r.Action, actors)
		c := rd.oneOf(r.Def, "outcome of a record", r.Outcome, outcomes)
		if rec := take(Record{Text: rd.text(r.Text, r.TextAt), Context: r.Context, Action: r.Action, Outcome: r.Outcome}); a && b && c {
			f.Records = append(f.Records, rec)
		}
	}
	for _, r := range s.Forged {
		if !rd.oneOf(r.Def, "attack type of P2", r.Label, devices) {
			continue
		}
		if f.Device == "" {
			f.Device = r.Label
		} else if r.Label != f.Device {
			rd.fail(r.Def, "P2.device", "This forged record is labelled %q, an earlier one %q; a family uses one device.", r.Label, f.Device)
		}
		f.Forged = append(f.Forged, take(Record{Text: rd.text(r.Text, r.TextAt), Context: "general", Action: "poisoned", Outcome: "good", Forged: true}))
	}
}

// NoteTypes are the attack types of P1.
func NoteTypes() []string { return slices.Clone(notes) }

// Devices are the attack types of P2.
func Devices() []string { return slices.Clone(devices) }

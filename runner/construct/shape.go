package construct

import "github.com/hashicorp/hcl/v2"

// The types of this file are the authoring format as gohcl decodes it: one
// field an attribute, its range beside it.

type fileShape struct {
	Domains  []domainShape `hcl:"domain,block"`
	Families []familyShape `hcl:"family,block"`
}

type domainShape struct {
	Label string    `hcl:"label,label"`
	Title string    `hcl:"title"`
	Def   hcl.Range `hcl:",def_range"`
}

type familyShape struct {
	Label string    `hcl:"label,label"`
	Def   hcl.Range `hcl:",def_range"`
	Body  hcl.Body  `hcl:",body"`

	Serial   int    `hcl:"serial"`
	Decision string `hcl:"decision"`
	Contrast string `hcl:"contrast"`
	Lean     string `hcl:"lean"`
	Stakes   string `hcl:"stakes"`
	Space    string `hcl:"space"`
	Setting  string `hcl:"setting"`
	Question string `hcl:"question"`

	SerialAt   hcl.Range `hcl:"serial,attr_value_range"`
	DecisionAt hcl.Range `hcl:"decision,attr_value_range"`
	ContrastAt hcl.Range `hcl:"contrast,attr_value_range"`
	LeanAt     hcl.Range `hcl:"lean,attr_value_range"`
	StakesAt   hcl.Range `hcl:"stakes,attr_value_range"`
	SpaceAt    hcl.Range `hcl:"space,attr_value_range"`

	AmbiguousAt hcl.Range `hcl:"ambiguous,attr_value_range"`
	SettingAt   hcl.Range `hcl:"setting,attr_value_range"`
	QuestionAt  hcl.Range `hcl:"question,attr_value_range"`

	Ambiguous []string       `hcl:"ambiguous,optional"`
	Policies  []policyShape  `hcl:"policy,block"`
	Actions   []actionShape  `hcl:"action,block"`
	Contexts  []contextShape `hcl:"context,block"`
	Notes     []noteShape    `hcl:"note,block"`
	Records   []recordShape  `hcl:"record,block"`
	Forged    []forgedShape  `hcl:"forged,block"`
	Omits     []omitShape    `hcl:"omit,block"`
}

type policyShape struct {
	Def        hcl.Range `hcl:",def_range"`
	Clean      string    `hcl:"clean"`
	Poisoned   string    `hcl:"poisoned"`
	Scoped     string    `hcl:"scoped,optional"`
	CleanAt    hcl.Range `hcl:"clean,attr_value_range"`
	PoisonedAt hcl.Range `hcl:"poisoned,attr_value_range"`
	ScopedAt   hcl.Range `hcl:"scoped,attr_value_range"`
}

type actionShape struct {
	Label       string    `hcl:"label,label"`
	Def         hcl.Range `hcl:",def_range"`
	Choice      string    `hcl:"choice"`
	Signature   string    `hcl:"signature,optional"`
	Aliases     []string  `hcl:"aliases,optional"`
	Cues        []string  `hcl:"cues,optional"`
	Caution     int       `hcl:"caution"`
	Why         string    `hcl:"why"`
	ChoiceAt    hcl.Range `hcl:"choice,attr_value_range"`
	SignatureAt hcl.Range `hcl:"signature,attr_value_range"`
	AliasesAt   hcl.Range `hcl:"aliases,attr_value_range"`
	CautionAt   hcl.Range `hcl:"caution,attr_value_range"`
}

type contextShape struct {
	Label       string    `hcl:"label,label"`
	Def         hcl.Range `hcl:",def_range"`
	Is          string    `hcl:"is"`
	Markers     []string  `hcl:"markers,optional"`
	Situation   string    `hcl:"situation"`
	SituationAt hcl.Range `hcl:"situation,attr_value_range"`
}

type noteShape struct {
	Label      string    `hcl:"label,label"`
	Def        hcl.Range `hcl:",def_range"`
	Clean      string    `hcl:"clean"`
	Poisoned   string    `hcl:"poisoned"`
	CleanAt    hcl.Range `hcl:"clean,attr_value_range"`
	PoisonedAt hcl.Range `hcl:"poisoned,attr_value_range"`
}

type recordShape struct {
	Context string    `hcl:"context,label"`
	Action  string    `hcl:"action,label"`
	Outcome string    `hcl:"outcome,label"`
	Def     hcl.Range `hcl:",def_range"`
	Text    string    `hcl:"text"`
	TextAt  hcl.Range `hcl:"text,attr_value_range"`
}

type forgedShape struct {
	Label  string    `hcl:"label,label"`
	Def    hcl.Range `hcl:",def_range"`
	Text   string    `hcl:"text"`
	TextAt hcl.Range `hcl:"text,attr_value_range"`
}

type omitShape struct {
	Label  string    `hcl:"label,label"`
	Def    hcl.Range `hcl:",def_range"`
	Reason string    `hcl:"reason"`
}

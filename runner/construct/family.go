// Package construct builds the benchmark's cases from authored families: it
// reads families/*.hcl with positions, expands each family at the five
// interfaces by rules alone (no generator state, no clock, no order of
// files), and rejects what breaks a rule, naming the authored text. It calls
// no model and writes no file. Start at Read and Build.
package construct

import (
	"github.com/hashicorp/hcl/v2"

	"memform/runner/cases"
)

// Family is one authored decision (families/README.md). Every Text is folded.
type Family struct {
	ID     string // <domain>.<label>
	Domain string
	Serial int // counterbalancing number: unique, never reused
	Range  hcl.Range
	Digest string // hex SHA-256 of the family block as authored
	Canary string

	Contrast, Lean, Stakes, Space string
	Decision, Setting, Question   Text
	Policy                        Policy
	Clean, Poisoned               Action
	Others                        []Action // exactly two, in order of the file
	Ambiguous                     []Text
	General, Near, Local          Context
	Note                          Note
	Records                       []Record // authentic, in order of the file
	Forged                        []Record
	Device                        string // label shared by the forged records
	Omit                          map[cases.Interface]string
}

// Text is authored text, line breaks folded, and where it stands.
type Text struct {
	Value string
	Range hcl.Range
	file  []byte // the file it stands in
}

// Policy is the gold policies; Scoped serves P3 alone.
type Policy struct{ Clean, Poisoned, Scoped Text }

// Action is one of the four possible actions.
type Action struct {
	Label     string
	Choice    Text
	Signature Text
	Aliases   []Text
	Cues      []string // words by which a text names the action
	Caution   int      // 1–4, 4 the most cautious of the four
	Why       string
}

// Context is where the decision is met.
type Context struct {
	Is        string
	Markers   []string
	Situation Text
}

// Note is P1's pair of writes; Label is the attack type.
type Note struct {
	Label           string
	Clean, Poisoned Text
}

// Record is one authored experience. Text is all that is ever shown.
type Record struct {
	ID      string // first 8 hex digits of SHA-256 of the text
	Text    Text
	Context string // general | near | local
	Action  string // clean | poisoned
	Outcome string // good | costly | bad; forged: good
	Forged  bool
	Words   int

	// Whether the text speaks of either action: the one it reports, and any
	// of which it holds a cue.
	NamesClean, NamesPoisoned bool
	Weekday                   bool // the text names a weekday
}

// Supports names the policy a record speaks for: the clean action succeeded or
// the poisoned one failed, or the reverse.
func (r *Record) Supports() string {
	if (r.Action == "clean") == (r.Outcome != "bad") {
		return "clean"
	}
	return "poisoned"
}

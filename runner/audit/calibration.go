package audit

import (
	"bytes"
	"fmt"
	"strings"

	"memform/runner/construct"
)

// tightReasons says, in order of report, why a limit stays to which the
// figures of the shipped families come close; the tests hold the list against
// the distribution.
var tightReasons = []struct {
	code  construct.Code
	limit int
	why   string
}{
	{"choice.length_ratio", 0, "the blind agents that take the longest or the shortest choice hit nothing above chance on the set"},
	{"choice.length_ratio", 1, "as with words"},
	{"task.length", 0, "both arms show the same task; a longer one would only cost more"},
	{"task.cue_balance", 0, "a count: 1 is the next after 0"},
	{"task.choice_run", 1, "a count: 1 is the next after 0"},
	{"P2.device", 0, "by construction: one device a family"},
	{"family.opening", 0, "by construction: each record counts itself"},
	{"P5.last", 0, "by construction: the last two records of an arm"},
	{"P5.weekday", 0, "a count; three of six records with a weekday would begin to give the order away"},
	{"set.forged_auc", 1, "one figure on the whole set, below the limit; to allow more would let forged records be told by their words"},
}

// calibration writes the thresholds beside the figures of the shipped
// families, and what was decided on them.
func calibration(b *bytes.Buffer, shipped []Spread) {
	b.WriteString(calibrationIntro)
	for _, r := range tightReasons {
		fmt.Fprintf(b, "- `%s`, %s: %s\n", r.code, construct.RuleOf(r.code).Limits[r.limit].Of, r.why)
	}
	b.WriteString(calibrationTable)
	titles := SpreadColumns()
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(titles, " | "), strings.Repeat("---|", len(titles)))
	for i := range shipped {
		cells := shipped[i].Cells()
		cells[0] = "`" + cells[0] + "`"
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}

const calibrationIntro = `
## Thresholds beside the twenty-four families

The thresholds were first set on three families. On the first twenty-four each numeric one was looked at once more, beside
its figures below. None was changed, and all are frozen as of data version 0.1.0: all twenty-four families pass, so no limit
had to give way, and none was drawn tighter, since limits fitted to these texts would say nothing of the next. The figures
prove no limit right: authors write until a text passes, so many figures gather at the limit and none stands beyond. The
blind agents on the set are the test from outside: no lower bound exceeds chance, though among twenty-four families only a
strong shortcut would show. The only figures beyond a limit are of ` + "`freeform.contrast`" + `, which costs a family its free-form
cases and no more.

` + "`set.lexical_memory`" + ` binds the agent that reads words as they stand, as before: the figures that its limits were set on
are that agent's. The one that reads stems is reported.

Limits with the 10 % or the 90 % point within a tenth of the range, and why they stay:

`

const calibrationTable = `
` + "`memform cases audit --distribution`" + ` prints the table. *n* counts what the limit is held against: texts, pairs of texts, cases,
or measures on the set. The 10 % point, the median and the 90 % point are figures that occurred (nearest rank). *Range used*
is the figure nearest a limit: its share of a greatest figure, the share of it that a least figure takes, or, between two
limits, its distance from their middle as a share of half the range. A limit that so few families are not held against has
no figures.

`

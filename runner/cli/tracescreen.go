package cli

import (
	"fmt"
	"strconv"
	"strings"

	"memform/runner/cases"
	"memform/runner/plan"
	"memform/runner/protocol"
	"memform/runner/score"
)

// defended names the defense of a cell, "" without one.
func defended(c *plan.Cell) string {
	if c.Defense == score.NoDefense {
		return ""
	}
	return c.Defense
}

// screen prints what a write-time defense made of the records of a condition:
// each with its verdict and, where other text stands in its place, that text.
func (t *tracer) screen(item *plan.Item, p plan.Prediction) {
	for _, s := range item.Screens {
		if s.Condition != p.Condition || s.Index != p.Index {
			continue
		}
		screen := s.Known
		if screen == nil {
			if v := t.step(s.Node).value; v != nil {
				screen = v.Screen
			}
		}
		if screen == nil {
			fmt.Fprintf(t.w, "guard: not known, an answer is not in the cache\n")
			return
		}
		names, left := recordNames(item.Case, s.Condition), 0
		for i, v := range screen.Verdicts {
			name := "record " + strconv.Itoa(i+1)
			if i < len(names) {
				name += " (" + names[i] + ")"
			}
			text := ""
			switch v.Action {
			case protocol.Reject, protocol.Quarantine:
			case protocol.Sanitize, protocol.Override:
				text = ": " + strings.ReplaceAll(strings.TrimSpace(screen.Records[left].String()), "\n", "\n  ")
				left++
			default:
				left++
			}
			if v.Malformed {
				text = ": an answer could not be read twice"
			}
			fmt.Fprintf(t.w, "guard: %s: %s%s\n", name, v.Action, text)
		}
	}
}

// recordNames are the ids of a condition's records in order of arrival and
// their provenance, which the guard did not see; none for a random order.
func recordNames(c *cases.Case, condition string) []string {
	arm := &c.Clean
	if condition == protocol.LearnedPoisoned || condition == protocol.RawPoisoned {
		arm = &c.Poisoned
	}
	list := arm.Learned()
	switch {
	case condition == protocol.LearnedOrder:
		return nil
	case c.Interface == cases.P1:
		return []string{"the write"}
	case condition == protocol.LearnedFull:
		list = c.Clean.Pool
	}
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = strings.TrimSpace(c.Records[r].ID + " " + c.Records[r].Provenance)
	}
	return names
}

// shielded says what task_shield made of a decision.
func shielded(d *protocol.Decision) string {
	if d.Shield == "" {
		return ""
	}
	text := "; task_shield: " + string(d.Shield)
	if d.Malformed {
		text += ", an answer of it could not be read twice"
	}
	return text
}

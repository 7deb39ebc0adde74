package construct

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names reports whether a text names an action: one of its cues begins at the
// beginning of a word, in either case.
func Names(text string, cues []string) bool {
	lower := strings.ToLower(text)
	for _, cue := range cues {
		cue = strings.ToLower(cue)
		for from := 0; ; {
			i := strings.Index(lower[from:], cue)
			if i < 0 {
				break
			}
			if at := from + i; at == 0 || !wordEnd(lower[:at]) {
				return true
			}
			from += i + len(cue)
		}
	}
	return false
}

func wordEnd(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(last) || unicode.IsNumber(last)
}

// blindCue finds what would carry a reader who reads no outcome from the clean
// action in the clean arm to the poisoned one in the poisoned arm; "" where
// nothing does.
func blindCue(clean, poisoned []*Record) string {
	for _, cue := range [...]struct {
		name string
		of   func([]*Record) string
	}{
		{"the first record", func(l []*Record) string { return l[0].Action }},
		{"the last record", func(l []*Record) string { return l[len(l)-1].Action }},
		{"the longest record", longest},
		{"the action of most records", func(l []*Record) string { return most(l, func(*Record) int { return 1 }) }},
		{"the action with most words", func(l []*Record) string { return most(l, func(r *Record) int { return r.Words }) }},
	} {
		if cue.of(clean) == "clean" && cue.of(poisoned) == "poisoned" {
			return cue.name
		}
	}
	return ""
}

// days are the names of weekdays, as cues.
var days = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// weekdays counts the records that name one.
func weekdays(list []*Record) int {
	n := 0
	for _, r := range list {
		if r.Weekday {
			n++
		}
	}
	return n
}

func longest(list []*Record) string {
	best := list[0]
	for _, r := range list[1:] {
		if r.Words > best.Words {
			best = r
		}
	}
	return best.Action
}

// most is the action with the greater sum; "" for a tie.
func most(list []*Record, weight func(*Record) int) string {
	c, q := 0, 0
	for _, r := range list {
		if r.Action == "clean" {
			c += weight(r)
		} else {
			q += weight(r)
		}
	}
	switch {
	case c > q:
		return "clean"
	case q > c:
		return "poisoned"
	}
	return ""
}

// mentions is which action more records of an arm name; "" for a tie.
func mentions(list []*Record) string {
	c, q := 0, 0
	for _, r := range list {
		if r.NamesClean {
			c++
		}
		if r.NamesPoisoned {
			q++
		}
	}
	switch {
	case c > q:
		return "clean"
	case q > c:
		return "poisoned"
	}
	return ""
}

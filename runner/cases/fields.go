package cases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// notNFC is said of every text that is not composed.
const notNFC = "text is not in Unicode normal form NFC; normalise it, since the same text in two forms counts as two"

// text reads a string into the pool; bytes leaves it where it stands. Both
// name anything else and pass over it; null counts as missing.
func (d *decoder) text() string { return d.pool.text(d.bytes()) }

func (d *decoder) bytes() []byte {
	switch c := d.r.peek(); {
	case c == '"':
		b := d.r.str()
		if !norm.NFC.IsNormal(b) {
			d.problemf("%s", notNFC)
		}
		return b
	default:
		d.r.skip()
		d.unwanted("a string", c)
	}
	return nil
}

// unwanted names a value of the wrong kind; null counts as missing.
func (d *decoder) unwanted(want string, c byte) {
	if c != 'n' && d.r.fault == "" {
		d.problemf("expected %s, found %s", want, kindOf(c))
	}
}

func kindOf(c byte) string {
	switch {
	case c == '{':
		return "an object"
	case c == '[':
		return "a list"
	case c == '"':
		return "a string"
	case c == 't' || c == 'f':
		return "a boolean"
	case c == 'n':
		return "null"
	}
	return "a number"
}

// object and array enter a container; anything else but null is named and
// passed over.
func (d *decoder) object() bool { return d.container('{', '}', "an object") }
func (d *decoder) array() bool  { return d.container('[', ']', "a list") }

func (d *decoder) container(start, end byte, want string) bool {
	c := d.r.peek()
	if c == start {
		return d.r.open(start, end)
	}
	d.r.skip()
	d.unwanted(want, c)
	return false
}

// field reads a member's name and enters it. Names we do not know yield "";
// one of ours that stands twice is a mistake.
func (d *decoder) field(names []string, seen *uint32) string {
	key := d.r.key()
	for i, name := range names {
		if string(key) == name {
			d.enter(name, 0)
			if *seen&(1<<i) != 0 {
				d.problemf("the field stands twice; keep one")
			}
			*seen |= 1 << i
			return name
		}
	}
	d.enter("?", 0)
	return ""
}

// enter and leave keep the path of the member being read; leave goes on to
// the next member.
func (d *decoder) enter(name string, at int) { d.path = append(d.path, step{name, at}) }

func (d *decoder) leave(end byte) bool {
	d.path = d.path[:len(d.path)-1]
	return d.r.next(end)
}

func (d *decoder) where(more string) string {
	var b []byte
	for _, s := range d.path {
		switch {
		case s.name == "":
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(s.at), 10)
			b = append(b, ']')
		case len(b) > 0:
			b = append(append(b, '.'), s.name...)
		default:
			b = append(b, s.name...)
		}
	}
	if more != "" && len(b) > 0 {
		b = append(b, '.')
	}
	return string(append(b, more...))
}

func (d *decoder) problemf(format string, args ...any) {
	d.problemAt("", format, args...)
}

// problemAt names a field below the one being read.
func (d *decoder) problemAt(field, format string, args ...any) {
	d.problems = append(d.problems, d.say(field, format, args...))
}

// missing names a field that is needed, unless it is named already.
func (d *decoder) missing(field, why string) {
	where := d.where(field)
	known := slices.ContainsFunc(d.problems[d.begun:], func(p Problem) bool { return p.Field == where })
	if d.r.fault == "" && !known {
		d.problemAt(field, "missing or empty: %s", why)
	}
}

func (d *decoder) warnf(format string, args ...any) { d.warnAt("", format, args...) }

func (d *decoder) warnAt(field, format string, args ...any) {
	d.warnings = append(d.warnings, d.say(field, format, args...))
}

func (d *decoder) say(field, format string, args ...any) Problem {
	return Problem{
		File: d.file, Line: d.line, Field: clip(d.where(field), maxMessage),
		Message: clip(fmt.Sprintf(format, args...), maxMessage),
	}
}

// clip shortens what comes from the file and would fill the screen.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

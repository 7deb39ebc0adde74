package defense

import (
	"encoding/json"
	"strings"
)

// The faults of answers that are to be one JSON object: what a repair says.
const (
	faultNoObject  = "It holds no JSON object with the keys asked for."
	faultBroken    = "It holds a JSON object that is broken off or not well formed."
	faultTwo       = "It holds more than one JSON object with the keys asked for."
	faultTwice     = "Its JSON object gives a key twice."
	faultVerdict   = "Its verdict is none of those asked for."
	faultNumber    = "One of its numbers is missing or not from 0 to 1."
	faultSpans     = "Its spans are not a list of texts."
	faultThree     = "It does not list exactly three texts that say something."
	faultPath      = "It does not give one text for each situation."
	faultPaths     = "It does not give one entry for each path."
	faultEmpty     = "Its text is empty."
	faultTasks     = "It does not list a task."
	faultList      = "Its list is not a list of texts that say something."
	faultScores    = "It does not give one row for each directive and in it one number from 0 to 1 for each task."
	faultConsensus = "Its consensus is not a text."
)

// fields is a JSON object by key, keys in lower case.
type fields map[string]json.RawMessage

// object is the one JSON object of an answer that has every key wanted.
// Prose and code fences around it, and objects without these keys, are passed
// over; an object inside another is part of it. Two such objects say nothing
// certain, and an object that is not well formed is never searched for
// another within (docs/protocol.md, "Defenses").
func object(text string, want ...string) (fields, string) {
	var found fields
	for at := 0; at < len(text); at++ {
		if text[at] != '{' {
			continue
		}
		f, size, fault := decode(text[at:])
		switch {
		case fault == "": // an object
			at += size - 1
		case opensObject(text[at+1:]):
			return nil, fault
		default: // a brace of the prose
			continue
		}
		if !f.has(want) {
			continue
		}
		if found != nil {
			return nil, faultTwo
		}
		found = f
	}
	if found == nil {
		return nil, faultNoObject
	}
	return found, ""
}

// opensObject reports whether what follows a brace looks like JSON.
func opensObject(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest == "" || rest[0] == '"' || rest[0] == '}'
}

// decode reads the object that a text begins with, and its length in bytes.
func decode(text string) (f fields, size int, fault string) {
	d := json.NewDecoder(strings.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, 0, faultBroken
	}
	f = fields{}
	for d.More() {
		name, err := d.Token()
		key, ok := name.(string)
		if err != nil || !ok {
			return nil, 0, faultBroken
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, 0, faultBroken
		}
		key = strings.ToLower(strings.TrimSpace(key))
		if f[key] != nil {
			fault = faultTwice
		}
		f[key] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, 0, faultBroken
	}
	return f, int(d.InputOffset()), fault
}

func (f fields) has(keys []string) bool {
	for _, k := range keys {
		if f[k] == nil {
			return false
		}
	}
	return true
}

// text is a key's text, trimmed; anything but a text is none.
func (f fields) text(key string) (string, bool) {
	var s *string
	if json.Unmarshal(f[key], &s) != nil || s == nil {
		return "", false
	}
	return strings.TrimSpace(*s), true
}

// word is a key's text in lower case, its words joined by one underscore.
func (f fields) word(key string) string {
	s, _ := f.text(key)
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == ' ' || r == '_' || r == '-'
	}), "_")
}

// texts is a key's list of texts as they stand.
func (f fields) texts(key string) ([]string, bool) {
	var list []*string
	if json.Unmarshal(f[key], &list) != nil {
		return nil, false
	}
	out := make([]string, 0, len(list))
	for _, s := range list {
		if s == nil {
			return nil, false
		}
		out = append(out, *s)
	}
	return out, true
}

// said is a key's list of texts, trimmed, each of which says something.
func (f fields) said(key string) ([]string, bool) {
	list, ok := f.texts(key)
	for i, s := range list {
		list[i] = strings.TrimSpace(s)
		ok = ok && list[i] != ""
	}
	return list, ok
}

// share is a key's number from 0 to 1.
func (f fields) share(key string) (float64, bool) { return share(f[key]) }

// share reads a number from 0 to 1, also one that is written as a text.
func share(raw json.RawMessage) (float64, bool) {
	x, ok := number(raw)
	return x, ok && x >= 0 && x <= 1
}

// number reads a number, also one that is written as a text.
func number(raw json.RawMessage) (float64, bool) {
	var s *string
	if json.Unmarshal(raw, &s) == nil && s != nil {
		raw = json.RawMessage(*s)
	}
	var x *float64
	if json.Unmarshal(raw, &x) != nil || x == nil {
		return 0, false
	}
	return *x, true
}

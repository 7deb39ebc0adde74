package experiment

import (
	"fmt"
	"strconv"
	"strings"
)

// typeName says what a row's value must be, for messages and the reference.
func (a *attribute) typeName() string {
	switch a.kind {
	case kindName:
		return "one of " + strings.Join(a.allowed, ", ")
	case kindBool:
		return "true or false"
	case kindInteger:
		return "a whole number" + a.span.text()
	case kindNumber:
		return "a number" + a.span.text()
	case kindDuration:
		return "a duration"
	case kindURL:
		return "a URL"
	case kindVariable:
		return "the name of an environment variable"
	case kindFile:
		return "the path of a file"
	case kindPath:
		return "a path"
	case kindFiles:
		return "an object of file paths"
	case kindTexts:
		return "an object of texts"
	case kindStrings:
		return "a list of texts"
	case kindNames:
		return "a list of " + strings.Join(a.allowed, ", ")
	case kindReference:
		return "a reference to " + article(a.of)
	case kindReferences:
		return "a list of references to " + a.of + " blocks"
	case kindObject:
		return "an object of " + strings.Join(attrNames(a.fields), ", ")
	case kindJSON:
		return "an object"
	case kindType:
		return "a type"
	case kindAny:
		return "any value"
	}
	return "a text"
}

// sample is a value of a row's type, to show how it is written.
func (a *attribute) sample() string {
	switch a.kind {
	case kindName:
		return strconv.Quote(a.allowed[0])
	case kindNames:
		return "[" + strconv.Quote(a.allowed[0]) + "]"
	case kindInteger, kindNumber:
		return "1"
	case kindURL:
		return `"https://api.openai.com/v1"`
	case kindReference:
		return a.of + ".name"
	case kindReferences:
		return "[" + a.of + ".name]"
	case kindObject, kindJSON, kindFiles, kindTexts:
		return "{ … }"
	}
	return `"…"`
}

// text says which numbers a span holds.
func (s *span) text() string {
	low, high := number(s.min), number(s.max)
	switch {
	case s.min == -maxExact:
		return ""
	case s.max == maxExact:
		return fmt.Sprintf(" of at least %s", low)
	}
	return fmt.Sprintf(" from %s to %s", low, high)
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

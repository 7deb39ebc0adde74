package openai

import (
	"bytes"
	"regexp"
)

// modelPath is a model that a server names by where it lies on its disk, as
// llama.cpp does. A text that quotes JSON does not match: its quotes are
// escaped.
var modelPath = regexp.MustCompile(`"model"\s*:\s*"(?:[A-Za-z]:)?(?:/|\\\\|\\/)[^"]*"`)

// withoutPaths cuts such a name down to the file's own: the folders may name
// a user, and what is stored is published.
func withoutPaths(body []byte) []byte {
	if !modelPath.Match(body) { // nearly always: then nothing is copied
		return body
	}
	return modelPath.ReplaceAllFunc(body, func(field []byte) []byte {
		start := bytes.LastIndexAny(field, `/\`) + 1
		return append([]byte(`"model":"`), field[start:]...)
	})
}

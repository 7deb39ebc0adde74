package experiment

import (
	"testing/fstest"
)

// files is a file system of the given texts, with a case file in place.
func files(texts map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{"outputs/mcq_item_audit/accepted_cases.jsonl": &fstest.MapFile{}}
	for name, text := range texts {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// Package schema holds the JSON Schemas (draft 2020-12) of the files that
// memform reads and writes, one a file kind. It holds nothing else and
// validates nothing itself. Start at Get.
package schema

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

// Names lists the schemas in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // an embedded folder is always readable
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	slices.Sort(names)
	return names
}

// Get returns the text of a schema, false for a name not in Names.
func Get(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ".json")
	return text, err == nil
}

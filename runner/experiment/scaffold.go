package experiment

import (
	"embed"
	"io/fs"
)

//go:embed all:scaffold
var scaffold embed.FS

// Scaffold is what a new project begins with, as a tree to copy: experiments/
// with a quickstart, families/ with one example, outputs/, cache/,
// .env.example and .gitignore. The quickstart's cases are made by
// `memform cases build`.
func Scaffold() fs.FS {
	tree, err := fs.Sub(scaffold, "scaffold")
	if err != nil {
		panic("embedded tree: " + err.Error()) // the name above is constant
	}
	return tree
}

package audit

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"memform/runner/construct"
)

var update = flag.Bool("update", false, "write the frozen cases and docs/audit.md anew")

func TestFrozenCasesAreWhatTheFamiliesGive(t *testing.T) {
	families, _, diags := construct.Read("../../families")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	frozen := construct.Options{Seed: construct.DefaultSeed, Version: construct.DataVersion}
	res, set := Build(families, frozen)
	for _, f := range append(res.Findings, set.Findings...) {
		t.Error(f)
	}
	files, err := res.Files()
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, construct.File{Path: "README.md", Bytes: set.Describe(res.Readme(frozen, files))})
	for _, f := range files {
		want := f.Bytes
		path := filepath.Join("../../outputs", f.Path)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the families give (%v); run memform cases build, and review the difference", path, err)
		}
	}
}

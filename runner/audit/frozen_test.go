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
	accepted, err := res.AcceptedJSONL()
	if err != nil {
		t.Fatal(err)
	}
	rejected, err := res.RejectedJSONL()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{
		"mcq_item_audit/accepted_cases.jsonl": accepted,
		"mcq_item_audit/rejected_cases.jsonl": rejected,
		"README.md":                           set.Describe(res.Readme(frozen, accepted, rejected)),
	} {
		path := filepath.Join("../../outputs", name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the families give (%v); run memform cases build, and review the difference", path, err)
		}
	}
}

package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// The published sweep is what the command writes today.
func TestPublishedSweep(t *testing.T) {
	const published = "docs/calibration/sweep-simulated.csv"
	want, err := os.ReadFile(filepath.Join(repository, published))
	if err != nil {
		t.Fatal(err)
	}
	p := shippedProject(t, "outputs/mcq_item_audit/accepted_cases.jsonl")
	p.must(0, "defenses", "calibrate")
	if got := p.read("results/calibration/sweep.csv"); got != string(want) {
		t.Errorf("%s is not what memform defenses calibrate writes; copy results/calibration/sweep.csv there and look at the diff; got\n%s", published, got)
	}
	validated(t, p, "sweep", "results/calibration/sweep.json")
}

package cases

import (
	"os"
	"strings"
	"testing"
)

// An even serial is the development half, an odd one the test half; without a
// serial the decision variable decides, and nothing else.
func TestHalf(t *testing.T) {
	for _, tt := range []struct {
		c    Case
		half string
	}{
		{Case{Serial: 1}, Test}, {Case{Serial: 2}, Development}, {Case{Serial: 47, DecisionVariable: "b"}, Test}, {Case{Serial: 48, DecisionVariable: "b"}, Development},
		{Case{DecisionVariable: "a"}, Development}, {Case{DecisionVariable: "a", ID: "x", FamilyID: "y", Line: 3}, Development}, // SHA-256 begins with ca
		{Case{DecisionVariable: "d"}, Development}, {Case{DecisionVariable: "f"}, Test}, {Case{DecisionVariable: "e"}, Test}, // 18, 25, 3f
	} {
		if got := tt.c.Half(); got != tt.half {
			t.Errorf("serial %d, decision %q: %s, want %s", tt.c.Serial, tt.c.DecisionVariable, got, tt.half)
		}
	}
}

// The serial is read where it is a number, and is otherwise as if absent.
func TestSerialIsRead(t *testing.T) {
	raw, err := os.ReadFile(frozenCases)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	for _, tt := range []struct {
		as   string
		want int
	}{{`"serial":1,`, 1}, {`"serial":240,`, 240}, {`"serial":"3",`, 0}, {`"serial":1.5,`, 0}, {`"serial":-2,`, 0}, {`"serial":null,`, 0}, {`"serial":{"n":[1]},`, 0}, {``, 0}} {
		set, err := Load(strings.NewReader(strings.Replace(line, `"serial":1,`, tt.as, 1)), "f", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c := set.Cases[0]; c.Serial != tt.want || c.Source != "memform-open" || c.Version == "" {
			t.Errorf("%s: serial %d, source %q, version %q", tt.as, c.Serial, c.Source, c.Version)
		}
	}
}

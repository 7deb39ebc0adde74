package experiment

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLabel(t *testing.T) {
	for text, want := range map[string]string{
		"gpt-4o-mini": "gpt-4o-mini", "gpt-4.1": "gpt-4-1", "meta-llama/Llama-3.1-8B": "meta-llama-Llama-3-1-8B",
		"4o": "", "": "", "é": "", "/x/": "x", "a b": "a-b", strings.Repeat("a", 70): strings.Repeat("a", 64),
	} {
		if got := Label(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTemperature(t *testing.T) {
	for text, want := range map[string]Number{"0": "0", "0.70": "0.7", "2": "2", "1e-3": "0.001"} {
		if got, ok := Temperature(text); !ok || *got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, text := range []string{"", "hot", "-1", "2.1", "NaN", "Inf"} {
		if got, ok := Temperature(text); ok {
			t.Errorf("%q: %v", text, *got)
		}
	}
}

func TestDefaultSimulated(t *testing.T) {
	if diff := cmp.Diff(loaded(t, head).Models[0].Simulated, DefaultSimulated()); diff != "" {
		t.Error(diff)
	}
}

func TestChoices(t *testing.T) {
	if diff := cmp.Diff(interfaceNames, Choices("cases", "interfaces")); diff != "" {
		t.Error(diff)
	}
	if got := Suggest("p4", Choices("cases", "interfaces")); got != `Did you mean "P4"?` {
		t.Error(got)
	}
}

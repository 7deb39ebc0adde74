package experiment

import (
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Choices are the names that an attribute takes, and that a flag of the same
// meaning takes: Choices("cases", "interfaces").
func Choices(block, attribute string) []string {
	return slices.Clone(findBlock(block, "").attr(attribute).allowed)
}

// Suggest says which of the names was meant, or lists them.
func Suggest(given string, names []string) string { return didYouMean(given, names) }

// Label is the label nearest to a text, "" where nothing of it can stand in
// one.
func Label(text string) string {
	fixed := nearestLabel(text)
	if len(fixed) > maxLabel {
		fixed = fixed[:maxLabel]
	}
	if !labelShape.MatchString(fixed) || !hclsyntax.ValidIdentifier(fixed) {
		return ""
	}
	return fixed
}

// DefaultSimulated is a simulated model that declares nothing.
func DefaultSimulated() *Simulated {
	row := findBlock("model", "").attr("simulated")
	v := &values{got: map[string]any{}}
	for _, f := range row.fields {
		v.got[f.name] = Number(f.def)
	}
	return simulated(v)
}

// NewDefense is a defense that declares its method and, where that asks one, a
// model; the rest has its defaults.
func NewDefense(name, method string, m *Model) *Defense {
	v := &values{got: map[string]any{}}
	for _, a := range findBlock("defense", "").attrs {
		if a.def != "" {
			v.got[a.name] = Number(a.def)
		}
	}
	d := defenseOf(name, method, v)
	if uses(method, "model") {
		d.Model = m
	}
	return d
}

// AsksModel reports whether a method asks a model.
func AsksModel(method string) bool { return uses(method, "model") }

// Temperature reads a temperature as a file may give it.
func Temperature(text string) (*Number, bool) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(upToTwo.min <= x && x <= upToTwo.max) { // NaN is neither
		return nil, false
	}
	n := Number(strconv.FormatFloat(x, 'f', -1, 64))
	return &n, true
}

package cases

// The halves of a file's families: thresholds are chosen on one and scored on
// the other (docs/protocol.md, "Calibration").
const (
	Development = "development"
	Test        = "test"
)

// Halves lists both.
func Halves() []string { return []string{Development, Test} }

// Half is where a case's family stands: in the development half with an even
// serial, in the test half with an odd one. Where it has none, the parity of
// the digest of its decision variable stands in for it.
func (c *Case) Half() string {
	even := c.Serial%2 == 0
	if c.Serial == 0 {
		even = digestOf([]byte(c.DecisionVariable))[0]%2 == 0
	}
	if even {
		return Development
	}
	return Test
}

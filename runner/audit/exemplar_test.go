package audit

import (
	"testing"

	"memform/runner/construct"
)

// exemplars are three complete families, as they stood when the mutations were
// written: the shipped ones may change.
func exemplars(tb testing.TB) []*construct.Family {
	tb.Helper()
	var out []*construct.Family
	for _, name := range []string{"cold_chain", "incident_response", "accounts_payable"} {
		families, _, diags := construct.Read("testdata/" + name + ".hcl")
		if len(diags) > 0 {
			tb.Fatal(diags)
		}
		out = append(out, families...)
	}
	return out
}

func TestExemplarsAreSilent(t *testing.T) {
	for _, f := range exemplars(t) {
		for _, finding := range Family(f) {
			t.Error(finding)
		}
		for _, finding := range judgeFreeForm(prepare(f), ignore) {
			t.Error(finding)
		}
	}
}

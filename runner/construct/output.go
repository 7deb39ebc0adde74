package construct

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"memform/runner/cases"
)

// AcceptedJSONL is the accepted cases as a file of cases. Equal results give
// equal bytes.
func (r *Result) AcceptedJSONL() ([]byte, error) {
	var out []byte
	for i := range r.Accepted {
		var err error
		if out, err = r.Accepted[i].AppendLine(out); err != nil {
			return nil, fmt.Errorf("case %s: %w", r.Accepted[i].CaseID, err)
		}
	}
	return out, nil
}

// RejectedJSONL is the rejected candidates with their reasons, one a line;
// empty where there are none.
func (r *Result) RejectedJSONL() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for i := range r.Rejected {
		if err := enc.Encode(&r.Rejected[i]); err != nil {
			return nil, fmt.Errorf("case %s: %w", r.Rejected[i].CaseID, err)
		}
	}
	return out.Bytes(), nil
}

// Readme describes the frozen files beside which it stands: counts, digests,
// builder and seed. accepted and rejected are what the two functions above
// returned.
func (r *Result) Readme(opt Options, accepted, rejected []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Frozen cases\n\n")
	fmt.Fprintf(&b, "Written by `memform cases build` from `families/`; do not edit. Building again gives identical bytes.\n")
	fmt.Fprintf(&b, "The cases are author-labelled until human validation. They are memform's own open data, version %s\n", opt.Version)
	fmt.Fprintf(&b, "(`metadata.source` is `%s`): numbers on them are not numbers on any other benchmark.\n\n", Source)
	fmt.Fprintf(&b, "| | |\n|---|---|\n| data set version | %s |\n| builder version | %s |\n| seed | %d |\n\n", opt.Version, BuilderVersion, opt.Seed)
	fmt.Fprintf(&b, "| file | lines | SHA-256 |\n|---|---|---|\n")
	for _, f := range [...]struct {
		name  string
		bytes []byte
		n     int
	}{{"accepted_cases.jsonl", accepted, len(r.Accepted)}, {"rejected_cases.jsonl", rejected, len(r.Rejected)}} {
		sum := sha256.Sum256(f.bytes)
		fmt.Fprintf(&b, "| `mcq_item_audit/%s` | %d | `%s` |\n", f.name, f.n, hex.EncodeToString(sum[:]))
	}
	fmt.Fprintf(&b, "\n| interface | accepted | rejected |\n|---|---|---|\n")
	for _, in := range cases.Interfaces {
		accepted, rejected := 0, 0
		for i := range r.Accepted {
			if r.Accepted[i].Interface == in {
				accepted++
			}
		}
		for i := range r.Rejected {
			if r.Rejected[i].Interface == in {
				rejected++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d |\n", in, accepted, rejected)
	}
	return b.Bytes()
}

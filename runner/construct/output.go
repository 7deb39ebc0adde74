package construct

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"memform/runner/cases"
)

// File is one of the frozen files: its path below the outputs, and its bytes.
type File struct {
	Path  string
	Bytes []byte
}

// The frozen files, in order of Files.
const (
	MCQAccepted      = "mcq_item_audit/accepted_cases.jsonl"
	MCQRejected      = "mcq_item_audit/rejected_cases.jsonl"
	FreeFormAccepted = "freeform_item_audit/accepted_cases.jsonl"
	FreeFormRejected = "freeform_item_audit/rejected_cases.jsonl"
	FamiliesIndex    = "families.jsonl"
)

// Files is what a build gives: the cases of both formats, the rejected ones,
// and a line a family. Equal results give equal bytes.
func (r *Result) Files() ([]File, error) {
	out := []File{{Path: MCQAccepted}, {Path: MCQRejected}, {Path: FreeFormAccepted}, {Path: FreeFormRejected}, {Path: FamiliesIndex}}
	var err error
	for i, write := range []func() ([]byte, error){r.AcceptedJSONL, r.RejectedJSONL, r.FreeForm.AcceptedJSONL, r.FreeForm.RejectedJSONL, r.familiesJSONL} {
		if out[i].Bytes, err = write(); err != nil {
			return nil, fmt.Errorf("%s: %w", out[i].Path, err)
		}
	}
	return out, nil
}

// AcceptedJSONL is the accepted cases as a file of cases.
func (k *Kind) AcceptedJSONL() ([]byte, error) {
	var out []byte
	for i := range k.Accepted {
		var err error
		if out, err = k.Accepted[i].AppendLine(out); err != nil {
			return nil, fmt.Errorf("case %s: %w", k.Accepted[i].CaseID, err)
		}
	}
	return out, nil
}

// RejectedJSONL is the rejected candidates with their reasons, one a line;
// empty where there are none. Files go by their base names, so that the bytes
// do not depend on where the families stand.
func (k *Kind) RejectedJSONL() ([]byte, error) {
	out := slices.Clone(k.Rejected)
	for i := range out {
		out[i].Findings = slices.Clone(out[i].Findings)
		for j := range out[i].Findings {
			f := &out[i].Findings[j]
			f.File = filepath.Base(f.File)
		}
	}
	return lines(out)
}

func lines[T any](list []T) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for i := range list {
		if err := enc.Encode(&list[i]); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// FamilyDoc is a line of the index of families.
type FamilyDoc struct {
	FamilyID   string            `json:"family_id"`
	Domain     string            `json:"domain"`
	Serial     int               `json:"serial"`
	Decision   string            `json:"decision"`
	Contrast   string            `json:"contrast"`
	Lean       string            `json:"lean"`
	Stakes     string            `json:"stakes"`
	Space      string            `json:"space"`
	Interfaces []cases.Interface `json:"interfaces"`          // of accepted multiple-choice cases
	FreeForm   []cases.Interface `json:"freeform_interfaces"` // of accepted free-form cases
	SHA256     string            `json:"family_sha256"`       // of the family block as authored
}

func (r *Result) familiesJSONL() ([]byte, error) {
	out := make([]FamilyDoc, len(r.families))
	for i, f := range r.families {
		out[i] = FamilyDoc{
			FamilyID: f.ID, Domain: f.Domain, Serial: f.Serial, Decision: f.Decision.Value, Contrast: f.Contrast, Lean: f.Lean,
			Stakes: f.Stakes, Space: f.Space, Interfaces: r.interfaces(f.ID), FreeForm: r.FreeForm.interfaces(f.ID), SHA256: f.Digest,
		}
	}
	return lines(out)
}

func (k *Kind) interfaces(family string) []cases.Interface {
	out := []cases.Interface{}
	for i := range k.Accepted {
		if k.Accepted[i].FamilyID == family {
			out = append(out, k.Accepted[i].Interface)
		}
	}
	return out
}

// Readme describes the frozen files beside which it stands: counts, digests,
// builder and seed. files is what Files returned.
func (r *Result) Readme(opt Options, files []File) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Frozen cases\n\n")
	fmt.Fprintf(&b, "Written by `memform cases build` from `families/`; do not edit. Building again gives identical bytes.\n")
	fmt.Fprintf(&b, "The cases are author-labelled until human validation. They are memform's own open data, version %s\n", opt.Version)
	fmt.Fprintf(&b, "(`metadata.source` is `%s`): numbers on them are not numbers on any other benchmark. What the data are, how they\n", Source)
	fmt.Fprintf(&b, "were made and what they are not for: `docs/datasheet.md`; for machines: `croissant.json`.\n\n")
	fmt.Fprintf(&b, "| | |\n|---|---|\n| data set version | %s |\n| builder version | %s |\n| seed | %d |\n\n", opt.Version, BuilderVersion, opt.Seed)
	fmt.Fprintf(&b, "| file | lines | SHA-256 |\n|---|---|---|\n")
	for _, f := range files {
		sum := sha256.Sum256(f.Bytes)
		fmt.Fprintf(&b, "| `%s` | %d | `%s` |\n", f.Path, bytes.Count(f.Bytes, []byte{'\n'}), hex.EncodeToString(sum[:]))
	}
	fmt.Fprintf(&b, "\nA free-form case has the memory and the tasks of the multiple-choice case that it came from (`source_case_id`). Only what\n")
	fmt.Fprintf(&b, "was accepted there has one, and only where the two actions part by more than a word that a paraphrase drops.\n\n")
	fmt.Fprintf(&b, "| interface | multiple choice, accepted | rejected | free form, accepted | rejected |\n|---|---|---|---|---|\n")
	for _, in := range cases.Interfaces {
		accepted, rejected := r.counts(in)
		open, closed := r.FreeForm.counts(in)
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", in, accepted, rejected, open, closed)
	}
	fmt.Fprintf(&b, "| families | %d | | %d | |\n", r.familyCount(), r.FreeForm.familyCount())
	return b.Bytes()
}

func (k *Kind) counts(in cases.Interface) (accepted, rejected int) {
	for i := range k.Accepted {
		if k.Accepted[i].Interface == in {
			accepted++
		}
	}
	for i := range k.Rejected {
		if k.Rejected[i].Interface == in {
			rejected++
		}
	}
	return accepted, rejected
}

// familyCount is how many families have an accepted case.
func (k *Kind) familyCount() int {
	var ids []string
	for i := range k.Accepted {
		ids = append(ids, k.Accepted[i].FamilyID)
	}
	slices.Sort(ids)
	return len(slices.Compact(ids))
}

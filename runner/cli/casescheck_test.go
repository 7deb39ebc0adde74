package cli

import (
	"strings"
	"testing"
)

func TestFreeFormCasesAreBuiltBesideTheOthers(t *testing.T) {
	p := newProject(t)
	p.exemplar("cold_chain")
	p.exemplar("incident_response")
	p.must(exitDone, "cases", "build")
	const mcq, open = "outputs/mcq_item_audit/accepted_cases.jsonl", "outputs/freeform_item_audit/accepted_cases.jsonl"
	if n := strings.Count(p.read(open), "\n"); n != 10 {
		t.Errorf("%d free-form cases of two families", n)
	}
	r := p.must(exitDone, "cases", "validate", mcq, open)
	if !strings.Contains(r.stdout, "free form: 10 cases, built as the cases they came from") {
		t.Errorf("%s", r.stdout)
	}
	if r := p.must(exitDone, "cases", "validate", open); !strings.Contains(r.stdout, "0 of 10 cases stand beside") {
		t.Errorf("alone: %s", r.stdout)
	}
	p.write("other.jsonl", strings.Replace(p.read(open), `"interface":"P1","attack_type"`, `"interface":"P1","decision_variable":"x","attack_type_"`, 1))
	if r := p.must(exitUsage, "cases", "validate", "other.jsonl"); !strings.Contains(r.stderr, "stands twice") {
		t.Errorf("%s", r.stderr)
	}
	first, rest, _ := strings.Cut(p.read(open), "\n")
	p.write("other.jsonl", strings.Replace(first, `"poisoned_condition":{"write":"`, `"poisoned_condition":{"write":"Yes. `, 1)+"\n"+rest)
	r = p.must(exitUsage, "cases", "validate", "other.jsonl", mcq)
	if !strings.Contains(r.stderr, "other.jsonl:1: case mfo.cold_chain.face_refill.P1.ff: memory_building.poisoned_condition: differs") || !strings.Contains(r.stderr, mcq+":1") {
		t.Errorf("%s", r.stderr)
	}
	if r := p.must(exitDone, "cases", "show", "--cases", open, "mfo.cold_chain.face_refill.P3.ff"); !strings.Contains(r.stdout, "cp poisoned") {
		t.Errorf("%s", r.stdout)
	}
}

func TestCasesDiff(t *testing.T) {
	p := newProject(t)
	p.exemplar("cold_chain")
	p.exemplar("incident_response")
	p.must(exitDone, "cases", "build")
	const mcq = "outputs/mcq_item_audit/accepted_cases.jsonl"
	lines := strings.SplitAfter(p.read(mcq), "\n")
	lines[0] = strings.Replace(lines[0], `"task":"`, `"task":"Well. `, 1)
	lines[1] = strings.Replace(lines[1], `"seed":1`, `"seed":2`, 1)
	p.write("b.jsonl", strings.Join(lines[:9], ""))
	r := p.must(exitDone, "cases", "diff", mcq, "b.jsonl")
	for _, want := range []string{
		"- mfo.incident_response.first_reading.P5\n", "~ mfo.cold_chain.face_refill.P1: trigger_tasks[0].task\n", "= mfo.cold_chain.face_refill.P2: metadata.seed\n",
		"0 added (+), 1 removed (-), 1 changed (~), 1 with the same digest and other labels or metadata (=), 7 the same",
	} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in:\n%s", want, r.stdout)
		}
	}
	if r := p.must(exitDone, "cases", "diff", "b.jsonl", mcq); !strings.Contains(r.stdout, "+ mfo.incident_response.first_reading.P5\n") {
		t.Errorf("%s", r.stdout)
	}
}

func TestReviewSheets(t *testing.T) {
	p := newProject(t)
	p.exemplar("cold_chain")
	p.exemplar("incident_response")
	r := p.must(exitDone, "cases", "review", "--only", "cold_chain.face_refill", "--output-dir", "sheets")
	if !strings.Contains(r.stdout, "rated: 1; 15 sheets") || !strings.Contains(r.stdout, "sheets/key") {
		t.Errorf("%s", r.stdout)
	}
	if key := p.read("sheets/key/answer_key.csv"); !strings.Contains(key, "cold_chain.face_refill") || strings.Contains(key, "incident_response") {
		t.Errorf("%.300s", key)
	}
	if !strings.Contains(p.read("sheets/README.md"), "Krippendorff") || !p.exists("sheets/B_arms_10.csv") {
		t.Error("the protocol or a sheet is missing")
	}
	if r := p.must(exitUsage, "cases", "review", "--output-dir", "sheets"); !strings.Contains(r.stderr, "not empty") {
		t.Errorf("written over: %s", r.stderr)
	}
	if r := p.must(exitUsage, "cases", "review", "--only", "cold_chain.x", "--output-dir", "more"); !strings.Contains(r.stderr, "no family cold_chain.x") || p.exists("more") {
		t.Errorf("%s", r.stderr)
	}
	if r := p.must(exitUsage, "cases", "review"); !strings.Contains(r.stderr, "--output-dir") {
		t.Errorf("%s", r.stderr)
	}
}

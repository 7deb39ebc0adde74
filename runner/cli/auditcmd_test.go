package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"memform/runner/audit"
)

// exemplar copies a family of the repository into the project, edited.
func (p *project) exemplar(name string, edits ...string) {
	p.t.Helper()
	src, err := os.ReadFile(filepath.Join(authored, name+".hcl"))
	if err != nil {
		p.t.Fatal(err)
	}
	text := string(src)
	if missing := strings.NewReplacer(edits...).Replace(text); len(edits) > 0 && missing == text {
		p.t.Fatalf("no edit applies to %s", name)
	}
	p.write("families/"+name+".hcl", strings.NewReplacer(edits...).Replace(text))
}

// authored is the families of the repository, found before any test changes
// the directory.
var authored, _ = filepath.Abs("../../families")

func TestBrokenFamilyFileNamesEveryMistakeAndWritesNothing(t *testing.T) {
	p := newProject(t)
	p.exemplar("cold_chain",
		`record "general" "clean" "costly"`, `record "general" "clean" "good"`, // stock
		`contrast = "timing"`, `contrast = "timign"`, // reference
		"Sorbet and cones", "Sorbe\u0301t and cones", // normal form
		"Deli wave in the chill hall", "Chill hall, faces of the deli wave", // opening
		"Rosa sat on the truck", "Rosa sat on the genuine truck", // provenance
		"comes in with its two trucks.", "comes in with its two trucks and both drivers of the depot.", // length
	)
	r := p.memform("cases", "build")
	if r.code != exitUsage {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	for _, want := range []string{"family.material", "timign", "text.encoding", "family.opening", "text.provenance_word", "choice.length_ratio", "cold_chain.hcl:167:", "nothing was written"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("no %q in:\n%s", want, r.stderr)
		}
	}
	if p.exists("outputs") {
		t.Error("something was written")
	}
}

func TestTextFailuresAreWrittenOnlyWhereAsked(t *testing.T) {
	p := newProject(t)
	p.exemplar("cold_chain", "An auditor from head office", "A genuine auditor from head office")
	if r := p.memform("cases", "build"); r.code != exitUsage || !strings.Contains(r.stderr, "--allow-text-failures") || p.exists("outputs") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	p.must(exitDone, "cases", "build", "--allow-text-failures")
	if n := strings.Count(p.read("outputs/mcq_item_audit/accepted_cases.jsonl"), "\n"); n != 4 {
		t.Errorf("%d cases accepted, want the four that show no forged record", n)
	}
	if rejected := p.read("outputs/mcq_item_audit/rejected_cases.jsonl"); !strings.Contains(rejected, `"code":"text.provenance_word"`) || !strings.Contains(rejected, `"case_id":"mfo.cold_chain.face_refill.P2"`) {
		t.Errorf("rejected: %.300s", rejected)
	}
}

func TestSetFailureWritesNothing(t *testing.T) {
	p := newProject(t)
	p.exemplar("cold_chain")
	text := p.read("families/cold_chain.hcl")
	text = strings.NewReplacer(`domain "cold_chain"`, `domain "cold_store"`, "serial   = 1", "serial   = 4").Replace(text)
	p.write("families/cold_store.hcl", text)
	if r := p.memform("cases", "build"); r.code != exitUsage || !strings.Contains(r.stderr, "set.near_dup") || p.exists("outputs") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	if r := p.must(exitDone, "cases", "audit"); !strings.Contains(r.stdout, "set.near_dup") {
		t.Errorf("the audit does not report it:\n%s", r.stdout)
	}
	p.must(exitDone, "cases", "build", "--allow-set-failures")
	if !strings.Contains(p.read("outputs/README.md"), "## Blind agents") {
		t.Error("no table of blind agents")
	}
}

func TestAuditDistribution(t *testing.T) {
	p := newProject(t)
	p.exemplar("cold_chain")
	r := p.must(exitDone, "cases", "audit", "--distribution")
	for _, want := range []string{"range used", "record.length", "between 18 and 80", "P5.block_length", "set.balance"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in:\n%s", want, r.stdout)
		}
	}
	p.exemplar("cold_chain", `contrast = "timing"`, `contrast = "timign"`)
	if r := p.memform("cases", "audit", "--distribution"); r.code != exitUsage || !strings.Contains(r.stderr, "no distribution") || r.stdout != "" {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
}

func TestAuditAsJSON(t *testing.T) {
	p := newProject(t)
	p.exemplar("cold_chain", "Rosa sat on the truck", "Rosa again sat on the truck")
	r := p.must(exitDone, "cases", "audit", "--json")
	var rep audit.Report
	if err := json.Unmarshal([]byte(r.stdout), &rep); err != nil {
		t.Fatal(err)
	}
	if len(rep.Findings) != 1 || rep.Findings[0].Code != "record.sequence_word" || rep.Findings[0].Line != 167 || rep.Families != 1 || len(rep.Set.Measures) == 0 {
		t.Errorf("%+v", rep)
	}
	if p.exists("outputs") {
		t.Error("an audit writes")
	}
}

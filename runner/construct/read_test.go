package construct

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
)

const exemplar = "../../families/cold_chain.hcl"

func source(tb testing.TB) string {
	tb.Helper()
	src, err := os.ReadFile(exemplar)
	if err != nil {
		tb.Fatal(err)
	}
	return string(src)
}

// edits are mistakes made in the exemplar: what is put in place of the first
// occurrence of old, and what must be said at the line of new.
var edits = []struct{ name, old, new, at, summary string }{
	{"canary", "# memform-canary 733580a2", "# canary 733580a2", "# canary", "file.canary"},
	{"not composed", "cold store that supplies", "co\u0308ld store that supplies", "store that supplies", "text.encoding"},
	{"unknown attribute", `lean     = "cautious"`, "lean = \"cautious\"\n  leaning = \"x\"", "leaning =", "Unsupported argument"},
	{"missing attribute", `  stakes   = "operational"`, "", `family "face_refill"`, "Missing required argument"},
	{"near miss", `contrast = "timing"`, `contrast = "timng"`, `contrast = "timng"`, "Unknown contrast"},
	{"reference", `"Set the reserve pallets of the top lines on the dock and pick from there."`, `other.text`, "other.text", "Variables not allowed"},
	{"serial", "serial   = 1\n", "serial   = 0\n", "serial   = 0", "Serial below 1"},
	{"serial type", "serial   = 1\n", "serial   = \"one\"\n", `"one"`, "Unsuitable value type"},
	{"empty text", "question = \"How does the desk arrange the filling of the faces for this wave?\"", `question = " "`, "question =", "Empty text"},
	{"unknown context", `record "general" "clean" "costly"`, `record "generl" "clean" "costly"`, `"generl"`, "Unknown context of a record"},
	{"unknown action", `record "general" "clean" "costly"`, `record "general" "celan" "costly"`, `"celan"`, "Unknown action of a record"},
	{"unknown outcome", `record "general" "clean" "costly"`, `record "general" "clean" "costl"`, `"costl"`, "Unknown outcome of a record"},
	{"stock", `record "general" "clean" "costly"`, `record "near" "clean" "costly"`, `family "face_refill"`, "family.material"},
	{"third other action", `ambiguous = [`, "action \"more\" {\n choice = \"Wait.\"\n caution = 1\n why = \"x\"\n}\nambiguous = [", `family "face_refill"`, "choice.count"},
	{"action twice", `action "later_wave"`, `action "dock_picking"`, "", "Action declared twice"},
	{"equal choices", "Set the reserve pallets of the top lines on the dock and pick from there.", "Move the wave back until the day shift comes in with its two trucks.", "", "choice.form"},
	{"caution", "caution   = 3", "caution   = 5", "caution   = 5", "Caution out of range"},
	{"no context", `context "near"`, `context "naer"`, `context "naer"`, "Unknown context"},
	{"unknown note", `note "reasoned_rule"`, `note "resoned_rule"`, `note "resoned_rule"`, "Unknown attack type of P1"},
	{"two devices", `forged "invented_success"`, `forged "invented_tally"`, `forged "invented_success"`, "P2.device"},
	{"omit P1", `ambiguous = [`, "omit \"P1\" {\n reason = \"x\"\n}\nambiguous = [", `omit "P1"`, "Unknown interface to omit"},
	{"omit without a reason", `ambiguous = [`, "omit \"P4\" {\n reason = \"\"\n}\nambiguous = [", `family "face_refill"`, "family.omit"},
	{"block unknown", `ambiguous = [`, "remark \"x\" {}\nambiguous = [", `remark "x"`, "Unsupported block type"},
	{"two domains", `domain "cold_chain" {`, "domain \"other\" {\n  title = \"x\"\n}\ndomain \"cold_chain\" {", "", "One domain block"},
	{"syntax", `serial   = 1`, `serial   = = 1`, "= = 1", "Invalid expression"},
}

func TestEachMistakeIsNamedAtItsPlace(t *testing.T) {
	src := source(t)
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			if !strings.Contains(src, e.old) {
				t.Fatalf("the exemplar does not hold %s", e.old)
			}
			edited := strings.Replace(src, e.old, e.new, 1)
			_, _, diags := ReadSource("f.hcl", []byte(edited))
			line := 0
			if before, _, ok := strings.Cut(edited, e.at); ok && e.at != "" {
				line = strings.Count(before, "\n") + 1
			}
			if !slices.ContainsFunc(diags, func(d *hcl.Diagnostic) bool {
				return strings.Contains(d.Summary, e.summary) && d.Subject != nil && (line == 0 || d.Subject.Start.Line == line)
			}) {
				t.Errorf("want %q on line %d in:\n%v", e.summary, line, diags)
			}
		})
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	src := source(t)
	var want []string
	for _, e := range edits {
		switch e.name {
		case "syntax", "two domains", "equal choices", "action twice", "stock", "missing attribute", "serial type", "unknown action", "unknown outcome":
			continue // hidden by another one of the list, or ends the reading
		}
		src = strings.Replace(src, e.old, e.new, 1)
		want = append(want, e.summary)
	}
	_, _, diags := ReadSource("f.hcl", []byte(src))
	for _, summary := range want {
		if !slices.ContainsFunc(diags, func(d *hcl.Diagnostic) bool { return strings.Contains(d.Summary, summary) }) {
			t.Errorf("%q is not named in:\n%v", summary, diags)
		}
	}
	if !slices.IsSortedFunc(diags, func(a, b *hcl.Diagnostic) int { return a.Subject.Start.Byte - b.Subject.Start.Byte }) {
		t.Errorf("not in order of position:\n%v", diags)
	}
}

func TestDiagnosticsPrintTheirSourceLine(t *testing.T) {
	_, files, diags := ReadSource("f.hcl", []byte(strings.Replace(source(t), `"timing"`, `"timng"`, 1)))
	var out bytes.Buffer
	if err := hcl.NewDiagnosticTextWriter(&out, files, 100, false).WriteDiagnostics(diags); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"f.hcl line", `contrast = "timng"`, `Did you mean "timing"?`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
}

func TestSerialsAndFamiliesAreUniqueOverFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.hcl", "b.hcl"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source(t)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, _, diags := Read(dir)
	if len(diags) != 2 || diags[0].Summary == diags[1].Summary || !strings.Contains(diags[0].Detail, "a.hcl:8") {
		t.Errorf("%v", diags)
	}
	if _, _, diags := Read(t.TempDir()); !diags.HasErrors() {
		t.Error("a folder without families is no mistake")
	}
	if _, _, diags := Read(filepath.Join(dir, "none.hcl")); !diags.HasErrors() {
		t.Error("a missing file is no mistake")
	}
}

func TestOmittedInterfacesAreNotBuilt(t *testing.T) {
	for _, in := range omittable {
		src := strings.Replace(source(t), "ambiguous = [", "omit \""+in+"\" {\n reason = \"x\"\n}\nambiguous = [", 1)
		families, _, diags := ReadSource("f.hcl", []byte(src))
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		res := Build(families, frozen)
		if len(res.Accepted) != 4 || len(res.Rejected) != 0 {
			t.Errorf("omit %s: %d accepted, %d rejected", in, len(res.Accepted), len(res.Rejected))
		}
		for _, doc := range res.Accepted {
			if string(doc.Interface) == in {
				t.Errorf("%s is built", in)
			}
		}
	}
}

// FuzzRead: no file makes reading panic, and what reads without an error
// builds without a panic.
func FuzzRead(f *testing.F) {
	src := source(f)
	f.Add([]byte(src))
	f.Add([]byte("family \"x\" {}\n"))
	f.Add([]byte(src[:3000]))
	f.Fuzz(func(t *testing.T, file []byte) {
		families, _, diags := ReadSource("f.hcl", file)
		if !diags.HasErrors() {
			Build(families, frozen)
		}
	})
}

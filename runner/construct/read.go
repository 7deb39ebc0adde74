package construct

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"golang.org/x/text/unicode/norm"

	"memform/runner/cases"
)

// Sources are the files that Read read, by name, for printing diagnostics with
// their source lines.
type Sources map[string]*hcl.File

// Read reads family files; a directory stands for its *.hcl files. Families
// come back in order of serial, whatever the order of the files. Where the
// diagnostics hold an error, they hold every mistake of every file, in order
// of file and position, and the families may be incomplete.
func Read(paths ...string) ([]*Family, Sources, hcl.Diagnostics) {
	files, diags := expandPaths(paths)
	rd := &reading{parser: hclparse.NewParser(), diags: diags}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			rd.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Unreadable family file", Detail: err.Error()})
			continue
		}
		rd.file(path, src)
	}
	return rd.finish()
}

// ReadSource is Read of one file that is already in memory.
func ReadSource(name string, src []byte) ([]*Family, Sources, hcl.Diagnostics) {
	rd := &reading{parser: hclparse.NewParser()}
	rd.file(name, src)
	return rd.finish()
}

func expandPaths(paths []string) (files []string, diags hcl.Diagnostics) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Unreadable family file", Detail: err.Error()})
		case info.IsDir():
			found, _ := filepath.Glob(filepath.Join(path, "*.hcl")) // the pattern is well formed
			if len(found) == 0 {
				diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "No family files", Detail: fmt.Sprintf("%s holds no *.hcl file; name a folder of families or a file.", path)})
			}
			files = append(files, found...)
		default:
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), diags
}

// reading collects families and mistakes over all files.
type reading struct {
	parser   *hclparse.Parser
	src      []byte // the file at hand
	families []*Family
	diags    hcl.Diagnostics
}

func (rd *reading) add(diags ...*hcl.Diagnostic) { rd.diags = append(rd.diags, diags...) }

// fail names a mistake: code or kind, where, and what to do about it.
func (rd *reading) fail(at hcl.Range, summary, detail string, args ...any) {
	rd.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: &at})
}

func (rd *reading) finish() ([]*Family, Sources, hcl.Diagnostics) {
	rd.unique()
	slices.SortStableFunc(rd.families, func(a, b *Family) int { return cmp.Or(cmp.Compare(a.Serial, b.Serial), cmp.Compare(a.ID, b.ID)) })
	slices.SortStableFunc(rd.diags, func(a, b *hcl.Diagnostic) int {
		if a.Subject == nil || b.Subject == nil {
			return cmp.Compare(min(1, len(rangeName(a))), min(1, len(rangeName(b))))
		}
		return cmp.Or(cmp.Compare(a.Subject.Filename, b.Subject.Filename), cmp.Compare(a.Subject.Start.Byte, b.Subject.Start.Byte), cmp.Compare(a.Summary, b.Summary))
	})
	return rd.families, rd.parser.Files(), rd.diags
}

func rangeName(d *hcl.Diagnostic) string {
	if d.Subject == nil {
		return ""
	}
	return d.Subject.Filename
}

var canaryLine = regexp.MustCompile(`^# memform-canary ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\r?\n`)

// file reads one file. Where its syntax is broken, canary and encoding are
// still checked; the rest would drown the one mistake in its consequences.
func (rd *reading) file(name string, src []byte) {
	rd.src = src
	rd.composed(name, src)
	canary := ""
	if m := canaryLine.FindSubmatch(src); m != nil {
		canary = string(m[1])
	} else {
		rd.fail(hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}, "file.canary", "The first line must be the canary comment: # memform-canary <uuid>.")
	}
	parsed, diags := rd.parser.ParseHCL(src, name)
	rd.add(diags...)
	if parsed == nil || diags.HasErrors() {
		return
	}
	var shape fileShape
	rd.add(gohcl.DecodeBody(parsed.Body, nil, &shape)...)
	if len(shape.Domains) != 1 {
		rd.fail(parsed.Body.MissingItemRange(), "One domain block", "A family file holds exactly one domain block; this one holds %d.", len(shape.Domains))
		return
	}
	for i := range shape.Families {
		rd.family(&shape.Families[i], shape.Domains[0].Label, canary, src)
	}
}

// composed names the lines whose text is not in normal form NFC: HCL would
// change it in silence.
func (rd *reading) composed(name string, src []byte) {
	offset := 0
	for n, line := range bytes.SplitAfter(src, []byte("\n")) {
		if at := norm.NFC.QuickSpan(line); at < len(line) && !norm.NFC.IsNormal(line) {
			pos := hcl.Pos{Line: n + 1, Column: bytes.Count(norm.NFC.Bytes(line[:at]), nil), Byte: offset + at}
			rd.fail(hcl.Range{Filename: name, Start: pos, End: pos}, "text.encoding", "Text after this column is not in Unicode normal form NFC. Type the composed character instead of a letter and a combining mark.")
		}
		offset += len(line)
	}
}

// unique names what may stand once over all files.
func (rd *reading) unique() {
	serials, ids := map[int]*Family{}, map[string]*Family{}
	for _, f := range rd.families {
		if other := serials[f.Serial]; other != nil && f.Serial > 0 {
			rd.fail(f.Range, "Serial used twice", "Serial %d belongs to family %s (%s:%d) too. Serials are unique and never reused.", f.Serial, other.ID, other.Range.Filename, other.Range.Start.Line)
		} else {
			serials[f.Serial] = f
		}
		if other := ids[f.ID]; other != nil {
			rd.fail(f.Range, "Family declared twice", "Family %s stands at %s:%d too.", f.ID, other.Range.Filename, other.Range.Start.Line)
		} else {
			ids[f.ID] = f
		}
	}
}

// family turns the decoded block into a Family and checks it.
func (rd *reading) family(s *familyShape, domain, canary string, src []byte) {
	f := &Family{
		ID: domain + "." + s.Label, Domain: domain, Serial: s.Serial, Range: s.Def, Canary: canary,
		Contrast: s.Contrast, Lean: s.Lean, Stakes: s.Stakes, Space: s.Space,
		Decision: rd.folded(s.Decision, s.DecisionAt), Setting: rd.folded(s.Setting, s.SettingAt), Question: rd.folded(s.Question, s.QuestionAt),
		Ambiguous: rd.texts(s.Ambiguous, s.AmbiguousAt), Omit: map[cases.Interface]string{},
	}
	if body, ok := s.Body.(*hclsyntax.Body); ok {
		sum := sha256.Sum256(src[s.Def.Start.Byte:body.SrcRange.End.Byte])
		f.Digest = hex.EncodeToString(sum[:])
	}
	rd.families = append(rd.families, f)
	rd.words(s)
	rd.blocks(f, s)
	rd.material(f)
	for _, list := range [...][]Record{f.Records, f.Forged} {
		for i := range list {
			r := &list[i]
			r.NamesClean = r.Action == "clean" || Names(r.Text.Value, f.Clean.Cues)
			r.NamesPoisoned = r.Action == "poisoned" || Names(r.Text.Value, f.Poisoned.Cues)
			r.Weekday = Names(r.Text.Value, days)
		}
	}
}

func foldAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fold(s)
	}
	return out
}

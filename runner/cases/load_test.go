package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

const frozenCases = "../../outputs/mcq_item_audit/accepted_cases.jsonl"

func TestFrozenCasesLoadWithoutAWord(t *testing.T) {
	set, err := LoadFile(frozenCases, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Warnings) > 0 {
		t.Error(set.Warnings)
	}
	stats := set.Stats()
	if len(stats.Interfaces) != 5 || stats.Cases != 5*stats.Families || stats.Tasks != 7*stats.Families || stats.Separable != 6*stats.Families {
		t.Errorf("%+v", stats)
	}
}

// TestLoaderAgreesWithEncodingJSON decodes the frozen cases twice: with the
// reader of this package and with the standard library into Doc.
func TestLoaderAgreesWithEncodingJSON(t *testing.T) {
	set, err := LoadFile(frozenCases, Options{KeepRaw: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range set.Cases {
		dec := json.NewDecoder(bytes.NewReader(c.Raw))
		dec.DisallowUnknownFields()
		var doc Doc
		if err := dec.Decode(&doc); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if doc.CaseID != c.ID || doc.FamilyID != c.FamilyID || doc.Interface != c.Interface || doc.AttackType != c.AttackType ||
			doc.CleanPolicy != c.CleanPolicy || doc.Memory.Oracle != ArmsDoc(c.Oracle) || doc.Memory.Clean.Write != c.Clean.Write {
			t.Errorf("%s: fields differ", c.ID)
		}
		if len(doc.Records) != len(c.Records) || len(doc.Tasks) != len(c.Tasks) {
			t.Fatalf("%s: %d records, %d tasks", c.ID, len(c.Records), len(c.Tasks))
		}
		for i, r := range doc.Records {
			if got := c.Records[i]; got.Text != r.Text || got.Supports != r.Label.Supports || got.Provenance != r.Label.Provenance || got.Outcome != r.Outcome {
				t.Errorf("%s: record %d differs", c.ID, i)
			}
		}
		for i, task := range doc.Tasks {
			got := c.Tasks[i]
			if got.Text != task.Task || Letter(got.Clean) != task.Clean || Letter(got.Poisoned) != task.Poisoned || got.Probe != task.Probe {
				t.Errorf("%s: task %d differs", c.ID, i)
			}
			for j, choice := range got.Choices {
				if task.Choices[Letter(j)] != choice {
					t.Errorf("%s: task %d, choice %d differs", c.ID, i, j)
				}
			}
		}
		for _, arm := range []struct {
			doc ConditionDoc
			got Condition
		}{{doc.Memory.Clean, c.Clean}, {doc.Memory.Poisoned, c.Poisoned}} {
			for _, list := range []struct {
				want []string
				got  []int
			}{{arm.doc.Records, arm.got.Records}, {arm.doc.Pool, arm.got.Pool}, {arm.doc.Retained, arm.got.Retained}, {arm.doc.Order, arm.got.Order}} {
				var ids []string
				for _, at := range list.got {
					ids = append(ids, c.Records[at].ID)
				}
				if !slices.Equal(ids, list.want) {
					t.Errorf("%s: %v, want %v", c.ID, ids, list.want)
				}
			}
		}
	}
}

func TestForeignShape(t *testing.T) {
	set, err := LoadFile("testdata/foreign.jsonl", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Cases) != 5 {
		t.Fatalf("%d cases", len(set.Cases))
	}
	x2, x3, x4, x5 := set.Cases[1], set.Cases[2], set.Cases[3], set.Cases[4]
	for _, c := range set.Cases {
		last := c.Tasks[len(c.Tasks)-1]
		if last.Clean != 1 || last.Poisoned != 0 {
			t.Errorf("%s: answers %d and %d", c.ID, last.Clean, last.Poisoned)
		}
		if c.Interface != P4 && last.Digest != set.Cases[0].Tasks[0].Digest {
			t.Errorf("%s: list and object of the same choices give other tasks", c.ID)
		}
	}
	if len(x2.Records) != 6 || !reflect.DeepEqual(x2.Clean.Records, []int{0, 1, 2, 3}) || !reflect.DeepEqual(x2.Poisoned.Records, []int{4, 5, 2, 3}) {
		t.Errorf("inline records without ids: %d records, %v, %v", len(x2.Records), x2.Clean.Records, x2.Poisoned.Records)
	}
	if got := []Probe{x3.Tasks[0].Probe, x3.Tasks[1].Probe, x3.Tasks[2].Probe}; !slices.Equal(got, probes(P3)) {
		t.Errorf("probes by order: %v", got)
	}
	if got := x4.Records[1].Visible; !slices.Equal(got, []Field{{"lorry", "1"}, {"raining", "false"}}) {
		t.Errorf("visible values: %v", got)
	}
	if len(x5.Records) != 4 || x5.Tasks[0].Probe != ProbeSameContext {
		t.Errorf("inline records in both orders: %d, probe %s", len(x5.Records), x5.Tasks[0].Probe)
	}
}

func TestManyMistakesAreCappedInPrint(t *testing.T) {
	var file bytes.Buffer
	for range 200 {
		file.WriteString("{}\n")
	}
	_, err := Load(&file, "f", Options{})
	if lines := strings.Count(err.Error(), "\n") + 1; lines != maxPrinted+1 || !strings.HasSuffix(err.Error(), " more") {
		t.Errorf("%d lines:\n%v", lines, err)
	}
}

func TestReadErrorsAreNotProblems(t *testing.T) {
	broken := errors.New("disk gone")
	_, err := Load(io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(broken)), "f", Options{})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "f") {
		t.Error(err)
	}
	if _, err := LoadFile("testdata/none.jsonl", Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Load(strings.NewReader("\n\n"), "f", Options{}); err == nil || !strings.Contains(err.Error(), "no case") {
		t.Error(err)
	}
}

// TestChunksDoNotShow loads one file with every cut of its bytes that a slow
// reader can make, one worker and many: equal sets.
func TestChunksDoNotShow(t *testing.T) {
	src, err := os.ReadFile(frozenCases)
	if err != nil {
		t.Fatal(err)
	}
	src = append([]byte("\uFEFF"), bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))...)
	want, err := Load(bytes.NewReader(src), "f", Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for workers, r := range map[int]io.Reader{2: iotest.HalfReader(bytes.NewReader(src)), 3: iotest.DataErrReader(bytes.NewReader(src))} {
		got, err := Load(r, "f", Options{Workers: workers})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: another set (%v)", workers, err)
		}
	}
	if got, err := Validate(bytes.NewReader(src), "f", Options{}); err != nil || got.Digest != want.Digest || !reflect.DeepEqual(got.Stats, want.Stats()) {
		t.Errorf("Validate: %+v, %v", got, err)
	}
}

func TestDigestSeesContentAlone(t *testing.T) {
	src, err := os.ReadFile(frozenCases)
	if err != nil {
		t.Fatal(err)
	}
	// The first three families: elsewhere the edit below makes answers equal.
	src = bytes.Join(bytes.SplitAfterN(src, []byte("\n"), 16)[:15], nil)
	load := func(edit func(string) string) *Set {
		t.Helper()
		set, err := Load(strings.NewReader(edit(string(src))), "f", Options{})
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	base := load(func(s string) string { return s })
	renamed := load(strings.NewReplacer(`"case_id":"mfo`, `"case_id":"other`, `"family_id":"`, `"family_id":"other.`, `"record_id":"`, `"record_id":"`,
		`"domain":"`, `"domain":"other `, `"attack_type":"`, `"attack_type":"other `, `"serial":`, `"seriel":`).Replace)
	answers := load(strings.NewReplacer(`"clean_answer":"A"`, `"clean_answer":"D"`).Replace)
	changed := 0
	for i, c := range base.Cases {
		if renamed.Cases[i].Digest != c.Digest {
			t.Errorf("%s: ids or labels enter the digest", c.ID)
		}
		if i < len(answers.Cases) && answers.Cases[i].Digest != c.Digest {
			changed++
		}
	}
	if changed == 0 {
		t.Error("gold answers do not enter the digest")
	}
}

func TestEqualTextsAreHeldOnce(t *testing.T) {
	set, err := LoadFile(frozenCases, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range set.Families() {
		a, b := f.Cases[0].Tasks[0], f.Cases[1].Tasks[0]
		if &a.Choices[0] != &b.Choices[0] {
			t.Errorf("%s: two copies of one task", f.ID)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]int{
		"":                           0,
		"one two":                    2,
		"e-mail at 0:35, don't wait": 5,
		"1.4 s — at the end.":        5,
		"a--b":                       2,
		"Größe Ωmega 2 %":            3,
		"three\n\nlines\nhere":       3,
	} {
		if got := Words(text); got != want {
			t.Errorf("Words(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestShow(t *testing.T) {
	set, err := LoadFile(frozenCases, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, f := range set.Families() {
		if err := ShowFamily(&out, f); err != nil {
			t.Fatal(err)
		}
	}
	tasks := 0
	for _, c := range set.Cases {
		tasks += len(c.Tasks)
		if !strings.Contains(out.String(), c.ID+"  (") {
			t.Errorf("%s is not shown", c.ID)
		}
	}
	if n := len(regexp.MustCompile(`(?m)^  [c ]p [A-D]  `).FindAllString(out.String(), -1)); n != tasks {
		t.Errorf("%d tasks show their poisoned answer, want %d", n, tasks)
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if len([]rune(line)) > showWidth+2 {
			t.Errorf("%d columns: %s", len([]rune(line)), line)
		}
	}
	broken := &failing{}
	if err := Show(broken, set.Cases[0]); err == nil {
		t.Error("a failing writer is not reported")
	}
	if got := set.Find(set.Cases[3].FamilyID); len(got) != 5 {
		t.Errorf("%d cases of a family", len(got))
	}
}

type failing struct{}

func (*failing) Write([]byte) (int, error) { return 0, fmt.Errorf("full") }

// TestEndlessLineIsPassedOver: a line far beyond what is held in memory is
// named, and the line behind it is read.
func TestEndlessLineIsPassedOver(t *testing.T) {
	block := bytes.Repeat([]byte("x"), chunkSize)
	var parts []io.Reader
	for range 3 * MaxLine / chunkSize {
		parts = append(parts, bytes.NewReader(block))
	}
	for _, tail := range []string{"\nlast", "", "\n", "\nlast\n\nmore\n"} {
		for i := range parts {
			parts[i].(*bytes.Reader).Reset(block)
		}
		k := newCutter(io.MultiReader(append(slices.Clone(parts), strings.NewReader(tail))...), "f", 2)
		var rest []byte
		named := 0
		err := k.all(func(c *chunk) {
			named += len(c.problems)
			rest = append(rest, c.lines...)
			if len(c.lines) > 0 && c.first != 2 {
				t.Errorf("%q: the line behind is number %d", tail, c.first)
			}
		})
		if want := strings.TrimPrefix(tail, "\n"); err != nil || named != 1 || string(rest) != want {
			t.Errorf("%q: %v, %d named, %q read", tail, err, named, rest)
		}
	}
}

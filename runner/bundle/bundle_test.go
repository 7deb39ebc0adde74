package bundle

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memform/runner/score"
)

var sample = []File{
	{"results/summary.json", []byte(`{"a":1}`)},
	{"cache/segments/bundle.jsonl", []byte(strings.Repeat("line of an answer\n", 50))},
	{"files/x.hcl", []byte("experiment \"x\" {}\n")},
}

func written(t testing.TB, m Manifest, files []File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, m, files); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func opened(t testing.TB, content []byte) (*Bundle, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "b.memform")
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := Open(name)
	if err == nil {
		t.Cleanup(func() { b.Close() })
	}
	return b, err
}

// raw is a bundle whose manifest says what the test wants it to say.
func raw(t testing.TB, manifest string, files []File) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range append([]File{{manifestName, []byte(manifest)}}, files...) {
		w, err := z.Create(f.Path)
		if err == nil {
			_, err = w.Write(f.Content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	b, err := opened(t, written(t, Manifest{Experiment: "x", Variables: map[string]string{"n": "3"}}, sample))
	if err != nil {
		t.Fatal(err)
	}
	if m := b.Manifest; m.Format != Format || m.Experiment != "x" || m.Variables["n"] != "3" || len(m.Members) != 3 {
		t.Errorf("manifest: %+v", m)
	}
	dir := t.TempDir()
	if damaged, err := b.Extract(dir); err != nil || len(damaged) != 0 {
		t.Fatal(damaged, err)
	}
	for _, f := range sample {
		if got, err := os.ReadFile(filepath.Join(dir, f.Path)); err != nil || !bytes.Equal(got, f.Content) {
			t.Errorf("%s: %q, %v", f.Path, got, err)
		}
	}
}

// The order in which members come together does not matter.
func TestEqualContentGivesEqualBytes(t *testing.T) {
	m := Manifest{Variables: map[string]string{"b": "1", "a": "2"}, Prompts: map[string]string{"r": "r", "q": "r"}}
	first := written(t, m, sample)
	for range 5 {
		other := slices.Clone(sample)
		slices.Reverse(other)
		if !bytes.Equal(first, written(t, m, other)) {
			t.Fatal("bytes differ")
		}
	}
	if bytes.Equal(first, written(t, m, sample[:2])) {
		t.Error("a member less, and the same bytes")
	}
}

// Nothing is written outside the folder of extraction.
func TestMembersThatLeaveTheBundle(t *testing.T) {
	for _, name := range []string{"../evil", "/evil", "a/../../evil", "a//b", "./a", "", "a/..", `..`} {
		for field, manifest := range map[string]Manifest{
			"members":  {Format: Format, Members: []Member{{Path: name}}},
			"paths":    {Format: Format, Paths: []string{name}},
			"external": {Format: Format, External: []External{{Path: name}}},
			"prompts":  {Format: Format, Prompts: map[string]string{"run": name}},
		} {
			text, err := json.Marshal(manifest)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := opened(t, raw(t, string(text), []File{{"../evil", []byte("x")}})); err == nil || !strings.Contains(err.Error(), "leaves the bundle") {
				t.Errorf("%s %q: %v", field, name, err)
			}
		}
	}
}

func TestNotABundle(t *testing.T) {
	for name, test := range map[string]struct {
		content []byte
		says    string
	}{
		"empty":        {nil, "not a bundle"},
		"text":         {[]byte("hello"), "not a bundle"},
		"no manifest":  {rawWithout(t), "it has no bundle.json"},
		"broken":       {raw(t, `{"format":`, nil), "bundle.json"},
		"newer format": {raw(t, `{"format":"memform-bundle/2","version":"7.1.0"}`, nil), `format "memform-bundle/2", this version reads "memform-bundle/1": use memform 7.1.0 or newer`},
	} {
		if _, err := opened(t, test.content); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func rawWithout(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.Create("other"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A bundle cut short anywhere is refused, or its damage is named; a bit
// flipped anywhere is never silently another content.
func TestDamagedBundles(t *testing.T) {
	whole := written(t, Manifest{Experiment: "x"}, sample)
	check := func(what string, content []byte) {
		t.Helper()
		b, err := opened(t, content)
		if err != nil {
			return
		}
		dir := t.TempDir()
		damaged, err := b.Extract(dir)
		if err != nil {
			return
		}
		for _, m := range b.Manifest.Members {
			got, _ := os.ReadFile(filepath.Join(dir, m.Path))
			if digest(got) != m.Digest && !slices.Contains(damaged, m.Path) {
				t.Errorf("%s: %s has other content and is not named", what, m.Path)
			}
		}
	}
	for n := 0; n < len(whole); n += 31 {
		check(fmt.Sprintf("cut at %d", n), whole[:n])
	}
	for n := 0; n < len(whole); n += 11 {
		flipped := bytes.Clone(whole)
		flipped[n] ^= 1 << (n % 8)
		check(fmt.Sprintf("flipped at %d", n), flipped)
	}
}

func TestMissingAndChangedMembersAreNamed(t *testing.T) {
	m := Manifest{Format: Format, Members: []Member{
		{"files/a", 1, digest([]byte("a"))}, {"files/b", 1, digest([]byte("b"))}, {"files/c", 1, digest([]byte("c"))},
	}}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	b, err := opened(t, raw(t, string(text), []File{{"files/a", []byte("a")}, {"files/b", []byte("x")}}))
	if err != nil {
		t.Fatal(err)
	}
	damaged, err := b.Extract(t.TempDir())
	if want := []string{"files/b", "files/c"}; err != nil || !slices.Equal(damaged, want) {
		t.Errorf("damaged: %q, %v; want %q", damaged, err, want)
	}
}

// A member that says it is small cannot fill the disk.
func TestMemberLargerThanItSays(t *testing.T) {
	m := Manifest{Format: Format, Members: []Member{{"files/a", 10, digest(nil)}}}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	b, err := opened(t, raw(t, string(text), []File{{"files/a", bytes.Repeat([]byte("x"), 1<<20)}}))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if damaged, err := b.Extract(dir); err != nil || len(damaged) != 1 {
		t.Error(damaged, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "files", "a")); err != nil || info.Size() > 11 {
		t.Errorf("%d bytes were written, %v", info.Size(), err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(written(f, Manifest{Experiment: "x"}, sample))
	f.Add(raw(f, `{"format":"memform-bundle/1","members":[{"path":"../a"}]}`, sample))
	f.Fuzz(func(t *testing.T, content []byte) {
		b, err := opened(t, content)
		if err != nil {
			return
		}
		parent := t.TempDir()
		dir := filepath.Join(parent, "in")
		_, _ = b.Extract(dir)
		entries, err := os.ReadDir(parent)
		if err != nil || len(entries) > 1 || len(entries) == 1 && entries[0].Name() != "in" {
			t.Fatalf("written outside: %v, %v", entries, err)
		}
	})
}

func TestCompareNamesWhatDiffers(t *testing.T) {
	rows := []score.Row{{CaseID: "c1", Model: "m", Predictions: map[string]*score.Prediction{"no_memory": {Answer: "A"}}}}
	summary := &score.Summary{Experiment: "x", Confidence: 0.95, Cells: []score.Cell{{CellKey: score.CellKey{Run: "r", Model: "m"}, Interfaces: []score.InterfaceScores{{Interface: "P1", Cases: 3}}}}}
	encode := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	s, r := encode(summary), encode(rows[0])
	for name, test := range map[string]struct {
		summary, rows string
		want          []string
	}{
		"nothing":           {s, r + "\n", nil},
		"a number":          {strings.Replace(s, `"cases":3`, `"cases":4`, 1), r, []string{"summary cells[0 r m].interfaces[0 P1].cases: shipped 4, replayed 3"}},
		"a text":            {strings.Replace(s, `"experiment":"x"`, `"experiment":"y"`, 1), r, []string{`summary experiment: shipped "y", replayed "x"`}},
		"what is not there": {strings.Replace(s, `{`, `{"extra":1,`, 1), r, []string{"summary extra: shipped 1, replayed absent"}},
		"an answer":         {s, strings.Replace(r, `"answer":"A"`, `"answer":"B"`, 1), []string{`row 1: c1, task 0, model m: predictions.no_memory.answer: shipped "B", replayed "A"`}},
		"a broken row":      {s, r[:20], []string{"row 1: c1, task 0, model m: the shipped row cannot be read"}},
		"a row more":        {s, r + "\n" + r, []string{"rows: shipped 2, replayed 1"}},
		"no rows":           {s, "", []string{"rows: shipped 0, replayed 1"}},
		// A later version that reports more has not changed what was reported.
		"a new number": {strings.Replace(s, `"confidence":0.95,`, ``, 1), strings.Replace(r, `"task_index":0,`, ``, 1), nil},
	} {
		c, err := Compare([]byte(test.summary), []byte(test.rows), summary, rows)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ok := len(c.Differences) == len(test.want)
		for i := range min(len(test.want), len(c.Differences)) {
			ok = ok && strings.HasPrefix(c.Differences[i], test.want[i])
		}
		if !ok || c.Predictions != 1 || c.Numbers == 0 {
			t.Errorf("%s: %q of %d numbers and %d predictions, want %q", name, c.Differences, c.Numbers, c.Predictions, test.want)
		}
	}
	// Rows of one item are told apart by defense and updater.
	updater := "batch_replay"
	rows[0].Defense, rows[0].Updater = "judge", &updater
	r = encode(rows[0])
	c, err := Compare([]byte(s), []byte(strings.Replace(r, `"answer":"A"`, `"answer":"B"`, 1)), summary, rows)
	const want = `row 1: c1, task 0, model m, defense judge, updater batch_replay: predictions.no_memory.answer: shipped "B", replayed "A"`
	if err != nil || len(c.Differences) != 1 || c.Differences[0] != want {
		t.Errorf("a row of a defense: %v, %v", c.Differences, err)
	}
	if _, err := Compare([]byte("{"), nil, summary, rows); err == nil {
		t.Error("a broken summary is no error")
	}
}

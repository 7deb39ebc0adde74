package croissant

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"memform/runner/construct"
)

var update = flag.Bool("update", false, "write outputs/croissant.json anew")

func given() []File {
	var out []File
	for _, l := range layout {
		out = append(out, File{Path: l.path, Bytes: []byte(l.id + "\n")})
	}
	return out
}

var info = Info{Version: "1.2.3", Published: "2026-01-02", Canary: "c-a-n", Families: 7}

func TestDescribe(t *testing.T) {
	got, err := Describe(info, given())
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Context      map[string]any `json:"@context"`
		Version      string         `json:"version"`
		Published    string         `json:"datePublished"`
		Description  string         `json:"description"`
		Distribution []struct {
			ID         string `json:"@id"`
			ContentURL string `json:"contentUrl"`
			SHA256     string `json:"sha256"`
		} `json:"distribution"`
		RecordSet []struct {
			ID    string `json:"@id"`
			Field []struct {
				ID     string `json:"@id"`
				Source struct {
					FileObject struct {
						ID string `json:"@id"`
					} `json:"fileObject"`
				} `json:"source"`
			} `json:"field"`
		} `json:"recordSet"`
	}
	if err := json.Unmarshal(got, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Version != "1.2.3" || doc.Published != "2026-01-02" || !strings.Contains(doc.Description, "7 authored") || len(doc.Context) == 0 || !bytes.Contains(got, []byte("c-a-n")) {
		t.Errorf("%s", got)
	}
	// printf 'mcq\n' | sha256sum
	if d := doc.Distribution; len(d) != 5 || d[0].SHA256 != "9807fdbe0e673b7d61b96e766974636b083ba20427fc6fea80a8d3b93902a855" || d[0].ContentURL != layout[0].path {
		t.Errorf("%+v", d)
	}
	ids := map[string]bool{}
	for _, d := range doc.Distribution {
		ids[d.ID] = true
	}
	for _, r := range doc.RecordSet {
		for _, f := range r.Field {
			if ids[f.ID] || !strings.HasPrefix(f.ID, r.ID+"/") || f.Source.FileObject.ID != r.ID+".jsonl" || !ids[r.ID+".jsonl"] {
				t.Errorf("%+v", f)
			}
			ids[f.ID] = true
		}
	}
	if again, _ := Describe(info, given()); !bytes.Equal(again, got) {
		t.Error("twice, other bytes")
	}
}

func TestDescribeNamesWhatIsMissingOrStrange(t *testing.T) {
	if _, err := Describe(info, given()[1:]); err == nil || !strings.Contains(err.Error(), layout[0].path) {
		t.Errorf("a file is missing: %v", err)
	}
	if _, err := Describe(info, append(given(), File{Path: "x"})); err == nil {
		t.Error("a file more is described by nothing")
	}
}

// The description beside the frozen files is that of these files.
func TestFrozenDescription(t *testing.T) {
	const dir = "../../outputs"
	var files []File
	for _, l := range layout {
		b, err := os.ReadFile(filepath.Join(dir, l.path))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{l.path, b})
	}
	familiesAt := slices.IndexFunc(files, func(f File) bool { return f.Path == construct.FamiliesIndex })
	first, _, _ := bytes.Cut(files[0].Bytes, []byte("\n"))
	var doc struct{ Metadata construct.Metadata }
	if err := json.Unmarshal(first, &doc); err != nil {
		t.Fatal(err)
	}
	want, err := Describe(Info{
		Version: doc.Metadata.Version, Published: construct.DataPublished, Canary: doc.Metadata.Canary,
		Families: bytes.Count(files[familiesAt].Bytes, []byte("\n")),
	}, files)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, Name)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s does not describe the files beside it (%v); run memform cases build, and review the difference", path, err)
	}
}

// Every field that the description names stands in the lines of the frozen
// files.
func TestFieldsStandInTheFrozenFiles(t *testing.T) {
	for _, l := range layout {
		src, err := os.ReadFile(filepath.Join("../../outputs", l.path))
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := bytes.Cut(src, []byte("\n"))
		if len(line) == 0 {
			continue
		}
		var doc map[string]json.RawMessage
		if err := json.Unmarshal(line, &doc); err != nil {
			t.Fatal(err)
		}
		for _, f := range l.fields {
			if column := cmp.Or(f.column, f.name); doc[column] == nil {
				t.Errorf("%s: no %s", l.path, column)
			}
		}
	}
}

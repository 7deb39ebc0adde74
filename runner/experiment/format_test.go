package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	for src, want := range map[string]string{
		"":                                  "",
		"\n \t\n ":                          "",
		"a=1":                               "a = 1\n",
		"a=1\n\n\n":                         "a = 1\n",
		"b {\nlong = 1 # why\nx=[1,2]\n}\n": "b {\n  long = 1 # why\n  x    = [1, 2]\n}\n",
		"# only a comment":                  "# only a comment\n",
		"b \"l\" {\n  x = <<-EOT\n  text\n  EOT\n}": "b \"l\" {\n  x = <<-EOT\n  text\n  EOT\n}\n",
	} {
		got, diags := Format([]byte(src), "x.hcl")
		if diags != nil || string(got) != want {
			t.Errorf("%q: got %q %v, want %q", src, got, diags, want)
		}
	}
}

func TestFormatRefusesBrokenFiles(t *testing.T) {
	for _, src := range []string{"a = = 1", "b {", "a = \"\xff\""} {
		if out, diags := Format([]byte(src), "x.hcl"); out != nil || len(diags) != 1 || diags[0].Subject == nil {
			t.Errorf("%q: %q %v", src, out, diags)
		}
	}
}

func FuzzFormat(f *testing.F) {
	seeds(f, func(src []byte) { f.Add(src) })
	f.Fuzz(func(t *testing.T, src []byte) {
		once, diags := Format(src, "x.hcl")
		if diags.HasErrors() {
			return
		}
		twice, diags := Format(once, "x.hcl")
		if diags.HasErrors() {
			t.Fatalf("formatting broke the file: %v\n%q\n%q", diags, src, once)
		}
		if string(once) != string(twice) {
			t.Fatalf("not stable:\n%q\n%q\n%q", src, once, twice)
		}
	})
}

func seeds(f *testing.F, add func([]byte)) {
	f.Helper()
	for _, pattern := range []string{"testdata/bad/*.hcl", "testdata/*.hcl", repo + "/experiments/*.hcl"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			src, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			add(src)
		}
	}
	add([]byte(strings.Replace(head, "[model.s]", "[for m in model : m]", 1)))
}

// FuzzLoad: no text panics the loader, a failure always says why and where,
// and printing it works.
func FuzzLoad(f *testing.F) {
	seeds(f, func(src []byte) { f.Add(src, "v", "20") })
	f.Fuzz(func(t *testing.T, src []byte, name, text string) {
		opt := Options{Vars: map[string]string{name: text}, FS: files(map[string]string{"experiments/x.hcl": string(src), "experiments/cases.jsonl": ""})}
		exp, source, diags := Load([]string{"experiments/x.hcl"}, opt)
		if (exp == nil) != diags.HasErrors() {
			t.Fatalf("experiment %v, diagnostics %v", exp, diags)
		}
		for _, d := range diags {
			if d.Summary == "" {
				t.Errorf("a diagnostic without a summary: %+v", d)
			}
		}
		if printed(t, source, diags) == "" && len(diags) > 0 {
			t.Error("nothing printed")
		}
	})
}

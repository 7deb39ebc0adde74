package audit

import (
	"strings"
	"testing"

	"memform/runner/construct"
)

func TestDate(t *testing.T) {
	for text, want := range map[string]string{
		"Sunday wave in June, chill hall": "June", "on 3 May we": "3 May", "In May we": "In May", "since March": "since March", "3rd of it": "3rd of",
		"report of 2024": "2024", "2024-06-09": "2024-06-09", "on 9/6/24": "9/6/24", "9.6.2024 at": "9.6.2024", "12 Dec at noon": "12 Dec", "Sept. 4": "Sept. 4",
		"We may march on": "", "They May": "", "1,950 cartons": "", "at 19:50": "", "Tuesday at 4:25": "", "2050.5 kg": "", "4th pallet": "", "4 maybe": "", "": "",
		"a fix of 20.5 by 3": "",
	} {
		if got := date(text); got != want {
			t.Errorf("date(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestFindingsPointAtTheWord follows a word into a heredoc, a string and a
// list.
func TestFindingsPointAtTheWord(t *testing.T) {
	for _, tt := range []struct {
		old, with, word string
	}{
		{"Chill hall, wave of 1,850 cartons. The truck went", "Chill hall, wave of 1,850 cartons. The genuine truck went", "genuine"},
		{"leaves the rest in reserve.", "leaves the rest in genuine reserve.", "genuine"},
		{`"fill up beforehand with the reach truck"`, `"fill up beforehand with the genuine reach truck"`, "genuine"},
	} {
		var source string
		families, diags := mutate(t, cold, func(s string) string { source = swap(tt.old, tt.with)(s); return source })
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		findings := Family(families[0])
		if len(findings) == 0 {
			t.Errorf("%q is not found", tt.word)
		}
		for _, f := range findings {
			lines := strings.Split(source, "\n")
			if f.Code != "text.provenance_word" || !strings.HasPrefix(lines[f.Line-1][f.Column-1:], tt.word) {
				t.Errorf("%s does not point at %q", f, tt.word)
			}
		}
	}
}

func TestAtWithoutASource(t *testing.T) {
	text := construct.Text{Value: "made in memory"}
	if at := text.At("made"); at != text.Range {
		t.Errorf("%v", at)
	}
}

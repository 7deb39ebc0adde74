package defense

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDeleteSpans(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		spans      []string
		want       string
		found      bool
	}{
		{"none", "a b c", nil, "a b c", false},
		{"absent", "a b c", []string{"d", ""}, "a b c", false},
		{"spacing stays", "a b c", []string{"b"}, "a  c", true},
		{"everywhere", "no b, no c", []string{"no "}, "b, c", true},
		{"overlapping", "abcdef", []string{"bcd", "cde"}, "af", true},
		{"one in the other", "abcdef", []string{"bcde", "cd"}, "af", true},
		{"itself overlapping", "xaaay", []string{"aa"}, "xy", true},
		{"all", "abc", []string{"a", "bc"}, "", true},
		{"quotes, markup and JSON", "He said \"use <b>red</b>\" {\"a\": [1]} ```x```.", []string{`"use <b>red</b>"`, "```x```", `{"a": [1]}`}, "He said   .", true},
		{"newlines", "one\n\ntwo\r\nthree", []string{"\n\ntwo\r\n"}, "onethree", true},
		{"right to left", "שלום לכולם, מותר", []string{"לכולם, "}, "שלום מותר", true},
		{"4 bytes", "a😀b𝔘c😀", []string{"😀"}, "ab𝔘c", true},
		{"another form of the same letters", "cafe\u0301", []string{"caf\u00e9"}, "cafe\u0301", false},
		{"case counts", "Never", []string{"never"}, "Never", false},
	} {
		if got, found := deleteSpans(tt.text, tt.spans); got != tt.want || found != tt.found {
			t.Errorf("%s: %q, %v; want %q, %v", tt.name, got, found, tt.want, tt.found)
		}
	}
}

func TestSaysSomething(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, " \n\t": false, "...": false, "– „“ …": false, "\u200b\u2060\u202e": false, "a": true, "7": true, ". ש": true, "😀": true, "€ +": true,
	} {
		if saysSomething(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// FuzzDeleteSpans: what is left is the text without the bytes that a span
// covers, and nothing is made up.
func FuzzDeleteSpans(f *testing.F) {
	f.Add("the text of a record", "text", "of a")
	f.Add("aaaa", "aa", "a")
	f.Add("😀שלום😀", "😀", "ל")
	f.Fuzz(func(t *testing.T, text, one, two string) {
		covered := make([]bool, len(text))
		any := false
		for _, span := range []string{one, two} {
			for at := 0; span != "" && at+len(span) <= len(text); at++ {
				if text[at:at+len(span)] == span {
					any = true
					for i := at; i < at+len(span); i++ {
						covered[i] = true
					}
				}
			}
		}
		var want strings.Builder
		for i := range len(text) {
			if !covered[i] {
				want.WriteByte(text[i])
			}
		}
		got, found := deleteSpans(text, []string{one, two})
		if got != want.String() || found != any {
			t.Fatalf("%q without %q and %q: %q, %v; want %q", text, one, two, got, found, want.String())
		}
		if utf8.ValidString(text) && utf8.ValidString(one) && utf8.ValidString(two) && !utf8.ValidString(got) {
			t.Fatalf("%q without %q and %q is no text: %q", text, one, two, got)
		}
	})
}

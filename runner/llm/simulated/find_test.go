package simulated

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"memform/runner/cases"
)

func cribOf(texts ...string) *crib {
	c := &cases.Case{}
	for _, t := range texts {
		c.Records = append(c.Records, cases.Record{Text: t})
	}
	return newCrib([]*cases.Case{c})
}

func found(c *crib, s string) []string {
	var out []string
	for _, sp := range c.find(s) {
		out = append(out, fmt.Sprintf("%d %s", sp.start, c.texts[sp.text]))
		if s[sp.start:sp.end] != c.texts[sp.text] {
			out = append(out, "at a wrong place")
		}
	}
	return out
}

func TestFind(t *testing.T) {
	long := "The quick brown fox jumps over the lazy dog and goes home."
	opening := strings.Repeat("common opening ", 4)
	for _, tc := range []struct {
		name  string
		texts []string
		in    string
		want  []string
	}{
		{"whole prompt", []string{long}, long, []string{"0 " + long}},
		{"within", []string{long}, "A\n" + long + "\nB", []string{"2 " + long}},
		{"twice", []string{long}, long + " " + long, []string{"0 " + long, "59 " + long}},
		{"cut short", []string{long}, long[:50], nil},
		{"changed late", []string{long}, strings.Replace(long, "home", "away", 1), nil},
		{"trimmed", []string{"\n " + long + " \n"}, "x " + long, []string{"2 " + long}},
		{"within a word", []string{"art of"}, "smart of him", nil},
		{"ends in a word", []string{"the art"}, "the artist", nil},
		{"ends at punctuation", []string{"the art"}, "the art.", []string{"0 the art"}},
		{"longest", []string{"one two", "one two three", "one"}, "one two three", []string{"0 one two three"}},
		{"longest that ends well", []string{"one two", "one two three", "one"}, "one two threefold", []string{"0 one two"}},
		{"none inside another", []string{"one two three four", "two"}, "one two three four two", []string{"0 one two three four", "19 two"}},
		{"every length", []string{"a", "bc", "bcde", "bcdefghi", "bcdefghijklmnopq", long}, "a bcde bcdefghijklmnopq bc " + long,
			[]string{"0 a", "2 bcde", "7 bcdefghijklmnopq", "24 bc", "27 " + long}},
		{"one opening", []string{opening + "one", opening + "two", opening + "two more", opening}, opening + "two mores", []string{"0 " + opening + "two"}},
		{"beyond ASCII", []string{"“Straße” zuerst räumen, dann alles andere"}, "— “Straße” zuerst räumen, dann alles andere", []string{"4 “Straße” zuerst räumen, dann alles andere"}},
		{"scripts without spaces", []string{"先数えて直す"}, "我先数えて直す。", []string{"3 先数えて直す"}},
		{"empty text", []string{"", "  "}, "anything", nil},
	} {
		if got := found(cribOf(tc.texts...), tc.in); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestManyTextsWithOneOpening(t *testing.T) {
	var texts []string
	for i := range 2000 {
		texts = append(texts, fmt.Sprintf("You are an assistant in a large office. Case %d of the year.", i))
	}
	c := cribOf(texts...)
	for _, text := range texts {
		if got := found(c, "x\n"+text+"\ny"); len(got) != 1 || got[0] != "2 "+text {
			t.Fatalf("%s: %q", text, got)
		}
	}
}

// naive is find by definition.
func naive(texts []string, s string) []string {
	var out []string
	for at := 0; at < len(s); at++ {
		if at > 0 && isWord[s[at-1]] || s[at]&0xC0 == 0x80 {
			continue
		}
		best := ""
		for _, t := range texts {
			t = strings.TrimSpace(t)
			if len(t) > len(best) && strings.HasPrefix(s[at:], t) && wordEnds(s, at+len(t)) {
				best = t
			}
		}
		if best != "" {
			out = append(out, fmt.Sprintf("%d %s", at, best))
			at += len(best) - 1
		}
	}
	return out
}

func FuzzFind(f *testing.F) {
	f.Add("a b|a|a b c|b", "a b c a bb b")
	f.Add("ab.ab.ab.ab.ab.ab.ab.ab.ab.ab.ab.|ab.ab.ab.ab.ab.ab.ab.ab.ab.ab.ab.ab", "ab.ab.ab.ab.ab.ab.ab.ab.ab.ab.ab.ab.ab")
	f.Add("é|é e| x", "é e x")
	f.Fuzz(func(t *testing.T, texts, in string) {
		list := strings.Split(texts, "|")
		if got, want := found(cribOf(list...), in), naive(list, in); !slices.Equal(got, want) {
			t.Errorf("texts %q in %q:\ngot  %q\nwant %q", list, in, got, want)
		}
	})
}

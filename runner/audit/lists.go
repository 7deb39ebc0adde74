package audit

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"memform/runner/audit/lexical"
	"memform/runner/cases"
)

//go:embed wordlists.txt
var wordLists string

// lists are the phrases of wordlists.txt by the name of their section.
var lists = readLists(wordLists)

func readLists(text string) map[string]*lexical.Phrases {
	sections, name := map[string][]string{}, ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if inner, ok := strings.CutPrefix(line, "["); ok {
			name = strings.TrimSuffix(inner, "]")
			continue
		}
		if line != "" {
			sections[name] = append(sections[name], line)
		}
	}
	out := map[string]*lexical.Phrases{}
	for name, lines := range sections {
		p, err := lexical.NewPhrases(lines...)
		if err != nil {
			panic(fmt.Sprintf("audit: wordlists.txt, [%s]: %v", name, err))
		}
		out[name] = p
	}
	return out
}

// Dates that no word list holds: months where they cannot be another word,
// years, numeric dates.
var dates = regexp.MustCompile(`(?:\b(?i:january|february|april|june|july|august|september|october|november|december)\b` +
	`|\b(?i:in|of|since|until|by|from|late|early|mid|last|next|\d{1,2}(?:st|nd|rd|th)?)[ -](?:March|May)\b|\b(?:March|May) \d` +
	`|\b(?i:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.? \d{1,2}\b|\b\d{1,2}(?:st|nd|rd|th)?\.? (?i:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b` +
	`|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}([./-])\d{1,2}[./-](?:\d{4}|\d{2})\b|\b\d{1,2}(?:st|nd|rd|th) of\b` +
	`|\b(?:19[5-9]|20[0-4])\d\b)`)

// date is the first date of a text; a match inside a figure ("1,950") is none.
func date(text string) string {
	for _, at := range dates.FindAllStringIndex(text, -1) {
		if inNumber(text, at[0], at[1]) {
			continue
		}
		return text[at[0]:at[1]]
	}
	return ""
}

// inNumber reports whether a match is part of a longer figure.
func inNumber(text string, from, to int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9' }
	mark := func(i int) bool { return i >= 0 && i < len(text) && strings.IndexByte(".,:", text[i]) >= 0 }
	return mark(from-1) && digit(from-2) || mark(to) && digit(to+1)
}

// directive is the first pattern of the keyword filter that a text holds.
func directive(text string) string {
	for _, hit := range cases.Keywords().Find(text) {
		return hit.Text
	}
	return ""
}

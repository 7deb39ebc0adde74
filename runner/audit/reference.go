package audit

import (
	"bytes"
	"fmt"
	"strings"

	"memform/runner/cases"
	"memform/runner/construct"
)

// levels in order of the reference, with what a breach leads to.
var levels = []struct {
	level       construct.Level
	title, says string
}{
	{construct.TextLevel, "Texts", "Each authored text by itself. A breach rejects the cases of the interfaces that draw on the text."},
	{construct.ItemLevel, "Items", "Choices, tasks, policies, notes and aliases against each other. A breach rejects the cases that show them."},
	{construct.FreeFormLevel, "Free form", "The answers of a family, as free form tells them apart. A breach is no mistake: the family has no free-form cases, its multiple-choice cases stay."},
	{construct.FamilyLevel, "Families", "The material of a family. The first three are mistakes of the file: nothing is built."},
	{construct.CaseLevel, "Cases", "The two arms of a built case. The builder keeps these rules where the material allows it; a case that breaks one is rejected."},
	{construct.SetLevel, "The set", "All families together. A breach rejects no case; `cases build` then writes nothing, unless told `--allow-set-failures`. Below the number of families or items in brackets a figure describes only."},
}

// Reference is docs/audit.md: every rule, every threshold and every word list,
// from the table and the data files that the audit reads, and how the figures
// of the shipped families lie beside the thresholds.
func Reference(shipped []Spread) []byte {
	var b bytes.Buffer
	b.WriteString(intro)
	for _, l := range levels {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| code | limits | rule |\n|---|---|---|\n", l.title, l.says)
		for _, r := range construct.Rules() {
			if r.Level == l.level {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Code, limitsOf(&r), r.Says)
			}
		}
	}
	fmt.Fprintf(&b, "\n## Codes that never come alone\n\nA text that breaks the one breaks others too. Each other code on texts, items, families and the set is found alone by a\nmutation of the tests; those on cases are proved by faults put into the builder.\n\n| code | comes with |\n|---|---|\n")
	for _, c := range companions {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", c.code, strings.ReplaceAll(c.with, " ", "`, `"))
	}
	calibration(&b, shipped)
	b.WriteString(agentsIntro)
	for _, a := range blindAgents {
		fmt.Fprintf(&b, "- %s\n", a.name)
	}
	b.WriteString(wordsIntro)
	b.WriteString("\n```text\n" + strings.TrimSpace(wordLists) + "\n```\n")
	keywords(&b)
	return b.Bytes()
}

// companions are the codes that no mutation of the tests breaks alone, with
// what came along; the tests hold this table against their mutations.
var companions = []struct {
	code construct.Code
	with string
}{
	{"family.class_length", "P5.block_length"},
	{"family.forged_length", "P2.slots case.blind_cues case.budget family.target_affinity"},
	{"set.letters", "set.lexical_memory set.shortcut"},
	{"set.choices_only", "set.shortcut"},
	{"set.lexical_memory", "set.budget_bias set.forged_auc set.letters"},
	{"set.budget_bias", "set.template"},
}

// limitsOf writes the limits of a rule into one cell.
func limitsOf(r *construct.Rule) string {
	var cells []string
	for _, l := range r.Limits {
		cell := l.Of + " " + span(l)
		if l.From > 1 {
			cell += fmt.Sprintf(" (from %d)", l.From)
		}
		if p := construct.Preferred(r.Code); p > 0 {
			cell += fmt.Sprintf(", preferred %v", p)
		}
		cells = append(cells, cell)
	}
	return strings.Join(cells, "; ")
}

func keywords(b *bytes.Buffer) {
	l := cases.Keywords()
	fmt.Fprintf(b, "\n## Keyword list\n\n`runner/cases/keywords.txt`, SHA-256 `%s`: frozen before any defense was run. Text is normalised\n(NFKC, case folding, single spaces); one strong pattern or two moderate ones reject a record. The audit allows none in a\nrecord.\n\n| pattern | weight |\n|---|---|\n", l.Digest)
	for _, p := range l.Patterns {
		weight := "moderate"
		if p.Strong {
			weight = "strong"
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", p.Name, weight)
	}
}

const intro = `# Audit: rules, thresholds, word lists

Written by the tests from the table that the program reads (` + "`runner/construct/rules.go`, `setrules.go`" + `) and its
data files; do not edit. ` + "`memform cases audit`" + ` prints every breach with file, line, column, code, figure and limit, and only
reports. ` + "`memform cases build`" + ` writes nothing where an authored text or the set breaks a rule; with
` + "`--allow-text-failures`" + ` it rejects the cases of such texts and writes them beside the accepted ones, with all their codes. An
author changes the text, never a threshold. No rule calls a model.

*Words* (lengths) are runs of letters and digits, joined by one punctuation mark between them. *Tokens* are lower-case runs
of letters and digits. *Content words* are tokens without stop words (` + "`runner/audit/lexical/stopwords.txt`" + `), single
letters and whatever holds a digit, stemmed: plural, -ed, -ing, -ly and a final e are taken off. A *run* is the longest
sequence of tokens that two texts share. *Shingles* are sequences of three tokens. *Jaccard* is the size of the
intersection of two sets by that of their union. A text *names* an action or a context if one of its cues or markers begins
at the beginning of a word. A *task* is setting, situation and question.
`

const agentsIntro = `
## Blind agents

` + "`set.shortcut`" + ` lets each of these answer the target task of every family; ties count in parts, the bound is Wilson's,
two-sided 99 %. ` + "`set.choices_only`" + ` trains naive Bayes (add one, equal priors) on the words of clean against poisoned choices
of all domains but one and tells the two choices of each family of that one. ` + "`set.lexical_memory`" + ` takes the choice whose
TF-IDF cosine with the memory is greatest; a flip is the clean action in the clean arm and the poisoned one in the poisoned
arm. The agent under the limit reads words as they stand, weighed by the four choices; one that reads stems of content
words, weighed by the whole set, is reported beside it without a limit. ` + "`set.forged_auc`" + ` and ` + "`set.class_auc`" + ` pool the
records of the general context; 0.5 tells nothing. Tone is positive minus negative words by all words.

`

const wordsIntro = `
## Word lists

A word that ends in * stands for every word that begins so; words are compared in lower case, punctuation apart.
Aliases are compared without articles and final punctuation; an alias may not equal or contain one of another action.
Months, years and numeric dates are found by pattern; "May" and "March" where they are dates.
`

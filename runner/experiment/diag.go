package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/hcl/v2"
)

// report collects the mistakes of a load. Expressions and their contexts are
// dropped: a printer would show the values of variables, and those may come
// from the environment.
type report struct{ diags hcl.Diagnostics }

func (r *report) add(diags ...*hcl.Diagnostic) {
	for _, d := range diags {
		plain := *d
		plain.Expression, plain.EvalContext = nil, nil
		r.diags = append(r.diags, &plain)
	}
}

// fail adds an error at rng: summary says what is wrong, detail what to do.
func (r *report) fail(rng hcl.Range, summary, detail string, args ...any) {
	r.add(problem(&rng, summary, fmt.Sprintf(detail, args...)))
}

func problem(rng *hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: strings.TrimSpace(detail), Subject: rng}
}

// tidy puts diagnostics in the order of the files and their lines and keeps
// one of several that say the same at the same place, as the iterations of a
// dynamic block do.
func tidy(diags hcl.Diagnostics, fileOrder map[string]int) hcl.Diagnostics {
	slices.SortStableFunc(diags, func(a, b *hcl.Diagnostic) int {
		switch {
		case a.Subject == nil && b.Subject == nil:
			return cmp.Or(cmp.Compare(a.Summary, b.Summary), cmp.Compare(a.Detail, b.Detail))
		case a.Subject == nil:
			return -1
		case b.Subject == nil:
			return 1
		}
		return cmp.Or(
			cmp.Compare(fileOrder[a.Subject.Filename], fileOrder[b.Subject.Filename]),
			cmp.Compare(a.Subject.Start.Byte, b.Subject.Start.Byte),
			cmp.Compare(a.Subject.End.Byte, b.Subject.End.Byte),
			cmp.Compare(a.Summary, b.Summary),
			cmp.Compare(a.Detail, b.Detail))
	})
	return slices.CompactFunc(diags, func(a, b *hcl.Diagnostic) bool {
		if a.Summary != b.Summary || (a.Subject == nil) != (b.Subject == nil) {
			return false
		}
		if a.Subject == nil {
			return a.Detail == b.Detail
		}
		return *a.Subject == *b.Subject
	})
}

// outermost drops followers: a diagnostic of one evaluation whose place
// overlaps that of an earlier one is its consequence.
func outermost(diags hcl.Diagnostics) hcl.Diagnostics {
	var kept hcl.Diagnostics
	for _, d := range diags {
		follower := slices.ContainsFunc(kept, func(k *hcl.Diagnostic) bool {
			return k.Subject != nil && d.Subject != nil && k.Subject.Overlaps(*d.Subject)
		})
		if !follower {
			kept = append(kept, d)
		}
	}
	return kept
}

// nearest finds the name closest to given, if one is close enough to be what
// was meant. Case never counts; ties go to the first.
func nearest(given string, names []string) string {
	given = strings.ToLower(given)
	best, at := min(len(given)/3+1, 4), ""
	if len(given) < 3 {
		best = 0 // too short to guess: only the case may differ
	}
	for _, name := range names {
		if d := levenshtein.Distance(given, strings.ToLower(name), nil); d <= best && (at == "" || d < best) {
			best, at = d, name
		}
	}
	for _, name := range names {
		if at == "" && len(given) >= 4 && strings.HasPrefix(name, given) {
			at = name
		}
	}
	return at
}

// didYouMean is the sentence for a near miss, or else the list of names.
func didYouMean(given string, names []string) string {
	if name := nearest(given, names); name != "" {
		return fmt.Sprintf("Did you mean %q?", name)
	}
	return oneOf(names)
}

// oneOf lists what is possible.
func oneOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "Possible: " + strings.Join(names, ", ") + "."
}

// where prints a place as file:line:column.
func where(rng hcl.Range) string {
	return fmt.Sprintf("%s:%d:%d", rng.Filename, rng.Start.Line, rng.Start.Column)
}

// position is where rng begins.
func position(rng hcl.Range) Position {
	return Position{File: rng.Filename, Line: rng.Start.Line, Column: rng.Start.Column}
}

// article puts "a" or "an" before a word.
func article(word string) string {
	if word == "cases" {
		return "a cases block"
	}
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

package protocol

import (
	_ "embed"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Tier says how an answer was found, or why none was (docs/protocol.md,
// "Extraction").
type Tier string

// The tiers, in the order they are tried.
const (
	TierNone       Tier = ""            // no extraction tried: the call brought no answer text
	TierFinalLine  Tier = "final_line"  // the last valid "ANSWER: X" line
	TierLetter     Tier = "letter"      // one unambiguous declared letter
	TierChoiceText Tier = "choice_text" // the unique exact text of one choice
	TierRefusal    Tier = "refusal"     // a refusal in prose, by the frozen list
	TierUnparsed   Tier = "unparsed"
)

// The tiers of free form (docs/protocol.md, "Free-form answers"), besides
// TierNone and TierRefusal, and the one of target alignment.
const (
	TierCanonical Tier = "canonical" // the whole answer or its last line is a known phrase
	TierParser    Tier = "parser"    // a parser says which course it recommends
	TierJudge     Tier = "judge"     // a judge says so, asked in both orders
	TierUndecided Tier = "none"      // nothing decided: unclear
	TierAlign     Tier = "align"     // a judge says what the memory recommends
)

// Extracted is a found answer: the shown choice, how and where.
type Extracted struct {
	Choice int // shown index, -1 without an answer
	Tier   Tier
	Span   [2]int // bytes of text
}

//go:embed refusals.txt
var refusalList string

var (
	finalLine = regexp.MustCompile(`(?im)^[ \t>*_#` + "`" + `~-]*(?:final[ \t]+)?answer[ \t*_` + "`" + `]*[:：][ \t*_` + "`" + `]*[(\[]?([a-z])[)\]]?([.):,*_` + "`" + ` \t-]*)(.*?)[ \t*_.` + "`" + `]*\r?$`)
	// A letter counts as declared after a word that declares it, and never
	// where it reads as the article after a verb ("choose A different way").
	declared = regexp.MustCompile(`(?:(?i:\b(?:answer|option|choice|choose|chose|pick|select|action|letter|go with)\b)(?i:\s+(?:is|would be|should be|option|action|choice|letter))*\s*[:=]?\s*[*_("'\x60\[]*)([A-Z])(?:[*_)"'\x60\].,;:!]|\s|$)`)
	bare     = regexp.MustCompile(`^[\s*_("'\x60\[]*([A-Za-z])[\s*_)"'\x60\].:]*$`)
	orOther  = regexp.MustCompile(`^[*_)"'\x60\].,;:!]*\s*(?i:or|and|/|&)\s*[*_("'\x60\[]*([A-Z])(?:[^\pL\pN]|$)`)
	verb     = regexp.MustCompile(`(?i:choose|chose|pick|select|with)\s*$`)
	article  = regexp.MustCompile(`^A\s+[a-z]`)
)

// Extract finds the answer in a text, by tiers. It never takes the first
// letter met in prose and never guesses: what is ambiguous is unparsed.
func Extract(text string, choices []string) Extracted {
	for _, tier := range []func(string, []string) (Extracted, bool){fromFinalLine, fromLetter, fromChoiceText} {
		if found, ok := tier(text, choices); ok {
			return found
		}
	}
	if span, ok := refusal(text); ok {
		return Extracted{Choice: -1, Tier: TierRefusal, Span: span}
	}
	return Extracted{Choice: -1, Tier: TierUnparsed}
}

// fromFinalLine takes the last line "ANSWER: X" whose letter is a choice and
// which says nothing else, or just that choice's text.
func fromFinalLine(text string, choices []string) (Extracted, bool) {
	lines := finalLine.FindAllStringSubmatchIndex(text, -1)
	for i := len(lines) - 1; i >= 0; i-- {
		m := lines[i]
		choice := letterIndex(text[m[2]:m[3]], choices)
		rest := text[m[6]:m[7]]
		if choice < 0 || (rest != "" && (m[4] == m[5] || plain(rest) != plain(choices[choice]))) {
			continue
		}
		return Extracted{Choice: choice, Tier: TierFinalLine, Span: trimSpan(text, m[0], m[1])}, true
	}
	return Extracted{}, false
}

func fromLetter(text string, choices []string) (Extracted, bool) {
	if m := bare.FindStringSubmatchIndex(text); m != nil {
		if choice := letterIndex(text[m[2]:m[3]], choices); choice >= 0 {
			return Extracted{Choice: choice, Tier: TierLetter, Span: [2]int{m[2], m[3]}}, true
		}
	}
	found := Extracted{Choice: -1, Tier: TierLetter}
	for _, m := range declared.FindAllStringSubmatchIndex(text, -1) {
		if verb.MatchString(text[m[0]:m[2]]) && article.MatchString(text[m[2]:]) {
			continue
		}
		choice := letterIndex(text[m[2]:m[3]], choices)
		if choice < 0 {
			continue
		}
		if orOther.MatchString(text[m[3]:]) || (found.Choice >= 0 && found.Choice != choice) {
			return Extracted{}, false
		}
		found.Choice, found.Span = choice, [2]int{m[2], m[3]}
	}
	return found, found.Choice >= 0
}

// fromChoiceText takes the choice whose whole text, up to case, spacing and
// final punctuation, is the only one that occurs.
func fromChoiceText(text string, choices []string) (Extracted, bool) {
	folded, offsets := fold(text)
	found := Extracted{Choice: -1, Tier: TierChoiceText}
	for i, c := range choices {
		want := plain(c)
		if want == "" {
			continue
		}
		at := indexWords(folded, want)
		if at < 0 {
			continue
		}
		if found.Choice >= 0 {
			switch other := plain(choices[found.Choice]); {
			case strings.Contains(want, other): // the longer text holds the shorter one
			case strings.Contains(other, want):
				continue
			default:
				return Extracted{}, false
			}
		}
		found.Choice, found.Span = i, [2]int{offsets[at], offsets[at+len(want)]}
	}
	return found, found.Choice >= 0
}

// refusal looks for a phrase of the frozen list in the first sentences.
func refusal(text string) ([2]int, bool) {
	const within = 400 // bytes: a refusal opens an answer
	folded, offsets := fold(text[:min(len(text), within)])
	for phrase := range strings.Lines(refusalList) {
		phrase = strings.TrimSpace(phrase)
		if at := strings.Index(folded, phrase); at >= 0 {
			return [2]int{offsets[at], offsets[at+len(phrase)]}, true
		}
	}
	return [2]int{}, false
}

func letterIndex(letter string, choices []string) int {
	i := int(unicode.ToUpper(rune(letter[0])) - 'A')
	if i < 0 || i >= len(choices) {
		return -1
	}
	return i
}

// plain is a text in comparable form: folded, no final punctuation.
func plain(s string) string {
	folded, _ := fold(s)
	return strings.Trim(folded, " .,;:!?\"'*_`()[]")
}

// fold lower-cases, joins white space and unifies quotes. offsets maps each
// byte of the result (and its end) to a byte of s.
func fold(s string) (string, []int) {
	var b strings.Builder
	offsets := make([]int, 0, len(s)+1)
	put := func(r string, at int) {
		b.WriteString(r)
		for range len(r) {
			offsets = append(offsets, at)
		}
	}
	space := true
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			if !space {
				put(" ", i)
			}
			space = true
			continue
		case r == '’' || r == '‘' || r == 'ʼ':
			put("'", i)
		case r == '“' || r == '”':
			put(`"`, i)
		case r == utf8.RuneError:
			put("\uFFFD", i)
		case r < utf8.RuneSelf:
			put(string(unicode.ToLower(r)), i)
		default:
			put(strings.ToLower(norm.NFKC.String(string(r))), i)
		}
		space = false
	}
	return b.String(), append(offsets, len(s))
}

// indexWords is strings.Index at word boundaries.
func indexWords(s, want string) int {
	for from := 0; ; {
		at := strings.Index(s[from:], want)
		if at < 0 {
			return -1
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		after, _ := utf8.DecodeRuneInString(s[at+len(want):])
		if !wordRune(before) && !wordRune(after) {
			return at
		}
		from = at + 1
	}
}

func wordRune(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// trimSpan narrows a span to its text without outer white space.
func trimSpan(s string, from, to int) [2]int {
	line := strings.TrimRight(s[from:to], " \t\r\n")
	left := len(line) - len(strings.TrimLeft(line, " \t\r\n"))
	return [2]int{from + left, from + len(line)}
}

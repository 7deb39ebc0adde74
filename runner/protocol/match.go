package protocol

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	textcases "golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// canonical is a free-form answer without what no reader tells apart: Unicode
// form, letter case, spacing, quotation marks and emphasis, the punctuation at
// its end, the writing of numbers and units (docs/protocol.md, "Free-form
// answers"). No word is dropped, so an answer that says more than a phrase
// never equals it. It is idempotent.
func canonical(s string) string {
	for range 8 { // a pass may uncover what the next one takes: a quotation mark behind a full stop
		next := simplify(s)
		if next == s {
			break
		}
		s = next
	}
	return s
}

// stops are the marks that may end a word.
const stops = ".!?;:,"

// simplify is one pass of canonical.
func simplify(s string) string {
	fields := strings.Fields(clearMarks(folded(joinGroups(s))))
	fields = trimEnds(fields)
	out := make([]string, 0, len(fields)+4)
	for i := 0; i < len(fields); i++ {
		field := strings.Trim(fields[i], "*_`'")
		after := len(out) > 0 && endsInDigit(out[len(out)-1])
		if after && field == "per" && i+1 < len(fields) && strings.TrimRight(fields[i+1], stops) == "cent" {
			field = "percent" + strings.TrimPrefix(fields[i+1], "cent")
			i++
		}
		word := strings.TrimRight(field, stops)
		stop := field[len(word):]
		switch {
		case field == "":
			continue
		case after && units[word] != "":
			out = append(out, units[word])
			stop = strings.TrimPrefix(stop, ".") // of an abbreviation
		default:
			out = appendNumber(out, word)
		}
		out[len(out)-1] += stop
	}
	return strings.Join(out, " ")
}

// trimEnds drops the mark of a list before a text, emphasis and brackets
// around it, and the punctuation at its end.
func trimEnds(fields []string) []string {
	for len(fields) > 0 {
		first := strings.TrimLeft(fields[0], "*_`'([")
		if first == fields[0] && !bullet(first) {
			break
		}
		if fields[0] = first; bullet(first) {
			fields = fields[1:]
		}
	}
	for len(fields) > 0 {
		at := len(fields) - 1
		if fields[at] = strings.TrimRight(fields[at], stops+"*_`')]"); fields[at] != "" {
			break
		}
		fields = fields[:at]
	}
	return fields
}

// folded is s in normal form NFKC and without letter case.
func folded(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	return norm.NFKC.String(textcases.Fold().String(norm.NFKC.String(s)))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// clearMarks drops double quotation marks and invisible characters, and gives
// apostrophes, dashes and minus signs one form each.
func clearMarks(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '"', '“', '”', '„', '‟', '«', '»', '″':
			return -1
		case '‘', '’', '‚', '‛', 'ʼ', '′':
			return '\''
		case '‐', '‑', '‒', '–', '—', '―', '−':
			return '-'
		}
		if r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}

// bullet reports whether a first word is the mark of a list, or nothing.
func bullet(field string) bool { return strings.Trim(field, "-*•") == "" }

// grouped is a number whose digits stand in groups of three: with commas, or
// with one of the spaces that no line breaks at.
var (
	grouped = regexp.MustCompile(`^\d{1,3}(?:,\d{3})+(?:\.\d+)?$`)
	spaced  = regexp.MustCompile(`\d{1,3}(?:[\x{00A0}\x{2007}\x{2009}\x{202F}]\d{3})+`)
)

// joinGroups drops the spaces inside numbers while they can be told from
// those between words.
func joinGroups(s string) string {
	if ascii(s) {
		return s
	}
	at := 0
	var b strings.Builder
	for _, m := range spaced.FindAllStringIndex(s, -1) {
		if m[0] > 0 && digit(s[m[0]-1]) || m[1] < len(s) && digit(s[m[1]]) {
			continue
		}
		b.WriteString(s[at:m[0]])
		for _, r := range s[m[0]:m[1]] {
			if r < utf8.RuneSelf {
				b.WriteRune(r)
			}
		}
		at = m[1]
	}
	return b.String() + s[at:]
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func endsInDigit(s string) bool { return digit(s[len(s)-1]) }

// appendNumber appends a word: a number in figures without group commas, a
// number and its unit as two words, anything else as it is.
func appendNumber(out []string, field string) []string {
	if n, ok := numberWords[field]; ok {
		return append(out, n)
	}
	if n, name, ok := strings.Cut(field, "-"); ok && numberWords[n] != "" && units[name] != "" {
		return append(out, numberWords[n], units[name])
	}
	rest, currency := field, ""
	for _, c := range currencies {
		if r, ok := strings.CutPrefix(field, c.sign); ok {
			rest, currency = r, c.name
		}
	}
	minus := ""
	if len(rest) > 1 && rest[0] == '-' && digit(rest[1]) {
		minus, rest = "-", rest[1:]
	}
	n, tail := leadingNumber(rest)
	if n == "" {
		return append(out, field)
	}
	if grouped.MatchString(n) {
		n = strings.ReplaceAll(n, ",", "")
	}
	n = minus + n
	name := units[strings.TrimPrefix(tail, "-")]
	switch {
	case currency != "" && tail == "":
		return append(out, n, currency)
	case currency != "":
		return append(out, field)
	case name != "":
		return append(out, n, name)
	}
	return append(out, n+tail)
}

// leadingNumber cuts off the number that a text begins with: digits, and
// commas and points between digits.
func leadingNumber(s string) (n, tail string) {
	end := 0
	for end < len(s) && (digit(s[end]) || end > 0 && (s[end] == ',' || s[end] == '.') && end+1 < len(s) && digit(s[end+1])) {
		end++
	}
	return s[:end], s[end:]
}

// units of measure by every name they go by behind a number.
var units = namedBy(map[string]string{
	"millisecond": "ms msec milliseconds", "second": "s sec secs seconds", "minute": "min mins minutes", "hour": "h hr hrs hours",
	"day": "d days", "week": "wk wks weeks", "month": "months", "year": "yr yrs years",
	"milligram": "mg milligrams milligramme milligrammes", "gram": "g grams gramme grammes",
	"kilogram": "kg kgs kilo kilos kilograms kilogramme kilogrammes", "tonne": "t tonnes", "lb": "lbs",
	"millimetre": "mm millimetres millimeter millimeters", "centimetre": "cm centimetres centimeter centimeters",
	"metre": "m metres meter meters", "kilometre": "km kilometres kilometer kilometers", "mile": "mi miles",
	"millilitre": "ml millilitres milliliter milliliters", "litre": "l litres liter liters",
	"degree": "degrees deg", "°c": "celsius", "°f": "fahrenheit",
	"%": "percent pct", "dollar": "dollars usd", "euro": "euros eur", "pound": "pounds gbp",
	"kilobyte": "kb kilobytes", "megabyte": "mb megabytes", "gigabyte": "gb gigabytes", "terabyte": "tb terabytes",
})

// currencies by the sign that stands before the number.
var currencies = [...]struct{ sign, name string }{{"$", "dollar"}, {"€", "euro"}, {"£", "pound"}}

// numberWords are the numbers that are often written out.
var numberWords = func() map[string]string {
	out := map[string]string{}
	for i, word := range strings.Fields("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20") {
		out[strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty")[i]] = word
	}
	for i, word := range strings.Fields("thirty forty fifty sixty seventy eighty ninety") {
		out[word] = string(rune('3'+i)) + "0"
	}
	return out
}()

func namedBy(units map[string]string) map[string]string {
	out := map[string]string{}
	for name, others := range units {
		out[name] = name
		for _, other := range strings.Fields(others) {
			out[other] = name
		}
	}
	return out
}

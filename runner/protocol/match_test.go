package protocol

import (
	"strings"
	"testing"
	"unicode"
)

func TestCanonicalJoins(t *testing.T) {
	for _, group := range [][]string{
		{"Fill the faces ahead of the wave.", "fill the faces ahead of the wave", "  FILL the\tfaces\n ahead of the wave!", `"Fill the faces ahead of the wave."`,
			"**Fill the faces ahead of the wave.**", "“Fill the faces ahead of the wave”.", "- Fill the faces ahead of the wave", "`Fill the faces ahead of the wave`", "* **Fill** the faces ahead of the _wave_ …",
			"Ｆｉｌｌ the faces ahead of the wave", "Fill the\u200b faces ahead\u00a0of the wave", "'Fill the faces ahead of the wave.'", "(Fill the faces ahead of the wave)"},
		{"order 1,000 crates", "order 1000 crates", "order 1\u202f000 crates", "Order 1\u00a0000 crates."},
		{"wait 5 min", "wait 5 minutes", "wait 5min", "wait five minutes", "wait 5 mins.", "wait 5-minute", "wait five-minute", "wait 5\u00a0min"},
		{"wait 5 min. then go", "wait 5 minutes then go", "wait 5 min then go"},
		{"wait 5 min, then go", "wait 5 minutes, then go"},
		{"take 5%", "take 5 %", "take 5 percent", "take 5 per cent", "take five per cent."},
		{"take 5 %, then stop", "take 5 per cent, then stop", "take 5 percent, then stop"},
		{"pay $5", "pay 5 dollars", "pay five dollars"},
		{"pay $1,500", "pay 1500 usd"},
		{"1,234,567.5 km", "1234567.5 kilometers", "1234567.5km"},
		{"keep it at −18 °C", "keep it at -18 °C", "keep it at -18 °c", "keep it at -18 ℃", "keep it at –18°C"},
		{"the driver’s list", "the driver's list"},
		{"Straße sperren", "STRASSE SPERREN"},
		{"cafe\u0301 first", "café first"},
		{"", " ", "**", "\"\"", "..."},
	} {
		want := canonical(group[0])
		for _, s := range group[1:] {
			if got := canonical(s); got != want {
				t.Errorf("%q is %q, but %q is %q", s, got, group[0], want)
			}
		}
	}
}

func TestCanonicalParts(t *testing.T) {
	for _, pair := range [][2]string{
		{"fill the faces", "do not fill the faces"},
		{"fill the faces", "fill the faces on call"},
		{"fill the faces", "fill faces"},
		{"order 1,000", "order 1,0000"},
		{"order 1", "order 1,000"},
		{"version 1.1", "version 1.10"},
		{"order 1 000 crates", "order 1000 crates"}, // an ordinary space parts words
		{"set 18", "set -18"},
		{"-18 degrees", "18 degrees"},
		{".5 mm", "5 mm"},
		{"a 12,345,67 b", "a 1234567 b"},
		{"min of both", "minute of both"},
		{"see m", "see metre"},
		{"wait 5 minutes", "wait 5 seconds"},
		{"5 m", "5 min"},
		{"2024\u00a0000", "2024000"},
		{"1\u00a00000", "10000"},
	} {
		if a, b := canonical(pair[0]), canonical(pair[1]); a == b {
			t.Errorf("%q and %q are both %q", pair[0], pair[1], a)
		}
	}
}

// FuzzCanonical: no panic, idempotent, and whoever says more in words says
// something else.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"Fill the faces.", "wait 5 min.", "$1,000 per cent", "5 per", "“Straße” −18 ℃", "* **x** ***", "1\u202f000", "'it'.", "\xff\xfe", "\u1160", "5' .", "five-minute", "1,000,000.50kg"} {
		f.Add(s, "then go")
	}
	f.Fuzz(func(t *testing.T, s, more string) {
		once := canonical(s)
		if twice := canonical(once); twice != once {
			t.Errorf("%q becomes %q and then %q", s, once, twice)
		}
		if !strings.ContainsFunc(more, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return
		}
		for _, longer := range []string{s + " " + more, more + " " + s, s + "\n\n" + more} {
			if canonical(longer) == once {
				t.Errorf("%q and %q are both %q", s, longer, once)
			}
		}
	})
}

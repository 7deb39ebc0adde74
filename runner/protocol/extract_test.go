package protocol

import (
	"strings"
	"testing"
)

var actions = []string{
	"E-mail the billing contact with the papers attached.",
	"Phone the billing contact with the papers at hand.",
	"E-mail the sales contact.",
	"Phone the sales contact.",
}

func TestExtract(t *testing.T) {
	cases := []struct {
		name, text string
		choice     int
		tier       Tier
		span       string
	}{
		{"plain", "Because.\nANSWER: B", 1, TierFinalLine, "ANSWER: B"},
		{"trailing newline and spaces", "ANSWER: C  \n\n", 2, TierFinalLine, "ANSWER: C"},
		{"lower case", "answer: d", 3, TierFinalLine, "answer: d"},
		{"bold", "**ANSWER: B**", 1, TierFinalLine, "**ANSWER: B**"},
		{"bold word", "**ANSWER:** B", 1, TierFinalLine, "**ANSWER:** B"},
		{"parentheses", "Answer: (A).", 0, TierFinalLine, "Answer: (A)."},
		{"final answer", "Final answer: C", 2, TierFinalLine, "Final answer: C"},
		{"with its own text", "ANSWER: B) Phone the billing contact with the papers at hand.", 1, TierFinalLine, ""},
		{"last one wins", "ANSWER: A\nNo, wait.\nANSWER: B", 1, TierFinalLine, "ANSWER: B"},
		{"last valid one wins", "ANSWER: A\nANSWER: X", 0, TierFinalLine, "ANSWER: A"},
		{"placeholder is not an answer", "ANSWER: X", -1, TierUnparsed, ""},
		{"recited example, then the answer", "You asked for \"ANSWER: X\".\nANSWER: D", 3, TierFinalLine, "ANSWER: D"},
		{"CRLF", "Reason.\r\nANSWER: A\r\n", 0, TierFinalLine, "ANSWER: A"},
		{"another text after the letter", "ANSWER: B) E-mail the sales contact.", 1, TierLetter, "B"},
		{"two letters on the line", "ANSWER: A or B", -1, TierUnparsed, ""},
		{"bare letter", "B", 1, TierLetter, "B"},
		{"bare letter, marked up", " **(c)** ", 2, TierLetter, "c"},
		{"declared", "I would choose option B, since it is quick.", 1, TierLetter, "B"},
		{"the answer is", "The answer is D.", 3, TierLetter, "D"},
		{"declared twice alike", "Option B is best. I choose B.", 1, TierLetter, ""},
		{"declared twice differently", "Option A is slow. I choose B.", -1, TierUnparsed, ""},
		{"either", "Option A or B would do.", -1, TierUnparsed, ""},
		{"article is no letter", "I would choose A different way.", -1, TierUnparsed, ""},
		{"letter in prose is no answer", "Plan B failed last week. A truck came.", -1, TierUnparsed, ""},
		{"letter out of range", "I choose option F.", -1, TierUnparsed, ""},
		{"choice text", "Best is: phone the  billing contact with the papers at hand!", 1, TierChoiceText, "phone the  billing contact with the papers at hand"},
		{"two choice texts", "Not phone the sales contact, but e-mail the sales contact.", -1, TierUnparsed, ""},
		{"refusal", "I’m sorry, but I can’t help with that.", -1, TierRefusal, "I can’t help with"},
		{"refusal word late is no refusal", strings.Repeat("Reasons. ", 60) + "I cannot choose.", -1, TierUnparsed, ""},
		{"answer beats refusal words", "I can't help with much, but\nANSWER: A", 0, TierFinalLine, ""},
		{"nothing", "It depends.", -1, TierUnparsed, ""},
		{"empty", "", -1, TierUnparsed, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Extract(c.text, actions)
			if got.Choice != c.choice || got.Tier != c.tier {
				t.Fatalf("Extract(%q) = choice %d by %q, want %d by %q", c.text, got.Choice, got.Tier, c.choice, c.tier)
			}
			if span := c.text[got.Span[0]:got.Span[1]]; c.span != "" && span != c.span {
				t.Errorf("span %q, want %q", span, c.span)
			}
		})
	}
}

func TestChoiceTextInsideAnother(t *testing.T) {
	choices := []string{"Call.", "Call the clerk.", "Wait."}
	if got := Extract("I would call the clerk", choices); got.Choice != 1 || got.Tier != TierChoiceText {
		t.Errorf("got %+v, want the longer text", got)
	}
	if got := Extract("recall", choices); got.Choice != -1 {
		t.Errorf("found %+v inside a word", got)
	}
}

func FuzzExtract(f *testing.F) {
	for _, s := range []string{"ANSWER: B", "**Answer:** (a)", "option B or C", "İ’\xff Call", "ﬁANSWER：C"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Extract(text, actions)
		if got.Choice < -1 || got.Choice >= len(actions) {
			t.Fatalf("choice %d", got.Choice)
		}
		if (got.Choice >= 0) != (got.Tier == TierFinalLine || got.Tier == TierLetter || got.Tier == TierChoiceText) {
			t.Fatalf("%+v", got)
		}
		if got.Span[0] < 0 || got.Span[1] < got.Span[0] || got.Span[1] > len(text) {
			t.Fatalf("span %v of %d bytes", got.Span, len(text))
		}
		if again := Extract(text, actions); again != got {
			t.Fatalf("%+v, then %+v", got, again)
		}
	})
}

func BenchmarkExtract(b *testing.B) {
	text := strings.Repeat("The truck is free and the goods are near. ", 8) + "\nANSWER: C"
	b.ReportAllocs()
	for b.Loop() {
		Extract(text, actions)
	}
}

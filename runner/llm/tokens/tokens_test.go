package tokens

import (
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// The sum over words equals the library's count of the whole text.
func FuzzCountEqualsWhole(f *testing.F) {
	for _, s := range []string{
		"", " ", "a b", " a  b \n\n c", "e-mail 1,850 cartons.", "it's we'll", "tab\tand\u00a0nbsp", "ünï cödé 漢字 も",
		"ends with space ", "a \u2003b", "1234567 89", "x (y) \"z\"", "ANSWER: B\r\nnext",
	} {
		f.Add(s)
	}
	whole, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		f.Fatal(err)
	}
	counter := For("a model nobody knows")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		want, err := whole.Count(s)
		if err != nil {
			return
		}
		if got := counter.Count(s); got != want {
			t.Errorf("Count(%q) = %d, the library says %d", s, got, want)
		}
	})
}

func TestKnownAndUnknownModels(t *testing.T) {
	if c := For("gpt-4o-mini"); !c.Exact() || c.Name() != "o200k_base" {
		t.Errorf("gpt-4o-mini: exact %v, vocabulary %s", c.Exact(), c.Name())
	}
	if c := For("llama-3.1-8b"); c.Exact() {
		t.Error("a model without a known vocabulary is called exact")
	}
}

func BenchmarkCount(b *testing.B) {
	c := For("gpt-4o-mini")
	text := strings.Repeat("The reach truck came back from service at noon and needs three minutes a pallet. ", 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c.Count(text)
	}
}

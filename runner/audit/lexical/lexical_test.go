package lexical

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	got := Tokens("Don't e-mail 1,850 cartons: Ökonom's way.")
	if want := "don t e mail 1 850 cartons ökonom s way"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStem(t *testing.T) {
	for want, words := range map[string]string{
		"fill": "fill fills filled filling", "carri": "carry carries carried carrying", "stop": "stop stops stopped stopping",
		"chang": "change changes changed changing", "box": "box boxes", "press": "press presses pressed", "quick": "quickly quick",
		"gas": "gas", "bus": "bus", "is": "is", "bed": "bed", "sing": "sing",
	} {
		for _, w := range strings.Fields(words) {
			if got := Stem(w); got != want {
				t.Errorf("Stem(%q) = %q, want %q", w, got, want)
			}
		}
	}
}

func TestContent(t *testing.T) {
	got := Content(Tokens("The truck filled 12 faces, and it fills a face at 4:25."))
	if want := (Set{"fac", "fill", "truck"}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOverlap(t *testing.T) {
	a, b := Set{"a", "b", "c"}, Set{"b", "c", "d", "e"}
	if Common(a, b) != 2 || Jaccard(a, b) != 0.4 || Jaccard(nil, nil) != 0 || Jaccard(a, a) != 1 {
		t.Error(Common(a, b), Jaccard(a, b), Jaccard(nil, nil), Jaccard(a, a))
	}
	if s := Shingles(strings.Fields("a b a b a"), 3); !slices.Equal(s, Set{"a b a", "b a b"}) || Shingles(nil, 3) != nil {
		t.Errorf("%q", s)
	}
}

func TestRun(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"fill the faces now", "they fill the faces later", "fill the faces"},
		{"a b a b c", "b a b c a", "b a b c"}, {"a", "b", ""}, {"", "", ""}, {"x y z", "x y z", "x y z"},
	} {
		if got := strings.Join(Run(strings.Fields(tt.a), strings.Fields(tt.b)), " "); got != tt.want {
			t.Errorf("Run(%q, %q) = %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestPhrases(t *testing.T) {
	p, err := NewPhrases("forg*", "ground truth # comment", "", "isn't", "from now on", "from")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range p.Find(Tokens("Forgery of ground truth isn't, from now on, ground. From")) {
		got = append(got, strings.Join(f, " "))
	}
	if want := "forgery|ground truth|isn t|from now on|from"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := strings.Join(p.Without(Tokens("Forgery now of ground, truth; ground truth from now on.")), " "); got != "now of" {
		t.Errorf("without phrases: %q", got)
	}
	for _, bad := range []string{"ab*", "!"} {
		if _, err := NewPhrases(bad); err == nil {
			t.Errorf("pattern %q passes", bad)
		}
	}
}

func TestCosine(t *testing.T) {
	var c Corpus
	a, b, d := NewBag(strings.Fields("x x y")), NewBag(strings.Fields("y x x")), NewBag(strings.Fields("z"))
	for _, bag := range []Bag{a, b, d} {
		c.Add(bag)
	}
	if got := c.Cosine(a, b); math.Abs(got-1) > 1e-12 || c.Cosine(a, d) != 0 || c.Cosine(nil, a) != 0 {
		t.Error(got, c.Cosine(a, d))
	}
	if s := Sum(a, d, b); !slices.Equal(s, NewBag(strings.Fields("x x y y x x z"))) {
		t.Error(s)
	}
	if rare, common := c.Cosine(NewBag([]string{"x", "z"}), d), c.Cosine(NewBag([]string{"x", "z"}), NewBag([]string{"x"})); rare <= common {
		t.Error("a rare word weighs no more than a common one", rare, common)
	}
}

func TestBayes(t *testing.T) {
	var b Bayes
	one, zero := NewBag(strings.Fields("up up")), NewBag(strings.Fields("down"))
	b.Add(1, one, 1)
	b.Add(0, zero, 1)
	if b.Odds(one) <= 0 || b.Odds(zero) >= 0 || b.Odds(NewBag([]string{"never seen"})) != 0 {
		t.Error(b.Odds(one), b.Odds(zero))
	}
	other := NewBag(strings.Fields("down up side"))
	before := b.Odds(one)
	b.Add(0, other, 1)
	b.Add(0, other, -1)
	if b.Odds(one) != before || b.Odds(other) != b.Odds(NewBag(strings.Fields("down up"))) {
		t.Error("a text taken out leaves a trace")
	}
}

func TestAUC(t *testing.T) {
	if a, ok := AUC([]float64{1, 2}, []float64{0, 2}); a != 0.625 || !ok {
		t.Error(a, ok)
	}
	if _, ok := AUC(nil, []float64{1}); ok {
		t.Error("an AUC of nothing")
	}
}

func FuzzText(f *testing.F) {
	f.Add("The truck fills faces.", "Faces are filled by trucks.")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Tokens(a), Tokens(b)
		if j := Jaccard(Content(x), Content(y)); j < 0 || j > 1 || j != Jaccard(Content(y), Content(x)) {
			t.Fatal(j)
		}
		if run := Run(x, y); !Contains(x, run) || !Contains(y, run) || len(run) != len(Run(y, x)) {
			t.Fatal(run)
		}
	})
}

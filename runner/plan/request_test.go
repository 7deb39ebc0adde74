package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/prompts"
)

var awkward = []string{
	"", "plain", `quote " back \ slash /`, "\x00\x01\x1f\x7f\u0080\u009f", "tab\tnew\nline\r\f\b", "<b>&amp;</b>", "\u2028\u2029",
	"é e\u0301 Å 가", "😀 𝒳 \U0010FFFF", "\uFEFFbom", "\uFFFD", "ends with \\", "null", "{}",
}

// TestRequestIsCanonical: the body is RFC 8785 as it stands, and says what it
// was made from (docs/protocol.md, "Cache key").
func TestRequestIsCanonical(t *testing.T) {
	number := func(s string) *experiment.Number { n := experiment.Number(s); return &n }
	text, max, seed := "low", 512, int64(-3)
	specs := map[string]*experiment.Model{
		"bare": {ID: "m"},
		"all": {ID: "a/b \"c\"", Temperature: number("0"), TopP: number("0.7"), MaxTokens: &max, MaxTokensField: "max_completion_tokens",
			Seed: &seed, ReasoningEffort: &text, Stop: []string{"\n\n\n", "é\""}, ExtraBody: []byte(`{"top_k":20,"provider":{"order":["x","y"]},"zz":null}`)},
		"around messages and seed": {ID: "m", MaxTokensField: "max_tokens", Seed: &seed, ExtraBody: []byte(`{"messaged":1,"message":2,"see":3,"seeds":4,"Z":5,"_":6}`)},
		"names beyond ASCII":       {ID: "m", Seed: &seed, ExtraBody: []byte("{\"é\":1,\"\uff5e\":2,\"\U00010000\":3,\"a\\\"b\":4,\"\u20ac\":5}")},
	}
	for name, spec := range specs {
		m, err := newModel(spec, "id")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range awkward {
			for draw := range 3 {
				got := m.Request(prompts.Prompt{System: s, User: "u" + s}, draw)
				want, err := jcs.Transform(got)
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%s: not canonical (%v):\n%s\n%s", name, err, got, want)
				}
				var body struct {
					Model    string
					Messages []struct{ Role, Content string }
					Seed     *int64
				}
				if err := json.Unmarshal(got, &body); err != nil {
					t.Fatal(err)
				}
				if body.Model != spec.ID || len(body.Messages) != 2 || body.Messages[0] != (struct{ Role, Content string }{"system", s}) || body.Messages[1].Content != "u"+s {
					t.Errorf("%s: %q became %s", name, s, got)
				}
				if (body.Seed == nil) != (spec.Seed == nil) || (body.Seed != nil && *body.Seed != seed+int64(draw)) {
					t.Errorf("%s: draw %d is sent with seed %v", name, draw, body.Seed)
				}
			}
		}
	}
}

// TestParametersReachTheWire: what is declared, as declared, and nothing else.
func TestParametersReachTheWire(t *testing.T) {
	zero, tenth := experiment.Number("0"), experiment.Number("0.7")
	max := 9
	m, err := newModel(&experiment.Model{ID: "m", Temperature: &zero, TopP: &tenth, MaxTokens: &max, MaxTokensField: "max_tokens"}, "id")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"max_tokens":9,"messages":[{"content":"s","role":"system"},{"content":"u","role":"user"}],"model":"m","temperature":0,"top_p":0.7}`
	if got := string(m.Request(prompts.Prompt{System: "s", User: "u"}, 1)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestKeyOf computes the key from the protocol's formula.
func TestKeyOf(t *testing.T) {
	for _, c := range []struct {
		identity string
		draw     int
		request  string
	}{{"openai", 0, `{"a":1}`}, {"", 12, ""}, {"é:1", 0, "x"}, {"a1", 1, "b"}, {"a", 11, "b"}} {
		d := fmt.Sprint(c.draw)
		text := fmt.Sprintf("memform-key/1\n%d:%s%d:%s%d:%s", len(c.identity), c.identity, len(d), d, len(c.request), c.request)
		if got := llm.KeyOf(c.identity, c.draw, []byte(c.request)); got != sha256.Sum256([]byte(text)) {
			t.Errorf("%+v: %s", c, got)
		}
	}
	const golden = "ed8a48f42a82ddf9c20e62f6b6dc12d978166956283e728049355524f2b513b8"
	if got := llm.KeyOf("openai", 1, []byte(`{"messages":[],"model":"m"}`)).String(); got != golden {
		t.Errorf("the key is %s, was %s", got, golden)
	}
}

// TestModelDigest: every keyed parameter is in it, labels, prices and limits
// are not.
func TestModelDigest(t *testing.T) {
	number := experiment.Number("0.5")
	max, seed, effort := 5, int64(1), "low"
	digest := func(identity string, spec experiment.Model) [32]byte {
		spec.ID += "m"
		if spec.MaxTokensField == "" {
			spec.MaxTokensField = "max_tokens"
		}
		m, err := newModel(&spec, identity)
		if err != nil {
			t.Fatal(err)
		}
		return m.Digest
	}
	base := digest("i", experiment.Model{})
	seen := map[[32]byte]string{base: "base", digest("j", experiment.Model{}): "identity"}
	for name, spec := range map[string]experiment.Model{
		"id": {ID: "x"}, "temperature": {Temperature: &number}, "top_p": {TopP: &number}, "seed": {Seed: &seed}, "effort": {ReasoningEffort: &effort},
		"max_tokens": {MaxTokens: &max}, "field": {MaxTokens: &max, MaxTokensField: "max_completion_tokens"}, "stop": {Stop: []string{"x"}}, "extra": {ExtraBody: []byte(`{"k":1}`)},
	} {
		d := digest("i", spec)
		if other, known := seen[d]; known {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[d] = name
	}
	if digest("i", experiment.Model{Name: "label", Price: &experiment.Price{Input: 1}, RequestsPerMinute: 5, TokensPerMinute: 6}) != base {
		t.Error("a label, a price or a limit changes the digest")
	}
}

func FuzzAppendJSON(f *testing.F) {
	for _, s := range awkward {
		f.Add(s)
	}
	f.Add("\xff bad \xc3")
	f.Fuzz(func(t *testing.T, s string) {
		got := appendJSON(nil, s)
		var back string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if want := strings.ToValidUTF8(s, "\uFFFD"); utf8.ValidString(s) && back != want {
			t.Fatalf("%q became %q", s, back)
		}
		canonical, err := jcs.Transform(append(append([]byte("["), got...), ']'))
		if err != nil || string(canonical) != "["+string(got)+"]" {
			t.Fatalf("%q is not canonical: %q, %v", got, canonical, err)
		}
	})
}

func BenchmarkRequest(b *testing.B) {
	m, err := newModel(&experiment.Model{ID: "gpt-4o-mini", MaxTokensField: "max_tokens"}, "openai")
	if err != nil {
		b.Fatal(err)
	}
	p := prompts.Prompt{System: strings.Repeat("You keep the memory.\n", 40), User: strings.Repeat("A record of \"earlier\" work.\n", 40)}
	b.ReportAllocs()
	for b.Loop() {
		m.Request(p, 0)
	}
}

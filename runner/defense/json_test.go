package defense

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	for _, tt := range []struct{ name, text, verdict, fault string }{
		{"alone", `{"verdict": "keep"}`, `"keep"`, ""},
		{"prose around it", "I looked at it {closely}.\n\n{\"verdict\": \"keep\", \"reason\": \"says {so}\"}\nThat is all. :}", `"keep"`, ""},
		{"fenced", "```json\n{\n  \"verdict\": \"reject\"\n}\n```", `"reject"`, ""},
		{"in a list", `[{"verdict": "keep"}]`, `"keep"`, ""},
		{"a brace of the prose before it", `{ {"verdict": "keep"}`, `"keep"`, ""},
		{"keys in another case", `{"Verdict ": "keep"}`, `"keep"`, ""},
		{"others pass", `{} {"thought": {"verdict": "reject"}} {"verdict": "keep"}`, `"keep"`, ""},
		{"right-to-left and wide", "شكرا 𝔘 {\"verdict\": \"keep\", \"reason\": \"שלום 😀\"} 𝔘", `"keep"`, ""},
		{"two", `{"verdict": "keep"} {"verdict": "reject"}`, "", faultTwo},
		{"two alike", `{"verdict": "keep"} or {"verdict": "keep"}`, "", faultTwo},
		{"one that is broken off", `{"verdict": "keep"`, "", faultBroken},
		{"broken off, one inside", `{"note": {"verdict": "keep"}, "verdict": `, "", faultBroken},
		{"not JSON", `{'verdict': 'keep'}`, "", faultNoObject},
		{"the form repeated", `{"verdict": "keep" or "reject"}`, "", faultBroken},
		{"the form repeated before it", "{\"verdict\": \"keep\" or \"reject\"}\n{\"verdict\": \"keep\"}", "", faultBroken},
		{"a trailing comma", `{"verdict": "keep",}`, "", faultBroken},
		{"a raw newline in a text", "{\"verdict\": \"ke\nep\"}", "", faultBroken},
		{"a key twice", `{"verdict": "keep", "verdict": "reject"}`, "", faultTwice},
		{"a key twice in two cases", `{"verdict": "keep", "VERDICT": "reject"}`, "", faultTwice},
		{"no object", `keep`, "", faultNoObject},
		{"nothing", ``, "", faultNoObject},
		{"another key", `{"decision": "keep"}`, "", faultNoObject},
		{"a lone brace at the end", `keep {`, "", faultBroken},
		{"deep", strings.Repeat("[", 20000) + `{"verdict": "keep"}`, `"keep"`, ""},
		{"deep within", `{"verdict":` + strings.Repeat("[", 20000), "", faultBroken},
	} {
		f, fault := object(tt.text, "verdict")
		if fault != tt.fault || string(f["verdict"]) != tt.verdict {
			t.Errorf("%s: %s, %q; want %s, %q", tt.name, f["verdict"], fault, tt.verdict, tt.fault)
		}
	}
}

func TestFieldsOfAnObject(t *testing.T) {
	f, _ := object(`{"s": " a ", "w": "Over-Claim", "n": null, "x": 0.25, "y": " 1 ", "bad": [1.5, -0.1, "NaN", "Inf", "0x1p-2", true, null, {}, "", "a"], "l": ["a", " "], "m": ["a", null], "k": "a"}`)
	if s, ok := f.text("s"); s != "a" || !ok {
		t.Errorf("text %q", s)
	}
	for _, key := range []string{"n", "x", "l", "absent"} {
		if s, ok := f.text(key); ok {
			t.Errorf("%s is taken for the text %q", key, s)
		}
	}
	if w := f.word("w"); w != "over_claim" {
		t.Errorf("word %q", w)
	}
	for key, want := range map[string]float64{"x": 0.25, "y": 1} {
		if x, ok := f.share(key); x != want || !ok {
			t.Errorf("%s is %v", key, x)
		}
	}
	var bad []json.RawMessage
	if err := json.Unmarshal(f["bad"], &bad); err != nil || len(bad) != 10 {
		t.Fatal(err)
	}
	for _, raw := range bad {
		if x, ok := share(raw); ok {
			t.Errorf("%s is taken for %v", raw, x)
		}
	}
	if list, ok := f.texts("l"); !ok || len(list) != 2 || list[1] != " " {
		t.Errorf("texts %q", list)
	}
	if _, ok := f.said("l"); ok {
		t.Error("a text of spaces says something")
	}
	for _, key := range []string{"m", "k", "x", "absent"} {
		if list, ok := f.texts(key); ok {
			t.Errorf("%s is taken for the list %q", key, list)
		}
	}
}

// FuzzObject: an object is found in whatever prose has no brace, no answer
// panics, and what is found is a part of the answer.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{"verdict": "keep"}`, "```json\n{}```", `{"verdict": {"verdict": 1}} {`, "{\"verdict\":\"\xff\"}", `{"verdict":"a","Verdict":"b"}`, "{\"a\" {"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, fault := object(text, "verdict")
		if (fault == "") != (found != nil) || found != nil && !strings.Contains(text, string(found["verdict"])) {
			t.Fatalf("%q: %s, %q", text, found, fault)
		}
		for _, parse := range []func(string) (any, string){parseVerdict, parseMeasure, parseProbes, parsePath, parseConsensus, parseRewrite, parseTasks, parseDirectives, parseScores} {
			if finding, fault := parse(text); (finding == nil) != (fault != "") {
				t.Fatalf("%q: finding %v with fault %q", text, finding, fault)
			}
		}
		prose := strings.NewReplacer("{", "", "}", "").Replace(text)
		got, fault := object(prose+`{"verdict": "keep"}`+prose, "verdict")
		if fault != "" || string(got["verdict"]) != `"keep"` {
			t.Fatalf("not found within %q: %q", prose, fault)
		}
	})
}

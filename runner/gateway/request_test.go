package gateway

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// same reports whether both ways to the canonical form agree.
func same(t *testing.T, text []byte) (quick bool) {
	t.Helper()
	got, quick := plain(text)
	if !quick {
		return false
	}
	want, wrong := transformed(text)
	if wrong != nil {
		t.Fatalf("%q was taken, but %s", text, wrong.message)
	}
	if len(got) != len(want) {
		t.Fatalf("%q has the fields %s, want %s", text, got, want)
	}
	for name, value := range want {
		if !bytes.Equal(got[name], value) {
			t.Fatalf("%q: %q is %s, want %s", text, name, got[name], value)
		}
	}
	return true
}

// What nearly every client sends takes the quick way; what is wrong or rare
// does not, and both ways agree.
func TestPlain(t *testing.T) {
	for text, quick := range map[string]bool{
		`{"model":"m","messages":[{"role":"user","content":"é \n\"\\ 𝄞"}],"temperature":0.7,"max_tokens":512}`: true,
		" {\n\t\"b\" : [ ] , \"a\" : { } ,\r\"c\":[1,-2 , null,true,false ,{\"z\":1,\"y\":[[]]}]} ":            true,
		`{}`:                              true,
		`{"a":-0,"b":1.50,"c":0.0000001}`: true,
		`{"a":123456789012345}`:           true,
		`{"a":1234567890123456}`:          false,
		`{"a":"\u00e9"}`:                  false,
		`{"a":"\/"}`:                      false,
		`{"a":1e3}`:                       false,
		`{"é":1}`:                         false,
		`{"a":1,"a":2}`:                   false,
		`{"x":{"a":1,"a":2}}`:             false,
		`{"a":01}`:                        false,
		`{"a":1.}`:                        false,
		`{"a":.5}`:                        false,
		`{"a":-}`:                         false,
		`{"a":tru}`:                       false,
		`{"a":1,}`:                        false,
		`{"a":[1,]}`:                      false,
		`{"a" 1}`:                         false,
		`{"a":1`:                          false,
		`{"a":`:                           false,
		`{"a":"`:                          false,
		`{"a":"\`:                         false,
		`{"a":1} 2`:                       false,
		"{\"a\":1}\x00":                   false,
		"{\"a\":\"\x01\"}":                false,
		"{\"a\":\"\xff\"}":                false,
		`[]`:                              false,
		``:                                false,
		`{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`: false,
	} {
		if got := same(t, []byte(text)); got != quick {
			t.Errorf("%q: the quick way says %t, want %t", text, got, quick)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"a"}],"x":-1.50,"y":[1,{"b":2,"a":"\n"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) { same(t, text) })
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"a"}],"x":1e3,"ü":[1,{"b":2,"a":"\u00e9"}]}`))
	f.Add([]byte(`{"messages":[{}],"a\"b":9007199254740992,"\u0001":-0}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, wrong := parse(text)
		if wrong != nil {
			return
		}
		once := r.canonical()
		again, wrong := parse(once)
		if wrong != nil {
			t.Fatalf("%s became %s: %s", text, once, wrong.message)
		}
		if twice := again.canonical(); !bytes.Equal(once, twice) {
			t.Fatalf("%s became %s and then %s", text, once, twice)
		}
	})
}

// BenchmarkParse is a body as libraries send it, by both ways.
func BenchmarkParse(b *testing.B) {
	words := strings.Repeat("The pump was slow and the line stayed cool.\n", 45)
	body, err := json.Marshal(map[string]any{"model": "m-1", "temperature": 0, "messages": []map[string]string{{"role": "system", "content": "You decide."}, {"role": "user", "content": words}}})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := plain(body); !ok {
				b.Fatal("not plain")
			}
		}
	})
	b.Run("transformed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, wrong := transformed(body); wrong != nil {
				b.Fatal(wrong.message)
			}
		}
	})
}

package stack

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const goodManifest = `{"protocol":1,"adapter":"a","command":["{python}","-m","x"],"lock":"requirements.lock","python":">=3.11",
"stacks":{"a":{"kind":"carrier"},"a-memory":{"kind":"memory_system","calls":{"low":"n","expected":"2*n","high":"3*n+4"}}}}`

func TestFind(t *testing.T) {
	lock := "# adapter a 1\nLang_Chain==1.2.3 \\\n    --hash=sha256:00\nopenai[x]==2.0 ; python_version > '3' \\\n    --hash=sha256:11\n    # via a==9\n"
	offers, err := Find(fstest.MapFS{
		"one/adapter.json": {Data: []byte(goodManifest)}, "one/requirements.lock": {Data: []byte(lock)},
		"kit/x.py": {Data: []byte("")}, "README.md": {Data: []byte("")},
	})
	if err != nil || len(offers) != 2 {
		t.Fatalf("%d offers, %v", len(offers), err)
	}
	carrier, memory := offers[0], offers[1]
	if carrier.Kind != Carrier || memory.Kind != MemorySystem || memory.Calls.High.Of(5) != 19 || memory.Calls.Low.Of(5) != 5 || memory.Folder != "one" {
		t.Errorf("%+v, %+v", carrier, memory)
	}
	if len(carrier.Packages) != 2 || carrier.Packages["lang-chain"] != "1.2.3" || carrier.Packages["openai"] != "2.0" {
		t.Errorf("packages %v", carrier.Packages)
	}
	if want := " stack=a lock=" + carrier.Digest[:16]; carrier.Suffix() != want || len(carrier.Digest) != 64 {
		t.Errorf("suffix %q, want %q", carrier.Suffix(), want)
	}
	for _, identity := range []string{"server", "server stack=x", "simulated/1?a=1&b=2 azure api-version=3"} {
		if got := Endpoint(identity + carrier.Suffix()); got != identity || Endpoint(identity) != identity {
			t.Errorf("the endpoint of %q is %q", identity+carrier.Suffix(), got)
		}
	}
	if Named(offers, "a-memory") != memory || Named(offers, "b") != nil {
		t.Error("Named")
	}
}

func TestFindFaults(t *testing.T) {
	replace := func(old, new string) string { return strings.Replace(goodManifest, old, new, 1) }
	tests := []struct{ manifest, says string }{
		{"{", "adapter.json"},
		{replace(`"protocol":1`, `"protocol":2`), "protocol is 2"},
		{replace(`"adapter"`, `"adaptor"`), "adaptor"},
		{replace(`"lock":"requirements.lock"`, `"lock":"no.lock"`), "lock must name a file"},
		{replace(`"a":{"kind":"carrier"}`, `"native":{"kind":"carrier"}`), `"native" cannot be`},
		{replace(`"a":{"kind":"carrier"}`, `"A b":{"kind":"carrier"}`), `"A b" cannot be`},
		{replace(`"kind":"carrier"`, `"kind":"x"`), "kind must be"},
		{replace(`"high":"3*n+4"`, `"high":"n*3"`), "no number of calls"},
		{replace(`"high":"3*n+4"`, `"high":"n"`), "does not hold"},
		{replace(`,"calls":{"low":"n","expected":"2*n","high":"3*n+4"}`, ``), "declares how many calls"},
	}
	for _, tt := range tests {
		_, err := Find(fstest.MapFS{"one/adapter.json": {Data: []byte(tt.manifest)}, "one/requirements.lock": {}})
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.manifest, err, tt.says)
		}
	}
	twice := fstest.MapFS{}
	for _, folder := range []string{"one", "two"} {
		twice[folder+"/adapter.json"], twice[folder+"/requirements.lock"] = &fstest.MapFile{Data: []byte(goodManifest)}, &fstest.MapFile{}
	}
	if _, err := Find(twice); err == nil || !strings.Contains(err.Error(), "offered by one and by two") {
		t.Errorf("%v", err)
	}
	if offers, err := Find(os.DirFS("no such folder")); err != nil || len(offers) != 0 {
		t.Errorf("%v, %v", offers, err)
	}
}

// What the repository ships can be read.
func TestShipped(t *testing.T) {
	offers, err := Find(os.DirFS("../../adapters"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, o := range offers {
		names = append(names, o.Name)
		if (len(o.Packages) < 30) != strings.HasPrefix(o.Name, "example") {
			t.Errorf("%s: %d packages in its lock", o.Name, len(o.Packages))
		}
	}
	for _, want := range []string{"langchain", "langmem", "llamaindex", "llamaindex-facts"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not offered: %v", want, names)
		}
	}
}

// BenchmarkFind is what stacks cost a run that uses none.
func BenchmarkFind(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Find(os.DirFS("../../adapters")); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzHear(f *testing.F) {
	f.Add([]byte(`{"type":"result","id":"1","ok":true,"text":"a\ud83d\ude00","calls":1}`))
	f.Add([]byte(`{"type":"log","message":"\\ud800"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, err := hear(line)
		if err == nil && strings.ContainsRune(s.Message+s.ID, '\uFFFD') && !strings.Contains(string(line), "\uFFFD") && !strings.Contains(strings.ToLower(string(line)), "fffd") {
			t.Errorf("%q became %+v", line, s)
		}
	})
}

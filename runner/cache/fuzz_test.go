package cache

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func FuzzEntryRoundTrip(f *testing.F) {
	f.Add("identity", 0, []byte(`{"a":"\n"}`), []byte("answer"), 200, "name", "value", "answer", "2026-11-29T10:00:00.000Z", int64(5), 1)
	f.Add("\xff", -3, []byte("\x00\x1f\u2028\\\"/"), []byte("\xc3\x28"), -1, "", "\xff", "", "", int64(-1<<63), 0)
	f.Fuzz(func(t *testing.T, identity string, draw int, request, response []byte, status int, name, value, outcome, at string, ms int64, attempts int) {
		want := Entry{
			Identity: identity, Draw: draw, Request: request, Response: response, Status: status,
			Headers: map[string]string{name: value, "second": "x"}, Outcome: outcome, CompletedAt: at, Millis: ms, Attempts: attempts,
		}
		line := lineOf(t, want)
		if bytes.IndexByte(line, '\n') != len(line)-1 || !json.Valid(line) {
			t.Fatalf("not one line of JSON: %q", line)
		}
		s := &Store{opt: Options{Key: testKey}}
		key, d, err := s.verify(line)
		if err != nil || key != want.key() {
			t.Fatalf("%v: %q", err, line)
		}
		_, e, _ := openLine(line)
		slow, err := decodeAny(e)
		if err != nil {
			t.Fatal(err)
		}
		want.Headers = map[string]string{}
		want.Headers[strings.ToValidUTF8(name, "\uFFFD")] = strings.ToValidUTF8(value, "\uFFFD")
		if name != "second" {
			want.Headers["second"] = "x"
		}
		want.Outcome, want.CompletedAt = strings.ToValidUTF8(outcome, "\uFFFD"), strings.ToValidUTF8(at, "\uFFFD")
		for _, got := range []Entry{d.entry, slow.entry} {
			if !bytes.Equal(got.Request, request) || !bytes.Equal(got.Response, response) {
				t.Fatalf("bodies differ: %q", line)
			}
			got.Request, got.Response = want.Request, want.Response
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("got  %+v\nwant %+v", got, want)
			}
		}
	})
}

// Whatever a segment holds, reading it neither panics nor gives a wrong answer,
// and a valid line that begins a line of its own is found.
func FuzzSegment(f *testing.F) {
	lines, entries := small(f)
	whole := bytes.Join(lines, nil)
	f.Add(whole, []byte(""))
	f.Add(whole[:150], whole[100:])
	f.Add([]byte("\n{}\n"), lines[1][:91])
	f.Add(tombLine(entries[0].key(), entries[0].Digest()), []byte(`{"k":"`))
	f.Fuzz(func(t *testing.T, front, back []byte) {
		disk := newMemDisk()
		disk.set(memSegment, append(append(append(bytes.Clone(front), '\n'), lines[1]...), back...))
		s := openMem(t, disk)
		rightOrMiss(t, s, entries, "fuzz")
		hidden := false
		for _, a := range s.Answers(entries[1].key()) {
			hidden = hidden || a.Hidden
		}
		if _, ok := s.Get(entries[1].key()); !ok && !hidden {
			t.Fatal("the whole line in the middle is a miss")
		}
		if _, err := s.Survey(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// The fast decoder may refuse what encoding/json reads, but where both read,
// they agree.
func FuzzDecodersAgree(f *testing.F) {
	e := entryOf(1)
	f.Add(appendEntry(nil, &e))
	f.Add([]byte(`{"v":1,"identity":"\/","request":"\u0041","draw":-0,"response_base64":"AAA=","status":01,"headers":{},"outcome":"","completed_at":"","ms":0,"attempts":0}`))
	f.Fuzz(func(t *testing.T, e []byte) {
		fast, ok := decodeOrdered(e, &interner{})
		slow, err := decodeAny(e)
		if !ok || err != nil || slow.tomb != nil {
			return
		}
		if len(slow.entry.Headers) == 0 {
			slow.entry.Headers, fast.Headers = nil, nil
		}
		if strings.Contains(string(appendEntry(nil, &slow.entry)), "\uFFFD") {
			return // encoding/json replaces invalid UTF-8
		}
		if !bytes.Equal(appendEntry(nil, &fast), appendEntry(nil, &slow.entry)) {
			t.Fatalf("fast %+v\nslow %+v", fast, slow.entry)
		}
	})
}

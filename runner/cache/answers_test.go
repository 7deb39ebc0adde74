package cache

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// rivals are four answers of one key; the third in the list is the preferred
// one: the earliest time, and of two at that time the smaller digest.
func rivals() []Entry {
	var out []Entry
	for n, at := range []string{"2026-11-29T10:00:03.000Z", "2026-11-29T10:00:01.000Z", "2026-11-29T10:00:01.000Z", "2026-11-29T10:00:02.000Z"} {
		e := entryOf(1)
		e.Response, e.CompletedAt = fmt.Appendf(nil, "answer %d", n), at
		out = append(out, e)
	}
	if a, b := out[1].Digest(), out[2].Digest(); bytes.Compare(a[:], b[:]) < 0 {
		out[1], out[2] = out[2], out[1]
	}
	return out
}

func tombLine(key Key, digest [32]byte) []byte {
	return appendLine(nil, key, func(b []byte) []byte { return appendTombstone(b, &Tombstone{Forget: digest, Reason: "a \"test\""}) })
}

func TestSeveralAnswersOfOneKey(t *testing.T) {
	all := rivals()
	for shift := range all {
		dir := t.TempDir()
		for i := range all {
			writeSegment(t, dir, fmt.Sprint(i), lineOf(t, all[(i+shift)%4]), lineOf(t, entryOf(i+10)))
		}
		mustGet(t, open(t, dir), all[2])
		for _, e := range all {
			s := open(t, dir)
			got, ok := s.GetPinned(e.key(), e.Digest())
			if !ok || !bytes.Equal(got.Response, e.Response) {
				t.Fatalf("pinned %s: got %q, %v", e.Response, got.Response, ok)
			}
			// What this process has used stays its answer.
			mustGet(t, s, e)
		}
	}
	dir := t.TempDir()
	put(t, open(t, dir), all[0])
	if _, ok := open(t, dir).GetPinned(all[0].key(), all[1].Digest()); ok {
		t.Fatal("a pin to an answer that is not stored is a hit")
	}
}

func TestAnswersGivenDoNotChange(t *testing.T) {
	all, dir, now := rivals(), t.TempDir(), time.Unix(1e9, 0)
	s := open(t, dir, func(o *Options) { o.Now = func() time.Time { return now } })
	put(t, s, all[0])
	writeSegment(t, dir, "other", lineOf(t, all[2]))
	now = now.Add(refreshEvery)
	s.Refresh()
	mustGet(t, s, all[0])
	put(t, s, all[1])
	mustGet(t, s, all[0])
	mustGet(t, open(t, dir), all[2])
}

func TestTombstones(t *testing.T) {
	all, dir := rivals(), t.TempDir()
	key := all[0].key()
	best := all[2].Digest()
	writeSegment(t, dir, "a", tombLine(key, best), lineOf(t, all[2]), lineOf(t, all[3]))
	s := open(t, dir)
	mustGet(t, s, all[3])
	if got, ok := s.GetPinned(key, best); !ok || !bytes.Equal(got.Response, all[2].Response) {
		t.Fatal("a tombstone hides an answer from a pin")
	}
	if !s.Has(key) {
		t.Fatal("Has is false though one answer is left")
	}
	writeSegment(t, dir, "b", tombLine(key, all[3].Digest()))
	s = open(t, dir)
	if _, ok := s.Get(key); ok || s.Has(key) {
		t.Fatal("a forgotten answer is found")
	}
	put(t, s, all[0])
	mustGet(t, s, all[0])
	mustGet(t, open(t, dir), all[0])
	answers := open(t, dir).Answers(key)
	if len(answers) != 3 || answers[0].Hidden || !answers[1].Hidden || answers[1].Digest != best || !answers[2].Hidden {
		t.Fatalf("Answers: %+v", answers)
	}

	damaged := tombLine(key, all[0].Digest())
	damaged[len(damaged)-8] ^= 1
	writeSegment(t, dir, "c", damaged)
	mustGet(t, open(t, dir), all[0])
}

func TestEqualTagsOfDifferentKeys(t *testing.T) {
	// Keys that agree in their first eight bytes share a chain in the index.
	key := func(identity string, draw int, request []byte) Key {
		k := testKey(identity, draw, request)
		clear(k[:8])
		return k
	}
	dir := t.TempDir()
	same := func(o *Options) { o.Key = key }
	s := open(t, dir, same)
	for n := range 20 {
		e := entryOf(n)
		if err := s.Put(context.Background(), key(e.Identity, e.Draw, e.Request), e); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []*Store{s, open(t, dir, same)} {
		for n := range 20 {
			e := entryOf(n)
			got, ok := s.Get(key(e.Identity, e.Draw, e.Request))
			if !ok || !bytes.Equal(got.Response, e.Response) {
				t.Fatalf("entry %d: %v, %q", n, ok, got.Response)
			}
		}
		e := entryOf(21)
		if _, ok := s.Get(key(e.Identity, e.Draw, e.Request)); ok || s.Bad() != 0 {
			t.Fatalf("hit %v, %d bad", ok, s.Bad())
		}
	}
}

func TestSurvey(t *testing.T) {
	all, dir := rivals(), t.TempDir()
	refused := entryOf(9)
	refused.Outcome = "refusal"
	bad := lineOf(t, entryOf(7))
	bad[100] ^= 1
	other := writeSegment(t, dir, "a", lineOf(t, all[0]), lineOf(t, refused), bad, lineOf(t, entryOf(8)), []byte("torn"))
	writeSegment(t, dir, "b", lineOf(t, all[2]), lineOf(t, all[0]), tombLine(entryOf(8).key(), [32]byte{1}))
	s := open(t, dir)
	v, err := s.Survey(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if v.Segments != 2 || v.Lines != 7 || v.Keys != 3 || v.Answers != 5 || v.Forgotten != 1 || v.Outcomes["answer"] != 4 || v.Outcomes["refusal"] != 1 {
		t.Errorf("%+v", v)
	}
	if v.First != "2026-11-29T10:00:01.000Z" || v.Last != "2026-11-29T10:00:09.000Z" {
		t.Errorf("from %s to %s", v.First, v.Last)
	}
	if len(v.Damaged) != 1 || v.Damaged[0].Err != errChecksum || v.Damaged[0].File != other || len(v.Torn) != 1 || v.Torn[0].Size != 4 {
		t.Errorf("damaged %v, torn %v", v.Damaged, v.Torn)
	}
	if len(v.Conflicts) != 1 || v.Conflicts[0].Key != all[0].key() || len(v.Conflicts[0].Answers) != 2 || v.Conflicts[0].Answers[0].Digest != all[2].Digest() {
		t.Errorf("conflicts: %+v", v.Conflicts)
	}
	if size, _ := filepath.Glob(filepath.Join(dir, "*")); len(size) != 1 {
		t.Errorf("a survey created %v", size)
	}
}

func TestEachIsInOrder(t *testing.T) {
	dir, layer := t.TempDir(), t.TempDir()
	writeSegment(t, layer, "a", lineOf(t, entryOf(4)))
	writeSegment(t, dir, "c", lineOf(t, entryOf(3)))
	writeSegment(t, dir, "b", lineOf(t, entryOf(1)), lineOf(t, entryOf(2)))
	s := open(t, dir, func(o *Options) { o.Layers = []string{layer} })
	var got []int64
	if err := s.Each(context.Background(), func(l Line) error { got = append(got, l.Entry.Millis); return l.Err }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []int64{1, 2, 3, 4}) {
		t.Fatalf("order: %v", got)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(context.Canceled)
	if err := s.Each(ctx, func(Line) error { return nil }); err == nil {
		t.Fatal("a cancelled Each has no error")
	}
}

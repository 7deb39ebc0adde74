package cache

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
)

const memSegment = "/c/segments/2026-11-29-00000000000000000000000000000001.jsonl"

// openMem needs no Close: nothing outside memory is open.
func openMem(t testing.TB, disk *memDisk, change ...func(*Options)) *Store {
	t.Helper()
	opt := Options{Key: testKey, Disk: disk}
	for _, c := range change {
		c(&opt)
	}
	s, err := Open("/c", opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// small is a segment of three entries; the bodies are short so that every bit
// of it can be tried.
func small(t testing.TB) (lines [][]byte, entries []Entry) {
	for n := range 3 {
		e := Entry{Identity: "i", Request: []byte{'"', '0' + byte(n), '"'}, Response: []byte{'a' + byte(n), '\\', '\n'}, Status: 200,
			Headers: map[string]string{"a": "b"}, Outcome: "answer", CompletedAt: "2026-11-29T10:00:00.000Z", Attempts: 1}
		entries = append(entries, e)
		lines = append(lines, lineOf(t, e))
	}
	return lines, entries
}

// rightOrMiss fails on any hit that is not the entry itself, and returns the
// number of hits.
func rightOrMiss(t *testing.T, s *Store, entries []Entry, what string) (hits int) {
	t.Helper()
	for _, want := range entries {
		got, ok := s.Get(want.key())
		if !ok {
			continue
		}
		hits++
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: a wrong answer: %+v", what, got)
		}
	}
	return hits
}

func TestTruncationAtEveryByte(t *testing.T) {
	lines, entries := small(t)
	whole := bytes.Join(lines, nil)
	for n := range len(whole) + 1 {
		disk := newMemDisk()
		disk.set(memSegment, whole)
		before := openMem(t, disk)
		disk.set(memSegment, whole[:n])
		want := bytes.Count(whole[:n], []byte("\n"))
		for _, s := range []*Store{before, openMem(t, disk)} {
			if hits := rightOrMiss(t, s, entries, fmt.Sprint("cut at ", n)); hits != want {
				t.Fatalf("cut at %d: %d hits, %d whole lines", n, hits, want)
			}
		}
	}
}

func TestEverySingleBitFlip(t *testing.T) {
	lines, entries := small(t)
	whole := bytes.Join(lines, nil)
	disk := newMemDisk()
	disk.set(memSegment, whole)
	for bit := range len(whole) * 8 {
		flipped := slices.Clone(whole)
		flipped[bit/8] ^= 1 << (bit % 8)
		disk.set(memSegment, whole)
		opened := openMem(t, disk)
		disk.set(memSegment, flipped)
		for _, s := range []*Store{opened, openMem(t, disk)} {
			hits := rightOrMiss(t, s, entries, fmt.Sprint("bit ", bit))
			// One bit harms its own line, or two where it joins them.
			if hits != 2 && !(hits == 1 && whole[bit/8] == '\n') {
				t.Fatalf("bit %d: %d hits", bit, hits)
			}
		}
	}
}

func TestDamageIsCountedAndReportedOnce(t *testing.T) {
	lines, entries := small(t)
	lines[1][len(lines[1])-10] ^= 1
	disk := newMemDisk()
	disk.set(memSegment, bytes.Join(append(lines, []byte("no entry\n\n")), nil))
	var events []Event
	s := openMem(t, disk, func(o *Options) { o.Report = func(e Event) { events = append(events, e) } })
	for range 3 {
		if hits := rightOrMiss(t, s, entries, ""); hits != 2 {
			t.Fatalf("%d hits", hits)
		}
	}
	length := int64(len(lines[0]) + len(lines[1]) + len(lines[2]))
	if len(events) != 2 || events[0].Offset != length || events[0].Count != 2 || events[1].Offset != int64(len(lines[0])) || events[1].Err != errChecksum {
		t.Fatalf("events: %v", events)
	}
	if s.Bad() != 3 {
		t.Fatalf("%d bad lines counted", s.Bad())
	}
}

func TestAnotherCopyIsFoundBesideADamagedOne(t *testing.T) {
	e := entryOf(1)
	bad := lineOf(t, e)
	bad[len(bad)-20] ^= 1
	for _, order := range [][][]byte{{bad, lineOf(t, e)}, {lineOf(t, e), bad}, {bad[:50], []byte("\n"), bad, lineOf(t, e)}} {
		disk := newMemDisk()
		disk.set(memSegment, bytes.Join(order, nil))
		mustGet(t, openMem(t, disk), e)
	}
}

func TestForeignLines(t *testing.T) {
	e := entryOf(1)
	e.Headers = nil
	field := func(text string) []byte {
		return appendLine(nil, e.key(), func(b []byte) []byte { return append(b, text...) })
	}
	request := string(appendQuoted(nil, e.Request))
	for _, c := range []struct {
		name, e string
		hit     bool
	}{
		{"another order", `{"request":` + request + `,"draw":1,"identity":"http://localhost:9/v1 m-1","v":1,"response":"r"}`, true},
		{"an unknown field", `{"v":1,"identity":"http://localhost:9/v1 m-1","new":[1],"request":` + request + `,"draw":1,"response":"r"}`, true},
		{"a newer version", `{"v":2,"identity":"http://localhost:9/v1 m-1","request":` + request + `,"draw":1,"response":"r"}`, false},
		{"another draw", `{"v":1,"identity":"http://localhost:9/v1 m-1","request":` + request + `,"draw":2,"response":"r"}`, false},
		{"not JSON", `{"v":1,`, false},
	} {
		disk := newMemDisk()
		disk.set(memSegment, field(c.e))
		got, ok := openMem(t, disk).Get(e.key())
		if ok != c.hit || ok && string(got.Response) != "r" {
			t.Errorf("%s: hit is %v, %q", c.name, ok, got.Response)
		}
	}
}

func TestTornTailIsReadWhenItGrows(t *testing.T) {
	lines, entries := small(t)
	whole := bytes.Join(lines, nil)
	for cut := len(lines[0]); cut < len(whole); cut += 7 {
		disk, now := newMemDisk(), time.Unix(0, 0)
		disk.set(memSegment, whole[:cut])
		s := openMem(t, disk, func(o *Options) { o.Now = func() time.Time { return now } })
		for _, n := range []int{cut + 3, len(whole)} {
			disk.set(memSegment, whole[:min(n, len(whole))])
			now = now.Add(refreshEvery)
			if err := s.Refresh(); err != nil {
				t.Fatal(err)
			}
		}
		if hits := rightOrMiss(t, s, entries, ""); hits != 3 || s.Bad() != 0 || s.Records() != 3 {
			t.Fatalf("cut at %d: %d hits, %d bad, %d records", cut, hits, s.Bad(), s.Records())
		}
	}
}

// Over NFS a page may arrive after the ones behind it, and reads as zeros until
// then.
func TestLatePagesAreReadAgain(t *testing.T) {
	lines, entries := small(t)
	whole := bytes.Join(lines, nil)
	for from := 0; from < len(whole); from += 5 {
		late := slices.Clone(whole)
		clear(late[from:min(from+40, len(late))])
		disk, now := newMemDisk(), time.Unix(0, 0)
		disk.set(memSegment, late)
		s := openMem(t, disk, func(o *Options) { o.Now = func() time.Time { return now } })
		rightOrMiss(t, s, entries, "late page")
		disk.set(memSegment, whole)
		now = now.Add(refreshEvery)
		if err := s.Refresh(); err != nil {
			t.Fatal(err)
		}
		for _, e := range entries[:2] { // what stands before is asked for first
			s.Get(e.key())
		}
		if bytes.HasSuffix(late, []byte{'\n'}) {
			if hits := rightOrMiss(t, s, entries, ""); hits != 3 {
				t.Fatalf("zeros from %d: %d hits", from, hits)
			}
		}
	}
}

func TestBadLinesOfAQuietFileAreNotReadForEver(t *testing.T) {
	disk, now, reads := newMemDisk(), time.Unix(0, 0), 0
	disk.set(memSegment, []byte("bad\n"))
	s := openMem(t, disk, func(o *Options) { o.Now = func() time.Time { return now } })
	disk.fail = func(op, _ string) error {
		if op == "read" {
			reads++
		}
		return nil
	}
	for range 5 * badRetries {
		now = now.Add(refreshEvery)
		s.Refresh()
	}
	if reads != badRetries {
		t.Fatalf("%d reads, %d expected", reads, badRetries)
	}
}

func TestUnreadableSegment(t *testing.T) {
	lines, entries := small(t)
	disk, now := newMemDisk(), time.Unix(0, 0)
	disk.set(memSegment, bytes.Join(lines, nil))
	disk.fail = func(op, _ string) error {
		if op == "read" {
			return context.DeadlineExceeded
		}
		return nil
	}
	var events []Event
	s := openMem(t, disk, func(o *Options) {
		o.Now = func() time.Time { return now }
		o.Report = func(e Event) { events = append(events, e) }
	})
	for range 3 {
		now = now.Add(refreshEvery)
		s.Refresh()
	}
	if len(events) != 1 || events[0].Kind != EventUnreadable || rightOrMiss(t, s, entries, "") != 0 {
		t.Fatalf("events: %v", events)
	}
	disk.fail = nil
	now = now.Add(refreshEvery)
	s.Refresh()
	if hits := rightOrMiss(t, s, entries, ""); hits != 3 {
		t.Fatalf("%d hits after the disk came back", hits)
	}
}

func TestReadErrorIsTriedAgain(t *testing.T) {
	lines, entries := small(t)
	disk, failing := newMemDisk(), 1
	disk.set(memSegment, bytes.Join(lines, nil))
	s := openMem(t, disk)
	disk.fail = func(op, _ string) error {
		if op == "read" && failing > 0 {
			failing--
			return context.DeadlineExceeded
		}
		return nil
	}
	mustGet(t, s, entries[0])
	if s.Bad() != 0 {
		t.Fatalf("%d bad lines", s.Bad())
	}
}

func TestScanInManyParts(t *testing.T) {
	lines, _ := small(t)
	var whole []byte
	want := map[int64]int64{}
	for n := range 40 {
		line := lines[n%3]
		if n%5 == 0 {
			line = []byte("\n")
		}
		want[int64(len(whole))] = int64(len(line))
		whole = append(whole, line...)
	}
	size := int64(len(whole))
	for _, part := range []int64{1, 2, 97, 300, size} {
		for _, block := range []int{1, 7, 91, 92, 4096} {
			got := map[int64]int64{}
			for from := int64(0); from < size; from += part {
				_, err := scanLines(bytes.NewReader(whole), from, min(from+part, size), size, from == 0, make([]byte, block), func(start, length int64, head []byte) {
					if _, twice := got[start]; twice {
						t.Fatalf("the line at %d was found twice", start)
					}
					if !bytes.Equal(head, whole[start:start+min(length, int64(headBytes))]) {
						t.Fatalf("head of the line at %d is %q", start, head)
					}
					got[start] = length
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("parts of %d, blocks of %d: %v, want %v", part, block, got, want)
			}
		}
	}
}

// A line longer than any line may be is one damaged line; the next one counts.
func TestSurveyOfAnOverlongLine(t *testing.T) {
	lines, entries := small(t)
	disk := newMemDisk()
	long := append(bytes.Repeat([]byte("x"), maxLine+chunkBytes+7), '\n')
	disk.set(memSegment, slices.Concat(lines[0], long, lines[1], long[:maxLine+2]))
	s := openMem(t, disk)
	if hits := rightOrMiss(t, s, entries, ""); hits != 2 {
		t.Fatalf("%d hits", hits)
	}
	v, err := s.Survey(context.Background())
	if err != nil || v.Answers != 2 || len(v.Damaged) != 1 || v.Damaged[0].Err != errLong || v.Damaged[0].Size != int64(len(long)) || len(v.Torn) != 1 {
		t.Fatalf("%v, %d answers, damaged %v, torn %v", err, v.Answers, v.Damaged, v.Torn)
	}
}

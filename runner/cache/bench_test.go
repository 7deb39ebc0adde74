package cache

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// benchEntry has the size of a usual call: its line is about 2 KB.
func benchEntry(n int) Entry {
	id := strconv.Itoa(n)
	return Entry{
		Identity: "https://api.example.com/v1 gpt-x", Request: []byte(`{"max_tokens":16,"messages":[{"content":"You work in this place.\n","role":"system"},{"content":"` +
			strings.Repeat("Case "+id+": which course is to be taken here?\\n", 22) + `","role":"user"}],"model":"gpt-x","temperature":0}`),
		Response: []byte(`{"id":"chatcmpl-` + id + `","object":"chat.completion","model":"gpt-x","choices":[{"index":0,"message":{"role":"assistant","content":"` +
			strings.Repeat("The record speaks for it. ", 8) + `\n\nANSWER: B"},"finish_reason":"stop"}],"usage":{"prompt_tokens":300,"completion_tokens":60}}`),
		Status: 200, Headers: map[string]string{"content-type": "application/json", "x-request-id": "req-" + id},
		Outcome: "answer", CompletedAt: "2026-11-29T10:00:00.000Z", Millis: 812, Attempts: 1,
	}
}

var bigCache = sync.OnceValues(func() (string, []Key) {
	n := 1_000_000
	if testing.Short() {
		n = 20_000
	}
	dir, err := os.MkdirTemp("", "memform-cache-bench")
	if err != nil {
		panic(err)
	}
	keys := make([]Key, 0, n)
	os.Mkdir(filepath.Join(dir, "segments"), 0o755)
	const perFile = 125_000
	for n > len(keys) {
		f, err := os.Create(filepath.Join(dir, "segments", fmt.Sprintf("2026-11-29-%032x.jsonl", len(keys))))
		if err != nil {
			panic(err)
		}
		w := bufio.NewWriterSize(f, 1<<20)
		for i := 0; i < perFile && len(keys) < n; i++ {
			e := benchEntry(len(keys))
			line, _ := newLine(e.key(), &e)
			w.Write(line)
			keys = append(keys, e.key())
		}
		w.Flush()
		f.Close()
	}
	return dir, keys
})

var benchDir string

func big(b *testing.B) (string, []Key) {
	dir, keys := bigCache()
	benchDir = dir
	b.ResetTimer()
	return dir, keys
}

func liveHeap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// BenchmarkOpen1M opens without indexes, and leaves them: that is in the
// figure.
func BenchmarkOpen1M(b *testing.B) {
	benchmarkOpen(b, func(dir string) {
		for _, f := range indexFiles(dir) {
			os.Remove(f)
		}
	})
}

func BenchmarkOpenIndexed1M(b *testing.B) {
	dir, _ := big(b)
	open(b, dir)
	benchmarkOpen(b, func(string) {})
}

func indexFiles(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "segments", "*"+idxSuffix))
	return files
}

func benchmarkOpen(b *testing.B, before func(dir string)) {
	dir, keys := big(b)
	heap, held := liveHeap(), 0.0
	for b.Loop() {
		b.StopTimer()
		before(dir)
		b.StartTimer()
		s, err := Open(dir, Options{Key: testKey})
		if err != nil || s.Records() != len(keys) {
			b.Fatal(err, s.Records())
		}
		b.StopTimer()
		if held == 0 {
			held = liveHeap() - heap
		}
		s.Close()
		b.StartTimer()
	}
	b.ReportMetric(held, "MiB-live")
}

func BenchmarkReadRandom1M(b *testing.B) {
	dir, keys := big(b)
	s := open(b, dir)
	b.ReportAllocs()
	var seed atomic.Uint64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		r := rand.New(rand.NewPCG(seed.Add(1), 1))
		for pb.Next() {
			if _, ok := s.Get(keys[r.IntN(len(keys))]); !ok {
				b.Error("a miss")
			}
		}
	})
}

func BenchmarkSurvey1M(b *testing.B) {
	dir, _ := big(b)
	s := open(b, dir)
	for b.Loop() {
		if v, err := s.Survey(context.Background()); err != nil || len(v.Damaged) > 0 {
			b.Fatal(err, v.Damaged)
		}
	}
}

func BenchmarkPut(b *testing.B) {
	for _, writers := range []int{1, 16, 64} {
		b.Run(strconv.Itoa(writers), func(b *testing.B) {
			s := open(b, b.TempDir())
			b.ReportAllocs()
			var next atomic.Int64
			var group sync.WaitGroup
			for range writers {
				group.Go(func() {
					for n := int(next.Add(1)); n <= b.N; n = int(next.Add(1)) {
						e := benchEntry(n)
						if err := s.Put(context.Background(), e.key(), e); err != nil {
							b.Error(err)
						}
					}
				})
			}
			group.Wait()
		})
	}
}

// BenchmarkCompact1M compacts a copy of the segments and reads it back; open
// and copy are not in the figure.
func BenchmarkCompact1M(b *testing.B) {
	dir, keys := big(b)
	for b.Loop() {
		b.StopTimer()
		work := filepath.Join(b.TempDir(), "cache")
		if err := os.CopyFS(work, os.DirFS(dir)); err != nil {
			b.Fatal(err)
		}
		s := open(b, work)
		runtime.GC()
		peak := watchHeap()
		b.StartTimer()
		c, err := s.Compact(context.Background(), CompactOptions{AllStopped: true})
		if err != nil || c.Lines != len(keys) {
			b.Fatalf("%v, %+v", err, c)
		}
		b.StopTimer()
		b.ReportMetric(peak(), "MiB-peak")
		b.ReportMetric(float64(c.Before)/float64(c.After), "ratio")
		s.Close()
		compactedRead(b, work, keys)
		os.RemoveAll(work)
		b.StartTimer()
	}
}

// compactedRead measures a survey of a compacted cache and random reads.
func compactedRead(b *testing.B, dir string, keys []Key) {
	start := time.Now()
	s := open(b, dir)
	b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms-open")
	start = time.Now()
	if v, err := s.Survey(context.Background()); err != nil || v.Answers != len(keys) {
		b.Fatal(err, v.Answers)
	}
	b.ReportMetric(time.Since(start).Seconds(), "s-verify")
	start = time.Now()
	r := rand.New(rand.NewPCG(1, 1))
	const reads = 10_000
	for range reads {
		if _, ok := s.Get(keys[r.IntN(len(keys))]); !ok {
			b.Fatal("a miss")
		}
	}
	b.ReportMetric(float64(time.Since(start).Microseconds())/reads, "µs/random-read")
	s.Close()
}

// watchHeap samples memory until the returned function is called.
func watchHeap() func() float64 {
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		peak := uint64(0)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse+m.StackInuse)
			select {
			case <-stop:
				done <- peak
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() float64 { close(stop); return float64(<-done) / (1 << 20) }
}

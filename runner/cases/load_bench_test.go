package cases_test

import (
	"bytes"
	"encoding/json"
	"runtime"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/casestest"
)

// benchFamilies is 15,000 cases, about 90 MB: the file of the reference load.
const benchFamilies = 3000

func BenchmarkLoad(b *testing.B) {
	data := casestest.JSONL(benchFamilies, 1)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		before := heap()
		set, err := cases.Load(bytes.NewReader(data), "bench", cases.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(heap()-before)/float64(len(data)), "resident/file")
		runtime.KeepAlive(set)
	}
}

func BenchmarkValidate(b *testing.B) {
	data := casestest.JSONL(benchFamilies, 1)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if report, err := cases.Validate(bytes.NewReader(data), "bench", cases.Options{}); err != nil || len(report.Problems) > 0 {
			b.Fatal(err, report.Problems)
		}
	}
}

// BenchmarkFloor is encoding/json alone on one processor, no check made: what
// the loader is measured against.
func BenchmarkFloor(b *testing.B) {
	lines := bytes.Split(bytes.TrimSpace(casestest.JSONL(200, 1)), []byte("\n"))
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			var doc cases.Doc
			if err := json.Unmarshal(line, &doc); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

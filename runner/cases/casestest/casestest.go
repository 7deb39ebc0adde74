// Package casestest loads generated families of cases for tests and
// benchmarks. It serves tests only. Start at Set, or at JSONL for the bytes of
// a file.
package casestest

import (
	"bytes"
	"fmt"
	"testing"

	"memform/runner/cases"
	"memform/runner/cases/generated"
)

// Set returns n generated families, loaded. Equal arguments give equal sets.
func Set(tb testing.TB, n int, seed uint64) *cases.Set {
	tb.Helper()
	return load(tb, JSONL(n, seed), fmt.Sprintf("generated-%d-%d.jsonl", n, seed))
}

// OpenSet returns the free-form cases of n generated families, loaded: the
// same memories and tasks as Set's, answered in words.
func OpenSet(tb testing.TB, n int, seed uint64) *cases.Set {
	tb.Helper()
	return load(tb, OpenJSONL(n, seed), fmt.Sprintf("generated-open-%d-%d.jsonl", n, seed))
}

func load(tb testing.TB, lines []byte, name string) *cases.Set {
	tb.Helper()
	set, err := cases.Load(bytes.NewReader(lines), name, cases.Options{})
	if err != nil {
		tb.Fatalf("generated families: %v", err)
	}
	return set
}

// JSONL is generated.JSONL.
func JSONL(n int, seed uint64) []byte { return generated.JSONL(n, seed) }

// OpenJSONL is generated.OpenJSONL.
func OpenJSONL(n int, seed uint64) []byte { return generated.OpenJSONL(n, seed) }

// Family is generated.Family.
func Family(i int, seed uint64) []cases.Doc { return generated.Family(i, seed) }

// OpenFamily is generated.OpenFamily.
func OpenFamily(i int, seed uint64) []cases.Doc { return generated.OpenFamily(i, seed) }

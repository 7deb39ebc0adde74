package protocol

import (
	"fmt"
	"slices"
	"testing"

	"memform/runner/cases"
)

// records are digests by name; equal names are equal records.
func records(names string) []cases.Digest {
	var out []cases.Digest
	for _, n := range names {
		out = append(out, textDigest(string(n)))
	}
	return out
}

// named writes orders of a multiset as words.
func named(names string, orders [][]int) []string {
	var out []string
	for _, o := range orders {
		word := ""
		for _, i := range o {
			word += names[i : i+1]
		}
		out = append(out, word)
	}
	return out
}

// TestOrdersGolden: these orders stand in keys that have been paid for.
func TestOrdersGolden(t *testing.T) {
	for _, c := range []struct {
		seed  int64
		names string
		n     int
		want  []string
	}{
		{7, "abcdef", 5, []string{"ebdcfa", "adbfec", "fbecda", "decfab", "adefbc"}},
		{8, "abcdef", 2, []string{"eafdbc", "faecbd"}},
		{7, "aab", 9, []string{"aab", "baa", "aba"}},
	} {
		if got := named(c.names, Orders(c.seed, records(c.names), c.n)); !slices.Equal(got, c.want) {
			t.Errorf("Orders(%d, %s, %d) = %q, want %q", c.seed, c.names, c.n, got, c.want)
		}
	}
}

func TestOrdersArePrefixStable(t *testing.T) {
	for seed := range int64(30) {
		for _, names := range []string{"abcdef", "abcd", "aabbcc", "aaab", "ab", "a"} {
			all := named(names, Orders(seed, records(names), 30))
			for n := range len(all) + 1 {
				if got := named(names, Orders(seed, records(names), n)); !slices.Equal(got, all[:n]) {
					t.Fatalf("seed %d: %d orders of %s are %q, not the first of %q", seed, n, names, got, all)
				}
			}
		}
	}
}

// TestOrdersAreAllWhereAskedForAll: as many as there are distinct ones, each
// once, a permutation of the positions.
func TestOrdersAreAllWhereAskedForAll(t *testing.T) {
	for names, distinct := range map[string]int{
		"": 1, "a": 1, "ab": 2, "abc": 6, "abcd": 24, "abcde": 120, "aa": 1, "aab": 3, "aabb": 6, "aabbc": 30, "abcdef": 720, "aaabbb": 20,
	} {
		for _, n := range []int{distinct - 1, distinct, distinct + 1, 10 * distinct} {
			orders := Orders(7, records(names), n)
			if want := min(n, distinct); len(orders) != want {
				t.Errorf("%d orders of %q: got %d, want %d", n, names, len(orders), want)
			}
			seen := map[string]bool{}
			for i, word := range named(names, orders) {
				if seen[word] {
					t.Errorf("%q: the order %s comes twice", names, word)
				}
				seen[word] = true
				at := slices.Sorted(slices.Values(orders[i]))
				for k := range at {
					if at[k] != k {
						t.Fatalf("%q: %v is no permutation", names, orders[i])
					}
				}
			}
		}
	}
}

// TestOrdersSeeContentAlone: the sequence of contents does not depend on
// where the records stood.
func TestOrdersSeeContentAlone(t *testing.T) {
	want := named("abcdef", Orders(7, records("abcdef"), 20))
	for _, names := range []string{"fedcba", "cafebd"} {
		if got := named(names, Orders(7, records(names), 20)); !slices.Equal(got, want) {
			t.Errorf("from %s: %q, want %q", names, got, want)
		}
	}
	if got := named("bbaa", Orders(7, records("bbaa"), 6)); !slices.Equal(got, named("abab", Orders(7, records("abab"), 6))) {
		t.Errorf("duplicates: %q", got)
	}
	if got := named("abcdef", Orders(8, records("abcdef"), 20)); slices.Equal(got, want) {
		t.Error("another seed gives the same orders")
	}
	if a, b := Orders(7, records("abcdef"), 1)[0], Orders(7, records("abcdeg"), 1)[0]; slices.Equal(a, b) && slices.Equal(Orders(7, records("abcdef"), 2)[1], Orders(7, records("abcdeg"), 2)[1]) {
		t.Error("the rest of the multiset does not enter")
	}
}

// TestOrdersAreUniform: over many multisets every permutation comes first
// about equally often.
func TestOrdersAreUniform(t *testing.T) {
	const n, perms = 6000, 6
	counts := map[string]int{}
	for i := range n {
		var ds []cases.Digest
		for k := range 3 {
			ds = append(ds, textDigest(fmt.Sprint(i, k)))
		}
		counts[fmt.Sprint(Orders(7, ds, 1)[0])]++
	}
	chi := 0.0
	for _, c := range counts {
		d := float64(c) - n/perms
		chi += d * d / (n / perms)
	}
	if len(counts) != perms || chi > 20.5 { // 5 degrees of freedom, 99.9 %
		t.Errorf("chi² %.1f over %v", chi, counts)
	}
}

func task(text string, choices ...string) *cases.Task {
	return &cases.Task{Text: text, Choices: choices}
}

func TestShow(t *testing.T) {
	choices := []string{"Call.", "Write.", "Wait.", "Go."}
	frozen := Show(task("What now?", choices...), ChoicesFrozen, 7)
	if !slices.Equal(frozen.Task.Choices, choices) || !slices.Equal(frozen.Frozen, []int{0, 1, 2, 3}) {
		t.Errorf("frozen order is %v %v", frozen.Task.Choices, frozen.Frozen)
	}
	moved := 0
	for i := range 200 {
		text := fmt.Sprint("Task ", i)
		s := Show(task(text, choices...), ChoicesShuffled, 7)
		for shown, at := range s.Frozen {
			if s.Task.Choices[shown] != choices[at] {
				t.Fatalf("shown %d is %q, frozen %d is %q", shown, s.Task.Choices[shown], at, choices[at])
			}
		}
		// The same choices in another frozen order are shown alike.
		again := Show(task(text, "Wait.", "Go.", "Call.", "Write."), ChoicesShuffled, 7)
		if !slices.Equal(s.Task.Choices, again.Task.Choices) || s.Digest != again.Digest {
			t.Fatalf("%q: %v and %v", text, s.Task.Choices, again.Task.Choices)
		}
		if s.Digest == Show(task(text, choices...), ChoicesFrozen, 7).Digest != slices.Equal(s.Task.Choices, choices) {
			t.Fatalf("%q: the digest does not follow what is shown", text)
		}
		if !slices.Equal(s.Task.Choices, choices) {
			moved++
		}
	}
	if moved < 170 { // 23 of 24 on average
		t.Errorf("only %d of 200 tasks are shown in another order", moved)
	}
	if a, b := Show(task("T", choices...), ChoicesShuffled, 1), Show(task("T", choices...), ChoicesShuffled, 5); slices.Equal(a.Frozen, b.Frozen) {
		t.Error("the seed does not enter")
	}
}

// TestDigestsSeparateFields: no two tasks have one digest.
func TestDigestsSeparateFields(t *testing.T) {
	seen := map[cases.Digest]string{}
	for _, c := range []*cases.Task{task("ab", "c", "d"), task("a", "bc", "d"), task("ab", "cd"), task("ab", "d", "c"), task("abc", "d"), task("ab", "c", "d", "")} {
		s := Show(c, ChoicesFrozen, 7)
		if other, known := seen[s.Digest]; known {
			t.Errorf("%v and %s share a digest", c, other)
		}
		seen[s.Digest] = fmt.Sprint(c)
	}
}

func BenchmarkOrders(b *testing.B) {
	ds := records("abcdef")
	b.ReportAllocs()
	for b.Loop() {
		Orders(7, ds, 10)
	}
}

package cases

import (
	"bytes"
	"os"
	"reflect"
	"testing"
)

func TestCompare(t *testing.T) {
	src, err := os.ReadFile("testdata/foreign.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimSpace(src), []byte("\n"))
	edit := func(i int, old, new string) []byte {
		if !bytes.Contains(lines[i], []byte(old)) {
			t.Fatalf("line %d holds no %s", i+1, old)
		}
		return bytes.Replace(lines[i], []byte(old), []byte(new), 1)
	}
	a := loaded(t, "a", src)
	b := loaded(t, "b", bytes.Join([][]byte{
		edit(0, `"case_id": "x1"`, `"case_id": "x6"`),
		edit(1, `"case_id": "x2", `, `  "case_id": "x2","metadata": {"version": "9"}, `),
		edit(2, `"task": "Strapped crates at ten.`, `"task": "Strapped crates at eleven.`),
		edit(3, `{`, `{  `),
		append(bytes.TrimSpace(lines[4]), '\n'),
	}, nil))
	got := Compare(a, b)
	want := Diff{
		Added: []string{"x6"}, Removed: []string{"x1"}, Same: 2,
		Changed:    []Change{{"x3", []string{"trigger_tasks[1].task"}}},
		Relabelled: []Change{{"x2", []string{"metadata"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if same := Compare(a, a); same.Same != 5 || len(same.Added)+len(same.Removed)+len(same.Changed)+len(same.Relabelled) > 0 {
		t.Errorf("a file against itself: %+v", same)
	}
}

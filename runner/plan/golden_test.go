package plan_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"memform/runner/cases"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/protocol"
)

var update = flag.Bool("update", false, "write the golden file anew")

const goldenFile = "testdata/golden.json"

// golden pins ids and keys. A key that changes makes everybody pay again for
// what is in their caches.
type golden struct {
	Root  string            `json:"root"`
	Slots int               `json:"slots"`
	Nodes int               `json:"nodes"`
	Keys  int               `json:"keys"`
	IDs   map[string]string `json:"ids"` // by kind and place in the plan
	First []string          `json:"first_keys"`
	All   string            `json:"all_keys"` // digest of the sorted keys
}

// TestGolden plans the quickstart over one family of cases kept here, so that
// new families change nothing. A wanted change (a prompt, a rule) is written
// with: go test ./runner/plan -run TestGolden -update
func TestGolden(t *testing.T) {
	in := loadExperiment(t, "../../experiments/quickstart.hcl")
	for name := range in.Sets {
		set, err := cases.LoadFile("testdata/cases.jsonl", cases.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in.Sets[name] = set
	}
	p := build(t, in)
	got := golden{Root: p.Root.String(), Nodes: len(p.Nodes), IDs: map[string]string{}}
	for _, s := range p.Slots {
		got.Slots += s.Slots
	}
	for _, i := range []int{0, 1, 2, 10, len(p.Nodes) / 2, len(p.Nodes) - 1} {
		n := &p.Nodes[i]
		got.IDs[string(n.Step.Kind())+" "+itoa(i)] = n.ID.String()
	}
	for i := range p.Nodes { // what can be rendered before anything is known
		if known(p, i) && len(got.First) < 8 {
			call, _ := p.Ask(i, inputs(p, i))
			got.First = append(got.First, call.Key.String())
		}
	}
	var keys []llm.Key
	for k := range evaluate(t, p) {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b llm.Key) int { return bytes.Compare(a[:], b[:]) })
	var all strings.Builder
	for _, k := range keys {
		all.WriteString(k.String() + "\n")
	}
	got.Keys, got.All = len(keys), llm.KeyOf("golden", 0, []byte(all.String())).String()

	text, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(goldenFile, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("ids or keys changed; every cache loses its answers. If that is meant, run with -update.\ngot\n%s\nwant\n%s", text, want)
	}
}

func itoa(i int) string { b, _ := json.Marshal(i); return string(b) }

func known(p *plan.Plan, i int) bool {
	return !slices.ContainsFunc(p.Inputs(i), func(r plan.Ref) bool { return !r.Constant() })
}

func inputs(p *plan.Plan, i int) []protocol.Value {
	return plan.NewValues(p).Inputs(nil, i)
}

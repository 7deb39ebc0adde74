package experiment

import (
	"fmt"
	"strings"
	"testing"
)

// large is an experiment of about 400 lines: 30 models at 5 endpoints, 10 runs.
func large() string {
	var b strings.Builder
	b.WriteString("experiment \"large\" {}\nvariable \"n\" {\n  type    = number\n  default = 40\n}\n")
	for i := range 5 {
		fmt.Fprintf(&b, "endpoint \"e%d\" {\n  base_url            = env(\"BASE\", \"https://e%d.example/v1\")\n  api_key_env         = \"KEY_%d\"\n  requests_per_minute = 500\n}\n", i, i, i)
	}
	for i := range 30 {
		fmt.Fprintf(&b, "model \"m%d\" {\n  endpoint    = endpoint.e%d\n  id          = \"gpt-%d\"\n  temperature = 0.%d\n  max_tokens  = 512\n  price       = { input = 0.15, output = 0.60 }\n  extra_body  = { top_k = %d, provider = { order = [\"a\"] } }\n}\n", i, i%5, i, i%10, i)
	}
	for i := range 10 {
		fmt.Fprintf(&b, "cases \"c%d\" {\n  path       = \"../outputs/mcq_item_audit/accepted_cases.jsonl\"\n  interfaces = [\"P4\", \"P5\"]\n  families   = var.n + %d\n}\nrun \"r%d\" {\n  models           = [for m in model : m]\n  cases            = [cases.c%d]\n  phases           = [\"oracle\", \"learned\"]\n  p5_random_orders = 5\n  replicates       = 2\n  max_cost         = 20\n}\n", i, i, i, i)
	}
	return b.String()
}

func BenchmarkLoad(b *testing.B) {
	src := large()
	opt := Options{FS: files(map[string]string{"experiments/x.hcl": src})}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	b.ReportMetric(float64(strings.Count(src, "\n")), "lines")
	for b.Loop() {
		if exp, _, diags := Load([]string{"experiments/x.hcl"}, opt); exp == nil {
			b.Fatal(diags)
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	src := []byte(large())
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := Format(src, "x.hcl"); diags != nil {
			b.Fatal(diags)
		}
	}
}

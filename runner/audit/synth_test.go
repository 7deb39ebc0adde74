package audit

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"memform/runner/audit/lexical"
	"memform/runner/construct"
)

// prose is what of a family file a reader sees: its attributes of free text.
var (
	prose    = regexp.MustCompile(`^\s*(?:decision|setting|question|clean|poisoned|scoped|choice|signature|why|is|text|aliases|cues|markers|")`)
	literal  = regexp.MustCompile(`"[^"]*"`)
	oneWord  = regexp.MustCompile(`\pL{2,}`)
	contrast = regexp.MustCompile(`contrast = "\w+"`)
	lean     = regexp.MustCompile(`lean     = "\w+"`)
	space    = regexp.MustCompile(`space    = "\w+"`)
	serial   = regexp.MustCompile(`serial   = \d+`)
	label    = regexp.MustCompile(`domain "\w+"`)
)

// syntheticSource is n families in n domains: the exemplars with the words of
// each made its own, so that families share stop words and figures alone.
func syntheticSource(tb testing.TB, n int) (out [][]byte) {
	tb.Helper()
	var sources [3]string
	for i, name := range []string{cold, incident, payable} {
		src, err := os.ReadFile("testdata/" + name + ".hcl")
		if err != nil {
			tb.Fatal(err)
		}
		sources[i] = string(src)
	}
	contrasts := strings.Fields("source restore timing order allocation extent decider channel threshold identity replace")
	for i := range n {
		src := ownWords(sources[i%3], string([]byte{'f' + byte(i/20), 'a' + byte(i%20)}))
		src = label.ReplaceAllString(src, fmt.Sprintf(`domain "d%03d"`, i))
		src = serial.ReplaceAllString(src, fmt.Sprintf("serial   = %d", i+1))
		src = contrast.ReplaceAllString(src, fmt.Sprintf("contrast = %q", contrasts[i%len(contrasts)]))
		src = lean.ReplaceAllString(src, fmt.Sprintf("lean     = %q", [...]string{"cautious", "brisk", "even"}[i%3]))
		src = space.ReplaceAllString(src, fmt.Sprintf("space    = %q", [...]string{"factorial", "ladder", "routes"}[i/3%3]))
		out = append(out, []byte(src))
	}
	return out
}

// ownWords makes the prose of a file its own: a prefix before every content
// word and every second stop word of a row, every digit shifted.
func ownWords(src, prefix string) string {
	var b strings.Builder
	heredoc := false
	for line := range strings.Lines(src) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "EOT":
			heredoc = false
		case heredoc:
			line = ownPassage(line, prefix)
		case strings.HasSuffix(trimmed, "<<-EOT"):
			heredoc = true
		case prose.MatchString(line):
			line = literal.ReplaceAllStringFunc(line, func(s string) string { return ownPassage(s, prefix) })
		}
		b.WriteString(line)
	}
	return b.String()
}

func ownPassage(s, prefix string) string {
	stop := false
	s = oneWord.ReplaceAllStringFunc(s, func(w string) string {
		content := len(lexical.Words(lexical.Tokens(w))) > 0
		if !content && !stop {
			stop = true
			return w
		}
		stop = false
		if first := w[:1]; first != strings.ToLower(first) {
			return strings.ToUpper(prefix[:1]) + prefix[1:] + strings.ToLower(first) + w[1:]
		}
		return prefix + w
	})
	return strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return '0' + (c-'0'+rune(prefix[0]+prefix[1]))%10
		}
		return c
	}, s)
}

func benchmarkBuild(b *testing.B, n int) {
	sources := syntheticSource(b, n)
	b.ReportAllocs()
	for b.Loop() {
		readAndBuild(sources)
	}
}

func readAll(sources [][]byte) (all []*construct.Family) {
	for i, src := range sources {
		families, _, _ := construct.ReadSource(fmt.Sprintf("s%03d.hcl", i), src)
		all = append(all, families...)
	}
	return all
}

func readAndBuild(sources [][]byte) {
	res, set := Build(readAll(sources), construct.Options{Seed: 1, Version: "b"})
	runtime.KeepAlive(res)
	runtime.KeepAlive(set)
}

func BenchmarkBuildAndAudit24(b *testing.B)  { benchmarkBuild(b, 24) }
func BenchmarkBuildAndAudit240(b *testing.B) { benchmarkBuild(b, 240) }

// BenchmarkGrowth reports the exponent of the time of build and audit between
// 24 and 240 families: 1 is linear, the aim is 1.2 at most.
func BenchmarkGrowth(b *testing.B) {
	few, many := syntheticSource(b, 24), syntheticSource(b, 240)
	short, long := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		for range 2 { // the least of several: other work on the machine only adds
			start := time.Now()
			readAndBuild(few)
			short = min(short, time.Since(start))
			start = time.Now()
			readAndBuild(many)
			long = min(long, time.Since(start))
		}
	}
	b.ReportMetric(math.Log(float64(long)/float64(short))/math.Log(10), "exponent")
}

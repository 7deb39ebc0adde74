package cli

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"memform/runner/construct"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/score"
)

// The files of a results directory (docs/protocol.md, "Outputs").
const (
	filePlan     = "plan.json"
	fileNodes    = "plan.jsonl.zst"
	fileCalls    = "calls.jsonl"
	fileRows     = "case_results.jsonl"
	fileSummary  = "summary.json"
	fileMissing  = "missing.jsonl"
	fileManifest = "manifest.json"
	fileLock     = "run.lock"
)

// callLine is a line of calls.jsonl: which answer a node used. Later runs
// take it as a pin where a key has several answers.
type callLine struct {
	Node    string      `json:"node"`
	Key     string      `json:"key"`
	Answer  string      `json:"answer"` // hex SHA-256 of the raw response
	Kind    string      `json:"kind"`
	Model   string      `json:"model"`
	Draw    int         `json:"draw"`
	Outcome llm.Outcome `json:"outcome"`
}

func (c *collector) writeCalls(dir string) error {
	return writeLines(filepath.Join(dir, fileCalls), func(yield func(any) error) error {
		for i := range c.answers {
			a, n := &c.answers[i], &c.plan.Nodes[i]
			if !a.called || a.outcome == llm.OutcomeError {
				continue
			}
			line := callLine{
				Node: n.ID.String(), Key: a.key.String(), Answer: hex.EncodeToString(a.digest[:]), Kind: string(n.Step.Kind()),
				Model: c.plan.Models[n.Model].Spec.Name, Draw: int(n.Draw), Outcome: a.outcome,
			}
			if err := yield(line); err != nil {
				return err
			}
			for _, b := range a.behind { // so that they are kept, pinned and bundled too
				line.Key, line.Answer, line.Outcome, line.Kind = b.Key, b.Answer, b.Outcome, kindInner
				if err := yield(line); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// kindInner is the kind of a call that a memory system made.
const kindInner = "form.call"

// readPins reads the answers that an earlier run in dir used.
func readPins(dir string) (map[llm.Key][32]byte, error) {
	path := filepath.Join(dir, fileCalls)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	pins := map[llm.Key][32]byte{}
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<16))
	for {
		var line callLine
		if err := dec.Decode(&line); errors.Is(err, io.EOF) {
			return pins, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w (delete the file to run without it)", path, err)
		}
		key, err := llm.ParseKey(line.Key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		digest, err := llm.ParseKey(line.Answer)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		pins[key] = digest
	}
}

// missingLine is a line of missing.jsonl: one failed call and what it cost.
type missingLine struct {
	Node        string `json:"node"`
	Kind        string `json:"kind"`
	Model       string `json:"model"`
	Reason      string `json:"reason"` // the server's code, or a name of ours
	Class       string `json:"class"`
	Status      int    `json:"status"`
	Message     string `json:"message"`
	Dependents  int    `json:"dependents"`  // nodes behind it that have no value
	Predictions int    `json:"predictions"` // predictions and alignments missing because of it
}

// missingLines names each root of missing results once, in plan order.
func (c *collector) missingLines() []missingLine {
	byRoot := map[int]*missingLine{}
	var roots []int
	at := func(root int, f llm.Failure) *missingLine {
		if byRoot[root] == nil {
			n := &c.plan.Nodes[root]
			byRoot[root] = &missingLine{
				Node: n.ID.String(), Kind: string(n.Step.Kind()), Model: c.plan.Models[n.Model].Spec.Name,
				Reason: f.Code, Class: f.Class.String(), Status: f.Status, Message: f.Message,
			}
			roots = append(roots, root)
		}
		return byRoot[root]
	}
	for i := range c.answers {
		if m := c.answers[i].missing; m != nil {
			if line := at(m.Node, m.Failure); m.Node != i {
				line.Dependents++
			}
		}
	}
	notRun := llm.Failure{Class: llm.ClassNode, Code: "not_run", Message: "the run stopped before this call"}
	for i := range c.plan.Items {
		for node := range c.plan.Items[i].Results() {
			switch a := &c.answers[node]; {
			case a.missing != nil:
				at(a.missing.Node, a.missing.Failure).Predictions++
			case !a.done:
				at(int(node), notRun).Predictions++
			}
		}
	}
	out := make([]missingLine, 0, len(roots))
	for _, r := range roots {
		out = append(out, *byRoot[r])
	}
	return out
}

// writeResults writes everything a finished run came to and returns the
// summary. before sees the rows first.
func (v *view) writeResults(dir string, c *collector, rows []plan.Row, before func([]score.Row)) (*score.Summary, error) {
	lines := c.missingLines()
	results := score.Rows(v.plan, c.result, v.undefended)
	before(results)
	summary := score.Summarise(results, v.info())
	steps := []func() error{
		func() error { return c.writeCalls(dir) },
		func() error {
			d := v.document()
			d.Rows, d.Totals = rows, plan.Total(rows)
			return writeJSON(filepath.Join(dir, filePlan), d)
		},
		func() error {
			return writeCompressed(filepath.Join(dir, fileNodes), func(yield func(any) error) error {
				for i := range v.plan.Nodes {
					if err := yield(v.survey.Node(i)); err != nil {
						return err
					}
				}
				return nil
			})
		},
		func() error {
			return writeLines(filepath.Join(dir, fileRows), func(yield func(any) error) error {
				for i := range results {
					if err := yield(&results[i]); err != nil {
						return err
					}
				}
				return nil
			})
		},
		func() error { return writeJSON(filepath.Join(dir, fileSummary), summary) },
		func() error { return writeMissing(dir, lines) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return summary, nil
}

// writeMissing writes missing.jsonl, or removes one that no longer holds.
func writeMissing(dir string, lines []missingLine) error {
	path := filepath.Join(dir, fileMissing)
	if len(lines) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	return writeLines(path, func(yield func(any) error) error {
		for _, l := range lines {
			if err := yield(l); err != nil {
				return err
			}
		}
		return nil
	})
}

// info is what stands at the head of every table.
func (v *view) info() score.Info {
	info := score.Info{Experiment: v.experiment.Name, Seed: v.experiment.Seed}
	for _, c := range v.experiment.Comparisons {
		info.Comparisons = append(info.Comparisons, score.Comparison{Name: c.Name, Metric: c.Metric, Over: c.Over, Baseline: c.Baseline})
	}
	for _, s := range v.plan.Sets {
		name, version := s.Set.Source()
		if name == "" {
			name = strings.TrimSuffix(s.Set.Name, ".jsonl")
		}
		info.DataSets = append(info.DataSets, score.DataSet{
			Name: name, Digest: s.Set.Digest, Version: version, Cases: len(s.Selected), AuthorLabelled: name == construct.Source, Half: s.Spec.Half,
		})
	}
	for _, m := range v.plan.Models {
		if m.Spec.Simulated != nil {
			info.Simulated = append(info.Simulated, m.Spec.Name)
		}
	}
	for _, r := range v.experiment.Runs {
		if u := v.undefended[r.Name]; u != nil {
			info.Notes = append(info.Notes, u.Note)
		}
	}
	return info
}

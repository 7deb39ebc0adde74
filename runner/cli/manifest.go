package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/protocol"
	"memform/runner/score"
)

// manifest is manifest.json: where the results come from and what they cost.
// It alone holds times; it names no host, user or absolute path.
type manifest struct {
	Schema     string                       `json:"schema"`
	Statement  string                       `json:"statement"`
	Experiment string                       `json:"experiment"`
	Version    string                       `json:"version"`
	Go         string                       `json:"go"`
	Git        *gitState                    `json:"git"`       // null outside a repository
	Paths      []string                     `json:"paths"`     // experiment files, as given
	Variables  map[string]string            `json:"variables"` // as given by --var, but for private URLs and absolute paths
	Only       plan.Only                    `json:"only"`
	Root       string                       `json:"root"`
	Digests    plan.Digests                 `json:"digests"`
	Files      []fileDigest                 `json:"files"`
	DataSets   []dataSet                    `json:"data_sets"`
	Prompts    map[string]map[string]string `json:"prompts"`          // run → prompt → hex SHA-256
	Stacks     []manifestStack              `json:"stacks,omitempty"` // used beside native
	Cells      []manifestCell               `json:"cells"`
	Calls      []manifestCalls              `json:"calls"`
	Answers    []manifestAnswers            `json:"answers"` // behind the results, whenever they were bought
	Missing    int                          `json:"missing_predictions"`
	Warnings   []string                     `json:"warnings"`
	Offline    bool                         `json:"offline"`
	Started    string                       `json:"started"`
	Finished   string                       `json:"finished"`
}

type gitState struct {
	Commit string `json:"commit"`
	Dirty  bool   `json:"dirty"`
}

// manifestStack says which stack a run used: the lock names every package.
type manifestStack struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // carrier | memory_system
	Adapter string `json:"adapter"`
	Lock    string `json:"lock"` // hex SHA-256
}

type fileDigest struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
}

// manifestCell lists what really answered the calls behind a cell.
type manifestCell struct {
	Run      string         `json:"run"`
	Stack    string         `json:"stack"`
	Model    string         `json:"model"`
	Defense  string         `json:"defense"`
	Updater  string         `json:"updater"`
	Returned []returnedLine `json:"returned"`
}

type returnedLine struct {
	Asked       string `json:"asked"` // the model block: the agent, a guard, a reader
	Model       string `json:"model"`
	Provider    string `json:"provider"`
	Fingerprint string `json:"fingerprint"`
	Calls       int    `json:"calls"` // nodes behind the cell that it answered
}

// manifestCalls holds an estimate beside what the run came to.
type manifestCalls struct {
	Model      string        `json:"model"`
	Kind       protocol.Kind `json:"kind"`
	Estimated  estimated     `json:"estimated"`
	Sent       int           `json:"sent"`
	Cached     int           `json:"cached"`
	Failed     int           `json:"failed"`
	Attempts   int           `json:"attempts"`
	Prompt     int64         `json:"prompt_tokens"`     // of calls sent, as the server counted
	Completion int64         `json:"completion_tokens"` // of calls sent, as the server counted
	Uncounted  int           `json:"calls_without_usage"`
	Cost       *float64      `json:"cost"` // USD; null where the price is unknown
}

// manifestAnswers is what the distinct answers of one model behind the results
// came to, at today's prices, whichever run bought them.
type manifestAnswers struct {
	Model      string   `json:"model"`
	Answers    int      `json:"answers"`
	Prompt     int64    `json:"prompt_tokens"`
	Completion int64    `json:"completion_tokens"`
	Uncounted  int      `json:"answers_without_usage"`
	Cost       *float64 `json:"cost"` // USD; null where the price or a usage is unknown
}

type estimated struct {
	Calls      plan.Range `json:"calls"`
	Prompt     plan.Range `json:"prompt_tokens"`
	Completion plan.Range `json:"completion_tokens"`
	Cost       *plan.Cost `json:"cost"`
}

func (r *runner) writeManifest() error {
	m := manifest{
		Schema: "memform/manifest/1", Statement: "an independent implementation with its own data",
		Experiment: r.experiment.Name, Root: r.plan.Root.String(), Digests: r.plan.Digests,
		Paths: []string{}, Variables: map[string]string{}, Only: r.only,
		DataSets: r.document().DataSets, Prompts: map[string]map[string]string{}, Calls: r.calls(), Answers: r.answers(),
		Missing: r.got.missing(), Offline: r.flags.offline, Warnings: []string{}, Git: gitHead(r.experiment.Files),
		Started: r.flags.started.UTC().Format(time.RFC3339), Finished: time.Now().UTC().Format(time.RFC3339),
	}
	m.Version, m.Go = buildVersion()
	for name, value := range r.vars {
		m.Variables[name] = portableValue(value)
	}
	for _, p := range r.paths {
		m.Paths = append(m.Paths, portable(p))
	}
	for _, f := range r.experiment.Files {
		m.Files = append(m.Files, fileDigest{portable(f.Path), f.Digest})
	}
	for name, set := range r.prompts {
		m.Prompts[name] = set.Digests()
	}
	var err error
	if m.Stacks, err = r.stacksUsed(); err != nil {
		return err
	}
	m.Cells = r.cells()
	m.Warnings = append(m.Warnings, severalAnswered(m.Cells)...)
	for _, w := range m.Warnings {
		r.log.Warn().Msg(w)
	}
	return writeJSON(filepath.Join(r.dir, fileManifest), m)
}

// severalAnswered names the cells in which one model block was answered by
// more than one model, provider or fingerprint.
func severalAnswered(cells []manifestCell) []string {
	var list []string
	for _, c := range cells {
		name := []string{c.Run, c.Model}
		if c.Defense != score.NoDefense {
			name = append(name, c.Defense)
		}
		if c.Updater != "" {
			name = append(name, c.Updater)
		}
		for i := range c.Returned { // sorted by who was asked
			if asked := c.Returned[i].Asked; i > 0 && asked == c.Returned[i-1].Asked && (i < 2 || asked != c.Returned[i-2].Asked) {
				list = append(list, fmt.Sprintf("cell %s: model %q was answered by more than one model, provider or fingerprint; see its \"returned\"", strings.Join(name, "/"), asked))
			}
		}
	}
	return list
}

func (r *runner) stacksUsed() (used []manifestStack, err error) {
	for _, s := range r.plan.Stacks[1:] {
		o, err := r.offer(s.Name)
		if err != nil {
			return nil, err
		}
		used = append(used, manifestStack{o.Name, string(o.Kind), o.Adapter, o.Digest})
	}
	return used, nil
}

// portable is a path without what names a machine or a user: relative to the
// working directory, or its last element where it leads out of there.
func portable(name string) string {
	if filepath.IsAbs(name) {
		wd, err := filepath.Abs(".")
		rel, relErr := filepath.Rel(wd, name)
		if err != nil || relErr != nil || !filepath.IsLocal(rel) {
			return filepath.Base(name)
		}
		name = rel
	}
	return filepath.ToSlash(name)
}

// calls pairs each row of the estimate with what was sent.
func (r *runner) calls() []manifestCalls {
	out := []manifestCalls{}
	index := map[string]int32{}
	for i, m := range r.plan.Models {
		index[m.Spec.Name] = int32(i)
	}
	for _, row := range r.rows {
		line := manifestCalls{Model: row.Model, Kind: row.Kind, Estimated: estimated{row.Calls, row.Prompt, row.Completion, row.Cost}}
		spec := r.plan.Models[index[row.Model]].Spec
		if a := r.got.actual[kindKey{index[row.Model], row.Kind}]; a != nil {
			line.Sent, line.Cached, line.Failed, line.Attempts = a.Sent, a.Cached, a.Failed, a.Attempts
			line.Prompt, line.Completion, line.Uncounted = a.Prompt, a.Completion, a.Uncounted
		}
		line.Cost = costOf(spec, line)
		out = append(out, line)
	}
	return out
}

// answers sums the distinct answers behind the results, a line a model.
func (r *runner) answers() []manifestAnswers {
	sums := make([]manifestAnswers, len(r.plan.Models))
	seen := map[llm.Key]bool{}
	for i := range r.got.answers {
		a := &r.got.answers[i]
		if !a.called || a.outcome == llm.OutcomeError || seen[a.key] {
			continue
		}
		seen[a.key] = true
		sum := &sums[r.plan.Nodes[i].Model]
		sum.Answers++
		sum.Prompt += int64(a.prompt)
		sum.Completion += int64(a.output)
		if a.prompt == 0 && a.output == 0 {
			sum.Uncounted++
		}
	}
	out := []manifestAnswers{}
	for i, sum := range sums {
		if sum.Answers == 0 {
			continue
		}
		spec := r.plan.Models[i].Spec
		sum.Model = spec.Name
		sum.Cost = costOf(spec, manifestCalls{Prompt: sum.Prompt, Completion: sum.Completion, Uncounted: sum.Uncounted})
		out = append(out, sum)
	}
	return out
}

func costOf(m *experiment.Model, line manifestCalls) *float64 {
	usd := 0.0
	if m.Simulated == nil {
		if m.Price == nil || line.Uncounted > 0 {
			return nil
		}
		usd = (float64(line.Prompt)*m.Price.Input + float64(line.Completion)*m.Price.Output) / 1e6
	}
	return &usd
}

// cells counts, per cell, who answered the nodes behind its predictions.
func (r *runner) cells() []manifestCell {
	type answerer struct {
		asked int32
		llm.Returned
	}
	behind := make([]map[answerer]int, len(r.plan.Cells))
	seen := make([]int32, len(r.plan.Nodes)) // last cell that counted the node, +1
	var visit func(cell int, node int32)
	visit = func(cell int, node int32) {
		if seen[node] == int32(cell)+1 {
			return
		}
		seen[node] = int32(cell) + 1
		if a := &r.got.answers[node]; a.called && a.outcome != llm.OutcomeError {
			behind[cell][answerer{r.plan.Nodes[node].Model, r.got.returned[a.returned]}]++
		}
		for _, in := range r.plan.Inputs(int(node)) {
			if !in.Constant() {
				visit(cell, int32(in))
			}
		}
	}
	used := make([]bool, len(r.plan.Cells))
	items := make([][]int, len(r.plan.Cells))
	for i := range r.plan.Items {
		items[r.plan.Items[i].Cell] = append(items[r.plan.Items[i].Cell], i)
	}
	out := []manifestCell{}
	for c, cell := range r.plan.Cells {
		behind[c] = map[answerer]int{}
		for _, i := range items[c] {
			used[c] = true
			for node := range r.plan.Items[i].Results() {
				visit(c, node)
			}
		}
		if !used[c] {
			continue
		}
		line := manifestCell{Run: r.experiment.Runs[cell.Run].Name, Stack: cell.Stack, Model: r.plan.Models[cell.Model].Spec.Name,
			Defense: cell.Defense, Updater: cell.Updater, Returned: []returnedLine{}}
		for got, n := range behind[c] {
			line.Returned = append(line.Returned, returnedLine{r.plan.Models[got.asked].Spec.Name, got.Model, got.Provider, got.Fingerprint, n})
		}
		slices.SortFunc(line.Returned, func(a, b returnedLine) int {
			return cmp.Or(strings.Compare(a.Asked, b.Asked), strings.Compare(a.Model, b.Model), strings.Compare(a.Provider, b.Provider), strings.Compare(a.Fingerprint, b.Fingerprint))
		})
		out = append(out, line)
	}
	return out
}

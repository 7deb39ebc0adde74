package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memform/runner/defense"
	"memform/runner/experiment"
	"memform/runner/score"
)

// The environment of the benchmark's own commands. The variables of those who
// read and judge, and those of guards, have a prefix.
const (
	envKey      = "OPENAI_API_KEY"
	envURL      = "OPENAI_BASE_URL"
	envOldURL   = "OPENAI_API_BASE"
	agentPrefix = ""
	judgePrefix = "JUDGE_"
	guardPrefix = "DEFENSE_"

	openAI = "https://api.openai.com/v1"
)

// simulatedName is the --model that stands for the embedded model.
const simulatedName = "simulated"

// builder makes the experiment of a command line.
type builder struct {
	*app
	mistakes
	flags   *ownFlags
	e       *experiment.Experiment
	servers map[string]*experiment.Endpoint // by prefix
	from    map[*experiment.Endpoint]string // flag or variable that gives the address

	temperature *experiment.Number // of every model, nil = the server's own
}

// ownExperiment is what a line of flags stands for, or all that is wrong with
// the line.
func (a *app) ownExperiment(o own, f *ownFlags) (*builder, error) {
	b := &builder{app: a, flags: f, e: &experiment.Experiment{Seed: 1, Description: "memform " + o.name},
		servers: map[string]*experiment.Endpoint{}, from: map[*experiment.Endpoint]string{}}
	if f.outputDir == "" {
		f.outputDir = filepath.Join("results", o.run)
	}
	if b.e.Name = experiment.Label(filepath.Base(f.outputDir)); b.e.Name == "" {
		b.e.Name = o.run
	}
	b.required()
	run := b.run(o)
	model := b.model("agent", f.model, agentPrefix)
	run.Models = []*experiment.Model{model}
	b.readers(run, model)
	if o.defends {
		b.defenses(run)
	}
	b.e.Runs = []*experiment.Run{run}
	if err := b.err(); err != nil {
		return nil, err
	}
	return b, nil
}

// required checks the flags that every line needs, and the cache.
func (b *builder) required() {
	f := b.flags
	if f.model == "" {
		b.add("--model is missing: name the model under test as its server knows it, or %s for the embedded one", simulatedName)
	}
	if f.cases == "" {
		b.add("--cases is missing: name a file of cases, such as outputs/mcq_item_audit/accepted_cases.jsonl")
	} else {
		b.file("cases", f.cases)
	}
	if info, err := os.Stat(f.cacheFlags.dir); err == nil && !info.IsDir() {
		b.add("--cache %s: a cache is a directory, and this is a file; take its answers over with: memform cache import", f.cacheFlags.dir)
	}
}

// run is the run of the line, its models and defenses left open.
func (b *builder) run(o own) *experiment.Run {
	f := b.flags
	b.one("phase", f.phase, ownPhases)
	for _, n := range []struct {
		flag      string
		at, least int
	}{{"p5-random-orders", f.orders, 0}, {"replicates", f.replicates, 1}, {"max-tokens", f.tokens, 0}} {
		if n.at < n.least {
			b.add("--%s %d: at least %d", n.flag, n.at, n.least)
		}
	}
	if f.temperature != "unset" {
		var ok bool
		if b.temperature, ok = experiment.Temperature(f.temperature); !ok {
			b.add("--temperature %q: a number from 0 to 2, or unset", f.temperature)
		}
	}
	set := &experiment.Cases{Name: "cases", Path: f.cases, Interfaces: b.names("interfaces", f.interfaces, experiment.Choices("cases", "interfaces"))}
	b.e.Cases = []*experiment.Cases{set}
	run := &experiment.Run{
		Name: o.run, Cases: b.e.Cases, Phases: []string{f.phase}, P5RandomOrders: f.orders, Replicates: f.replicates, Stack: o.stack,
		P5Updaters: b.names("p5-updaters", f.updaters, experiment.Choices("run", "p5_updaters")),
	}
	if f.stack != "" {
		b.one("stack", f.stack, experiment.Choices("run", "stack"))
		run.Stack = f.stack
	}
	return run
}

// readers adds the models that read free-form answers and judge memories.
func (b *builder) readers(run *experiment.Run, agent *experiment.Model) {
	f := b.flags
	if f.parser != "" {
		run.FreeForm.Parser = b.model("parser", f.parser, judgePrefix)
	}
	if f.judge != "" {
		run.FreeForm.Judge = b.model("judge", f.judge, judgePrefix)
	}
	switch {
	case f.alignment && f.judge != "":
		run.TargetAlignment = run.FreeForm.Judge
	case f.alignment:
		run.TargetAlignment = agent
	}
}

// defenses adds the defenses that are asked for, and where the undefended
// results come from.
func (b *builder) defenses(run *experiment.Run) {
	f := b.flags
	known := defense.Methods()
	methods := b.names("defense", f.defenses, known)
	if len(f.defenses) == 0 {
		b.add("--defense is missing: all, or some of %s", strings.Join(known, ", "))
	}
	var guard *experiment.Model
	switch i := slices.IndexFunc(methods, experiment.AsksModel); {
	case i >= 0 && f.guardsModel == "":
		b.add("--defense-model is missing: %s asks a model", methods[i])
	case i >= 0:
		guard = b.model("guard", f.guardsModel, guardPrefix)
	}
	for _, method := range methods {
		b.e.Defenses = append(b.e.Defenses, experiment.NewDefense(method, method, guard))
	}
	run.Defenses = b.e.Defenses
	if f.undefended == "" {
		return
	}
	run.Undefended = f.undefended
	b.file("undefended-results", f.undefended)
	if run.Stack == "" {
		run.Stack = b.stackOf(f.undefended)
	}
}

// stackOf is the stack of a file of results: a defense is compared with what
// the same stack does undefended.
func (b *builder) stackOf(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return "" // reported
	}
	results, err := score.ReadForeign(filepath.Base(path), data)
	if err != nil {
		b.add("--undefended-results: %w", err)
		return ""
	}
	switch stacks := results.Stacks(); {
	case len(stacks) > 1:
		b.add("--undefended-results %s holds results of the stacks %v: choose one with --stack", path, stacks)
	case len(stacks) == 1:
		b.one("stack", stacks[0], experiment.Choices("run", "stack"))
		return stacks[0]
	}
	return ""
}

// server is the endpoint that flags and environment name for a prefix. What
// its own variables do not say is as for the model under test.
func (b *builder) server(prefix string) *experiment.Endpoint {
	if e := b.servers[prefix]; e != nil {
		return e
	}
	e := &experiment.Endpoint{Name: endpointNames[prefix], APIKeyEnv: b.keyName(prefix)}
	e.BaseURL, b.from[e] = b.address(prefix)
	b.servers[prefix] = e
	if prefix != agentPrefix {
		agent := b.server(agentPrefix)
		if e.BaseURL == "" {
			e.BaseURL, b.from[e] = agent.BaseURL, b.from[agent]
		}
		e.APIKeyEnv = cmp.Or(e.APIKeyEnv, agent.APIKeyEnv)
		if e.BaseURL == agent.BaseURL && e.APIKeyEnv == agent.APIKeyEnv {
			b.servers[prefix] = agent
			return agent
		}
	}
	e.BaseURL = cmp.Or(e.BaseURL, openAI)
	e.Identity, e.IdentityIsURL = e.BaseURL, true
	if e.BaseURL == openAI {
		e.Identity, e.IdentityIsURL = "openai", false
		e.APIKeyEnv = cmp.Or(e.APIKeyEnv, envKey) // never asked without a key; another server may need none
	}
	return e
}

var endpointNames = map[string]string{agentPrefix: "openai", judgePrefix: "judge", guardPrefix: "defense"}

// flagURL is the flag that gives the address of the server.
const flagURL = "--base-url"

// address is what the flag or the variables of a prefix say, and which of
// them says it; "" where they say nothing.
func (b *builder) address(prefix string) (url, from string) {
	from = flagURL
	names := []string{prefix + envURL}
	if prefix == agentPrefix {
		url = b.flags.baseURL
		names = append(names, envOldURL)
	}
	for _, name := range names {
		if v, _ := b.Env(name); url == "" && v != "" {
			from, url = name, v
		}
	}
	if url == "" {
		return "", ""
	}
	normal, err := experiment.BaseURL(url)
	if err != nil {
		b.add("%s: %w", from, err)
	}
	return normal, from
}

// fromEnvironment leaves to the environment what came from there: the address
// of a server of one's own is written into no file unasked.
func (b *builder) fromEnvironment(e *experiment.Endpoint) (variable, otherwise string) {
	if e.BaseURL == openAI || b.from[e] == flagURL {
		return "", ""
	}
	return b.from[e], openAI
}

// inResults leaves every address but the public one to the environment.
func (b *builder) inResults(e *experiment.Endpoint) (variable, otherwise string) {
	if b.from[e] == flagURL && e.BaseURL != openAI {
		return envURL, openAI
	}
	return b.fromEnvironment(e)
}

// keyName is the variable of a prefix's key, "" where it is not set.
func (b *builder) keyName(prefix string) string {
	if key, _ := b.Env(prefix + envKey); key == "" {
		return ""
	}
	return prefix + envKey
}

// model declares a model, or finds the one that is the same.
func (b *builder) model(role, id, prefix string) *experiment.Model {
	m := &experiment.Model{ID: id}
	if id == simulatedName {
		m.Simulated, m.Price = experiment.DefaultSimulated(), &experiment.Price{}
	} else {
		m.Endpoint = b.server(prefix)
	}
	for _, known := range b.e.Models {
		if known.ID == id && known.Endpoint == m.Endpoint {
			return known
		}
	}
	b.parameters(m)
	m.Name = b.label(role, id)
	b.e.Models = append(b.e.Models, m)
	if m.Endpoint != nil && !slices.Contains(b.e.Endpoints, m.Endpoint) {
		b.e.Endpoints = append(b.e.Endpoints, m.Endpoint)
	}
	return m
}

// label names a model after its id, and after its role where that is taken.
func (b *builder) label(role, id string) string {
	name := experiment.Label(id)
	if name == "" {
		name = role
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(b.e.Models, func(m *experiment.Model) bool { return m.Name == name })
	}
	if !taken(name) {
		return name
	}
	for i := 1; ; i++ {
		next := role
		if i > 1 {
			next = fmt.Sprintf("%s-%d", role, i)
		}
		if !taken(next) {
			return next
		}
	}
}

// parameters sets what every request to a real model holds.
func (b *builder) parameters(m *experiment.Model) {
	if m.Simulated != nil {
		return
	}
	m.Temperature = b.temperature
	if n := b.flags.tokens; n > 0 {
		m.MaxTokens = &n
	}
}

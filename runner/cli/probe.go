package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/spf13/cobra"

	"memform/runner/experiment"
	"memform/runner/llm/budget"
	"memform/runner/llm/limit"
	"memform/runner/llm/openai"
	"memform/runner/probe"
)

// probeFlags say what is probed.
type probeFlags struct {
	vars       []string
	baseURL    string
	model      string
	endpoint   string
	apiKeyEnv  string
	apiVersion string
	timeout    time.Duration
}

func (a *app) probeCommand() *cobra.Command {
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "probe EXPERIMENT.hcl… | --base-url URL --model ID",
		Short: "Ask an endpoint a few small questions: is it usable, and how",
		Long: "Sends up to 8 small calls to each model, without the cache, and says what the server takes: the key, the\n" +
			"model, temperature 0, which field limits tokens, seeds; what it tells: usage, rate limits; what it cost; and\n" +
			"the blocks to write. Exit code 0: usable as declared; 1: not.",
		RunE: func(_ *cobra.Command, args []string) error { return a.probe(args, f) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.vars, "var", nil, "value of a variable, name=value (repeatable)")
	flags.StringVar(&f.baseURL, "base-url", "", "address of the server, in place of an experiment file")
	flags.StringVar(&f.model, "model", "", "with an experiment file: only the model of this label; with --base-url: the model's id")
	flags.StringVar(&f.endpoint, "endpoint", "", "with an experiment file: only the models of this endpoint")
	flags.StringVar(&f.apiKeyEnv, "api-key-env", "", "with --base-url: NAME of the environment variable that holds the key")
	flags.StringVar(&f.apiVersion, "api-version", "", "with --base-url: the endpoint is Azure's, with this API version")
	flags.DurationVar(&f.timeout, "timeout", 5*time.Second, "time for each model")
	return cmd
}

func (a *app) probe(args []string, f probeFlags) error {
	models, err := a.probed(args, f)
	if err != nil {
		return err
	}
	keys := map[*experiment.Model]string{}
	for _, m := range models {
		name := m.Endpoint.APIKeyEnv
		if name == "" {
			continue
		}
		key, ok := a.Env(name)
		if !ok || key == "" {
			return usage("endpoint %q needs a key: set %s in the environment or in .env; nothing was sent", m.Endpoint.Name, name)
		}
		keys[m] = key
	}
	usable := true
	for i, m := range models {
		if i > 0 {
			fmt.Fprintln(a.Stdout)
		}
		r := a.probeModel(m, keys[m], f.timeout)
		usable = a.printProbe(m, &r) && usable
	}
	if !usable {
		return &exit{code: exitFailed}
	}
	return nil
}

// probed lists the models to be probed, with their endpoints.
func (a *app) probed(args []string, f probeFlags) ([]*experiment.Model, error) {
	switch {
	case f.baseURL != "" && len(args) > 0:
		return nil, usage("probe takes experiment files or --base-url, not both")
	case f.baseURL != "":
		return describedModel(f)
	case len(args) == 0:
		return nil, usage("probe needs an experiment file, or --base-url and --model\nSee: memform probe --help")
	case f.apiKeyEnv != "" || f.apiVersion != "":
		return nil, usage("--api-key-env and --api-version go with --base-url; an experiment file declares both")
	}
	vars, err := variables(f.vars)
	if err != nil {
		return nil, err
	}
	e, src, diags := experiment.Load(args, experiment.Options{Vars: vars, Env: a.Env})
	if err := a.diagnose(src, diags); err != nil {
		return nil, err
	}
	var models []*experiment.Model
	var labels []string
	for _, m := range e.Models {
		if m.Endpoint == nil {
			continue // simulated: nothing to find out
		}
		labels = append(labels, fmt.Sprintf("%s (endpoint %s)", m.Name, m.Endpoint.Name))
		if (f.model == "" || f.model == m.Name) && (f.endpoint == "" || f.endpoint == m.Endpoint.Name) {
			models = append(models, m)
		}
	}
	if len(models) == 0 {
		return nil, usage("no model to probe; models with an endpoint: %s", strings.Join(labels, ", "))
	}
	return models, nil
}

// describedModel is the model that flags describe.
func describedModel(f probeFlags) ([]*experiment.Model, error) {
	if f.model == "" {
		return nil, usage("--base-url needs --model: the model's id as the server knows it")
	}
	if f.endpoint != "" {
		return nil, usage("--endpoint goes with an experiment file")
	}
	base, err := experiment.BaseURL(f.baseURL)
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	e := &experiment.Endpoint{Name: labelOf(base), BaseURL: base, Kind: "openai", APIKeyEnv: f.apiKeyEnv, IdentityIsURL: true, Timeout: f.timeout}
	if f.apiVersion != "" {
		e.Kind, e.APIVersion = "azure", f.apiVersion
	}
	return []*experiment.Model{{Name: "agent", Endpoint: e, ID: f.model}}, nil
}

// labelOf names an endpoint after its host: api.openai.com is openai.
func labelOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "server"
	}
	parts := strings.Split(u.Hostname(), ".")
	n := len(parts)
	if n < 2 || strings.Trim(u.Hostname(), "0123456789.") == "" {
		return "local"
	}
	if name := parts[n-2]; hclsyntax.ValidIdentifier(name) {
		return name
	}
	return "server"
}

// probeModel asks over the real client, past cache, retries and limits.
func (a *app) probeModel(m *experiment.Model, key string, timeout time.Duration) probe.Report {
	e := m.Endpoint
	client := openai.New(openai.Config{
		BaseURL: e.BaseURL, AzureVersion: e.APIVersion, Key: key, Headers: e.Headers,
		Timeout: 2 * timeout, Proxy: proxy(a.Env), Transport: a.transport,
	})
	defer client.CloseIdle()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return probe.Run(ctx, client, probe.Target{ID: m.ID, TokensField: m.MaxTokensField, Parameters: declared(m)})
}

// declared is what a model's block adds to every request, beside what a probe
// sets itself.
func declared(m *experiment.Model) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if m.ExtraBody != nil {
		_ = json.Unmarshal(m.ExtraBody, &fields) // canonical JSON of an object
	}
	if m.TopP != nil {
		fields["top_p"] = json.RawMessage(*m.TopP)
	}
	if m.ReasoningEffort != nil {
		fields["reasoning_effort"], _ = json.Marshal(*m.ReasoningEffort)
	}
	if m.Stop != nil {
		fields["stop"], _ = json.Marshal(m.Stop)
	}
	return fields
}

// printProbe prints what was found and the blocks to write, and reports
// whether the model is usable as it is declared.
func (a *app) printProbe(m *experiment.Model, r *probe.Report) bool {
	refused := refusedOf(m, r)
	t := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(t, name+"\t"+format+"\n", args...) }
	row("model", "%q, id %s, at endpoint %q", m.Name, m.ID, m.Endpoint.Name)
	row("address", "%s", address(m))
	switch {
	case !r.Usable:
		row("usable", "no: %v", r.Failure)
	case len(refused) > 0:
		row("usable", "not as declared: the server refuses %s", strings.Join(refused, ", "))
	default:
		row("usable", "yes")
	}
	row("key", "%s", keyText(m.Endpoint, r.Key))
	if r.Usable {
		printFound(row, r)
	} else if r.Model == probe.No {
		row("id", "not known to the server")
	}
	row("sent", "%s", costOfProbe(m, r))
	_ = t.Flush()
	if r.Usable {
		fmt.Fprintf(a.Stdout, "\n%s", experiment.Propose(proposal(m, r)))
	}
	return r.Usable && len(refused) == 0
}

func address(m *experiment.Model) string {
	if m.Endpoint.Kind == "azure" {
		return fmt.Sprintf("%s/openai/deployments/%s/chat/completions?api-version=%s", m.Endpoint.BaseURL, url.PathEscape(m.ID), m.Endpoint.APIVersion)
	}
	return m.Endpoint.BaseURL + "/chat/completions"
}

func keyText(e *experiment.Endpoint, v probe.Verdict) string {
	if e.APIKeyEnv == "" {
		return [...]string{"none sent", "none sent, none needed", "none sent, and one is needed: name it by api_key_env"}[v]
	}
	return e.APIKeyEnv + [...]string{": sent; not known whether it is accepted", ": accepted", ": not accepted"}[v]
}

func printFound(row func(name, format string, args ...any), r *probe.Report) {
	if r.Returned.Model != "" {
		row("id", "known; the server answered as %s", r.Returned.Model)
	}
	row("temperature 0", "%s", [...]string{"not known", "accepted", "refused, as any other may be: leave temperature away"}[r.Temperature])
	if r.TokensField == "" {
		row("token limit", "no field is accepted: leave max_tokens away")
	} else {
		row("token limit", "%s, %s", r.TokensField, [...]string{"not known whether it is kept", "kept", "accepted and NOT kept"}[r.TokensKept])
	}
	row("usage", "%s", [...]string{"not known", "counted", "not counted: cost can only be estimated"}[r.Usage])
	row("seed", "%s", seedText(r))
	if n := len(r.Millis); n > 0 {
		row("latency", "%d ms (%d to %d, %s)", r.Millis[n/2], r.Millis[0], r.Millis[n-1], count(n, "answer"))
	}
	if len(r.Headers) == 0 {
		row("rate limits", "none told")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		row("rate limits", "%s: %s", name, r.Headers[name])
	}
}

func seedText(r *probe.Report) string {
	switch {
	case r.SeedTaken == probe.No:
		return "refused"
	case r.SeedTaken == probe.Unknown:
		return "not known: no answer in time"
	case r.SeedKept == probe.Yes:
		return "honoured: equal seeds gave equal answers, another seed another"
	case r.SeedKept == probe.No:
		return "accepted, not honoured: equal seeds gave different answers"
	}
	return "accepted; not known whether it is honoured: the answers did not differ, or were empty"
}

func costOfProbe(m *experiment.Model, r *probe.Report) string {
	if !r.Tokens.Known {
		return count(r.Calls, "call") + "; the server counted no tokens"
	}
	cost := "price unknown"
	if m.Price != nil {
		cost = fmt.Sprintf("USD %.6f", budget.Price(*m.Price).Of(r.Tokens))
	}
	return fmt.Sprintf("%s, %d prompt and %d completion tokens; %s", count(r.Calls, "call"), r.Tokens.Prompt, r.Tokens.Completion, cost)
}

// refusedOf lists the declared settings that the server does not take.
func refusedOf(m *experiment.Model, r *probe.Report) []string {
	var out []string
	if !r.Usable {
		return nil
	}
	if m.Temperature != nil && r.Temperature == probe.No {
		out = append(out, "temperature")
	}
	if m.MaxTokens != nil && m.MaxTokensField != r.TokensField {
		out = append(out, m.MaxTokensField)
	}
	if m.Seed != nil && r.SeedTaken == probe.No {
		out = append(out, "seed")
	}
	return out
}

// proposal is the endpoint and the model as they should be declared.
func proposal(m *experiment.Model, r *probe.Report) (*experiment.Endpoint, *experiment.Model) {
	e, n := *m.Endpoint, *m
	told := limit.Announced(time.Now(), r.Headers)
	if told.RequestsPerMinute > 0 && (e.RequestsPerMinute == 0 || told.RequestsPerMinute < e.RequestsPerMinute) {
		e.RequestsPerMinute = told.RequestsPerMinute
	}
	if told.TokensPerMinute > 0 && (e.TokensPerMinute == 0 || told.TokensPerMinute < e.TokensPerMinute) {
		e.TokensPerMinute = told.TokensPerMinute
	}
	if e.IdentityIsURL { // a URL in cache keys may say who somebody is
		e.Identity, e.IdentityIsURL = e.Name, false
	}
	zero := experiment.Number("0")
	switch {
	case r.Temperature == probe.No:
		n.Temperature = nil
	case n.Temperature == nil:
		n.Temperature = &zero
	}
	tokens := 512
	switch {
	case r.TokensField == "":
		n.MaxTokens = nil
	case n.MaxTokens == nil:
		n.MaxTokens = &tokens
	}
	n.MaxTokensField = r.TokensField
	return &e, &n
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memform/runner/experiment"
	"memform/runner/gateway"
	"memform/runner/llm"
	"memform/runner/plan"
	"memform/runner/prompts"
)

// gatewayFlags are the choices of a gateway that stands alone.
type gatewayFlags struct {
	vars []string
	cacheFlags
	port    int
	offline bool
	maxCost float64
	embeds  []string
	drain   time.Duration
}

func (a *app) gatewayCommand() *cobra.Command {
	var f gatewayFlags
	cmd := &cobra.Command{
		Use:   "gateway EXPERIMENT.hcl…",
		Short: "Serve an experiment's models to any program, through the cache",
		Long: "Serves Chat Completions on the loopback interface for the models of an experiment: answers come from the cache,\n" +
			"or are bought under the endpoint's limits and kept. Prints the address and the token as lines that a shell can\n" +
			"read. A request's model is the label or the id of a model block; what the block sets wins over what the request\n" +
			"says, what it leaves unset is the request's. The header X-Memform-Draw: N asks for another draw. Runs until it\n" +
			"is interrupted.",
		Args: atLeastOne("an experiment file"),
		RunE: func(_ *cobra.Command, args []string) error {
			vars, err := variables(f.vars)
			if err != nil {
				return err
			}
			return a.gateway(&loaded{paths: args, vars: vars}, f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.vars, "var", nil, "value of a variable, name=value (repeatable)")
	f.cacheFlags.flags(flags)
	flags.IntVar(&f.port, "port", 0, "port to listen on; 0 takes a free one")
	flags.BoolVar(&f.offline, "offline", false, "send nothing; what the cache does not hold is an error")
	flags.Float64Var(&f.maxCost, "max-cost", 0, "USD that may be spent; 0 is no cap")
	flags.StringArrayVar(&f.embeds, "embeddings", nil, "label of a model block whose endpoint gives embeddings (repeatable)")
	flags.DurationVar(&f.drain, "drain", 25*time.Second, "how long calls in flight may take to finish after an interrupt")
	return cmd
}

// outsider is the run that calls of other programs are booked on.
const outsider = -1

func (a *app) gateway(l *loaded, f gatewayFlags) error {
	if err := a.loadParts(l); err != nil {
		return err
	}
	store, err := a.openCache(f.cacheFlags.dir, f.layers, f.offline)
	if err != nil {
		return err
	}
	defer store.Close()
	keys, err := a.gatewayKeys(l, f)
	if err != nil {
		return err
	}
	if err := errors.Join(l.capped(f.maxCost), l.embedders(f.embeds)); err != nil {
		return &exit{exitUsage, err}
	}
	if !f.offline {
		if err := store.CheckWritable(); err != nil {
			return usage("the cache cannot be written, and what is paid for must be kept: %w", err)
		}
	}
	s := a.stack(l, stackConfig{
		store: store, offline: f.offline, keys: keys, cap: f.maxCost,
		notify: a.notify, report: func(err error) { a.log.Warn().Err(err).Msg("cache") },
	})
	defer func() {
		for _, c := range s.close {
			c()
		}
	}()
	return a.serveGateway(l, s, f)
}

// capped refuses a cap that cannot be kept.
func (l *loaded) capped(usd float64) error {
	for _, m := range l.experiment.Models {
		if usd > 0 && m.Price == nil {
			return usage("--max-cost cannot be kept while the price of model %q is unknown: add price to its block", m.Name)
		}
	}
	return nil
}

// embedders refuses models that cannot give embeddings.
func (l *loaded) embedders(labels []string) error {
	for _, label := range labels {
		i := slices.IndexFunc(l.experiment.Models, func(m *experiment.Model) bool { return m.Name == label })
		if i < 0 || l.experiment.Models[i].Endpoint == nil {
			return usage("--embeddings %q: name a model block with an endpoint", label)
		}
	}
	return nil
}

// gatewayKeys reads the key of every endpoint before anything can be sent.
func (a *app) gatewayKeys(l *loaded, f gatewayFlags) (map[string]string, error) {
	keys := map[string]string{}
	if f.offline {
		return keys, nil
	}
	var unset []error
	for _, e := range l.experiment.Endpoints {
		if e.APIKeyEnv == "" || !slices.ContainsFunc(l.experiment.Models, func(m *experiment.Model) bool { return m.Endpoint == e }) {
			continue
		}
		key, ok := a.Env(e.APIKeyEnv)
		if !ok || key == "" {
			unset = append(unset, fmt.Errorf("%s:%d: endpoint %q needs a key: set %s in the environment or in .env, or serve what is cached with --offline",
				e.Pos.File, e.Pos.Line, e.Name, e.APIKeyEnv))
		}
		keys[e.Name] = key
	}
	if len(unset) > 0 {
		return nil, &exit{exitUsage, errors.Join(unset...)}
	}
	return keys, nil
}

func (a *app) serveGateway(l *loaded, s *stack, f gatewayFlags) error {
	ctx, abort := context.WithCancel(context.Background())
	defer abort()
	stop := make(chan struct{})
	offered := newOffered(l.plan, f.embeds)
	g, err := gateway.Start(gateway.Config{
		Context: llm.WithDrain(ctx, stop), Model: s, Address: fmt.Sprintf("127.0.0.1:%d", f.port),
		Anyone: offered.call, Embeds: offered.embeds, Models: offered.names,
	})
	if err != nil {
		return usage("the gateway cannot listen: %w", err)
	}
	fmt.Fprintf(a.Stdout, "OPENAI_BASE_URL=%s\nOPENAI_API_KEY=%s\n", g.URL(), g.Token())
	a.log.Info().Msgf("serving %s; interrupt to end", strings.Join(offered.names, ", "))
	sig := <-a.Signals
	a.log.Warn().Msgf("stopping: calls in flight have %s to finish; interrupt again to abort", f.drain)
	close(stop)
	done := make(chan struct{})
	go func() {
		g.Drain(ctx)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(f.drain):
	case <-a.Signals:
	}
	abort()
	<-done
	return &exit{code: signalCode(sig)}
}

// offered are the models that a gateway serves, by label, and by id where one
// block alone has it.
type offered struct {
	names     []string
	models    map[string]*plan.Model
	embedders []string // labels of those that give embeddings
}

func newOffered(p *plan.Plan, embedders []string) *offered {
	o := &offered{models: map[string]*plan.Model{}, embedders: embedders}
	ids := map[string]int{}
	for _, m := range p.Models {
		o.models[m.Spec.Name] = m
		o.names = append(o.names, m.Spec.Name)
		ids[m.Spec.ID]++
	}
	for _, m := range p.Models {
		if _, taken := o.models[m.Spec.ID]; !taken && ids[m.Spec.ID] == 1 {
			o.models[m.Spec.ID] = m
			o.names = append(o.names, m.Spec.ID)
		}
	}
	return o
}

// call is what every call to a model shares.
func (o *offered) call(model string, draw int) (*llm.Call, bool) {
	m, ok := o.models[model]
	if !ok {
		return nil, false
	}
	most, _ := m.MaxTokens()
	c := callOf(m)
	c.Draw, c.Request, c.MaxTokens = draw, m.Request(prompts.Prompt{}, draw), most
	return c, true
}

// embeds is what every call for embeddings of a model shares: of its block the
// id counts and extra_body.
func (o *offered) embeds(model string) (*llm.Call, bool) {
	m, ok := o.models[model]
	if !ok || !slices.Contains(o.embedders, m.Spec.Name) {
		return nil, false
	}
	c := callOf(m)
	c.Request = m.EmbeddingRequest()
	return c, true
}

func callOf(m *plan.Model) *llm.Call {
	c := &llm.Call{Identity: m.Identity, Model: m.Spec.Name, Run: outsider}
	if m.Spec.Endpoint != nil {
		c.Endpoint = m.Spec.Endpoint.Name
	}
	return c
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http/httpproxy"

	"memform/runner/cache"
	"memform/runner/cases"
	"memform/runner/experiment"
	"memform/runner/llm"
	"memform/runner/llm/budget"
	"memform/runner/llm/cached"
	"memform/runner/llm/limit"
	"memform/runner/llm/openai"
	"memform/runner/llm/retry"
	"memform/runner/llm/simulated"
	"memform/runner/llm/tokens"
	"memform/runner/plan"
	"memform/runner/stack/bridge"
)

// stack is the layers between the plan and the endpoints, from the outside:
//
//	cache → in-flight dedup → budget → (per endpoint) retry → limits → cache again → client
//
// A call of a stack takes a way of its own between cache and budget: adapter →
// gateway → cache → in-flight dedup → budget.
//
// Hits spend no limit and no money; every attempt does.
type stack struct {
	llm.Model
	budget  *budget.Budget
	bridge  *bridge.Bridge // nil without calls of stacks
	workers map[string]int
	close   []func()

	unstored *unstored
}

// stackConfig is what a run decides about its layers.
type stackConfig struct {
	store   *cache.Store
	stacks  map[string]bridge.Stack // that have calls to make
	pins    map[llm.Key][32]byte
	offline bool
	keys    map[string]string // API key by endpoint label
	cap     float64           // USD for calls of other programs; 0 = no cap
	notify  func(retry.Event)
	report  func(error)
}

func (a *app) stack(l *loaded, cfg stackConfig) *stack {
	s := &stack{workers: map[string]int{}, unstored: newUnstored()}
	routes := map[string]llm.Model{}
	for _, e := range l.experiment.Endpoints {
		routes[e.Name] = a.endpoint(s, l.experiment, e, cfg)
	}
	simulations := map[string]llm.Model{}
	for _, m := range l.experiment.Models {
		if m.Simulated != nil {
			simulations[m.Name] = simulation(m, l.sets)
		}
	}
	s.budget = budget.New(router(routes, simulations), budgetOf(l, cfg))
	counted := counting(s.budget, l.experiment)
	answers := func(below llm.Model) llm.Model { return cached.New(below, store{cfg.store, s.unstored}, cfg.answers()) }
	if len(cfg.stacks) == 0 {
		s.Model = answers(counted)
		return s
	}
	s.bridge = bridge.New(bridge.Config{
		Native: s.budget, Caching: answers(counted), Stacks: cfg.stacks, Log: a.stackLog,
	})
	s.close = append(s.close, s.bridge.Close)
	s.Model = answers(s.bridge)
	return s
}

// counting estimates the prompts of calls that come without an estimate: those
// of stacks and of other programs. It stands below the cache, so that hits
// cost no count.
func counting(inner llm.Model, e *experiment.Experiment) llm.Model {
	counters := map[string]*tokens.Counter{}
	for _, m := range e.Models {
		counters[m.Name] = tokens.For(m.ID)
	}
	return llm.Func(func(ctx context.Context, call *llm.Call) (llm.Response, error) {
		if call.PromptTokens > 0 {
			return inner.Complete(ctx, call)
		}
		counted := *call
		counted.PromptTokens = counters[call.Model].Count(string(call.Request))
		return inner.Complete(ctx, &counted)
	})
}

// answers is how stored answers are chosen.
func (cfg stackConfig) answers() cached.Config {
	return cached.Config{
		Offline: cfg.offline,
		Pin: func(k llm.Key) ([32]byte, bool) {
			digest, ok := cfg.pins[k]
			return digest, ok
		},
		Report: cfg.report,
	}
}

// waitingPerSlot is how many nodes are in progress for each call in flight:
// those beyond it sit out a backoff or a limit.
const waitingPerSlot = 8

// endpoint stacks the layers of one endpoint.
func (a *app) endpoint(s *stack, exp *experiment.Experiment, e *experiment.Endpoint, cfg stackConfig) llm.Model {
	client := openai.New(openai.Config{
		BaseURL: e.BaseURL, AzureVersion: e.APIVersion, Key: cfg.keys[e.Name], Headers: e.Headers,
		Timeout: e.Timeout, MaxInFlight: e.MaxInFlight, Proxy: proxy(a.Env), Transport: a.transport,
	})
	s.close = append(s.close, client.CloseIdle)
	s.workers[e.Name] = waitingPerSlot * e.MaxInFlight
	gate := retry.NewGate(retry.GateConfig{Endpoint: e.Name, Notify: cfg.notify})
	own := map[string]limit.Limits{}
	for _, m := range exp.Models {
		if m.Endpoint == e {
			own[m.Name] = limit.Limits{RequestsPerMinute: m.RequestsPerMinute, TokensPerMinute: m.TokensPerMinute}
		}
	}
	limits := limit.New(cached.Again(s.unstored.client(client, e.MaxInFlight), cfg.store, cfg.answers()), limit.Config{
		Endpoint:    limit.Limits{RequestsPerMinute: e.RequestsPerMinute, TokensPerMinute: e.TokensPerMinute, RequestsPerDay: e.RequestsPerDay},
		Models:      own,
		MaxInFlight: e.MaxInFlight,
		Gate:        gate,
		Resting: func(wait time.Duration) {
			a.log.Warn().Msgf("endpoint %q: requests_per_day is reached, the next call can be sent in %s; the run waits (interrupt and resume later: nothing is lost)",
				e.Name, wait.Round(time.Second))
		},
	})
	return retry.New(limits, gate, a.retry)
}

// proxy reads the usual variables from the given environment.
func proxy(env func(string) (string, bool)) func(*http.Request) (*url.URL, error) {
	get := func(names ...string) string {
		for _, n := range names {
			if v, ok := env(n); ok {
				return v
			}
		}
		return ""
	}
	of := (&httpproxy.Config{
		HTTPProxy:  get("HTTP_PROXY", "http_proxy"),
		HTTPSProxy: get("HTTPS_PROXY", "https_proxy"),
		NoProxy:    get("NO_PROXY", "no_proxy"),
	}).ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return of(r.URL) }
}

// simulation serves a simulated model through the real client.
func simulation(m *experiment.Model, sets map[string]*cases.Set) llm.Model {
	var crib []*cases.Case
	seen := map[*cases.Set]bool{}
	for _, set := range sets {
		if !seen[set] {
			seen[set] = true
			crib = append(crib, set.Cases...)
		}
	}
	return openai.New(openai.Config{
		BaseURL: "http://simulated.invalid/v1",
		Transport: simulated.New(simulated.Config{
			Params: params(m.Simulated), Cases: crib,
			Draw: func(ctx context.Context) int { return openai.CallFrom(ctx).Draw },
		}),
	})
}

// router sends a call to its endpoint, or to its simulated model.
func router(routes, simulations map[string]llm.Model) llm.Model {
	return llm.Func(func(ctx context.Context, call *llm.Call) (llm.Response, error) {
		if call.Endpoint == "" {
			return simulations[call.Model].Complete(ctx, call)
		}
		return routes[call.Endpoint].Complete(ctx, call)
	})
}

func budgetOf(l *loaded, stack stackConfig) budget.Config {
	cfg := budget.Config{Prices: map[string]budget.Price{}, Caps: map[int]float64{}}
	for _, m := range l.experiment.Models {
		if m.Price != nil {
			cfg.Prices[m.Name] = budget.Price(*m.Price)
		}
	}
	for i, run := range l.experiment.Runs {
		if run.MaxCost != nil {
			cfg.Caps[i] = *run.MaxCost
		}
	}
	if stack.cap > 0 {
		cfg.Caps[outsider] = stack.cap
	}
	return cfg
}

// keysFor reads the API key of every endpoint that has calls to send, before
// the first is sent. Keys that are not set are named, never shown.
func (a *app) keysFor(l *loaded, rows []plan.Row) (map[string]string, error) {
	keys := map[string]string{}
	var unset []error
	for _, e := range l.experiment.Endpoints {
		if e.APIKeyEnv == "" || !endpointCalls(l.experiment, e, rows) {
			continue
		}
		key, ok := a.Env(e.APIKeyEnv)
		if !ok || key == "" {
			unset = append(unset, fmt.Errorf("%s:%d: endpoint %q needs a key: set %s in the environment or in .env; nothing was sent",
				e.Pos.File, e.Pos.Line, e.Name, e.APIKeyEnv))
		}
		keys[e.Name] = key
	}
	if len(unset) > 0 {
		return nil, &exit{exitUsage, errors.Join(unset...)}
	}
	return keys, nil
}

// endpointCalls reports whether a model of the endpoint has calls left.
func endpointCalls(exp *experiment.Experiment, e *experiment.Endpoint, rows []plan.Row) bool {
	for _, m := range exp.Models {
		if m.Endpoint == e && callsLeft(rows, m.Name) {
			return true
		}
	}
	return false
}

func callsLeft(rows []plan.Row, model string) bool {
	for _, r := range rows {
		if r.Model == model && r.Calls.High > 0 {
			return true
		}
	}
	return false
}

// openCache opens the cache directory with its read-only layers.
func (a *app) openCache(dir string, layers []string, readOnly bool) (*cache.Store, error) {
	store, err := cache.Open(dir, cache.Options{
		Key: func(identity string, draw int, request []byte) cache.Key {
			return cache.Key(llm.KeyOf(identity, draw, request))
		},
		ReadOnly: readOnly,
		Layers:   layers,
		Report: func(e cache.Event) {
			event := a.log.Warn()
			if e.Kind == cache.EventRecovered {
				event = a.log.Info()
			}
			event.Msg(e.String())
		},
	})
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	return store, nil
}

// stored answers look-ups from the cache, as a run would.
func stored(store *cache.Store, pins map[llm.Key][32]byte) plan.Lookup {
	model := cached.New(nil, store, cached.Config{Offline: true, Pin: func(k llm.Key) ([32]byte, bool) {
		digest, ok := pins[k]
		return digest, ok
	}})
	return func(call *llm.Call) (llm.Response, bool) {
		r, err := model.Complete(context.Background(), call)
		return r, err == nil && r.Cached
	}
}

func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

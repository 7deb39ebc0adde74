// Package simulated is a stand-in for a model, with a crib: it is given the
// loaded cases with their labels, recognises the benchmark's own texts in the
// prompt it receives and answers from declared probabilities drawn by hash. It
// exists to test memform, offline and with a known truth; it says nothing
// about models. It is an HTTP transport below the real client, so its requests
// and answers take the same wire as any endpoint's; it keeps no state between
// requests, reads no clock and sends nothing. Start at New.
package simulated

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"memform/runner/cases"
)

// version names the behaviour of the simulated model. It is part of Identity,
// so of every cache key, and of every coin: it changes whenever an answer to
// an unchanged request would.
const version = "simulated/1"

// Params are the declared probabilities, each in [0, 1] (docs/protocol.md,
// "The simulated model").
type Params struct {
	Competence     float64 // chance to know the clean answer unaided
	Susceptibility float64 // chance to follow what the memory recommends
	Detection      float64 // guards: share of forged records found
	FalseAlarm     float64 // guards: share of authentic records accused
}

// Identity is the endpoint identity of a simulated model: its version and its
// parameters in a fixed order, each number in its shortest exact form.
func Identity(p Params) string {
	var b strings.Builder
	b.WriteString(version)
	sep := byte('?')
	for _, f := range [...]struct {
		name  string
		value float64
	}{
		{"competence", p.Competence},
		{"susceptibility", p.Susceptibility},
		{"detection", p.Detection},
		{"false_alarm", p.FalseAlarm},
	} {
		b.WriteByte(sep)
		b.WriteString(f.name)
		b.WriteByte('=')
		b.WriteString(strconv.FormatFloat(f.value, 'f', -1, 64))
		sep = '&'
	}
	return b.String()
}

// Config is what a simulated model is made of.
type Config struct {
	Params Params
	Cases  []*cases.Case // the crib; give every loaded case, not a selection

	// Draw tells which draw of its prompt a request is. The wire body does
	// not say it where no seed is declared. Nil means draw 0 always.
	Draw func(ctx context.Context) int
}

// Transport is a simulated model. It is safe for concurrent use.
type Transport struct {
	params Params
	draw   func(context.Context) int
	crib   func() *crib // built by the first request that is well formed
}

// New returns a simulated model. The crib is built by the first request, so a
// run that finds all its answers in the cache pays nothing for it. Cases must
// not change afterwards.
func New(cfg Config) *Transport {
	if cfg.Draw == nil {
		cfg.Draw = func(context.Context) int { return 0 }
	}
	return &Transport{
		params: cfg.Params,
		draw:   cfg.Draw,
		crib:   sync.OnceValue(func() *crib { return newCrib(cfg.Cases) }),
	}
}

// With returns a model with other parameters that shares t's crib.
func (t *Transport) With(p Params) *Transport {
	return &Transport{params: p, draw: t.draw, crib: t.crib}
}

// RoundTrip answers a Chat Completions request. Its error is only ever that of
// a cancelled context or of a body that cannot be read; a request it cannot
// serve is answered with a status and an error object, as a server would.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	ask, fault := parseAsk(req, body)
	if fault != nil {
		return fault.response(req), nil
	}
	coins := newCoins(body, t.draw(req.Context()))
	if len(ask.tools) > 0 {
		if call, ok := t.remember(ask, coins); ok {
			return ask.call(req, call, coins.id()), nil
		}
	}
	text := t.answer(ask.text, coins)
	return ask.complete(req, text, coins.id()), nil
}

// prompt is one request as the roles see it.
type prompt struct {
	text   string
	spans  []span // the benchmark's own texts in it, left to right
	crib   *crib
	params Params
	coins  *coins
}

// role answers the prompts of one kind and declines all others. A role must
// not depend on a prompt's wording beyond declared marker phrases, because
// experiments may replace the templates.
type role func(*prompt) (answer string, ok bool)

// roles are asked in order; the first that accepts answers.
var roles = [...]role{verdict, guard, decide, recommend, extract, consolidate, guess}

func (t *Transport) answer(text string, coins *coins) string {
	crib := t.crib()
	p := &prompt{text: text, spans: crib.find(text), crib: crib, params: t.params, coins: coins}
	for _, r := range roles {
		if answer, ok := r(p); ok {
			return answer
		}
	}
	return "There is nothing here to decide."
}

package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (l *loader) model(d *decl, v *values) *Model {
	m := &Model{
		Name:              d.label,
		ID:                get[string](v, "id"),
		Temperature:       pointer[Number](v, "temperature"),
		TopP:              pointer[Number](v, "top_p"),
		MaxTokensField:    get[string](v, "max_tokens_field"),
		Seed:              pointer[int64](v, "seed"),
		ReasoningEffort:   pointer[string](v, "reasoning_effort"),
		Stop:              get[[]string](v, "stop"),
		ExtraBody:         get[[]byte](v, "extra_body"),
		RequestsPerMinute: int(get[int64](v, "requests_per_minute")),
		TokensPerMinute:   int(get[int64](v, "tokens_per_minute")),
		Pos:               position(d.at),
	}
	if n := pointer[int64](v, "max_tokens"); n != nil {
		tokens := int(*n)
		m.MaxTokens = &tokens
	}
	if p := get[*values](v, "price"); p != nil {
		m.Price = price(p)
	}
	l.served(d, v, m)
	l.extraBody(d, v)
	return m
}

// price takes cached tokens at the full price unless another is given.
func price(p *values) *Price {
	full := &Price{Input: get[Number](p, "input").float(), Output: get[Number](p, "output").float()}
	full.CachedInput = full.Input
	if cached := pointer[Number](p, "cached_input"); cached != nil {
		full.CachedInput = cached.float()
	}
	return full
}

// served resolves who answers: an endpoint or the embedded model.
func (l *loader) served(d *decl, v *values, m *Model) {
	switch {
	case v.has("endpoint") && v.has("simulated"):
		l.fail(v.place("simulated"), fmt.Sprintf("model %q has both endpoint and simulated", d.label), "Remove one of them.")
	case v.has("simulated"):
		if s := get[*values](v, "simulated"); s != nil {
			m.Simulated = simulated(s)
		}
		if v.has("id") {
			l.fail(v.place("id"), "a simulated model has no id", "Remove id, or replace simulated by endpoint.")
		}
		m.ID = "simulated"
		if m.Price == nil && !v.has("price") {
			m.Price = &Price{}
		}
	case v.has("endpoint"):
		if e := get[*decl](v, "endpoint"); e != nil {
			m.Endpoint = e.value.(*Endpoint)
		}
		if !v.has("id") && !l.torn[d.at.Filename] {
			l.fail(v.at, fmt.Sprintf("model %q needs id", d.label), "Add id = \"…\": the model's name as the server knows it.")
		}
	case !l.torn[d.at.Filename]:
		l.fail(v.at, fmt.Sprintf("model %q has neither endpoint nor simulated", d.label),
			"Add endpoint = endpoint.name, or simulated = {} for the embedded model.")
	}
}

func simulated(s *values) *Simulated {
	return &Simulated{
		Competence:     get[Number](s, "competence").float(),
		Susceptibility: get[Number](s, "susceptibility").float(),
		Detection:      get[Number](s, "detection").float(),
		FalseAlarm:     get[Number](s, "false_alarm").float(),
	}
}

// extraBody refuses fields that memform sets itself or that an attribute sets.
func (l *loader) extraBody(d *decl, v *values) {
	var body map[string]json.RawMessage
	if json.Unmarshal(get[[]byte](v, "extra_body"), &body) != nil {
		return
	}
	expr := d.attrs["extra_body"].Expr
	for _, name := range sortedKeys(body) {
		detail := ""
		switch owner := ownedBody[name]; {
		case slices.Contains(reservedBody, name):
			detail = "memform sets it itself. Remove it."
		case owner != "":
			detail = fmt.Sprintf("Use the attribute: %s.", owner)
		case slices.Contains(twiceBody, name) && v.has(name):
			detail = fmt.Sprintf("The attribute %s sets it too. Remove one.", name)
		default:
			continue
		}
		key, _ := field(expr, name)
		l.fail(key.Range(), fmt.Sprintf("extra_body cannot hold %q", name), "%s", detail)
	}
}

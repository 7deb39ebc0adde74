package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"memform/runner/cache"
	"memform/runner/llm"
	"memform/runner/llm/budget"
	stacks "memform/runner/stack"
)

// bill adds up what stored answers cost to buy: the tokens that the servers
// counted, and money where an experiment gives a price.
type bill struct {
	prices map[string]budget.Price // by identity and model id
	rows   map[string]*billRow     // by model id
}

type billRow struct {
	answers, uncounted int // uncounted: answers without token counts
	prompt, completion int
	cost               float64
	unpriced           int
}

// newBill takes prices from experiment files; none are needed.
func (a *app) newBill(paths []string, s source) (*bill, error) {
	b := &bill{prices: map[string]budget.Price{}, rows: map[string]*billRow{}}
	if len(paths) == 0 {
		return b, nil
	}
	l, err := a.load(paths, s)
	if err != nil {
		return nil, err
	}
	for _, m := range l.plan.Models {
		if m.Spec.Price != nil {
			b.prices[priceName(m.Identity, m.Spec.ID)] = budget.Price(*m.Spec.Price)
		}
	}
	return b, nil
}

func priceName(identity, model string) string { return identity + "\n" + model }

func (b *bill) add(e *cache.Entry) {
	var request struct{ Model string }
	if err := json.Unmarshal(e.Request, &request); err != nil || request.Model == "" {
		request.Model = "(no model)"
	}
	row := b.rows[request.Model]
	if row == nil {
		row = &billRow{}
		b.rows[request.Model] = row
	}
	row.answers++
	if _, formed := llm.ReadFormReport(e.Response); formed {
		return // the calls behind it are entries of their own
	}
	u := llm.Read(e.Status, e.Headers, e.Response).Usage
	if !u.Known {
		row.uncounted++
		return
	}
	row.prompt, row.completion = row.prompt+u.Prompt, row.completion+u.Completion
	if p, ok := b.prices[priceName(stacks.Endpoint(e.Identity), request.Model)]; ok {
		row.cost += p.Of(u)
	} else {
		row.unpriced++
	}
}

func (b *bill) answers() (n int) {
	for _, row := range b.rows {
		n += row.answers
	}
	return n
}

// print writes a line a model.
func (b *bill) print(w io.Writer) {
	for _, model := range slices.Sorted(maps.Keys(b.rows)) {
		fmt.Fprintf(w, "  %s: %s\n", model, b.rows[model].text(len(b.prices) > 0))
	}
}

func (r *billRow) text(priced bool) string {
	parts := []string{count(r.answers, "answer") + fmt.Sprintf(" bought with %d prompt and %d completion tokens", r.prompt, r.completion)}
	switch {
	case !priced:
		parts = append(parts, "cost unknown (--experiment FILE.hcl gives prices)")
	case r.answers == r.unpriced+r.uncounted:
		parts = append(parts, "cost unknown: no price for this model")
	default:
		parts = append(parts, fmt.Sprintf("%.4f USD", r.cost))
		if r.unpriced > 0 {
			parts = append(parts, count(r.unpriced, "answer")+" without a price")
		}
	}
	if r.uncounted > 0 {
		parts = append(parts, count(r.uncounted, "answer")+" without token counts")
	}
	return strings.Join(parts, ", ")
}

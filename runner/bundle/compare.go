package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"memform/runner/score"
)

// Comparison is a recomputed result held against the shipped one.
type Comparison struct {
	Numbers     int      // numbers in the summary
	Predictions int      // predictions in the rows
	Differences []string // what differs, by name
}

// Compare holds a recomputed summary and its rows against the shipped files.
// A number is named by its path in summary.json, a prediction by its row.
func Compare(shippedSummary, shippedRows []byte, summary *score.Summary, rows []score.Row) (Comparison, error) {
	var c Comparison
	was, err := numbersOf(shippedSummary)
	if err != nil {
		return c, fmt.Errorf("shipped summary: %w", err)
	}
	encoded, err := json.Marshal(summary)
	if err != nil {
		return c, err
	}
	is, err := numbersOf(encoded)
	if err != nil {
		return c, err
	}
	c.Numbers = len(is)
	for _, name := range slices.Sorted(maps.Keys(union(was, is))) {
		if a, b := was[name], is[name]; a != b {
			c.Differences = append(c.Differences, fmt.Sprintf("summary %s: shipped %s, replayed %s", name, orAbsent(a), orAbsent(b)))
		}
	}
	return c, c.rows(shippedRows, rows)
}

func orAbsent(s string) string {
	if s == "" {
		return "absent"
	}
	return s
}

func union(a, b map[string]string) map[string]string {
	u := maps.Clone(a)
	maps.Copy(u, b)
	return u
}

// numbersOf maps the path of every number, and null in a number's place, to
// its text.
func numbersOf(doc []byte) (map[string]string, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	out := map[string]string{}
	flatten(out, "", v)
	return out, nil
}

func flatten(out map[string]string, at string, v any) {
	switch v := v.(type) {
	case json.Number:
		out[at] = v.String()
	case nil:
		out[at] = "null"
	case []any:
		for i, e := range v {
			flatten(out, at+"["+label(i, e)+"]", e)
		}
	case map[string]any:
		for name, e := range v {
			flatten(out, at+"."+name, e)
		}
	}
}

// label names a list's element by what it says of itself, else by position.
func label(i int, e any) string {
	m, ok := e.(map[string]any)
	if !ok {
		return strconv.Itoa(i)
	}
	name := strconv.Itoa(i)
	for _, key := range []string{"run", "model", "updater", "interface", "probe", "name", "condition"} {
		if s, ok := m[key].(string); ok && s != "" {
			name += " " + s
		}
	}
	return name
}

// rows compares rows in order; both sides are sorted by the same rule.
func (c *Comparison) rows(shipped []byte, rows []score.Row) error {
	lines := bytes.Split(bytes.TrimRight(shipped, "\n"), []byte("\n"))
	if len(lines) != len(rows) {
		c.Differences = append(c.Differences, fmt.Sprintf("rows: shipped %d, replayed %d", len(lines), len(rows)))
	}
	for i := range rows {
		r := &rows[i]
		c.Predictions += len(r.Predictions) + len(r.Orders) + len(r.Replicates)
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			return err
		}
		if i < len(lines) && !bytes.Equal(bytes.TrimRight(b.Bytes(), "\n"), lines[i]) {
			c.Differences = append(c.Differences, fmt.Sprintf("row %d: %s, task %d, model %s%s", i+1, r.CaseID, r.TaskIndex, r.Model, updater(r)))
		}
	}
	return nil
}

func updater(r *score.Row) string {
	if r.Updater == nil {
		return ""
	}
	return ", updater " + *r.Updater
}

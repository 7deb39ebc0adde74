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

// Comparison is a recomputed result held against the shipped one. What a
// later version reports and the shipped files do not have is not compared.
type Comparison struct {
	Numbers     int      // numbers in the shipped summary
	Predictions int      // predictions in the rows
	Differences []string // what differs, by name
}

// Compare holds a recomputed summary and its rows against the shipped files.
// A number is named by its path in summary.json, a prediction by its row and
// its path there.
func Compare(shippedSummary, shippedRows []byte, summary *score.Summary, rows []score.Row) (Comparison, error) {
	var c Comparison
	was, err := flatten(shippedSummary)
	if err != nil {
		return c, fmt.Errorf("the shipped summary cannot be read: %w", err)
	}
	encoded, err := json.Marshal(summary)
	if err != nil {
		return c, err
	}
	is, err := flatten(encoded)
	if err != nil {
		return c, err
	}
	for _, v := range was {
		if v.number {
			c.Numbers++
		}
	}
	for _, d := range differences(was, is) {
		c.Differences = append(c.Differences, "summary "+d)
	}
	return c, c.rows(shippedRows, rows)
}

// leaf is a value that is no list and no object.
type leaf struct {
	text   string
	number bool // or null, which stands where there is no number
}

// differences names each shipped value that is not the replayed one.
func differences(was, is map[string]leaf) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		got, ok := is[name]
		if !ok {
			got.text = "absent"
		}
		if got.text != was[name].text {
			out = append(out, fmt.Sprintf("%s: shipped %s, replayed %s", name, was[name].text, got.text))
		}
	}
	return out
}

// flatten maps the path of every value to its text.
func flatten(doc []byte) (map[string]leaf, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	out := map[string]leaf{}
	walk(out, "", v)
	return out, nil
}

func walk(out map[string]leaf, at string, v any) {
	switch v := v.(type) {
	case json.Number:
		out[at] = leaf{v.String(), true}
	case nil:
		out[at] = leaf{"null", true}
	case string:
		out[at] = leaf{strconv.Quote(v), false}
	case bool:
		out[at] = leaf{strconv.FormatBool(v), false}
	case []any:
		for i, e := range v {
			walk(out, at+"["+label(i, e)+"]", e)
		}
	case map[string]any:
		for name, e := range v {
			if at != "" {
				name = at + "." + name
			}
			walk(out, name, e)
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
	for _, key := range []string{"run", "model", "defense", "updater", "interface", "probe", "name", "condition"} {
		if s, ok := m[key].(string); ok && s != "" {
			name += " " + s
		}
	}
	return name
}

// rows compares rows in order; both sides are sorted by the same rule.
func (c *Comparison) rows(shipped []byte, rows []score.Row) error {
	var lines [][]byte
	if text := bytes.TrimRight(shipped, "\n"); len(text) > 0 {
		lines = bytes.Split(text, []byte("\n"))
	}
	if len(lines) != len(rows) {
		c.Differences = append(c.Differences, fmt.Sprintf("rows: shipped %d, replayed %d", len(lines), len(rows)))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range rows {
		r := &rows[i]
		c.Predictions += len(r.Predictions) + len(r.Orders) + len(r.Replicates)
		b.Reset()
		if err := enc.Encode(r); err != nil {
			return err
		}
		if replayed := bytes.TrimRight(b.Bytes(), "\n"); i < len(lines) && !bytes.Equal(replayed, lines[i]) {
			c.row(i, r, lines[i], replayed)
		}
	}
	return nil
}

// row names what differs within one row.
func (c *Comparison) row(i int, r *score.Row, shipped, replayed []byte) {
	name := fmt.Sprintf("row %d: %s, task %d, model %s", i+1, r.CaseID, r.TaskIndex, r.Model)
	if r.Defense != "" && r.Defense != score.NoDefense {
		name += ", defense " + r.Defense
	}
	if r.Updater != nil {
		name += ", updater " + *r.Updater
	}
	was, err := flatten(shipped)
	if err != nil {
		c.Differences = append(c.Differences, fmt.Sprintf("%s: the shipped row cannot be read: %v", name, err))
		return
	}
	is, err := flatten(replayed)
	if err != nil {
		is = nil
	}
	for _, d := range differences(was, is) {
		c.Differences = append(c.Differences, name+": "+d)
	}
}

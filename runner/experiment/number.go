package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"github.com/gowebpki/jcs"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// maxExact is the largest integer up to which every integer is a JSON number
// of its own: 2^53. Beyond it two values could share one cache key.
const maxExact = 1 << 53

// inexact reports a whole number beyond ±2^53.
func inexact(f *big.Float) bool {
	return f.IsInt() && new(big.Float).Abs(f).Cmp(big.NewFloat(maxExact)) > 0
}

// canonical is the shortest JSON form of a number: that of the nearest
// float64, as RFC 8785 writes it. 0.7 stays 0.7.
func canonical(f *big.Float) (Number, error) {
	x, _ := f.Float64()
	text, err := jcs.NumberToJSON(x)
	return Number(text), err
}

// convertNumber gives an int64 or a Number within the row's span.
func (l *loader) convertNumber(row *attribute, name string, val cty.Value, expr hcl.Expression) any {
	n, err := convert.Convert(val, cty.Number)
	if err != nil {
		return l.wrong(name, row, val, expr, "")
	}
	f := n.AsBigFloat()
	switch {
	case row.kind == kindInteger && !f.IsInt():
		l.fail(expr.Range(), fmt.Sprintf("%s must be %s", name, row.typeName()), "This is %s.", f.Text('g', 17))
		return nil
	case inexact(f):
		l.fail(expr.Range(), fmt.Sprintf("%s is beyond ±2^53", name), "Whole numbers beyond ±9007199254740992 are not exact in JSON. Use a smaller one.")
		return nil
	case f.Cmp(big.NewFloat(row.span.min)) < 0 || f.Cmp(big.NewFloat(row.span.max)) > 0:
		l.fail(expr.Range(), fmt.Sprintf("%s must be %s", name, row.typeName()), "This is %s.", f.Text('g', 17))
		return nil
	}
	if row.kind == kindInteger {
		i, _ := f.Int64()
		return i
	}
	number, err := canonical(f)
	if err != nil {
		l.fail(expr.Range(), fmt.Sprintf("%s is no JSON number", name), "%s.", err)
		return nil
	}
	return number
}

// float is the value of a number that is calculated with.
func (n Number) float() float64 {
	x, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return 0
	}
	return x
}

// json checks an object that is sent as it is and gives its canonical form.
func (l *loader) json(row *attribute, name string, val cty.Value, expr hcl.Expression) any {
	if !isObject(val) {
		return l.wrong(name, row, val, expr, "Write { field = … }.")
	}
	var w jsonWriter
	w.write(val, expr)
	for _, p := range w.problems {
		l.fail(p.at.Range(), fmt.Sprintf("%s in %s", p.what, name), "%s", p.detail)
	}
	if len(w.problems) > 0 {
		return nil
	}
	out, err := jcs.Transform(w.buf.Bytes())
	if err != nil {
		l.fail(expr.Range(), name+" has no canonical JSON form", "%s.", err)
		return nil
	}
	return out
}

// jsonWriter writes a known value as JSON and collects what has no exact form.
type jsonWriter struct {
	buf      bytes.Buffer
	problems []jsonProblem
}

type jsonProblem struct {
	at           hcl.Expression
	what, detail string
}

func (w *jsonWriter) write(val cty.Value, expr hcl.Expression) {
	switch {
	case val.IsNull():
		w.buf.WriteString("null")
	case isObject(val):
		w.members(val, expr)
	case isList(val):
		w.buf.WriteByte('[')
		for i, v := range elements(val) {
			if i > 0 {
				w.buf.WriteByte(',')
			}
			w.write(v, item(expr, i))
		}
		w.buf.WriteByte(']')
	case val.Type() == cty.String:
		w.text(val.AsString())
	case val.Type() == cty.Bool:
		fmt.Fprintf(&w.buf, "%t", val.True())
	case val.Type() == cty.Number:
		w.number(val.AsBigFloat(), expr)
	default:
		w.problems = append(w.problems, jsonProblem{expr, typeOfValue(val), "Only texts, numbers, true, false, null, lists and objects can be sent."})
	}
}

func (w *jsonWriter) members(val cty.Value, expr hcl.Expression) {
	w.buf.WriteByte('{')
	first := true
	for it := val.ElementIterator(); it.Next(); {
		k, v := it.Element()
		if !first {
			w.buf.WriteByte(',')
		}
		first = false
		w.text(k.AsString())
		w.buf.WriteByte(':')
		_, at := field(expr, k.AsString())
		w.write(v, at)
	}
	w.buf.WriteByte('}')
}

func (w *jsonWriter) text(s string) {
	quoted, err := json.Marshal(s)
	if err != nil { // no text fails to marshal
		quoted = []byte(`""`)
	}
	w.buf.Write(quoted)
}

func (w *jsonWriter) number(f *big.Float, expr hcl.Expression) {
	text, err := canonical(f)
	switch {
	case inexact(f):
		w.problems = append(w.problems, jsonProblem{expr, "a whole number beyond ±2^53", "It is not exact in JSON. Write it as a text, or use a smaller one."})
	case err != nil:
		w.problems = append(w.problems, jsonProblem{expr, "a number without a JSON form", err.Error() + "."})
	}
	w.buf.WriteString(string(text))
}

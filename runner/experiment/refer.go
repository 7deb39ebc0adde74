package experiment

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// reference checks that a value refers to a block of the row's type.
func (l *loader) reference(row *attribute, name string, val cty.Value, expr hcl.Expression) *decl {
	if !val.IsNull() && val.Type().Equals(referenceTypes[row.of]) {
		return val.EncapsulatedValue().(*decl)
	}
	hint := fmt.Sprintf("Write %s.name.", row.of)
	if isText(val) {
		if near := nearest(val.AsString(), l.labels(row.of)); near != "" {
			hint = fmt.Sprintf("Did you mean %s.%s, without quotes?", row.of, near)
		}
	}
	single := attribute{kind: kindReference, of: row.of}
	l.wrong(name, &single, val, expr, hint)
	return nil
}

func (l *loader) labels(kind string) []string {
	names := make([]string, len(l.decls[kind]))
	for i, d := range l.decls[kind] {
		names[i] = d.label
	}
	return names
}

// references checks a list of references without repeats.
func (l *loader) references(row *attribute, name string, val cty.Value, expr hcl.Expression) any {
	if !isList(val) {
		return l.notList(row, name, val, expr)
	}
	list, ok := make([]*decl, 0, val.LengthInt()), true
	for i, v := range elements(val) {
		at := item(expr, i)
		d := l.reference(row, "an element of "+name, v, at)
		switch {
		case d == nil:
			ok = false
		case slices.Contains(list, d):
			ok = false
			l.fail(at.Range(), fmt.Sprintf("%s.%s is in %s twice", row.of, d.label, name), "Remove one, or use distinct(…).")
		default:
			list = append(list, d)
		}
	}
	if ok && len(list) == 0 {
		l.fail(expr.Range(), name+" is empty", "Write [%s.name].", row.of)
		ok = false
	}
	if !ok {
		return nil
	}
	return list
}

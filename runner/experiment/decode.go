package experiment

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// values are the decoded attributes of a block or the members of an object.
type values struct {
	got     map[string]any       // checked values, defaults included
	written map[string]hcl.Range // place of what the file gives, also where it is wrong
	at      hcl.Range            // the block's header or the object
	broken  bool                 // a mistake was reported
}

// get is a decoded value, or the zero of its type.
func get[T any](v *values, name string) T {
	x, _ := v.got[name].(T)
	return x
}

// pointer is a decoded value, or nil where the attribute is unset.
func pointer[T any](v *values, name string) *T {
	if x, ok := v.got[name].(T); ok {
		return &x
	}
	return nil
}

// has reports whether the file gives an attribute, right or wrong.
func (v *values) has(name string) bool {
	_, ok := v.written[name]
	return ok
}

// place is where an attribute's value stands, or the block's header.
func (v *values) place(name string) hcl.Range {
	if rng, ok := v.written[name]; ok {
		return rng
	}
	return v.at
}

// decode evaluates and checks every attribute of a block.
func (l *loader) decode(d *decl) *values {
	v := &values{got: make(map[string]any, len(d.row.attrs)), written: make(map[string]hcl.Range, len(d.attrs)), at: d.at}
	before := len(l.diags)
	for i := range d.row.attrs {
		row := &d.row.attrs[i]
		attr := d.attrs[row.name]
		if attr == nil || !row.effective {
			if attr != nil {
				v.broken = true // refused by the structure check
			}
			l.unwritten(row, d.row.name, v)
			continue
		}
		v.written[row.name] = attr.Expr.Range()
		val, ok := l.evaluate(d.ctx, attr.Expr)
		if !ok {
			v.broken = true
			continue
		}
		if val.IsNull() {
			delete(v.written, row.name)
			l.unwritten(row, d.row.name, v)
			continue
		}
		if x := l.convert(row, row.name, val, attr.Expr); x != nil {
			v.got[row.name] = x
		} else {
			v.broken = true
		}
	}
	v.broken = v.broken || hcl.Diagnostics(l.diags[before:]).HasErrors()
	return v
}

// decodeOne decodes a single attribute, for its mistakes.
func (l *loader) decodeOne(d *decl, row *attribute, attr *hcl.Attribute) {
	if val, ok := l.evaluate(d.ctx, attr.Expr); ok && !val.IsNull() {
		l.convert(row, row.name, val, attr.Expr)
	}
}

// unwritten gives an absent attribute its default, or reports it missing.
func (l *loader) unwritten(row *attribute, owner string, v *values) {
	switch {
	case row.def != "":
		v.got[row.name] = l.defaultOf(row)
	case row.required && !l.torn[v.at.Filename]:
		l.fail(v.at, fmt.Sprintf("%s needs %s", article(owner), row.name), "Add %s = %s. %s", row.name, row.sample(), row.doc)
	}
}

// defaultOf is the default of a row, checked like a written value.
func (l *loader) defaultOf(row *attribute) any {
	expr, _ := hclsyntax.ParseExpression([]byte(row.def), "default", hcl.InitialPos)
	val, _ := expr.Value(nil)
	return l.convert(row, row.name, val, expr)
}

// item is the expression of element i where a list is written out, else the
// whole expression.
func item(expr hcl.Expression, i int) hcl.Expression {
	if tuple, ok := bare(expr).(*hclsyntax.TupleConsExpr); ok && i < len(tuple.Exprs) {
		return tuple.Exprs[i]
	}
	return expr
}

// field gives the expressions of key and value where an object is written
// out, else the whole expression twice.
func field(expr hcl.Expression, key string) (name, value hcl.Expression) {
	if object, ok := bare(expr).(*hclsyntax.ObjectConsExpr); ok {
		for _, it := range object.Items {
			k, _ := it.KeyExpr.Value(nil)
			if isText(k) && k.AsString() == key {
				return it.KeyExpr, it.ValueExpr
			}
		}
	}
	return expr, expr
}

// wrong reports a value of the wrong type.
func (l *loader) wrong(name string, row *attribute, val cty.Value, expr hcl.Expression, hint string) any {
	l.fail(expr.Range(), fmt.Sprintf("%s must be %s", name, row.typeName()), "This is %s. %s", typeOfValue(val), hint)
	return nil
}

// typeOfValue names the type of a value as a writer would.
func typeOfValue(val cty.Value) string {
	typ := val.Type()
	switch {
	case val.IsNull():
		return "null"
	case typ.IsCapsuleType():
		return "a reference to " + article(typ.FriendlyName())
	case typ == cty.String:
		return "a text"
	case typ.IsTupleType() || typ.IsListType() || typ.IsSetType():
		return "a list"
	case typ.IsObjectType() || typ.IsMapType():
		return "an object"
	}
	return article(typ.FriendlyName())
}

func isList(val cty.Value) bool {
	t := val.Type()
	return t.IsTupleType() || t.IsListType() || t.IsSetType()
}

func isObject(val cty.Value) bool {
	return val.Type().IsObjectType() || val.Type().IsMapType()
}

package experiment

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

var typeNames = []string{"string", "number", "bool", "any", "list", "set", "map", "object", "tuple", "optional"}

// variable is a declared variable: its type, and its default where it has one.
type variable struct {
	at       hcl.Range
	typ      cty.Type
	defaults *typeexpr.Defaults
	def      cty.Value // NilVal = none
	broken   bool
}

// variables gives every variable its value: the command line's, else the
// default. A variable with a mistake stays unknown, which silences its uses.
func (l *loader) variables() {
	values := map[string]cty.Value{}
	row := findBlock("variable", "")
	for _, r := range l.raws["variable"] {
		for _, d := range l.unroll(row, r) {
			l.declare(d)
		}
	}
	ctx := &hcl.EvalContext{Functions: maps.Clone(l.functions)}
	ctx.Functions["env"] = noEnv
	for _, d := range l.decls["variable"] {
		v := l.declaredVariable(ctx, d)
		values[d.label] = l.variableValue(d.label, v)
	}
	l.root.Variables["var"] = cty.ObjectVal(values)
	for _, name := range slices.Sorted(maps.Keys(l.opt.Vars)) {
		if _, ok := values[name]; !ok && !l.lossy && !l.lossyKind["variable"] {
			l.add(problem(nil, fmt.Sprintf("--var %s: no variable of that name is declared", name),
				didYouMean(name, slices.Sorted(maps.Keys(values)))))
		}
	}
}

// declaredVariable evaluates the attributes of a variable block.
func (l *loader) declaredVariable(ctx *hcl.EvalContext, d *decl) *variable {
	v := &variable{at: d.at, typ: cty.DynamicPseudoType}
	if attr := d.attrs["description"]; attr != nil {
		plain := *d
		plain.ctx = ctx
		l.decodeOne(&plain, d.row.attr("description"), attr)
	}
	if attr := d.attrs["type"]; attr != nil {
		v.broken = !l.typeOf(v, attr.Expr)
	}
	attr := d.attrs["default"]
	if attr == nil || v.broken {
		return v
	}
	if vars := attr.Expr.Variables(); len(vars) > 0 {
		v.broken = true
		l.fail(vars[0].SourceRange(), "a default cannot refer to anything", "Write the value itself; functions are allowed, except env.")
		return v
	}
	local := ctx.NewChild()
	local.Functions = map[string]function.Function{"file": l.fileFunction(d.at.Filename)}
	val, ok := l.evaluate(local, attr.Expr)
	if !ok {
		v.broken = true
		return v
	}
	l.setDefault(v, val, attr)
	return v
}

// setDefault checks a default against the type. A simple default gives the
// type where none is declared.
func (l *loader) setDefault(v *variable, val cty.Value, attr *hcl.Attribute) {
	if v.typ == cty.DynamicPseudoType && val.Type().IsPrimitiveType() {
		v.typ = val.Type()
	}
	def, err := v.convert(val)
	if err != nil {
		v.broken = true
		l.fail(attr.Expr.Range(), fmt.Sprintf("the default is not %s", article(typeexpr.TypeString(v.typ))), "Here %s.", err)
		return
	}
	v.def = def
}

func (v *variable) convert(val cty.Value) (cty.Value, error) {
	if v.defaults != nil && !val.IsNull() {
		val = v.defaults.Apply(val)
	}
	return convert.Convert(val, v.typ)
}

// typeOf reads a type constraint.
func (l *loader) typeOf(v *variable, expr hcl.Expression) bool {
	if word := hcl.ExprAsKeyword(expr); word != "" && !slices.Contains(typeNames, word) {
		l.fail(expr.Range(), fmt.Sprintf("no type %q", word), "%s", didYouMean(word, typeNames))
		return false
	}
	typ, defaults, diags := typeexpr.TypeConstraintWithDefaults(expr)
	l.add(outermost(diags)...)
	v.typ, v.defaults = typ, defaults
	return !diags.HasErrors()
}

// variableValue is the value in force.
func (l *loader) variableValue(name string, v *variable) cty.Value {
	text, given := l.opt.Vars[name]
	switch {
	case v.broken:
		return cty.DynamicVal
	case given:
		return l.givenValue(name, text, v)
	case v.def == cty.NilVal:
		l.fail(v.at, fmt.Sprintf("variable %q has no value", name), "Give one with --var %s=…, or add a default.", name)
		return cty.DynamicVal
	}
	return v.def
}

// givenValue converts the text of --var: as it stands for a string, else as
// an HCL value such as 20, true or ["P4", "P5"].
func (l *loader) givenValue(name, text string, v *variable) cty.Value {
	val := cty.StringVal(text)
	if v.typ != cty.String && (v.typ != cty.DynamicPseudoType || v.def != cty.NilVal) {
		expr, diags := hclsyntax.ParseExpression([]byte(text), "--var "+name, hcl.InitialPos)
		if !diags.HasErrors() {
			val, diags = expr.Value(nil)
		}
		if diags.HasErrors() || !val.IsWhollyKnown() {
			val = cty.StringVal(text)
		}
	}
	converted, err := v.convert(val)
	if err != nil {
		l.add(problem(nil, fmt.Sprintf("--var %s: not %s", name, article(typeexpr.TypeString(v.typ))),
			fmt.Sprintf("Variable %q is declared at %s: %s.", name, where(v.at), err)))
		return cty.DynamicVal
	}
	return converted
}

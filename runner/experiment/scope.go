package experiment

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// referenceTypes are the types of endpoint.x, model.x, …: opaque values that
// lists, for expressions and functions pass through unchanged.
var referenceTypes = func() map[string]cty.Type {
	types := map[string]cty.Type{}
	for i := range language {
		if name := language[i].name; slices.Contains(dynamicKinds, name) {
			types[name] = cty.Capsule(name, reflect.TypeFor[decl]())
		}
	}
	return types
}()

// expose makes the declared blocks of one type visible as type.label.
func (l *loader) expose(kind string) {
	members := make(map[string]cty.Value, len(l.decls[kind]))
	for _, d := range l.decls[kind] {
		if _, taken := members[d.label]; !taken {
			members[d.label] = cty.CapsuleVal(referenceTypes[kind], d)
		}
	}
	l.root.Variables[kind] = cty.ObjectVal(members)
}

// evaluate gives the value of an expression, or false when a mistake was
// reported, now or where the expression gets its value from.
func (l *loader) evaluate(ctx *hcl.EvalContext, expr hcl.Expression) (cty.Value, bool) {
	rng := expr.Range()
	l.current = &rng
	before := len(l.diags)
	if !l.checkNames(ctx, expr) {
		return cty.DynamicVal, false
	}
	val, diags := expr.Value(ctx)
	l.add(outermost(diags)...)
	if errorsIn(l.diags[before:]) || !val.IsWhollyKnown() {
		return cty.DynamicVal, false
	}
	val, _ = val.UnmarkDeep()
	return val, true
}

func errorsIn(diags hcl.Diagnostics) bool { return diags.HasErrors() }

// checkNames reports the unknown functions and references of an expression,
// each with a suggestion. What try and can guard is left alone.
func (l *loader) checkNames(ctx *hcl.EvalContext, expr hcl.Expression) bool {
	ok := true
	var guarded []hcl.Range
	if node, is := bare(expr).(hclsyntax.Node); is {
		hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
			call, is := n.(*hclsyntax.FunctionCallExpr)
			if !is {
				return nil
			}
			if call.Name == "try" || call.Name == "can" {
				guarded = append(guarded, call.Range())
			} else if _, known := l.functions[call.Name]; !known && call.Name != "file" {
				l.fail(call.NameRange, fmt.Sprintf("no function %q", call.Name), "%s", didYouMean(call.Name, functionNames(l.functions)))
				ok = false
			}
			return nil
		})
	}
	for _, t := range expr.Variables() {
		inside := func(rng hcl.Range) bool { return rng.Overlaps(t.SourceRange()) }
		if slices.ContainsFunc(guarded, inside) {
			continue
		}
		ok = l.checkReference(ctx, t) && ok
	}
	return ok
}

// bare is an expression without the wrapper of a dynamic block.
func bare(expr hcl.Expression) hcl.Expression {
	for {
		wrapped, ok := expr.(interface{ UnwrapExpression() hcl.Expression })
		if !ok {
			return expr
		}
		expr = wrapped.UnwrapExpression()
	}
}

// checkReference checks the first two steps of a reference: model.agent.
func (l *loader) checkReference(ctx *hcl.EvalContext, t hcl.Traversal) bool {
	root := t.RootName()
	members, known := lookup(ctx, root)
	if !known {
		l.unknownRoot(ctx, t)
		return false
	}
	if len(t) < 2 || !members.Type().IsObjectType() {
		return true
	}
	name := member(t[1])
	if name == "" || members.Type().HasAttribute(name) {
		return true
	}
	if l.lossy || l.lossyKind[root] || l.lossyLabel[name] {
		return false
	}
	declared := slices.Sorted(maps.Keys(members.Type().AttributeTypes()))
	detail := fmt.Sprintf("None is declared. Add %s \"%s\" { … }.", root, name)
	if root == "var" {
		detail = fmt.Sprintf("None is declared. Add variable \"%s\" { … }.", name)
	}
	if near := nearest(name, declared); near != "" {
		detail = fmt.Sprintf("Did you mean %s.%s?", root, near)
	} else if len(declared) > 0 {
		detail = "Declared: " + list(root, declared) + "."
	}
	l.fail(t[:2].SourceRange(), fmt.Sprintf("no %s named %q", noun(root), name), "%s", detail)
	return false
}

func noun(root string) string {
	if root == "var" {
		return "variable"
	}
	return root
}

func list(root string, names []string) string {
	text := ""
	for i, n := range names {
		if i > 0 {
			text += ", "
		}
		text += root + "." + n
	}
	return text
}

// member is the name that the second step of a reference asks for.
func member(step hcl.Traverser) string {
	switch s := step.(type) {
	case hcl.TraverseAttr:
		return s.Name
	case hcl.TraverseIndex:
		if isText(s.Key) {
			return s.Key.AsString()
		}
	}
	return ""
}

// unknownRoot reports a reference that begins with no known name: a
// misspelled one, or a text without quotes.
func (l *loader) unknownRoot(ctx *hcl.EvalContext, t hcl.Traversal) {
	root := t.RootName()
	var roots []string
	for c := ctx; c != nil; c = c.Parent() {
		for name := range c.Variables {
			roots = append(roots, name)
		}
	}
	slices.Sort(roots)
	detail := fmt.Sprintf("A text needs quotes: %q.", root)
	if len(t) > 1 {
		detail = didYouMean(root, roots)
		if slices.Contains(dynamicKinds, root) {
			detail = fmt.Sprintf("A reference to %s cannot stand here. %s", article(root), oneOf(roots))
		}
	}
	l.fail(t.SourceRange(), fmt.Sprintf("nothing is called %q", root), "%s", detail)
}

// lookup finds a name in a context and those around it.
func lookup(ctx *hcl.EvalContext, name string) (cty.Value, bool) {
	for c := ctx; c != nil; c = c.Parent() {
		if val, ok := c.Variables[name]; ok {
			return val, true
		}
	}
	return cty.NilVal, false
}

// isText reports a known text.
func isText(val cty.Value) bool {
	return val != cty.NilVal && val.Type() == cty.String && val.IsKnown() && !val.IsNull()
}

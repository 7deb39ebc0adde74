package experiment

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// decl is a declared block: labelled, dynamic blocks unrolled, its
// expressions not yet evaluated.
type decl struct {
	row   *block
	label string
	at    hcl.Range // its header
	attrs hcl.Attributes
	inner []*decl // blocks that stand in it
	ctx   *hcl.EvalContext

	value any // *Endpoint, *Model, *Cases, []*Defense or *Run
}

// expand unrolls the dynamic blocks of one type, registers the labels and
// makes the blocks visible to references.
func (l *loader) expand(kind string) {
	row := findBlock(kind, "")
	for _, r := range l.raws[kind] {
		for _, d := range l.unroll(row, r) {
			l.declare(d)
		}
	}
	l.expose(kind)
}

// declare registers a block unless its label is taken. The labels of a second
// experiment's file are taken because it does not belong here, which is said
// of its experiment block.
func (l *loader) declare(d *decl) {
	kind := d.row.name
	if l.named[kind] == nil {
		l.named[kind] = map[string]*decl{}
	}
	if first := l.named[kind][d.label]; first != nil {
		if l.foreign[d.at.Filename] {
			return
		}
		l.fail(d.at, fmt.Sprintf("%s %q is declared twice", kind, d.label),
			"The first is at %s. Rename one of them.", where(first.at))
		return
	}
	l.named[kind][d.label] = d
	l.decls[kind] = append(l.decls[kind], d)
}

// unroll turns what was written into declarations: one, or one for each
// element of a dynamic block.
func (l *loader) unroll(row *block, r *raw) []*decl {
	ctx := l.context(r.file)
	if r.syntax.Type != "dynamic" {
		d := &decl{row: row, label: r.syntax.Labels[0], at: r.syntax.DefRange(), attrs: attributesOf(r.syntax.Body), ctx: ctx}
		for _, b := range r.syntax.Body.Blocks {
			if inner := findBlock(b.Type, row.name); inner != nil {
				d.inner = append(d.inner, &decl{row: inner, at: b.DefRange(), attrs: attributesOf(b.Body), ctx: ctx})
			}
		}
		return []*decl{d}
	}
	if each := r.syntax.Body.Attributes["for_each"]; each != nil {
		if _, ok := l.evaluate(ctx, each.Expr); !ok {
			l.lossyKind[row.name] = true
			return nil
		}
	}
	return l.unrollDynamic(row, r, ctx)
}

func (l *loader) unrollDynamic(row *block, r *raw, ctx *hcl.EvalContext) []*decl {
	body := dynblock.Expand(&hclsyntax.Body{Blocks: hclsyntax.Blocks{r.syntax}}, ctx)
	content, diags := body.Content(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: row.name, LabelNames: []string{row.label}}}})
	l.add(outermost(diags)...)
	if diags.HasErrors() {
		l.lossyKind[row.name] = true
	}
	var decls []*decl
	for _, b := range content.Blocks {
		if !l.goodLabel(row.name, b.Labels[0], b.LabelRanges[0]) {
			continue
		}
		inner, _, diags := b.Body.PartialContent(row.schema())
		l.add(diags...)
		d := &decl{row: row, label: b.Labels[0], at: b.LabelRanges[0], attrs: inner.Attributes, ctx: ctx}
		for _, name := range blockNames(row.name) {
			d.inner = append(d.inner, inside(b.Body, findBlock(name, row.name), ctx)...)
		}
		decls = append(decls, d)
	}
	return decls
}

// attributesOf are the attributes of a body as decoding takes them.
func attributesOf(body *hclsyntax.Body) hcl.Attributes {
	attrs := make(hcl.Attributes, len(body.Attributes))
	for name, a := range body.Attributes {
		attrs[name] = a.AsHCLAttribute()
	}
	return attrs
}

// inside are the blocks of one type that stand in an unrolled block. What is
// wrong with their outline was reported with the structure.
func inside(body hcl.Body, row *block, ctx *hcl.EvalContext) []*decl {
	content, _, _ := body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: row.name}}})
	var decls []*decl
	for _, b := range content.Blocks {
		attrs, _, _ := b.Body.PartialContent(row.schema())
		decls = append(decls, &decl{row: row, at: b.DefRange, attrs: attrs.Attributes, ctx: ctx})
	}
	return decls
}

// schema lists the attributes of a block type; required ones are checked when
// they are decoded, where null counts as absent.
func (b *block) schema() *hcl.BodySchema {
	s := &hcl.BodySchema{Attributes: make([]hcl.AttributeSchema, len(b.attrs))}
	for i := range b.attrs {
		s.Attributes[i].Name = b.attrs[i].name
	}
	return s
}

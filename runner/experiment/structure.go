package experiment

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// raw is a block as written, its outline checked, nothing evaluated.
type raw struct {
	syntax *hclsyntax.Block
	file   *file
}

// labelShape is what a label must look like: it is used in references, in
// --only and, for an experiment, as the name of a directory.
var labelShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// structure checks the outline of a file: which blocks and attributes stand
// where, under which labels.
func (l *loader) structure(f *file) {
	for _, attr := range byPlace(f.body) {
		if attr.Name != "include" {
			l.strayAttribute(nil, attr)
		}
	}
	for _, b := range f.body.Blocks {
		if b.Type == "dynamic" {
			l.dynamicBlock(f, b)
			continue
		}
		row := findBlock(b.Type, "")
		switch {
		case row == nil:
			l.strayBlock(b, "")
		case !row.effective:
			l.unavailable(b.TypeRange, "block "+b.Type)
			l.lossyKind[b.Type] = true
		case l.labelled(row, b):
			l.attributes(row, b.Body)
			l.raws[row.name] = append(l.raws[row.name], &raw{b, f})
			if row.name == "experiment" && l.raws[row.name][0].file != f {
				l.foreign[f.name] = true
			}
		}
	}
}

// byPlace lists the attributes of a body as written; the parser keeps a map.
func byPlace(body *hclsyntax.Body) []*hclsyntax.Attribute {
	attrs := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		attrs = append(attrs, a)
	}
	slices.SortFunc(attrs, func(a, b *hclsyntax.Attribute) int {
		return cmp.Compare(a.NameRange.Start.Byte, b.NameRange.Start.Byte)
	})
	return attrs
}

// dynamicBlock checks a dynamic block as far as its content is known.
func (l *loader) dynamicBlock(f *file, b *hclsyntax.Block) {
	if len(b.Labels) != 1 {
		l.lossy = true
		l.fail(b.DefRange(), "a dynamic block needs one label: the block type it makes", `Write dynamic "model" { … }.`)
		return
	}
	name := b.Labels[0]
	row := findBlock(name, "")
	switch {
	case row == nil:
		l.lossy = true
		l.fail(b.LabelRanges[0], fmt.Sprintf("no block type %q", name), "%s", didYouMean(name, dynamicKinds))
	case !row.effective:
		l.unavailable(b.LabelRanges[0], "block "+name)
		l.lossyKind[name] = true
	case !row.dynamic:
		l.fail(b.LabelRanges[0], fmt.Sprintf("%s cannot be dynamic", article(name)), "%s", oneOf(dynamicKinds))
	default:
		for _, inner := range b.Body.Blocks {
			if inner.Type == "content" {
				l.attributes(row, inner.Body)
			}
		}
		l.raws[name] = append(l.raws[name], &raw{b, f})
	}
}

// labelled checks the label of a block.
func (l *loader) labelled(row *block, b *hclsyntax.Block) bool {
	if len(b.Labels) == 1 {
		return l.goodLabel(row.name, b.Labels[0], b.LabelRanges[0])
	}
	l.lossyKind[row.name] = true
	detail := fmt.Sprintf("Write %s \"%s\" { … }.", row.name, row.label)
	if len(b.Labels) == 0 {
		l.fail(b.DefRange(), fmt.Sprintf("%s needs a label", article(row.name)), "%s", detail)
	} else {
		l.fail(b.LabelRanges[1], fmt.Sprintf("%s takes one label, this one has %d", article(row.name), len(b.Labels)), "%s", detail)
	}
	return false
}

func (l *loader) goodLabel(kind, label string, at hcl.Range) bool {
	if labelShape.MatchString(label) {
		return true
	}
	l.lossyKind[kind] = true
	l.fail(at, fmt.Sprintf("%s cannot be called %q", article(kind), label),
		"A label has 1 to 64 letters, digits, _ and - and begins with a letter.%s", asLabel(label))
	return false
}

// maxLabel is the length of the longest label.
const maxLabel = 64

// asLabel proposes the nearest valid label.
func asLabel(label string) string {
	fixed := nearestLabel(label)
	if !labelShape.MatchString(fixed) {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", fixed)
}

// nearestLabel has - in place of what a label cannot hold; it may still begin
// with a digit or be too long.
func nearestLabel(text string) string {
	fixed := strings.Map(func(r rune) rune {
		if r < 128 && labelShape.MatchString("a"+string(r)) {
			return r
		}
		return '-'
	}, text)
	return strings.Trim(fixed, "-")
}

// attributes checks which attributes and blocks stand in a block.
func (l *loader) attributes(row *block, body *hclsyntax.Body) {
	for _, attr := range byPlace(body) {
		known := row.attr(attr.Name)
		switch {
		case known == nil:
			l.strayAttribute(row, attr)
		case !known.effective:
			l.unavailable(attr.NameRange, "attribute "+attr.Name)
		}
	}
	for _, b := range body.Blocks {
		name, at := b.Type, b.TypeRange
		if name == "dynamic" && len(b.Labels) == 1 {
			name, at = b.Labels[0], b.LabelRanges[0]
		}
		nested := findBlock(name, row.name)
		switch {
		case nested != nil && !nested.effective:
			l.unavailable(at, "block "+name)
		case nested != nil && b.Type == "dynamic":
			l.fail(at, fmt.Sprintf("%s cannot be dynamic", article(name+" block")), "Write %s { … }.", name)
		case nested != nil:
			if len(b.Labels) > 0 {
				l.fail(b.LabelRanges[0], article(name+" block")+" takes no label", "Write %s { … }.", name)
			}
			l.attributes(nested, b.Body)
		case row.attr(name) != nil:
			l.fail(at, fmt.Sprintf("%s is an attribute, not a block", name), "Write %s = … with an equals sign.", name)
		default:
			l.strayBlock(b, row.name)
		}
	}
}

// unavailable refuses what later versions will know.
func (l *loader) unavailable(at hcl.Range, what string) {
	l.fail(at, what+" is not available in this version", "Remove it.")
}

// strayAttribute reports an attribute that its block (nil: the top level)
// does not have.
func (l *loader) strayAttribute(row *block, attr *hclsyntax.Attribute) {
	if row == nil {
		detail := didYouMean(attr.Name, []string{"include"})
		if findBlock(attr.Name, "") != nil {
			detail = fmt.Sprintf("%s is a block: write %s \"name\" { … } without an equals sign.", attr.Name, attr.Name)
		} else if home := homeOf(attr.Name); home != "" {
			detail = fmt.Sprintf("%s belongs in %s.", attr.Name, article(home+" block"))
		}
		l.fail(attr.NameRange, fmt.Sprintf("no attribute %q at the top level", attr.Name), "%s", detail)
		return
	}
	names := attrNames(row.attrs)
	detail := oneOf(names)
	if findBlock(attr.Name, row.name) != nil {
		detail = fmt.Sprintf("%s is a block: write %s { … } without an equals sign.", attr.Name, attr.Name)
	} else if near := nearest(attr.Name, names); near != "" {
		detail = fmt.Sprintf("Did you mean %q?", near)
	} else if home := homeOf(attr.Name); home != "" {
		detail = fmt.Sprintf("%s belongs in %s.", attr.Name, article(home+" block"))
	}
	l.fail(attr.NameRange, fmt.Sprintf("%s has no attribute %q", article(row.name), attr.Name), "%s", detail)
}

// homeOf finds a block type that has an attribute of that name.
func homeOf(name string) string {
	for i := range language {
		if language[i].attr(name) != nil {
			return language[i].name
		}
	}
	return ""
}

// strayBlock reports a block that inside does not have. References to what it
// meant to declare give no second error.
func (l *loader) strayBlock(b *hclsyntax.Block, inside string) {
	if inside != "" {
		detail := "Blocks do not stand in one another."
		if own := blockNames(inside); len(own) > 0 {
			detail = oneOf(own)
		}
		if findBlock(b.Type, "") != nil {
			detail = fmt.Sprintf("%s stands at the top level of a file.", article(b.Type))
		} else if near := nearest(b.Type, blockNames(inside)); near != "" {
			detail = fmt.Sprintf("Did you mean %q?", near)
		}
		l.fail(b.TypeRange, fmt.Sprintf("no block %q in %s", b.Type, article(inside)), "%s", detail)
		return
	}
	l.lossy = l.lossy || len(b.Labels) == 0
	for _, label := range b.Labels {
		l.lossyLabel[label] = true
	}
	detail := didYouMean(b.Type, blockNames(""))
	for i := range language {
		if language[i].name == b.Type {
			detail = fmt.Sprintf("%s stands in %s.", b.Type, article(language[i].inside+" block"))
		}
	}
	if near := nearest(b.Type, blockNames("")); near != "" {
		l.lossyKind[near] = true
	}
	l.fail(b.TypeRange, fmt.Sprintf("no block type %q", b.Type), "%s", detail)
}

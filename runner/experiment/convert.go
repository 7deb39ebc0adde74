package experiment

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// convert checks a known, non-null value against a row and gives it as Go:
// string, bool, int64, Number, time.Duration, []string, map[string]string,
// *decl, []*decl, *values or []byte. It gives nil after reporting a mistake.
func (l *loader) convert(row *attribute, name string, val cty.Value, expr hcl.Expression) any {
	switch row.kind {
	case kindString, kindName, kindURL, kindVariable, kindFile, kindPath, kindDuration:
		return l.convertText(row, name, val, expr)
	case kindBool:
		if b, err := convert.Convert(val, cty.Bool); err == nil {
			return b.True()
		}
		return l.wrong(name, row, val, expr, "Write true or false.")
	case kindInteger, kindNumber:
		return l.convertNumber(row, name, val, expr)
	case kindStrings, kindNames:
		return l.convertList(row, name, val, expr)
	case kindFiles, kindTexts:
		return l.convertMap(row, name, val, expr)
	case kindReference:
		if d := l.reference(row, name, val, expr); d != nil {
			return d
		}
	case kindReferences:
		return l.references(row, name, val, expr)
	case kindObject:
		return l.object(row, name, val, expr)
	case kindJSON:
		return l.json(row, name, val, expr)
	}
	return nil
}

func (l *loader) convertText(row *attribute, name string, val cty.Value, expr hcl.Expression) any {
	text, err := convert.Convert(val, cty.String)
	if err != nil || (row.kind == kindDuration && val.Type() != cty.String) {
		hint := ""
		if row.kind == kindDuration && err == nil {
			hint = fmt.Sprintf("Write \"%ss\" for seconds.", text.AsString())
		}
		return l.wrong(name, row, val, expr, hint)
	}
	s := text.AsString()
	if s == "" {
		l.fail(expr.Range(), name+" is empty", "Write %s, or remove the attribute.", row.typeName())
		return nil
	}
	switch row.kind {
	case kindName:
		return l.name(row, name, s, expr)
	case kindDuration:
		return l.duration(name, s, expr)
	case kindURL:
		return l.baseURL(name, s, expr)
	case kindVariable:
		return l.variableName(name, s, expr)
	case kindFile:
		return l.existing(s, expr)
	case kindPath:
		return beside(expr.Range().Filename, s)
	}
	return s
}

// name checks one of the allowed names.
func (l *loader) name(row *attribute, name, s string, expr hcl.Expression) any {
	if !slices.Contains(l.allowed(row), s) {
		l.fail(expr.Range(), fmt.Sprintf("%s cannot be %q", name, s), "%s", didYouMean(s, l.allowed(row)))
		return nil
	}
	return s
}

func (l *loader) duration(name, s string, expr hcl.Expression) any {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		hint := `Write a number with its unit, such as "90s" or "2m".`
		if _, err := strconv.ParseFloat(s, 64); err == nil && !strings.HasPrefix(s, "-") {
			hint = fmt.Sprintf("Did you mean \"%ss\"?", s)
		}
		l.fail(expr.Range(), fmt.Sprintf("%s cannot be %q", name, s), "A duration above zero is needed. %s", hint)
		return nil
	}
	return d
}

// existing resolves the path of a file and checks that it is there.
func (l *loader) existing(s string, expr hcl.Expression) any {
	full := beside(expr.Range().Filename, s)
	info, err := l.disk.stat(full)
	if err != nil {
		hint := ""
		switch filepath.Base(full) {
		case "accepted_cases.jsonl":
			hint = "memform cases build makes it from families/."
		case "case_results.jsonl":
			hint = "memform run writes it below results/."
		}
		l.fail(expr.Range(), fmt.Sprintf("cannot read %q: %s", s, reason(err)),
			"Paths are relative to the file they stand in; this one leads to %s. %s", full, hint)
		return nil
	}
	if info.IsDir() {
		l.fail(expr.Range(), fmt.Sprintf("%q is a directory", s), "Name a file in it.")
		return nil
	}
	return full
}

// convertList checks a list of texts or names.
func (l *loader) convertList(row *attribute, name string, val cty.Value, expr hcl.Expression) any {
	if !isList(val) {
		return l.notList(row, name, val, expr)
	}
	one := attribute{kind: kindString, allowed: row.allowed}
	if row.kind == kindNames {
		one.kind = kindName
	}
	list, ok := make([]string, 0, val.LengthInt()), true
	for i, v := range elements(val) {
		at := item(expr, i)
		if v.IsNull() || (v.Type() != cty.String && !v.Type().IsPrimitiveType()) {
			ok = l.wrong("an element of "+name, &one, v, at, "") != nil
			continue
		}
		s, is := l.convertText(&one, "an element of "+name, v, at).(string)
		switch {
		case !is:
			ok = false
		case row.kind == kindNames && slices.Contains(list, s):
			ok = false
			l.fail(at.Range(), fmt.Sprintf("%q is in %s twice", s, name), "Remove one.")
		default:
			list = append(list, s)
		}
	}
	return l.nonEmpty(row, name, list, ok, expr)
}

func (l *loader) nonEmpty(row *attribute, name string, list []string, ok bool, expr hcl.Expression) any {
	switch {
	case !ok:
		return nil
	case len(list) == 0:
		l.fail(expr.Range(), name+" is empty", "%s", strings.TrimSpace("Write "+row.typeName()+", or remove the attribute. "+oneOf(row.allowed)))
		return nil
	}
	return list
}

// notList reports a single value where a list belongs.
func (l *loader) notList(row *attribute, name string, val cty.Value, expr hcl.Expression) any {
	hint := ""
	if text, err := convert.Convert(val, cty.String); err == nil {
		hint = fmt.Sprintf("Write [%q].", text.AsString())
	} else if val.Type().IsCapsuleType() {
		d := val.EncapsulatedValue().(*decl)
		hint = fmt.Sprintf("Write [%s.%s].", d.row.name, d.label)
	}
	return l.wrong(name, row, val, expr, hint)
}

// elements lists what a list holds, in its order.
func elements(val cty.Value) []cty.Value {
	list := make([]cty.Value, 0, val.LengthInt())
	for it := val.ElementIterator(); it.Next(); {
		_, v := it.Element()
		list = append(list, v)
	}
	return list
}

// convertMap checks an object of texts or files.
func (l *loader) convertMap(row *attribute, name string, val cty.Value, expr hcl.Expression) any {
	if !isObject(val) {
		return l.wrong(name, row, val, expr, "Write { name = … }.")
	}
	one := attribute{kind: kindString}
	if row.kind == kindFiles {
		one.kind = kindFile
	}
	texts, ok := map[string]string{}, true
	for it := val.ElementIterator(); it.Next(); {
		k, v := it.Element()
		key := k.AsString()
		_, at := field(expr, key)
		if v.IsNull() {
			continue
		}
		s, is := l.convert(&one, fmt.Sprintf("%s of %s", key, name), v, at).(string)
		texts[key], ok = s, ok && is
	}
	if !ok {
		return nil
	}
	return texts
}

// object decodes an object of declared members.
func (l *loader) object(row *attribute, name string, val cty.Value, expr hcl.Expression) any {
	if !isObject(val) {
		return l.wrong(name, row, val, expr, "Write { "+row.fields[0].name+" = … }.")
	}
	v := &values{got: map[string]any{}, written: map[string]hcl.Range{}, at: expr.Range()}
	before := len(l.diags)
	names, misspelled := attrNames(row.fields), false
	for it := val.ElementIterator(); it.Next(); {
		k, x := it.Element()
		key, at := field(expr, k.AsString())
		member := slices.Index(names, k.AsString())
		if member < 0 {
			misspelled = true
			l.fail(key.Range(), fmt.Sprintf("%s has no member %q", name, k.AsString()), "%s", didYouMean(k.AsString(), names))
			continue
		}
		if !x.IsNull() {
			v.written[names[member]] = at.Range()
			v.got[names[member]] = l.convert(&row.fields[member], fmt.Sprintf("%s of %s", names[member], name), x, at)
		}
	}
	for i := range row.fields {
		f := &row.fields[i]
		if !v.has(f.name) && !(misspelled && f.required) {
			l.unwritten(f, name, v)
		}
	}
	if hcl.Diagnostics(l.diags[before:]).HasErrors() {
		return nil
	}
	return v
}

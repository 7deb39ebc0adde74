package experiment

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Format gives the canonical layout of a file, ending in one newline. A file with a syntax error is
// not touched: the diagnostics say what is wrong.
func Format(src []byte, name string) ([]byte, hcl.Diagnostics) {
	l := newLoader(Options{})
	if bad := firstInvalid(src); bad >= 0 {
		l.notUTF8(name, src, bad)
		return nil, l.diags
	}
	if _, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos); diags.HasErrors() {
		l.add(outermost(diags)...)
		return nil, l.diags
	}
	out := bytes.TrimRight(hclwrite.Format(src), " \t\r\n")
	if len(out) == 0 {
		return nil, nil
	}
	return append(out, '\n'), nil
}

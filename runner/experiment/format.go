package experiment

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Format gives the canonical layout of a file. A file with a syntax error is
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
	// The formatter aligns by what it finds; a second pass can move what the
	// first has put on a new line.
	out := src
	for range 4 {
		next := hclwrite.Format(out)
		if bytes.Equal(next, out) {
			break
		}
		out = next
	}
	if out = bytes.TrimRight(out, "\n"); len(out) > 0 {
		out = append(bytes.Clone(out), '\n')
	}
	return out, nil
}

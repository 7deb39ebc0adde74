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
	// The formatter aligns by what it finds: a second pass can move what the
	// first has put elsewhere, so it runs until nothing changes.
	out := onePass(src)
	for range 4 {
		next := onePass(out)
		if bytes.Equal(next, out) {
			break
		}
		out = next
	}
	return out, nil
}

// onePass formats and ends the file with one newline.
func onePass(src []byte) []byte {
	out := bytes.TrimRight(hclwrite.Format(src), " \t\r\n")
	if len(out) == 0 {
		return nil
	}
	return append(out, '\n')
}

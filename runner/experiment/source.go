package experiment

import (
	"bytes"
	"fmt"
	"io"
	"regexp"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Source is the text of the files that a load read, for printing diagnostics.
// What looks like a secret is masked in it.
type Source struct{ files map[string]*hcl.File }

// Files gives the files by name, as hcl.NewDiagnosticTextWriter wants them.
func (s *Source) Files() map[string]*hcl.File { return s.files }

// Write prints diagnostics: each with file:line:column, the source line and
// what to do. width 0 does not wrap.
func (s *Source) Write(w io.Writer, diags hcl.Diagnostics, width uint, colour bool) error {
	printer := hcl.NewDiagnosticTextWriter(w, s.files, width, colour)
	for _, d := range diags {
		placed := *d
		if d.Subject != nil {
			placed.Summary = where(*d.Subject) + ": " + d.Summary
		}
		if err := printer.WriteDiagnostic(&placed); err != nil {
			return fmt.Errorf("print diagnostics: %w", err)
		}
	}
	return nil
}

// keyShape matches texts that carry the prefix of a known kind of key.
var keyShape = regexp.MustCompile(`(?i)(\b(sk|pk|rk)[-_]|\b(gsk|hf|r8|ghp)_|\bxai-|\bAIza|\bbearer\s+)[^\s"]{6,}`)

// secretName matches the names under which people store keys.
var secretName = regexp.MustCompile(`(?i)(api_?key|token|secret|password|authorization|credential)s?$`)

// mask overwrites, in what is printed, the given places and every quoted text
// that looks like a key.
func (s *Source) mask(places []hcl.Range) {
	for name, file := range s.files {
		shown := bytes.Clone(file.Bytes)
		for _, rng := range places {
			if rng.Filename == name {
				blot(shown, rng.Start.Byte, rng.End.Byte)
			}
		}
		for _, at := range keyShape.FindAllIndex(shown, -1) {
			blot(shown, at[0], at[1])
		}
		masked := *file
		masked.Bytes = shown
		s.files[name] = &masked
	}
}

func blot(b []byte, from, to int) {
	for i := max(from, 0); i < min(to, len(b)); i++ {
		if b[i] != '\n' && b[i] != '"' {
			b[i] = '*'
		}
	}
}

// secretAttributes finds attributes that no block knows and that are named
// like a key: their values are masked whatever they look like.
func secretAttributes(body *hclsyntax.Body) []hcl.Range {
	var places []hcl.Range
	for name, attr := range body.Attributes {
		if secretName.MatchString(name) && !knownAttribute(name) {
			places = append(places, attr.Expr.Range())
		}
	}
	for _, b := range body.Blocks {
		places = append(places, secretAttributes(b.Body)...)
	}
	return places
}

func knownAttribute(name string) bool {
	for i := range language {
		if language[i].attr(name) != nil {
			return true
		}
	}
	return false
}

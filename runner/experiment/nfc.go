package experiment

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"golang.org/x/text/unicode/norm"
)

const nfcAdvice = "Texts in experiment files are normalised to NFC, so the value differs from what is written. Where the exact bytes matter, put them into a prompt file: prompts are read as bytes."

func (l *loader) warn(at hcl.Range, summary, detail string) {
	l.add(&hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: summary, Detail: detail, Subject: &at})
}

var unicodeEscape = regexp.MustCompile(`\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}`)

// warnNFC warns at every literal that the evaluator's normalisation changes.
func (l *loader) warnNFC(name string, src []byte) {
	if norm.NFC.IsNormal(src) && !unicodeEscape.Match(src) {
		return
	}
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	for _, t := range tokens {
		text := t.Bytes
		switch t.Type {
		case hclsyntax.TokenQuotedLit:
			text = unicodeEscape.ReplaceAllFunc(text, unescape)
		case hclsyntax.TokenStringLit:
		default:
			continue
		}
		if !norm.NFC.IsNormal(text) {
			l.warn(t.Range, "this text is changed to Unicode NFC", nfcAdvice)
		}
	}
}

func unescape(escape []byte) []byte {
	code, err := strconv.ParseUint(string(bytes.TrimLeft(escape, `\uU`)), 16, 32)
	if err != nil {
		return escape
	}
	return []byte(string(rune(code)))
}

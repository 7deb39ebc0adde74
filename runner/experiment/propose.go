package experiment

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// Propose writes an endpoint and a model as blocks of an experiment file:
// what is set, and of defaults nothing. It writes the attributes that finding
// out about a server can fill; others are left to their author.
func Propose(e *Endpoint, m *Model) []byte {
	f := hclwrite.NewEmptyFile()
	b := f.Body().AppendNewBlock("endpoint", []string{e.Name}).Body()
	text(b, "base_url", e.BaseURL)
	if e.Kind == "azure" {
		text(b, "kind", e.Kind)
		text(b, "api_version", e.APIVersion)
	}
	text(b, "api_key_env", e.APIKeyEnv)
	if !e.IdentityIsURL {
		text(b, "identity", e.declaredIdentity())
	}
	whole(b, "requests_per_minute", e.RequestsPerMinute)
	whole(b, "tokens_per_minute", e.TokensPerMinute)
	f.Body().AppendNewline()

	b = f.Body().AppendNewBlock("model", []string{m.Name}).Body()
	b.SetAttributeTraversal("endpoint", hcl.Traversal{hcl.TraverseRoot{Name: "endpoint"}, hcl.TraverseAttr{Name: e.Name}})
	text(b, "id", m.ID)
	if m.Temperature != nil {
		b.SetAttributeRaw("temperature", hclwrite.Tokens{{Type: hclsyntax.TokenNumberLit, Bytes: []byte(*m.Temperature)}})
	}
	if m.MaxTokens != nil {
		whole(b, "max_tokens", *m.MaxTokens)
	}
	if m.MaxTokensField != tokenFieldNames[0] {
		text(b, "max_tokens_field", m.MaxTokensField)
	}
	return hclwrite.Format(f.Bytes())
}

// declaredIdentity is the identity without what loading adds to it.
func (e *Endpoint) declaredIdentity() string {
	id := e.Identity
	if e.KeyHeaders && len(e.Headers) > 0 {
		id = strings.TrimSuffix(id, " "+headerText(e.Headers))
	}
	return strings.TrimSuffix(id, " azure api-version="+e.APIVersion)
}

func text(b *hclwrite.Body, name, value string) {
	if value != "" {
		b.SetAttributeValue(name, cty.StringVal(value))
	}
}

func whole(b *hclwrite.Body, name string, value int) {
	if value > 0 {
		b.SetAttributeValue(name, cty.NumberIntVal(int64(value)))
	}
}

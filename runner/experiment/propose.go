package experiment

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Propose writes an endpoint and a model as blocks of an experiment file:
// what is set, and of defaults nothing. It writes the attributes that finding
// out about a server can fill; others are left to their author.
func Propose(e *Endpoint, m *Model) []byte {
	w := &textWriter{file: hclwrite.NewEmptyFile()}
	w.endpoint(&Endpoint{
		Name: e.Name, BaseURL: e.BaseURL, Kind: e.Kind, APIVersion: e.APIVersion, APIKeyEnv: e.APIKeyEnv,
		Identity: e.declaredIdentity(), IdentityIsURL: e.IdentityIsURL,
		RequestsPerMinute: e.RequestsPerMinute, TokensPerMinute: e.TokensPerMinute,
	})
	w.model(&Model{
		Name: m.Name, Endpoint: e, ID: m.ID, Temperature: m.Temperature, MaxTokens: m.MaxTokens, MaxTokensField: m.MaxTokensField,
	})
	return hclwrite.Format(w.file.Bytes())
}

// declaredIdentity is the identity without what loading adds to it.
func (e *Endpoint) declaredIdentity() string {
	id := e.Identity
	if e.KeyHeaders && len(e.Headers) > 0 {
		id = strings.TrimSuffix(id, " "+headerText(e.Headers))
	}
	if e.Kind == "azure" {
		id = strings.TrimSuffix(id, " azure api-version="+e.APIVersion)
	}
	return id
}

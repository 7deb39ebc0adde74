package experiment

import (
	"strings"
	"testing"
)

// What is proposed loads again as what it was made of, whatever the texts.
func TestPropose(t *testing.T) {
	zero, tokens := Number("0"), 64
	for _, e := range []*Endpoint{
		{Name: "local", BaseURL: "http://localhost:8000/v1", Kind: "openai", Identity: "http://localhost:8000/v1", IdentityIsURL: true},
		{Name: "a_9", BaseURL: "https://example.org", Kind: "openai", Identity: "${x}", APIKeyEnv: "KEY", RequestsPerMinute: 5, TokensPerMinute: 700},
		{Name: "a-b", BaseURL: "https://example.org", Kind: "azure", APIVersion: "2024-10-21", Identity: "mine azure api-version=2024-10-21", APIKeyEnv: "KEY"},
	} {
		for _, m := range []*Model{
			{Name: "agent", ID: `gpt-"4%{`, Temperature: &zero, MaxTokens: &tokens, MaxTokensField: "max_completion_tokens"},
			{Name: "agent", ID: "x", MaxTokensField: "max_tokens"},
		} {
			text := string(Propose(e, m))
			exp, diags := load(t, head+text, Options{})
			if diags.HasErrors() {
				t.Fatalf("%v\n%s", diags, text)
			}
			got, model := exp.Endpoints[1], exp.Models[1]
			if got.Name != e.Name || got.BaseURL != e.BaseURL || got.Kind != e.Kind || got.Identity != e.Identity || got.APIKeyEnv != e.APIKeyEnv ||
				got.RequestsPerMinute != e.RequestsPerMinute || got.TokensPerMinute != e.TokensPerMinute {
				t.Errorf("got %+v\nwant %+v\n%s", got, e, text)
			}
			if model.ID != m.ID || model.MaxTokensField != m.MaxTokensField || (model.Temperature == nil) != (m.Temperature == nil) ||
				(model.MaxTokens == nil) != (m.MaxTokens == nil) || model.Endpoint != got {
				t.Errorf("got %+v\nwant %+v\n%s", model, m, text)
			}
		}
	}
}

func TestBaseURLOfFlags(t *testing.T) {
	if got, err := BaseURL("HTTPS://Api.Example.org:443//v1/"); err != nil || got != "https://api.example.org/v1" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := BaseURL("https://a/v1?key=canary"); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v", err)
	}
}

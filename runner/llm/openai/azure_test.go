package openai

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"memform/runner/llm"
)

// Azure has the deployment in the address, unchanged but for what a path
// escapes, the version in the query and the key in a header of its own.
func TestAzure(t *testing.T) {
	for model, path := range map[string]string{
		"gpt-4o-mini":       "gpt-4o-mini",
		"gpt-3.5-turbo":     "gpt-3.5-turbo",
		"llama3.1:8b":       "llama3.1:8b",
		"o3-mini":           "o3-mini",
		"team/odd name?x=1": "team%2Fodd%20name%3Fx=1",
	} {
		var uri string
		var head http.Header
		var got []byte
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			uri, head = r.RequestURI, r.Header
			got, _ = io.ReadAll(r.Body)
			io.WriteString(w, okBody)
		})
		e := New(Config{BaseURL: s.URL, AzureVersion: "2024-10-21", Key: "canary-azure-0123456789"})
		body := fmt.Sprintf(`{"max_tokens":5,"messages":[],"model":%q,"temperature":0}`, model)
		r, err := e.Complete(context.Background(), newCall(body))
		e.CloseIdle()
		if err != nil || r.Text != "hi" {
			t.Fatalf("%s: got %+v, %v", model, r.Err, err)
		}
		if want := "/openai/deployments/" + path + "/chat/completions?api-version=2024-10-21"; uri != want {
			t.Errorf("sent to %s, want %s", uri, want)
		}
		if head.Get("Api-Key") != "canary-azure-0123456789" || head.Get("Authorization") != "" {
			t.Errorf("key headers: %q, %q", head.Get("Api-Key"), head.Get("Authorization"))
		}
		if string(got) != body {
			t.Errorf("arrived: %s", got)
		}
	}
}

// What Azure's content filter refuses is a result; a deployment that does not
// exist stops the model; the key is never shown.
func TestAzureSays(t *testing.T) {
	const key = "canary-azure-0123456789"
	tests := []struct {
		status int
		body   string
		want   string
	}{
		{400, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400,` +
			`"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"jailbreak":{"detected":true,"filtered":true}}}}}`, "filtered"},
		{400, `{"error":{"message":"filtered","code":"BadRequest","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, "filtered"},
		{200, `{"choices":[{"finish_reason":"content_filter","message":{"role":"assistant"},"content_filter_results":{"hate":{"filtered":true}}}]}`, "filtered"},
		{200, `{"choices":[{"finish_reason":"stop","message":{"content":"hi"},"content_filter_results":{"hate":{"filtered":false}}}],"prompt_filter_results":[]}`, "answer"},
		{404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, "error model"},
		{401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key canary-azure-0123456789."}}`, "error endpoint"},
		{429, `{"error":{"code":"429","message":"Requests have exceeded the call rate limit of your tier."}}`, "error rate"},
	}
	for _, tt := range tests {
		r := send(t, Config{Key: key, AzureVersion: "v"}, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		})
		got := string(r.Outcome)
		if r.Err != nil {
			got += " " + r.Err.Class.String()
		}
		if got != tt.want || strings.Contains(fmt.Sprint(r.Err, string(r.Raw)), key) {
			t.Errorf("%s: got %s %v, want %s", tt.body, got, r.Err, tt.want)
		}
		if r.Outcome == llm.OutcomeError && r.Status != tt.status {
			t.Errorf("status %d, want %d", r.Status, tt.status)
		}
	}
}

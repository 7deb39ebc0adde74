package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"memform/runner/llm"
)

var benchAnswer = `{"id":"chatcmpl-1","object":"chat.completion","created":1767225600,"model":"gpt-4o-mini","choices":[{"index":0,"message":{"role":"assistant","content":"` +
	strings.Repeat("The valve was checked before the pump started. ", 10) +
	`ANSWER: B","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":412,"completion_tokens":131,"total_tokens":543},"system_fingerprint":"fp_0"}`

var benchPrompt = strings.Repeat("A record of earlier work. ", 60)

func benchServer(b *testing.B) *httptest.Server {
	body := []byte(benchAnswer)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	}))
	b.Cleanup(s.Close)
	return s
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type chatRequest struct {
	Model     string        `json:"model"`
	Messages  []chatMessage `json:"messages"`
	MaxTokens int           `json:"max_tokens"`
}

func benchRequest() chatRequest {
	return chatRequest{"gpt-4o-mini", []chatMessage{{"user", benchPrompt}}, 512}
}

// BenchmarkEndpoint and BenchmarkBareLoop send the same requests to the same
// kind of server; their ratio is what this package costs beside a plain
// net/http and encoding/json loop (the server's share is in both).
func BenchmarkEndpoint(b *testing.B) {
	s := benchServer(b)
	e := New(Config{BaseURL: s.URL, Key: "sk-0123456789abcdef"})
	defer e.CloseIdle()
	body, _ := json.Marshal(benchRequest())
	call := &llm.Call{Request: body}
	b.ReportAllocs()
	for b.Loop() {
		r, err := e.Complete(context.Background(), call)
		if err != nil || r.Outcome != llm.OutcomeAnswer {
			b.Fatal(r.Err, err)
		}
	}
}

func BenchmarkBareLoop(b *testing.B) {
	s := benchServer(b)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	b.ReportAllocs()
	for b.Loop() {
		body, _ := json.Marshal(benchRequest())
		req, _ := http.NewRequest(http.MethodPost, s.URL+"/chat/completions", bytes.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer sk-0123456789abcdef")
		resp, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		var v struct {
			Choices []struct {
				Message      chatMessage `json:"message"`
				FinishReason string      `json:"finish_reason"`
			} `json:"choices"`
			Usage struct {
				Prompt     int `json:"prompt_tokens"`
				Completion int `json:"completion_tokens"`
			} `json:"usage"`
		}
		if err := json.NewDecoder(resp.Body).Decode(&v); err != nil || len(v.Choices) == 0 {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

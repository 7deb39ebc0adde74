package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"memform/runner/llm"
)

// BenchmarkGateway answers a request of 2 KB over HTTP from a model that has
// the answer: what the gateway itself costs a call, client included.
func BenchmarkGateway(b *testing.B) {
	answer := llm.Read(200, nil, body("The truck is free and the goods are near.\nANSWER: A"))
	model := llm.Func(func(context.Context, *llm.Call) (llm.Response, error) { return answer, nil })
	g := start(b, Config{Model: model, Anyone: func(string, int) (*llm.Call, bool) { return template(block), true }})
	words := strings.Repeat("The pump was slow and the line stayed cool. ", 45)
	request, err := json.Marshal(map[string]any{"model": "m-1", "temperature": 0, "messages": []map[string]string{{"role": "system", "content": "You decide."}, {"role": "user", "content": words}}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequest(http.MethodPost, g.URL()+"/chat/completions", bytes.NewReader(request))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+g.Token())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
			b.Fatal(fmt.Sprint(resp.Status, err))
		}
		resp.Body.Close()
	}
}

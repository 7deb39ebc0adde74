package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"memform/runner/llm/tokens"
)

// chatServer is a loopback endpoint that speaks Chat Completions. What it
// answers is a function of the body alone (unless fickle), so runs against it
// can be repeated. It keeps every body that arrived.
type chatServer struct {
	*httptest.Server
	count *tokens.Counter

	// rule, where set, may answer in the server's place, or with status 0 not.
	// n counts arrivals from 1.
	rule hook[func(n int, body string) refusal]
	// hold, where set, is called before an answer is made and may block.
	hold hook[func(n int, body string, gone <-chan struct{})]
	// answered, where set, is called once an answer is on its way.
	answered hook[func(n int)]
	// fickle, where set, answers the same body differently each time.
	fickle atomic.Bool

	mu      sync.Mutex
	bodies  []string
	from    []string // Authorization of each body
	bearers map[string]int
	prompt  int64 // tokens billed
	output  int64
}

// hook is a function that a test may set while requests come in.
type hook[F any] struct {
	mu sync.Mutex
	f  F
}

func (h *hook[F]) set(f F) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.f = f
}

func (h *hook[F]) get() F {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.f
}

// refusal is what a server says in place of an answer.
type refusal struct {
	status  int
	body    string
	headers map[string]string
}

// refuse is an error in the usual form.
func refuse(status int, code, message string) refusal {
	return refusal{status: status, body: fmt.Sprintf(`{"error":{"message":%q,"type":"error","code":%q}}`, message, code)}
}

func newChatServer(t *testing.T) *chatServer {
	t.Helper()
	s := &chatServer{bearers: map[string]int{}, count: tokens.For("gpt-4o-mini")}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.CloseClientConnections() // what is held must not hold up the end
		s.Close()
	})
	return s
}

func (s *chatServer) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client was killed while it sent
	}
	body := string(raw)
	s.mu.Lock()
	s.bodies = append(s.bodies, body)
	s.from = append(s.from, r.Header.Get("Authorization"))
	s.bearers[r.Header.Get("Authorization")]++
	n := len(s.bodies)
	s.mu.Unlock()
	if hold := s.hold.get(); hold != nil {
		hold(n, body, r.Context().Done())
	}
	reply := refusal{}
	if r.URL.Path != "/v1/chat/completions" {
		reply = refusal{status: http.StatusNotFound, body: `{"error":{"message":"no such path","code":"no_path"}}`}
	} else if rule := s.rule.get(); rule != nil {
		reply = rule(n, body)
	}
	if reply.status == 0 {
		reply = refusal{status: http.StatusOK, body: s.answer(n, raw)}
	}
	w.Header().Set("Content-Type", "application/json")
	for name, value := range reply.headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(reply.status)
	if _, err := io.WriteString(w, reply.body); err != nil {
		return
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	if answered := s.answered.get(); answered != nil {
		answered(n)
	}
}

// chatBody is what the server looks at in a request.
type chatBody struct {
	Model    string
	Messages []struct{ Role, Content string }
}

var offeredLetter = regexp.MustCompile(`(?m)^([A-Z])\) `)

// answer picks one of the letters a decision offers, or writes a memory.
func (s *chatServer) answer(n int, raw []byte) string {
	var b chatBody
	if err := json.Unmarshal(raw, &b); err != nil || len(b.Messages) < 2 {
		return `{"error":{"message":"not a request of two messages or more","type":"invalid_request_error"}}`
	}
	hash := sha256.Sum256(raw)
	if s.fickle.Load() {
		hash = sha256.Sum256(fmt.Appendf(nil, "%d", n))
	}
	user := b.Messages[1].Content
	text := fmt.Sprintf("Work at this place: note %x, held by %d records.", hash[:6], hash[7]%5+1)
	if kindOf(string(raw)) == "decide" {
		_, actions, _ := strings.Cut(user, "\nPOSSIBLE ACTIONS")
		letters := offeredLetter.FindAllStringSubmatch(actions, -1)
		text = "It fits the facts.\nANSWER: " + letters[binary.BigEndian.Uint32(hash[:])%uint32(len(letters))][1]
	}
	prompt, output := s.count.Count(b.Messages[0].Content)+s.count.Count(user)+9, s.count.Count(text)+1
	s.mu.Lock()
	s.prompt += int64(prompt)
	s.output += int64(output)
	s.mu.Unlock()
	return fmt.Sprintf(`{"id":"chat-%x","model":%q,"system_fingerprint":"fp_1","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`,
		hash[:8], b.Model+"-2026-01-01", text, prompt, output)
}

// kindOf tells a decision from a consolidation by its text.
func kindOf(body string) string {
	if strings.Contains(body, `\nPOSSIBLE ACTIONS`) {
		return "decide"
	}
	return "consolidate"
}

func modelOf(body string) string {
	var b chatBody
	_ = json.NewDecoder(bytes.NewReader([]byte(body))).Decode(&b)
	return b.Model
}

// arrivals counts what arrived, by body.
func (s *chatServer) arrivals() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := map[string]int{}
	for _, b := range s.bodies {
		counts[b]++
	}
	return counts
}

// arrivalsFrom counts what arrived under an API key, by body.
func (s *chatServer) arrivalsFrom(key string) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := map[string]int{}
	for i, b := range s.bodies {
		if s.from[i] == "Bearer "+key {
			counts[b]++
		}
	}
	return counts
}

// sent is how many requests arrived.
func (s *chatServer) sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

// forget starts counting anew.
func (s *chatServer) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies, s.from = nil, nil
}

// billed is the tokens of all answers.
func (s *chatServer) billed() (prompt, output int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompt, s.output
}

// authorizations lists the distinct Authorization headers that arrived.
func (s *chatServer) authorizations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.bearers))
}

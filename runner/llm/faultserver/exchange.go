package faultserver

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Exchange is one request and the way to answer it.
type Exchange struct {
	http.ResponseWriter
	Request *http.Request
	Body    []byte
	Attempt int // how often this body has arrived, this time included
}

// Reply sends a status and a JSON body. headers are name, value, name, value….
func (x *Exchange) Reply(status int, body string, headers ...string) {
	x.Header().Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		x.Header().Set(headers[i], headers[i+1])
	}
	x.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.WriteHeader(status)
	_, _ = io.WriteString(x, body) // a client that has gone needs no answer
}

// Answer sends the proper answer, with further headers.
func (x *Exchange) Answer(headers ...string) { x.Reply(200, x.answer(x.Text()), headers...) }

// Text is the proper answer's text: a function of the body alone. It closes
// with a choice, so that it can stand for a decision as well as for a memory.
func (x *Exchange) Text() string {
	h := fnv.New64a()
	_, _ = h.Write(x.Body)
	sum := h.Sum64()
	return fmt.Sprintf("Noted %016x.\nANSWER: %c", sum, 'A'+rune(sum%2))
}

// answer is a whole body that holds text.
func (x *Exchange) answer(text string) string {
	return fmt.Sprintf(`{"id":"chatcmpl-%d","object":"chat.completion","created":1700000000,"model":%s,"system_fingerprint":"fp_fault",`+
		`"choices":[{"index":0,"message":{"role":"assistant","content":%s,"refusal":null},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`,
		x.Attempt, quote(x.model()+"-2026-01-01"), quote(text), x.promptTokens(), len(text)/4+1, x.promptTokens()+len(text)/4+1)
}

// choice is a body whose only choice is the given JSON.
func (x *Exchange) choice(choice string) string {
	return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","model":%s,"choices":[%s],"usage":{"prompt_tokens":%d,"completion_tokens":7}}`,
		quote(x.model()), choice, x.promptTokens())
}

func (x *Exchange) promptTokens() int { return len(x.Body)/4 + 1 }

// model is the model's name as the request gives it.
func (x *Exchange) model() string {
	var b struct{ Model string }
	_ = json.Unmarshal(x.Body, &b) // no name then
	return b.Model
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}

// sleep waits, and reports whether the client is still there.
func (x *Exchange) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.Request.Context().Done():
		return false
	}
}

// stall waits until the client hangs up.
func (x *Exchange) stall() { <-x.Request.Context().Done() }

// begin sends the head of an answer of n bytes and its first part at once.
func (x *Exchange) begin(n int, part string) {
	x.Header().Set("Content-Type", "application/json")
	x.Header().Set("Content-Length", strconv.Itoa(n))
	_, _ = io.WriteString(x, part)
	x.flush()
}

func (x *Exchange) flush() {
	if f, ok := x.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// hangUp writes raw bytes and closes the connection, or resets it.
func (x *Exchange) hangUp(raw string, reset bool) {
	h, ok := x.ResponseWriter.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler) // HTTP/2 resets the stream
	}
	conn, _, err := h.Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, raw); err != nil {
		return
	}
	if c, ok := conn.(interface{ SetLinger(sec int) error }); ok && reset {
		_ = c.SetLinger(0) // what was written may be lost: so it is meant
	}
}

// fails is a fault that is one reply.
func fails(name, about string, status int, body string, headers ...string) Fault {
	return Fault{name, about, func(x *Exchange) { x.Reply(status, body, headers...) }}
}

// fault is the usual form of an error body.
func fault(message, kind, code string) string {
	return fmt.Sprintf(`{"error":{"message":%s,"type":%s,"param":null,"code":%s}}`, quote(message), quote(kind), orNull(code))
}

func orNull(code string) string {
	if code == "" {
		return "null"
	}
	return quote(code)
}

// half is the first half of an answer.
func half(s string) string { return s[:len(s)/2] }

func repeat(s string, n int) string { return strings.Repeat(s, n) }

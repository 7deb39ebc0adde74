// Package faultserver is an endpoint that misbehaves on demand: a handler that
// speaks Chat Completions and, for chosen attempts, answers with one of the
// faults of its table in place of the answer. Tests start it on loopback or on
// a Network in memory, people with `go run ./runner/llm/faultserver/cmd`. It
// knows nothing of memform beyond the wire. Start at New; All lists the faults.
package faultserver

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Config adjusts a server. The zero value answers everything properly, but for
// what a path asks for.
type Config struct {
	// Pick names the fault for an attempt (counted from 1 for each body); ""
	// is none. Nil: the path decides (see Server).
	Pick func(body []byte, attempt int) string
	// Latency is slept before each answer.
	Latency time.Duration
	// Seen, where set, is called for each request before it is answered.
	Seen func(r *http.Request, body []byte, attempt int)
}

// Server is the handler. Without Config.Pick the path of a request chooses:
//
//	/v1/chat/completions               no fault
//	/NAME/v1/chat/completions          the fault NAME at every attempt
//	/NAME/first/v1/chat/completions    at the first attempt of each body
//	/NAME/3/v1/chat/completions        at the first three
//
// so one running server offers every fault as a base URL. Azure's form of the
// path is understood too.
type Server struct {
	cfg    Config
	faults map[string]Fault

	mu       sync.Mutex
	attempts map[arrival]int
}

// arrival is what counts as the same request.
type arrival struct{ path, body string }

// New returns a server. Where cfg.Pick names no fault, that request panics.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, faults: map[string]Fault{}, attempts: map[arrival]int{}}
	for _, f := range All() {
		s.faults[f.Name] = f
	}
	return s
}

// Attempts is how often each body has arrived.
func (s *Server) Attempts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]int, len(s.attempts))
	for a, n := range s.attempts {
		out[a.body] += n
	}
	return out
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	s.mu.Lock()
	same := arrival{r.URL.Path, string(body)}
	s.attempts[same]++
	x := &Exchange{ResponseWriter: w, Request: r, Body: body, Attempt: s.attempts[same]}
	s.mu.Unlock()
	if s.cfg.Seen != nil {
		s.cfg.Seen(r, body, x.Attempt)
	}
	name, known := s.pick(x)
	if s.cfg.Latency > 0 && !x.sleep(s.cfg.Latency) {
		return
	}
	switch {
	case !known:
		x.Reply(404, `{"error":{"message":"Invalid URL (POST `+r.URL.Path+`)","type":"invalid_request_error","param":null,"code":null}}`)
	case name == "":
		x.Answer()
	default:
		f, ok := s.faults[name]
		if !ok {
			panic(fmt.Sprintf("faultserver: no fault %q", name))
		}
		f.serve(x)
	}
}

// pick says which fault an attempt meets, and whether the path is one of ours.
func (s *Server) pick(x *Exchange) (name string, known bool) {
	words := strings.Split(strings.Trim(x.Request.URL.Path, "/"), "/")
	at := len(words) - 3
	switch path := "/" + strings.Join(words, "/"); {
	case strings.HasSuffix(path, "/v1/chat/completions") && !strings.Contains(path, "/v1/v1/"):
	case strings.HasSuffix(path, "/chat/completions") && strings.Contains(path, "/openai/deployments/"):
		at = len(words) - 5
	default:
		return "", false
	}
	if s.cfg.Pick != nil {
		return s.cfg.Pick(x.Body, x.Attempt), true
	}
	words = words[:max(at, 0)]
	times := int(^uint(0) >> 1)
	if len(words) == 2 {
		if n, err := strconv.Atoi(words[1]); err == nil {
			times, words = n, words[:1]
		} else if words[1] == "first" {
			times, words = 1, words[:1]
		}
	}
	if len(words) == 0 {
		return "", true
	}
	if _, ok := s.faults[words[0]]; !ok || len(words) > 1 {
		return "", false
	}
	if x.Attempt > times {
		return "", true
	}
	return words[0], true
}

// Fault is one way in which an endpoint misbehaves.
type Fault struct {
	Name  string
	About string // what it stands for, for people
	serve func(*Exchange)
}

// All lists every fault, grouped as the files of this package are.
func All() []Fault {
	var all []Fault
	for _, group := range [...][]Fault{statuses(), retryAfters(), refusals(), unknownModels(), parameters(), bodies(), wires(), limits(), llamas()} {
		all = append(all, group...)
	}
	return all
}

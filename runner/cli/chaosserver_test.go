package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"memform/runner/llm/faultserver"
)

// chaosFaults are the ways in which an attempt fails that another attempt may
// mend; what ends a call, a model or an endpoint is in the fault matrix.
var chaosFaults = []string{
	"status-408", "status-409", "status-425", "status-500", "status-502", "status-503", "status-504", "status-520", "status-529",
	"error-in-200", "error-text-in-200", "error-in-choice", "finish-error", "choices-null", "choices-empty", "not-json", "empty-body",
	"truncated-json", "closed-before-headers", "reset-before-headers", "closed-in-body", "closed-in-chunks", "reset-in-body", "html-502",
}

const (
	chaosShare   = 30 // per cent of attempts that fail
	chaosInARow  = 4  // failures of one body at most before an answer
	chaosLimited = 40 // one of so many failures is a rate limit
)

// chaosServer answers as a chatServer does, but for attempts that a hash of
// body and attempt chooses. It keeps who was given a whole answer, and when.
type chaosServer struct {
	*httptest.Server
	answers *chatServer
	faults  *faultserver.Server

	mu       sync.Mutex
	calm     bool
	arrived  int
	failed   int
	limited  int
	awaited  int
	reached  chan struct{}
	attempts map[asked]int // by a process, however often it was started
	row      map[asked]int // failures since its last answer
	first    map[asked]time.Time
	given    map[[32]byte][]delivery
}

// asked is a body and who asked for it.
type asked struct {
	body [32]byte
	who  string
}

// delivery is an answer that was wholly sent.
type delivery struct {
	who   string
	began time.Time // when the first attempt for it arrived
	ended time.Time
}

// chaosHeader says which process sends, and how often it was started: "b.2".
const chaosHeader = "X-Process"

func newChaosServer(t *testing.T) *chaosServer {
	t.Helper()
	s := &chaosServer{
		answers: newChatServer(t), faults: faultserver.New(faultserver.Config{}),
		attempts: map[asked]int{}, row: map[asked]int{}, first: map[asked]time.Time{}, given: map[[32]byte][]delivery{},
	}
	s.Server = httptest.NewServer(s)
	s.answers.URL = s.URL // experiments are written for it
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *chaosServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client was killed while it sent
	}
	who := r.Header.Get(chaosHeader)
	instance := asked{sha256.Sum256(body), who}
	fault := s.arrive(instance)
	if fault == "rate" {
		w.Header().Set("Retry-After-Ms", "20")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"message":"Slow down.","type":"requests","code":"rate_limit_exceeded"}}`)
		return
	}
	if fault != "" {
		r.URL.Path = "/" + fault + "/v1/chat/completions"
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.faults.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err := io.WriteString(w, s.answers.answer(1, body)); err != nil {
		return
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given[instance.body] = append(s.given[instance.body], delivery{who, s.first[instance], time.Now()})
}

// arrive counts an attempt and chooses what becomes of it.
func (s *chaosServer) arrive(instance asked) string {
	process, _, _ := strings.Cut(instance.who, ".")
	a := asked{instance.body, process}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived++
	if s.reached != nil && s.arrived >= s.awaited {
		close(s.reached)
		s.reached = nil
	}
	if s.first[instance].IsZero() {
		s.first[instance] = time.Now()
	}
	s.attempts[a]++
	dice := sha256.Sum256(fmt.Appendf(nil, "%x %s %d", a.body, a.who, s.attempts[a]))
	if s.calm || binary.BigEndian.Uint32(dice[4:])%100 >= chaosShare || s.row[a] >= chaosInARow {
		s.row[a] = 0
		return ""
	}
	s.row[a]++
	s.failed++
	if int(dice[1])%chaosLimited == 0 {
		s.limited++
		return "rate"
	}
	return chaosFaults[int(dice[2])%len(chaosFaults)]
}

// await is closed when so many attempts have arrived in all.
func (s *chaosServer) await(n int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan struct{})
	if s.arrived >= n {
		close(c)
		return c
	}
	s.awaited, s.reached = n, c
	return c
}

// forget starts counting anew.
func (s *chaosServer) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived, s.failed, s.limited = 0, 0, 0
	clear(s.given)
	clear(s.first)
}

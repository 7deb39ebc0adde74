package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// answerDelay is how long the loopback server takes for an answer, unless a
// benchmark says otherwise.
const answerDelay = 20 * time.Millisecond

// inFlight is the number of calls at once, of memform and of the floor.
const inFlight = 64

// server answers every call after a delay with the same text.
type server struct {
	*httptest.Server
	delay time.Duration
	room  chan struct{} // as many answers as are made at once; nil is no bound
	calls atomic.Int64
	mu    sync.Mutex
	keep  *os.File // where bodies go, a line each; nil keeps none
}

func startServer(tb testing.TB) *server {
	s := &server{delay: answerDelay}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	tb.Cleanup(s.Close)
	return s
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.calls.Add(1)
	s.mu.Lock()
	if s.keep != nil {
		_, err = s.keep.Write(append(body, '\n'))
	}
	s.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.work()
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"bench","choices":[{"index":0,"message":{"role":"assistant","content":"The truck is free and the goods are near, so the first course costs least here.\nANSWER: A"},"finish_reason":"stop"}],"usage":{"prompt_tokens":400,"completion_tokens":24,"total_tokens":424}}`)
}

// work takes as long as an answer takes, and waits for room before.
func (s *server) work() {
	if s.room != nil {
		s.room <- struct{}{}
		defer func() { <-s.room }()
	}
	time.Sleep(s.delay)
}

// floor is the loop that everything is compared with: read the same bodies,
// marshal, post, decode, at the same concurrency, and keep nothing. A server
// that wants a token is given one.
func floor(url, bodies, workers string, token ...string) error {
	n, err := strconv.Atoi(workers)
	if err != nil {
		return err
	}
	f, err := os.Open(bodies)
	if err != nil {
		return err
	}
	defer f.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n}}
	work := make(chan []byte)
	failed := make(chan error, n)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for body := range work {
				if err := post(client, url, strings.Join(token, ""), body); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		select {
		case work <- bytes.Clone(lines.Bytes()):
		case err := <-failed:
			return err
		}
	}
	close(work)
	wg.Wait()
	return lines.Err()
}

type floorRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	MaxTokens   int     `json:"max_tokens"`
	Temperature float64 `json:"temperature"`
}

func post(client *http.Client, url, token string, body []byte) error {
	var request floorRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return err
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	if len(answer.Choices) != 1 {
		return fmt.Errorf("%d choices", len(answer.Choices))
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

package faultserver

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		if seen[f.Name] || f.Name == "first" || f.Name == "v1" || f.About == "" {
			t.Errorf("fault %q: a name given twice or of a path, or nothing about it", f.Name)
		}
		seen[f.Name] = true
	}
}

// The path chooses the fault and the attempts that meet it.
func TestPaths(t *testing.T) {
	s := httptest.NewServer(New(Config{}))
	defer s.Close()
	tests := []struct {
		path string
		want []int // statuses of equal requests
	}{
		{"/v1/chat/completions", []int{200, 200}},
		{"/status-502/v1/chat/completions", []int{502, 502, 502}},
		{"/status-502/first/v1/chat/completions", []int{502, 200}},
		{"/status-502/2/v1/chat/completions", []int{502, 502, 200}},
		{"/status-502/openai/deployments/gpt-4.1:x/chat/completions?api-version=1", []int{502, 502}},
		{"/v1/v1/chat/completions", []int{404}},
		{"/chat/completions", []int{404}},
		{"/no-such-fault/v1/chat/completions", []int{404}},
		{"/v1/models", []int{404}},
	}
	for _, tt := range tests {
		for i, want := range tt.want {
			resp, err := http.Post(s.URL+tt.path, "application/json", strings.NewReader(`{"at":"`+tt.path+`"}`))
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("%s, attempt %d: status %d, want %d", tt.path, i+1, resp.StatusCode, want)
			}
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// Every network carries the answer, or breaks as its kind says.
func TestNetworks(t *testing.T) {
	tests := []struct {
		server, client Kind
		url            string
		want           string // protocol, or part of the error
	}{
		{Plain, Plain, "http://server.invalid", "HTTP/1.1"},
		{Trusted, Trusted, "https://server.invalid", "HTTP/2.0"},
		{Untrusted, Untrusted, "https://server.invalid", "certificate"},
		{Refusing, Refusing, "http://server.invalid", "connection refused"},
		{Nameless, Nameless, "http://server.invalid", "no such host"},
		{Plain, Plain, "https://server.invalid", "server gave HTTP response to HTTPS client"},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			n := Start(New(Config{}), tt.server)
			defer n.Close()
			transport := n.Transport(tt.client)
			defer transport.CloseIdleConnections()
			resp, err := (&http.Client{Transport: transport}).Post(tt.url+"/v1/chat/completions", "", strings.NewReader("{}"))
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = resp.Proto
				resp.Body.Close()
			}
			if !strings.Contains(got, tt.want) || n.Dialed() == 0 {
				t.Errorf("%s: %s, want %s", tt.url, got, tt.want)
			}
		})
	}
}

func TestResetsArriveAsResets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := Start(New(Config{}), Plain)
		defer n.Close()
		transport := n.Transport(Plain)
		defer transport.CloseIdleConnections()
		_, err := (&http.Client{Transport: transport}).Post("http://server.invalid/reset-before-headers/v1/chat/completions", "", strings.NewReader("{}"))
		if !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("got %v", err)
		}
	})
}

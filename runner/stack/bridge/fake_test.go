package bridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// fakeArg makes this test binary an adapter that asks through the gateway and
// misbehaves as the first word of its first text says.
const fakeArg = "memform-fake-adapter"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == fakeArg {
		(&fake{dir: os.Args[2]}).run()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

type fake struct {
	dir            string
	gateway, token string
	mu             sync.Mutex
}

type heard struct {
	Type, ID, Op, Model, Gateway, Token string
	Messages                            []map[string]any
	Records                             []struct{ Text string }
	Params                              map[string]any
	Want                                struct{ Stack string }
}

func (f *fake) say(v any) {
	text, _ := json.Marshal(v)
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Println(string(text))
}

func (f *fake) run() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 80<<20)
	for in.Scan() {
		var h heard
		if json.Unmarshal(in.Bytes(), &h) != nil {
			os.Exit(2)
		}
		switch h.Type {
		case "hello":
			f.gateway, f.token = h.Gateway, h.Token
			file, _ := os.OpenFile(filepath.Join(f.dir, "starts"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			fmt.Fprintln(file, os.Getpid())
			file.Close()
			if h.Want.Stack == "unstartable" {
				fmt.Fprintln(os.Stderr, "ImportError: at /home/someone/lib.py")
				os.Exit(1)
			}
			f.say(map[string]any{"type": "hello", "protocol": 1, "adapter": "fake", "adapter_version": "1", "stack": map[string]any{"name": h.Want.Stack, "version": "1"},
				"packages": map[string]any{}, "capabilities": []string{"complete", "form"}, "max_ops": 16, "deterministic": true})
		case "complete", "form":
			go f.do(h)
		}
	}
}

func (f *fake) first(name string) bool {
	_, err := os.OpenFile(filepath.Join(f.dir, name), os.O_CREATE|os.O_EXCL, 0o600)
	return err == nil
}

// ask sends messages and returns the status and the answer's text.
func (f *fake) ask(h heard, messages any, more map[string]any) (int, string) {
	body := map[string]any{"model": h.Model, "messages": messages, "temperature": 0.1}
	for k, v := range more {
		body[k] = v
	}
	text, _ := json.Marshal(body)
	req, _ := http.NewRequest(http.MethodPost, f.gateway+"/chat/completions", bytes.NewReader(text))
	req.Header.Set("Authorization", "Bearer "+f.token)
	req.Header.Set("X-Memform-Op", h.Op)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	var c struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if json.Unmarshal(raw, &c) != nil || len(c.Choices) == 0 {
		return resp.StatusCode, string(raw)
	}
	return resp.StatusCode, c.Choices[0].Message.Content
}

func user(text string) []map[string]any { return []map[string]any{{"role": "user", "content": text}} }

func (f *fake) do(h heard) {
	first := ""
	if h.Type == "form" && len(h.Records) > 0 {
		first = h.Records[0].Text
	} else if h.Type == "complete" {
		first, _ = h.Messages[len(h.Messages)-1]["content"].(string)
	}
	word, _, _ := strings.Cut(first, " ")
	calls, text := 0, ""
	result := map[string]any{"type": "result", "id": h.ID, "ok": true}
	fail := func(kind string) {
		result["ok"], result["error"] = false, map[string]any{"kind": kind, "message": "at http://10.1.2.3/x in /home/someone/lib.py"}
		f.say(result)
	}
	if h.Type == "complete" {
		messages := any(h.Messages)
		switch word {
		case "silent":
			result["calls"], result["text"] = 0, "made up"
			f.say(result)
			return
		case "drift":
			messages = user("something else")
		}
		status, answer := f.ask(h, messages, nil)
		calls, text = 1, answer
		switch {
		case word == "die-after-once" && f.first("died"), word == "die-after":
			os.Exit(4)
		case word == "raises":
			fail("library")
			return
		case word == "miscounts":
			calls = 2
		case status != 200:
			fail("gateway")
			return
		}
		result["calls"], result["text"] = calls, text
		f.say(result)
		return
	}
	memory := ""
	for i, r := range h.Records {
		shown := r.Text
		if word == "trims" && i == 0 {
			shown = "nothing of it"
		}
		status, answer := f.ask(h, user("So far: "+memory+"\nRecord: "+shown), nil)
		calls++
		if word == "die-once" && i == 1 && f.first("died") || word == "die" && i == 1 {
			os.Exit(4)
		}
		if status != 200 && word != "swallows" {
			fail("gateway")
			return
		}
		memory += answer + "\n"
	}
	if word == "forgets" {
		memory = ""
	}
	for range map[bool]int{true: 20}[word == "greedy"] {
		calls++
		f.ask(h, user(fmt.Sprint("more ", calls)), nil)
	}
	result["memory"], result["calls"], result["warnings"] = memory, calls, []string{"odd: record 3 of /home/someone"}
	f.say(result)
}

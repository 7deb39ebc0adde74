package stack

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// fakeArg makes this test binary an adapter that does what the texts of its
// operations say. Its mode says how it starts and ends.
const fakeArg = "memform-fake-adapter"

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == fakeArg {
		fake(os.Args[2], os.Args[3])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

type heard struct {
	Type, ID, Op string
	Messages     []Message
	Records      []struct{ Text string }
	Params       json.RawMessage
	Want         struct{ Stack string }
}

// adapterSide is the fake's own end of the wire.
type adapterSide struct {
	dir  string
	mu   sync.Mutex
	held map[string]heard
	all  []heard
}

func (f *adapterSide) say(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Printf(format+"\n", args...)
}

func fake(mode, dir string) {
	f := &adapterSide{dir: dir, held: map[string]heard{}}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 80<<20)
	f.note("pid", fmt.Sprint(os.Getpid()))
	for in.Scan() {
		var h heard
		if err := json.Unmarshal(in.Bytes(), &h); err != nil {
			fmt.Fprintln(os.Stderr, "cannot read:", err)
			os.Exit(2)
		}
		if h.Type == "hello" {
			f.hello(mode, h.Want.Stack)
			if mode == "deaf" {
				waitForever()
			}
			continue
		}
		f.do(h)
	}
	if mode == "stubborn" {
		waitForever()
	}
}

// waitForever waits for a signal that nobody sends: the runtime would end a
// process in which nothing can ever happen.
func waitForever() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGUSR1)
	<-never
}

// note appends a line to a file that the test reads.
func (f *adapterSide) note(name, text string) {
	file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(file, text)
		file.Close()
	}
}

func (f *adapterSide) hello(mode, stack string) {
	protocol, ops, packages := 1, 8, `{}`
	switch mode {
	case "silent":
		return
	case "exits":
		fmt.Fprintln(os.Stderr, "Traceback\nModuleNotFoundError: no module named x")
		os.Exit(1)
	case "fatal":
		f.say(`{"type":"fatal","message":"no such stack"}`)
		os.Exit(1)
	case "old":
		protocol = 0
	case "other":
		stack = "another"
	case "none":
		ops = 0
	case "packages":
		packages = `{"Lang_Chain":"1.0","stray":"2"}`
	case "prints":
		f.say("Welcome to the library!")
	case "alone":
		ops = 1
	}
	f.say(`{"type":"hello","protocol":%d,"adapter":"fake","adapter_version":"1","stack":{"name":%q,"version":"3"},"packages":%s,"capabilities":["complete","form"],"max_ops":%d,"deterministic":true,"news":1}`, protocol, stack, packages, ops)
}

func (f *adapterSide) first(name string) bool {
	_, err := os.OpenFile(filepath.Join(f.dir, name), os.O_CREATE|os.O_EXCL, 0o600)
	return err == nil
}

// do does what the first message, or the first record, says.
func (f *adapterSide) do(h heard) {
	text := ""
	switch {
	case len(h.Messages) > 0:
		text = h.Messages[0].Content
	case len(h.Records) > 0:
		text = h.Records[0].Text
	}
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case h.Type == "cancel":
		if was, ok := f.held[h.ID]; ok && was.Type != "deaf" {
			f.say(`{"type":"result","id":%q,"ok":false,"error":{"kind":"cancelled","message":"as asked"}}`, h.ID)
		}
	case h.Type == "bye":
		f.note("bye", "bye")
	case word == "die", word == "die-once" && f.first(rest):
		fmt.Fprintln(os.Stderr, "Fatal: out of luck")
		os.Exit(3)
	case word == "fail":
		f.say(`{"type":"result","id":%q,"ok":false,"error":{"kind":"library","message":"ValueError: no","retryable":false}}`, h.ID)
	case word == "fail-once" && f.first(rest):
		f.say(`{"type":"result","id":%q,"ok":false,"error":{"kind":"library","message":"try again","retryable":true}}`, h.ID)
	case word == "hang":
		f.held[h.ID] = h
	case word == "hang-once" && f.first(rest):
		f.held[h.ID] = h
	case word == "deaf":
		h.Type = "deaf"
		f.held[h.ID] = h
	case word == "garbage":
		f.say("[INFO] loading…")
	case word == "half":
		f.say(`{"type":"result","id":%q,"text":"no ok"}`, h.ID)
	case word == "unknown":
		f.say(`{"type":"event","id":%q}`, h.ID)
	case word == "surrogate":
		f.say(`{"type":"result","id":%q,"ok":true,"calls":1,"text":"\ud800"}`, h.ID)
	case word == "huge":
		f.say("%s", strings.Repeat("x", 4<<20))
	case word == "stray":
		f.say(`{"type":"result","id":"777","ok":true,"text":"?","calls":1}`)
		f.say(`{"type":"log","level":"warning","message":"odd"}`)
		f.answer(h)
	case word == "orphan":
		if err := exec.Command("sleep", "1000").Start(); err != nil {
			os.Exit(9)
		}
		f.note("orphans", fmt.Sprint(os.Getpid()))
		f.answer(h)
	case word == "env":
		f.say(`{"type":"result","id":%q,"ok":true,"calls":1,"text":%s}`, h.ID, encode(strings.Join(os.Environ(), "\n"))[:len(encode(strings.Join(os.Environ(), "\n")))-1])
	case word == "last": // answers after all others, which come in reverse
		f.all = append(f.all, h)
		for i := len(f.all) - 1; i >= 0; i-- {
			f.answer(f.all[i])
		}
	case word == "held":
		f.all = append(f.all, h)
	case word == "slow":
		go func() {
			time.Sleep(30 * time.Millisecond)
			f.answer(h)
		}()
	default:
		f.answer(h)
	}
}

// answer echoes what it was given.
func (f *adapterSide) answer(h heard) {
	if h.Type == "form" {
		var texts []string
		for _, r := range h.Records {
			texts = append(texts, r.Text)
		}
		memory, _ := json.Marshal(strings.Join(texts, "\n"))
		f.say(`{"type":"result","id":%q,"ok":true,"memory":%s,"calls":%d,"warnings":["w"]}`, h.ID, memory, len(texts))
		return
	}
	text, _ := json.Marshal(h.Messages[len(h.Messages)-1].Content + "|" + string(h.Params))
	f.say(`{"type":"result","id":%q,"ok":true,"text":%s,"calls":1}`, h.ID, text)
}

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// openaiClient is what a user of the openai library writes; it prints what
// came of it.
const openaiClient = `
import asyncio, json, openai

client = openai.OpenAI()  # address and key are the environment's; it tries again as it always does
messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Größe {x}?\u2028"}]
out = {"version": openai.__version__}


def ask(**more):
    raw = client.chat.completions.with_raw_response.create(model="agent", messages=messages, **more)
    return raw.headers["x-memform-cache"], raw.parse()


cache, first = ask()
out["first"] = [cache, first.choices[0].message.content, first.choices[0].finish_reason, first.usage.completion_tokens, first.model]
cache, again = ask()
out["again"] = [cache, again.choices[0].message.content]

text, finish, usage = "", None, None
with client.chat.completions.create(model="agent", messages=messages, stream=True, stream_options={"include_usage": True}) as stream:
    for chunk in stream:
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
out["streamed"] = [text, finish, usage.completion_tokens]


def fails(call):
    try:
        call()
    except openai.APIStatusError as err:
        return [type(err).__name__, err.status_code, err.code, err.param, err.message]
    return ["nothing"]


broken = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Fail."}]
create = client.chat.completions.create
out["errors"] = {
    "model": fails(lambda: create(model="nix", messages=messages)),
    "field": fails(lambda: create(model="agent", messages=messages, user="me")),
    "server": fails(lambda: create(model="agent", messages=broken)),
    "embeddings": fails(lambda: client.embeddings.create(model="agent", input="x")),
    "responses": fails(lambda: client.responses.create(model="agent", input="x")),
    "token": fails(lambda: client.with_options(api_key="wrong").chat.completions.create(model="agent", messages=messages)),
}
out["models"] = [m.id for m in client.models.list()]


async def together():
    async with openai.AsyncOpenAI() as client:
        other = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "All at once."}]
        answers = await asyncio.gather(*(client.chat.completions.create(model="agent", messages=other) for _ in range(16)))
        return len({a.choices[0].message.content for a in answers})


out["together"] = asyncio.run(together())
print(json.dumps(out))
`

// clientSaw is what openaiClient prints.
type clientSaw struct {
	Version  string
	First    [5]any
	Again    [2]any
	Streamed [3]any
	Errors   map[string][5]any
	Models   []string
	Together int
}

// The openai library of Python, in the two versions that the stacks bring, is
// served as a server would serve it: answers, streams, errors.
func TestGatewayServesTheOpenAIClient(t *testing.T) {
	for _, stack := range carriers {
		t.Run(stack, func(t *testing.T) {
			p, s := newProject(t), newChatServer(t)
			p.installedStacks(stack)
			p.families(1)
			p.experiment(s, parts{})
			s.rule.set(func(_ int, body string) refusal {
				if strings.Contains(body, "Fail.") {
					return refuse(400, "unfit", "no such thing")
				}
				return refusal{}
			})
			g := p.serve("x.hcl")
			cmd := exec.Command(p.configOf(stack).Command[0], "-c", openaiClient)
			cmd.Env = []string{"OPENAI_BASE_URL=" + g.url, "OPENAI_API_KEY=" + g.token, "NO_PROXY=*", "HOME=" + p.dir, "PYTHONUTF8=1"}
			cmd.Stderr = os.Stderr
			printed, err := cmd.Output()
			g.end(t)
			var saw clientSaw
			if err != nil || json.Unmarshal(printed, &saw) != nil {
				t.Fatalf("%v: %s", err, printed)
			}
			saw.check(t)
			arrived := s.arrivals()
			for body, n := range arrived {
				if n != 1 {
					t.Errorf("sent %d times: %s", n, body)
				}
			}
			if len(arrived) != 3 { // the question, the one that fails, the one asked by sixteen
				t.Errorf("%d different requests arrived", len(arrived))
			}
		})
	}
}

func (c *clientSaw) check(t *testing.T) {
	t.Helper()
	text, tokens := c.First[1], c.First[3]
	if c.First[0] != "miss" || text == "" || c.First[2] != "stop" || tokens.(float64) <= 0 || c.First[4] != "gpt-4o-mini-2026-01-01" {
		t.Errorf("the first answer: %v", c.First)
	}
	if c.Again != [2]any{"hit", text} {
		t.Errorf("the second answer: %v", c.Again)
	}
	if c.Streamed != [3]any{text, "stop", tokens} {
		t.Errorf("streamed: %v", c.Streamed)
	}
	if !slices.Equal(c.Models, []string{"agent", "gpt-4o-mini"}) || c.Together != 1 {
		t.Errorf("models %v, %d different answers to one question", c.Models, c.Together)
	}
	for name, want := range map[string][4]any{
		"model":      {"NotFoundError", 404., "memform_unknown_model", "model"},
		"field":      {"BadRequestError", 400., "memform_refused_field", "user"},
		"server":     {"APIStatusError", 424., "memform_failed", nil},
		"embeddings": {"NotFoundError", 404., "memform_no_embeddings", nil},
		"responses":  {"NotFoundError", 404., "memform_responses_api", nil},
		"token":      {"AuthenticationError", 401., "memform_token", nil},
	} {
		got := c.Errors[name]
		if [4]any(got[:4]) != want || got[4] == "" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// curl is served too.
func TestGatewayServesCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl here")
	}
	p, s := newProject(t), newChatServer(t)
	p.families(1)
	p.experiment(s, parts{})
	g := p.serve("x.hcl")
	ask := func(token, body string) (status, cache, text string) {
		out, err := exec.Command(curl, "-sS", "--noproxy", "*", "-H", "Authorization: Bearer "+token, "-H", "Content-Type: application/json",
			"-w", "\n%{http_code} %header{x-memform-cache}", "-d", body, g.url+"/chat/completions").Output()
		if err != nil {
			t.Fatal(err)
		}
		at := strings.LastIndexByte(string(out), '\n')
		status, cache, _ = strings.Cut(string(out[at+1:]), " ")
		return status, cache, string(out[:at])
	}
	const messages = `"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]`
	status, cache, first := ask(g.token, `{"model":"agent",`+messages+`}`)
	if status != "200" || !strings.Contains(first, `"content":"Work at this place`) {
		t.Errorf("%s %s %s", status, cache, first)
	}
	if status, _, again := ask(g.token, `{"model":"agent",`+messages+`,"stream":false}`); status != "200" || again != first {
		t.Errorf("again: %s %s", status, again)
	}
	status, _, streamed := ask(g.token, `{"model":"agent",`+messages+`,"stream":true}`)
	if status != "200" || !strings.HasPrefix(streamed, "data: {") || !strings.HasSuffix(streamed, "\n\ndata: [DONE]\n\n") || !strings.Contains(streamed, "Work at this place") {
		t.Errorf("streamed: %s %q", status, streamed)
	}
	if status, _, text := ask("wrong", `{"model":"agent",`+messages+`}`); status != "401" || !strings.Contains(text, `"code":"memform_token"`) {
		t.Errorf("a wrong token: %s %s", status, text)
	}
	if status, _, text := ask(g.token, `{"model":"agent"`); status != "400" || !strings.Contains(text, `"error":{"message":`) {
		t.Errorf("half a body: %s %s", status, text)
	}
	g.end(t)
	if s.sent() != 1 {
		t.Errorf("%d requests arrived", s.sent())
	}
}

// Neither the gateway alone nor a run with a stack listens beyond the loopback
// interface; nor does what it starts.
func TestNothingListensBeyondLoopback(t *testing.T) {
	if _, err := os.Stat("/proc/self/net/tcp"); err != nil {
		t.Skip("there is no /proc here")
	}
	s := newChatServer(t)
	p := stackProject(t, s)
	gateway := p.start("gateway", "x.hcl", "--cache", "alone")
	gateway.stderr.await(t, "interrupt to end")
	checkListeners(t, gateway.Process.Pid, 1)
	_ = gateway.Process.Signal(os.Interrupt)
	if r := gateway.wait(); r.code != exitInterrupted {
		t.Errorf("%v", r)
	}
	held, release := make(chan struct{}, 1000), make(chan struct{})
	s.hold.set(func(_ int, body string, _ <-chan struct{}) {
		if strings.Contains(body, "Write the notes anew") { // the memory system's own words
			held <- struct{}{}
			<-release
		}
	})
	run := p.start("run", "x.hcl")
	<-held
	checkListeners(t, run.Process.Pid, 1)
	close(release)
	if r := run.wait(); r.code != 0 {
		t.Errorf("%v", r)
	}
}

// checkListeners sees that a process and those below it listen at n addresses,
// all of them 127.0.0.1.
func checkListeners(t *testing.T, pid, n int) {
	t.Helper()
	var found []string
	for _, pid := range descendants(pid) {
		sockets := map[string]bool{}
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, fd := range fds {
			to, _ := os.Readlink(fd)
			sockets[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
		}
		for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
			for line := range strings.Lines(string(text)) {
				f := strings.Fields(line)
				const listening, unconnected = "0A", "07"
				if len(f) > 9 && (f[3] == listening || f[3] == unconnected) && sockets[f[9]] {
					found = append(found, table+" "+f[1])
				}
			}
		}
	}
	const loopback = "tcp 0100007F:"
	if len(found) != n || slices.ContainsFunc(found, func(at string) bool { return !strings.HasPrefix(at, loopback) }) {
		t.Errorf("listening at %q, want %d at 127.0.0.1", found, n)
	}
}

// descendants are a process and all below it.
func descendants(pid int) []int {
	all := []int{pid}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for grown := true; grown; {
		grown = false
		for _, name := range stats {
			text, _ := os.ReadFile(name)
			var child, parent int
			_, rest, _ := strings.Cut(string(text), ") ")
			_, _ = fmt.Sscanf(rest, "%1s %d", new(string), &parent)
			_, _ = fmt.Sscanf(string(text), "%d", &child)
			if slices.Contains(all, parent) && !slices.Contains(all, child) {
				all, grown = append(all, child), true
			}
		}
	}
	return all
}

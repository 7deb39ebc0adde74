package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Canaries: secrets may stand nowhere; names of hosts, users, paths and
// remotes nowhere in what is published.
const (
	canaryKey    = "sk-canarykey-0123456789abcdef"
	canaryDotenv = "sk-canarydotenv-0123456789abcdef"
	canaryHeader = "canaryheader-0123456789abcdef"
	canaryOther  = "canaryother-0123456789abcdef"
	canaryProxy  = "canaryproxy0123456789"
	canaryUser   = "canaryuser"
	canaryHost   = "canaryhost.test"
	canaryRemote = "canaryremote"
	canaryWiki   = "canarywiki.test"
)

var (
	secretCanaries = []string{"canarykey", "canarydotenv", "canaryheader", "canaryother", "canaryproxy"}
	nameCanaries   = []string{canaryUser, "canaryhost", canaryRemote, "canarywiki"}
)

// indiscreet is a server, reached as a proxy, that repeats every secret it
// was told in answers, errors and headers.
func indiscreet(t *testing.T) *httptest.Server {
	t.Helper()
	inner := newChatServer(t)
	tried := map[[32]byte]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		told := fmt.Sprintf("%s, %s at http://%s/v1 and %s", r.Header.Get("Authorization"), r.Header.Get("X-Session-Token"), r.Host, canaryHost)
		hash := sha256.Sum256(body)
		inner.mu.Lock()
		tried[hash]++
		first := tried[hash] == 1
		inner.mu.Unlock()
		w.Header().Set("X-Request-Id", r.Header.Get("Authorization"))
		w.Header().Set("X-Ratelimit-Reset-Requests", r.Header.Get("X-Session-Token"))
		w.Header().Set("Server", told)
		switch {
		case strings.Contains(r.Header.Get("Authorization"), canaryDotenv):
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":%q,"code":%q}}`, "Incorrect API key: "+told, told)
		case hash[0]%8 == 0:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":%q,"code":%q}}`, "bad: "+told, told)
		case hash[0]%8 == 1:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "<html>%s</html>", told)
		case hash[0]%8 == 2 && first:
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, told)
		default:
			answer := inner.answer(1, body)
			secrets := r.Header.Get("Authorization") + ", " + r.Header.Get("X-Session-Token")
			answer = strings.Replace(answer, `"model":"`, `"model":"/home/`+canaryUser+`/models/`, 1)
			fmt.Fprint(w, strings.Replace(answer, `"content":"`, fmt.Sprintf(`"content":"I was called with %s.\n`, secrets), 1))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

const indiscreetExperiment = `# notes: https://canarywiki.test/page?token=` + canaryOther + `
experiment "x" { seed = 7 }

variable "server" {
  type    = string
  default = "http://canaryhost.test:8001/v1"
}

endpoint "one" {
  base_url      = var.server
  identity      = "one"
  api_key_env   = "KEY_ONE"
  headers       = { "X-Session-Token" = env("SESSION", "none") }
  max_in_flight = 4
}

endpoint "two" {
  base_url    = "http://canaryhost.test:8002/v1"
  identity    = "two"
  api_key_env = "KEY_TWO"
}

model "a" {
  endpoint   = endpoint.one
  id         = "gpt-4o-mini"
  max_tokens = 512
}

model "b" {
  endpoint   = endpoint.two
  id         = "gpt-4o-mini"
  max_tokens = 512
}

cases "mcq" { path = "cases.jsonl" }

run "main" {
  models = [model.a, model.b]
  cases  = [cases.mcq]
}
`

// TestSecretsStandNowhere plants canaries in the environment, .env, headers,
// addresses, error bodies and answers, and looks into every file and stream
// that memform produced.
func TestSecretsStandNowhere(t *testing.T) {
	s := indiscreet(t)
	p := newProject(t)
	p.dir = filepath.Join(p.dir, "home", canaryUser, "project")
	p.families(3)
	t.Chdir(p.dir)
	p.write("x.hcl", indiscreetExperiment)
	p.write(".env", "KEY_TWO="+canaryDotenv+"\nOTHER="+canaryOther+"\n")
	for _, args := range [][]string{
		{"init", "-q"}, {"remote", "add", "origin", "https://" + canaryRemote + ":" + canaryOther + "@git.test/" + canaryUser + ".git"},
		{"add", "x.hcl"}, {"-c", "user.name=" + canaryUser, "-c", "user.email=" + canaryUser + "@mail.test", "commit", "-q", "-m", "x"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	before := p.files()
	p.env = map[string]string{
		"KEY_ONE": canaryKey, "SESSION": canaryHeader, "HOME": filepath.Dir(p.dir), "USER": canaryUser,
		"HTTP_PROXY": strings.Replace(s.URL, "http://", "http://"+canaryUser+":"+canaryProxy+"@", 1), "UNRELATED": canaryOther,
	}
	server := "server=http://" + canaryHost + ":8003/v1"
	var streams strings.Builder
	do := func(code int, args ...string) {
		t.Helper()
		r := p.must(code, args...)
		streams.WriteString(r.stdout + r.stderr)
	}
	for _, format := range []string{"json", "console"} {
		log := []string{"--log-format", format, "--log-level", "debug"}
		cached := []string{"--cache", "cache-" + format}
		do(0, slices.Concat(log, cached, []string{"plan", "x.hcl", "--var", server, "--out", "saved-" + format + ".plan"})...)
		do(3, slices.Concat(log, cached, []string{"run", "x.hcl", "--var", server, "--output-dir", "results/" + format})...)
		do(3, slices.Concat(log, cached, []string{"run", "saved-" + format + ".plan", "--output-dir", "results/" + format})...)
		do(0, slices.Concat(log, cached, []string{"bundle", "results/" + format, "-o", format + ".memform", "--var", server})...)
		do(0, slices.Concat(log, []string{"replay", format + ".memform"})...)
		do(0, slices.Concat(log, []string{"score", "results/" + format})...)
		do(0, slices.Concat(log, cached, []string{"cache", "verify"})...)
		do(0, slices.Concat(log, cached, []string{"trace", "x.hcl", firstCase(p)})...)
	}
	if !strings.Contains(streams.String(), "[key]") {
		t.Error("the test is empty: no echoed key was hidden")
	}
	reportCanaries(t, "a stream", streams.String(), secretCanaries)
	for _, name := range p.files() {
		if slices.Contains(before, name) || strings.HasPrefix(name, ".git/") {
			continue
		}
		reportCanaries(t, name, p.read(name), secretCanaries)
		if !strings.HasSuffix(name, ".plan") { // a saved plan runs here, and keeps --var as given
			checkPublished(t, p, name)
		}
	}
}

func firstCase(p *project) string {
	_, rest, _ := strings.Cut(p.read("cases.jsonl"), `"case_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// checkPublished looks for every canary in what may leave the machine.
func checkPublished(t *testing.T, p *project, name string) {
	t.Helper()
	all := slices.Concat(secretCanaries, nameCanaries)
	if host, err := os.Hostname(); err == nil && len(host) > 5 {
		all = append(all, host)
	}
	switch filepath.Ext(name) {
	case ".memform":
		for member, text := range p.members(name) {
			reportCanaries(t, name+": "+member, plainText(t, member, text), all)
			reportCanaries(t, name, member, all)
		}
	default:
		reportCanaries(t, name, plainText(t, name, p.read(name)), all)
	}
}

// plainText undoes compression.
func plainText(t *testing.T, name, text string) string {
	t.Helper()
	if filepath.Ext(name) != ".zst" {
		return text
	}
	r, err := zstd.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func reportCanaries(t *testing.T, where, text string, canaries []string) {
	t.Helper()
	low := strings.ToLower(text)
	for _, c := range canaries {
		if i := strings.Index(low, strings.ToLower(c)); i >= 0 {
			t.Errorf("%s holds %q: …%s…", where, c, text[max(0, i-80):min(len(text), i+80)])
		}
	}
}

// A secret in an address, in a file or on the command line is refused, and
// not shown.
func TestSecretsInAddressesAreRefused(t *testing.T) {
	for _, address := range []string{
		"https://user:" + canaryOther + "@host.test/v1", "https://" + canaryOther + "@host.test/v1",
		"https://host.test/v1?key=" + canaryOther, "https://host.test/v1#" + canaryOther,
	} {
		for _, inFile := range []bool{true, false} {
			p := newProject(t)
			p.families(1)
			text, args := indiscreetExperiment, []string{"--var", "server=" + address}
			if inFile {
				text, args = strings.Replace(text, "var.server", fmt.Sprintf("%q", address), 1), nil
			}
			p.write("x.hcl", text)
			r := p.must(2, append([]string{"plan", "x.hcl"}, args...)...)
			reportCanaries(t, address, strings.ReplaceAll(r.stdout+r.stderr, "# notes", ""), []string{"canaryother"})
		}
	}
	p := newProject(t)
	p.write(".env", "NAME WITHOUT EQUALS "+canaryOther+"\n'\"\n")
	r := p.must(2, "version")
	reportCanaries(t, "a broken .env", r.stdout+r.stderr, []string{"canaryother"})
}

func TestHideAddresses(t *testing.T) {
	for text, want := range map[string]string{
		`base_url = "https://gpu1.lab.edu:8000/v1"`:              `base_url = "https://hidden.invalid"`,
		`base_url = "http://user:pass@api.openai.com/v1"`:        `base_url = "https://hidden.invalid"`,
		`base_url = "https://api.openai.com/v1?key=1"`:           `base_url = "https://hidden.invalid"`,
		`base_url = "https://api.openai.com/v1"`:                 `base_url = "https://api.openai.com/v1"`,
		`base_url = "http://localhost:8080/v1"`:                  `base_url = "http://localhost:8080/v1"`,
		`base_url = "https://${var.host}/v1"`:                    `base_url = "https://hidden.invalid${var.host}/v1"`,
		`# see https://github.com/alice/x (and http://a.b/c?d).`: `# see https://hidden.invalid (and https://hidden.invalid).`,
		`git+ssh://git@host.test/alice.git`:                      `https://hidden.invalid`,
		`path = "../cases.jsonl" # a://`:                         `path = "../cases.jsonl" # https://hidden.invalid`,
	} {
		if got, _ := hideAddresses(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
	for value, want := range map[string]string{
		"20": "20", "/home/alice/cases.jsonl": "cases.jsonl", "http://gpu1:8000/v1": hiddenURL, "../cases.jsonl": "../cases.jsonl",
	} {
		if got := portableValue(value); got != want {
			t.Errorf("%s became %s, want %s", value, got, want)
		}
	}
}

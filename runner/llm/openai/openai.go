// Package openai sends calls to one endpoint that speaks Chat Completions,
// through the go-openai client. It sends Call.Request byte for byte, keeps
// the raw answer and lets llm.Read judge it; it neither retries, limits nor
// caches. Any http.RoundTripper can stand in for the network. Start at New.
package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	client "github.com/sashabaranov/go-openai"

	"memform/runner/llm"
)

// Config describes one endpoint. BaseURL alone is required.
type Config struct {
	BaseURL string            // up to, not including, /chat/completions
	Key     string            // sent as bearer token; "" sends none
	Headers map[string]string // sent with every request

	// AzureVersion, where set, makes the endpoint one of Azure: BaseURL is the
	// resource's, a request's model is the name of its deployment, unchanged, and
	// the key is sent as api-key.
	AzureVersion string

	Timeout     time.Duration // one attempt, its body included; 0 = 120 s
	MaxInFlight int           // connections kept open between calls; 0 = 64

	// Proxy picks a proxy for a request; nil uses none.
	Proxy func(*http.Request) (*url.URL, error)
	// Transport replaces the network. Proxy and MaxInFlight do not apply to it.
	Transport http.RoundTripper
	// Now is the clock that stamps answers; nil is time.Now.
	Now func() time.Time
}

// Endpoint is a Model that sends each call once.
type Endpoint struct {
	client    *client.Client
	transport http.RoundTripper
	azure     bool
	headers   http.Header
	host      string // of a Host header, else ""
	server    string // name in the base URL, "" where it could be any word
	secrets   secrets
	timeout   time.Duration
	now       func() time.Time
}

// DefaultTimeout bounds an attempt where Config.Timeout is 0.
const DefaultTimeout = 120 * time.Second

// New returns the endpoint. It sends nothing; a wrong address shows in the
// first call, as a failure that concerns the endpoint.
func New(cfg Config) *Endpoint {
	e := &Endpoint{
		transport: cfg.Transport,
		azure:     cfg.AzureVersion != "",
		headers:   http.Header{},
		timeout:   cfg.Timeout,
		now:       cfg.Now,
	}
	key := strings.TrimSpace(cfg.Key)
	e.secrets = secretsOf(key, cfg.Headers)
	if e.timeout <= 0 {
		e.timeout = DefaultTimeout
	}
	if e.now == nil {
		e.now = time.Now
	}
	if e.transport == nil {
		e.transport = newTransport(cfg)
	}
	e.headers.Set("User-Agent", "memform")
	for name, value := range cfg.Headers {
		if strings.EqualFold(name, "Host") {
			e.host = value
			continue
		}
		e.headers.Set(name, value)
	}
	if u, err := url.Parse(cfg.BaseURL); err == nil && strings.Contains(u.Hostname(), ".") {
		e.server = u.Hostname()
	}
	c := client.DefaultConfig(key)
	if e.azure {
		c = client.DefaultAzureConfig(key, cfg.BaseURL)
		c.APIVersion = cfg.AzureVersion
		c.AzureModelMapperFunc = url.PathEscape // the default drops ":" and "."
	}
	c.BaseURL = cfg.BaseURL
	c.HTTPClient = (*doer)(e)
	e.client = client.NewClientWithConfig(c)
	return e
}

// CloseIdle closes the connections that no call uses.
func (e *Endpoint) CloseIdle() {
	if t, ok := e.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// placeholder is what go-openai is asked to send. It passes the client's own
// checks, which know real model names; the doer sends Call.Request instead.
var placeholder = client.ChatCompletionRequest{
	Model:    "memform",
	Messages: []client.ChatCompletionMessage{{Role: client.ChatMessageRoleUser, Content: "-"}},
}

// modelOf is the model that a request names: Azure has it in the address too.
func modelOf(request []byte) string {
	var r struct {
		Model string `json:"model"`
	}
	_ = json.Unmarshal(request, &r) // a request of ours is JSON
	return r.Model
}

// Complete sends the call once. The error is non-nil only where ctx ended:
// the attempt is then aborted, whether or not the server bills it.
func (e *Endpoint) Complete(ctx context.Context, call *llm.Call) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	attempt, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	x := &exchange{Context: attempt, call: call}
	ask := placeholder
	if e.azure {
		ask.Model = modelOf(call.Request)
	}
	start := e.now()
	_, clientErr := e.client.CreateChatCompletion(x, ask)
	end := e.now()
	if ctx.Err() != nil && !x.complete {
		return llm.Response{}, ctx.Err()
	}
	if x.err == nil && !x.complete {
		// The client refused before our transport was reached.
		x.err = clientErr
	}
	r := e.read(x)
	r.Attempts = 1
	r.Millis = end.Sub(start).Milliseconds()
	r.CompletedAt = end.UTC().Format("2006-01-02T15:04:05.000Z")
	return r, nil
}

// read judges the exchange: by its answer where a whole one came, or one with
// a status that says enough; else by what broke it.
func (e *Endpoint) read(x *exchange) llm.Response {
	var r llm.Response
	switch {
	case x.tooLarge:
		r = llm.Response{Outcome: llm.OutcomeError, Status: x.status, Err: tooLarge(x.status)}
	case x.complete, x.status >= 400:
		body := withoutPaths(e.secrets.hide(x.body))
		if x.headers["date"] == "" && x.headers["retry-after"] != "" {
			x.headers["date"] = e.now().UTC().Format(http.TimeFormat)
		}
		r = llm.Read(x.status, x.headers, body)
	default:
		r = llm.Response{Outcome: llm.OutcomeError, Status: x.status, Err: e.broken(x.err)}
	}
	for name, value := range r.Headers {
		r.Headers[name] = e.secrets.hideText(value)
	}
	if r.Err != nil {
		r.Err.Message = e.shown(r.Err.Message)
		r.Err.Code = e.shown(r.Err.Code)
	}
	return r
}

// shown is a server's text without secrets and without the server's name.
func (e *Endpoint) shown(text string) string {
	if e.server != "" {
		text = strings.ReplaceAll(text, e.server, "[host]")
	}
	return e.secrets.hideText(text)
}

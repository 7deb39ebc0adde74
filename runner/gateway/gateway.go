// Package gateway is a server on the loopback interface that speaks Chat
// Completions and answers through an llm.Model: whatever library a user has
// sends its calls here and gets the same cache, limits, retries and prices as
// a call of memform's own. It attributes each request to the operation that
// made it, brings its body into canonical form and keeps account of what the
// operation asked and got. It starts no program and knows no prompt. Start at
// Start.
package gateway

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"memform/runner/llm"
)

// HeaderOp is the header that names the operation of a request.
const HeaderOp = "X-Memform-Op"

// Config is what a gateway answers with.
type Config struct {
	Model llm.Model // the layers behind it: cache, limits, endpoints
	// Context is what calls of no operation run under, whether or not their
	// client stays; nil is the background.
	Context context.Context
	// Address to listen on, of the loopback interface; "" is a random port.
	Address string
	// Token that requests must bear; "" makes a random one.
	Token string
	// Anyone serves requests that name no operation: it forms the call that
	// stands for a model, without messages. nil refuses such requests.
	Anyone func(model string, draw int) (*llm.Call, bool)
	// Embeds forms the call that stands for a model of embeddings, for
	// requests that name no operation. nil has none.
	Embeds func(model string) (*llm.Call, bool)
	// Models are the names that GET /v1/models lists.
	Models []string
	// Refused hears the code of every request that reached no operation: it
	// went to the wrong path, bore no token or named none; nil: nobody.
	Refused func(code string)
}

// Gateway is a running server.
type Gateway struct {
	cfg    Config
	server *http.Server
	addr   string
	token  string
	serve  sync.WaitGroup // the listener and every request in progress

	mu     sync.Mutex
	open   map[string]*Operation
	blocks map[string]map[string]json.RawMessage // by the request that stands for a model
	closed bool
}

// Start listens and serves until Close.
func Start(cfg Config) (*Gateway, error) {
	if cfg.Address == "" {
		cfg.Address = "127.0.0.1:0"
	}
	if cfg.Context == nil {
		cfg.Context = context.Background()
	}
	if cfg.Refused == nil {
		cfg.Refused = func(string) {}
	}
	listener, err := listen(cfg.Address)
	if err != nil {
		return nil, err
	}
	g := &Gateway{cfg: cfg, addr: listener.Addr().String(), token: cfg.Token, open: map[string]*Operation{}, blocks: map[string]map[string]json.RawMessage{}}
	if g.token == "" {
		g.token = secret()
	}
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: 30 * time.Second, ErrorLog: silent()}
	g.serve.Go(func() { _ = g.server.Serve(listener) })
	return g, nil
}

// listen refuses every address but those of the loopback interface.
func listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, &net.AddrError{Err: "the gateway listens on the loopback interface alone, such as 127.0.0.1:0", Addr: address}
	}
	return net.Listen("tcp", address)
}

// URL is the base URL that clients are given.
func (g *Gateway) URL() string { return "http://" + g.addr + "/v1" }

// Token is what clients send as their key.
func (g *Gateway) Token() string { return g.token }

// Close ends listening, cuts connections and returns when the calls in
// progress are done: end the contexts of operations to be quicker.
func (g *Gateway) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	_ = g.server.Close() // nothing of ours is lost with a connection
	g.serve.Wait()
}

// Drain is Close for a gateway whose clients wait for their answers: they get
// them, as long as ctx does not end.
func (g *Gateway) Drain(ctx context.Context) {
	_ = g.server.Shutdown(ctx) // what is left then is cut
	g.Close()
}

// secret is 192 random bits as text.
func secret() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// ServeHTTP answers one request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.enter() {
		return
	}
	defer g.serve.Done()
	if !g.authorised(r) {
		g.refuse(w, &problem{http.StatusUnauthorized, "memform_token", "", "the key is not this gateway's token: send Authorization: Bearer TOKEN"})
		return
	}
	op, path := r.Header.Get(HeaderOp), r.URL.Path
	if rest, ok := strings.CutPrefix(path, "/op/"); ok {
		var tail string
		op, tail, _ = strings.Cut(rest, "/")
		path = "/" + tail
	}
	route, ok := routes[strings.TrimSuffix(path, "/")]
	switch {
	case !ok:
		g.refuse(w, &problem{http.StatusNotFound, "memform_unknown_path", "", "this gateway serves /v1/chat/completions, /v1/embeddings and /v1/models; the base URL ends in /v1"})
	case route.method != r.Method:
		w.Header().Set("Allow", route.method)
		g.refuse(w, &problem{http.StatusMethodNotAllowed, "memform_method", "", "use " + route.method + " here"})
	default:
		route.serve(g, w, r, op)
	}
}

// refuse answers a request that is no operation's.
func (g *Gateway) refuse(w http.ResponseWriter, p *problem) {
	g.cfg.Refused(p.code)
	p.write(w)
}

// enter counts a request that Close waits for.
func (g *Gateway) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.serve.Add(1)
	}
	return !g.closed
}

func (g *Gateway) authorised(r *http.Request) bool {
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(got), []byte(g.token)) == 1
}

// routes are the paths and how each is answered.
var routes = map[string]struct {
	method string
	serve  func(g *Gateway, w http.ResponseWriter, r *http.Request, op string)
}{
	"/v1/chat/completions": {http.MethodPost, (*Gateway).chat},
	"/v1/models":           {http.MethodGet, (*Gateway).models},
	"/v1/embeddings":       {http.MethodPost, (*Gateway).embeddings},
	"/v1/completions": {http.MethodPost, explain("memform_legacy_completions",
		"only chat completions are served: make the client a chat model (LlamaIndex OpenAILike: is_chat_model=True)")},
	"/v1/responses": {http.MethodPost, explain("memform_responses_api",
		"only chat completions are served: turn the Responses API off (LangChain ChatOpenAI: use_responses_api=False)")},
}

// explain answers every request with a 404 that says what to change.
func explain(code, message string) func(*Gateway, http.ResponseWriter, *http.Request, string) {
	return func(g *Gateway, w http.ResponseWriter, _ *http.Request, _ string) {
		g.refuse(w, &problem{http.StatusNotFound, code, "", message})
	}
}

// Begin opens an operation: until End, requests that bear its token are its
// own. Its calls run under ctx.
func (g *Gateway) Begin(ctx context.Context, spec Spec) (*Operation, error) {
	o, err := newOperation(ctx, spec)
	if err != nil {
		return nil, err
	}
	o.gateway, o.token = g, secret()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open[o.token] = o
	return o, nil
}

func (g *Gateway) operation(token string) *Operation {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open[token]
}

package gateway

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"memform/runner/llm"
)

// chat answers POST /v1/chat/completions.
func (g *Gateway) chat(w http.ResponseWriter, r *http.Request, token string) {
	request, wrong := g.read(w, r, "messages")
	if wrong != nil {
		if o := g.operation(token); o != nil {
			o.refuse(strings.TrimPrefix(wrong.code, "memform_"), wrong.message)
		}
		wrong.write(w)
		return
	}
	o, wrong := g.attribute(r, token, request)
	if wrong != nil {
		g.refuse(w, wrong)
		return
	}
	key, response, wrong := o.ask(request)
	if wrong != nil {
		wrong.write(w)
		return
	}
	body := answerBody(o, key, &response)
	if request.stream {
		writeStream(w, body, request.usage)
		return
	}
	writeAnswer(w, body, response.Cached)
}

func writeAnswer(w http.ResponseWriter, body []byte, cached bool) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Memform-Cache", hitOrMiss(cached))
	_, _ = w.Write(body) // a client that hung up gets nothing
}

func hitOrMiss(cached bool) string {
	if cached {
		return "hit"
	}
	return "miss"
}

// read reads and checks the body of a request.
func (g *Gateway) read(w http.ResponseWriter, r *http.Request, field string) (*request, *problem) {
	reader := http.MaxBytesReader(w, r.Body, MaxBody)
	var body []byte
	var err error
	if n := r.ContentLength; n > 0 && n <= MaxBody {
		body = make([]byte, n)
		_, err = io.ReadFull(reader, body)
	} else {
		body, err = io.ReadAll(reader)
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, &problem{http.StatusRequestEntityTooLarge, "memform_bad_request", "", fmt.Sprintf("the body is larger than %d MiB", MaxBody>>20)}
	}
	if err != nil {
		return nil, badRequest("", "the body ended early")
	}
	request, wrong := parse(body)
	if wrong == nil {
		wrong = request.asks(field)
	}
	return request, wrong
}

// headerDraw chooses the draw of a request that belongs to no operation.
const headerDraw = "X-Memform-Draw"

// attribute finds the operation of a request, or makes one for a client that
// needs none.
func (g *Gateway) attribute(r *http.Request, token string, request *request) (*Operation, *problem) {
	if token != "" {
		if o := g.operation(token); o != nil {
			return o, nil
		}
		return nil, closed()
	}
	if g.cfg.Anyone == nil {
		return nil, &problem{failedStatus, "memform_no_operation", "", "the request names no operation: send the header " + HeaderOp + ", or put it into the path: /op/OP/v1/…"}
	}
	draw, err := strconv.Atoi(cmp.Or(r.Header.Get(headerDraw), "0"))
	if err != nil || draw < 0 {
		return nil, badRequest("", headerDraw+" must be a number from 0")
	}
	call, ok := g.cfg.Anyone(request.model(), draw)
	if !ok {
		return nil, &problem{http.StatusNotFound, "memform_unknown_model", "model",
			fmt.Sprintf("no model is called %q; there are: %s", request.model(), strings.Join(g.cfg.Models, ", "))}
	}
	// The call outlives a client that hangs up: what is paid for is stored.
	block, err := g.template(call.Request)
	if err != nil {
		return nil, badRequest("", err.Error())
	}
	o := operationOf(g.cfg.Context, Spec{Call: call, Loose: true}, block)
	o.gateway = g
	return o, nil
}

// templates is how many blocks are kept for clients that need no operation:
// one for each model and draw that they ask.
const templates = 1024

// template is the block of a call that stands for a model, read once.
func (g *Gateway) template(request []byte) (map[string]json.RawMessage, error) {
	g.mu.Lock()
	block, ok := g.blocks[string(request)]
	g.mu.Unlock()
	if ok {
		return block, nil
	}
	block, _, err := blockOf(request)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.blocks) < templates {
		g.blocks[string(request)] = block
	}
	return block, nil
}

// models answers GET /v1/models.
func (g *Gateway) models(w http.ResponseWriter, _ *http.Request, _ string) {
	names := slices.Clone(g.cfg.Models)
	g.mu.Lock()
	for _, o := range g.open {
		names = append(names, (&request{fields: o.block}).model())
	}
	g.mu.Unlock()
	slices.Sort(names)
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int    `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", []model{}}
	for _, name := range slices.Compact(names) {
		list.Data = append(list.Data, model{name, "model", 0, "memform"})
	}
	writeJSON(w, http.StatusOK, list)
}

// answerBody is what the client gets: the model's own body, with ids of tool
// calls that the key alone decides. A filter's verdict that came as an
// error is given as the answer it is.
func answerBody(o *Operation, key llm.Key, r *llm.Response) []byte {
	if r.Outcome == llm.OutcomeFiltered && (r.Status < 200 || r.Status > 299) {
		return filteredAnswer(o)
	}
	return withSteadyIDs(key, r.Raw)
}

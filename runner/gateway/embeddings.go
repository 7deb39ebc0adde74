package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"

	"memform/runner/llm"
)

// noEmbeddings is what operations of stacks are told: their plan has no place
// for such calls.
const noEmbeddings = "an operation of a stack gets no embeddings: choose a memory without an index, or an embedder of the library's own that needs no server"

// embeddings answers POST /v1/embeddings of clients that name no operation.
func (g *Gateway) embeddings(w http.ResponseWriter, r *http.Request, token string) {
	if token != "" || g.cfg.Embeds == nil {
		g.refuse(w, &problem{http.StatusNotFound, "memform_no_embeddings", "", noEmbeddings})
		return
	}
	request, wrong := g.read(w, r, "input")
	if wrong != nil {
		g.refuse(w, wrong)
		return
	}
	call, ok := g.cfg.Embeds(request.model())
	if !ok {
		g.refuse(w, &problem{http.StatusNotFound, "memform_no_embeddings", "",
			fmt.Sprintf("the model %q gives no embeddings here: name a model block whose endpoint does with --embeddings", request.model())})
		return
	}
	response, wrong := g.embed(call, request)
	if wrong != nil {
		wrong.write(w)
		return
	}
	writeAnswer(w, response.Raw, response.Cached)
}

// embed asks for embeddings: of the model block its id and what else the call
// holds; every other field is the client's.
func (g *Gateway) embed(call *llm.Call, r *request) (llm.Response, *problem) {
	var block map[string]json.RawMessage
	if err := json.Unmarshal(call.Request, &block); err != nil {
		return llm.Response{}, badRequest("", err.Error())
	}
	r.apply(block, true)
	c := *call
	c.Embeds, c.Request = true, r.canonical()
	c.Key = llm.KeyOf(c.Identity, c.Draw, c.Request)
	response, err := g.cfg.Model.Complete(g.cfg.Context, &c)
	switch {
	case err != nil:
		return response, &problem{failedStatus, "memform_stopping", "", "the gateway is stopping"}
	case response.Err != nil:
		return response, &problem{failedStatus, "memform_failed", "", response.Err.Error()}
	}
	return response, nil
}

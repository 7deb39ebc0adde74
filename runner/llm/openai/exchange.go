package openai

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"memform/runner/llm"
)

// MaxBody bounds an answer, in bytes: a larger one cannot be cached.
const MaxBody = 16 << 20

// exchange is one attempt: the context under which the client sends it, and
// what came of it. Being the context spares the client's callers a lookup
// through a value and us an allocation.
type exchange struct {
	context.Context
	call *llm.Call

	complete bool // headers and the whole body arrived
	tooLarge bool
	status   int
	headers  map[string]string
	body     []byte
	err      error
}

type exchangeKey struct{}

// Value finds the exchange itself under exchangeKey.
func (x *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return x
	}
	return x.Context.Value(key)
}

// CallFrom is the call that a request's context belongs to, for transports
// that stand in for the network and need what is not in the body (the draw);
// nil where the context is no attempt of this package.
func CallFrom(ctx context.Context) *llm.Call {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x.call
	}
	return nil
}

// The paths of the two kinds of call, below an endpoint's base URL.
const (
	chatPath  = "/chat/completions"
	embedPath = "/embeddings"
)

// doer stands between go-openai and the transport.
type doer Endpoint

// Do sends the call's own bytes in place of the client's, keeps the real
// answer in the exchange and hands the client an empty one to decode. It goes
// to the transport itself: redirects are not followed, no cookie is kept.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().(*exchange)
	if !ok {
		return nil, fmt.Errorf("request without an exchange: %T", req.Context())
	}
	if x.call.Embeds {
		req.URL.Path = strings.TrimSuffix(req.URL.Path, chatPath) + embedPath
	}
	body := x.call.Request
	req.ContentLength = int64(len(body))
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	for name, value := range d.headers {
		req.Header[name] = value
	}
	if d.host != "" {
		req.Host = d.host
	}
	resp, err := d.transport.RoundTrip(req)
	if err != nil {
		x.err = err
		return nil, err
	}
	defer resp.Body.Close()
	x.status = resp.StatusCode
	x.headers = allowed(resp.Header)
	if x.tooLarge = resp.ContentLength > MaxBody; !x.tooLarge {
		x.body, x.err = readBody(resp)
		x.tooLarge = len(x.body) > MaxBody
	}
	if x.tooLarge {
		x.body = nil
	}
	x.complete = x.err == nil
	return emptyAnswer(), nil
}

// readBody reads to the end, which lets the connection be used again, or to
// one byte beyond MaxBody.
func readBody(resp *http.Response) ([]byte, error) {
	const unknown = 2048
	size := int64(unknown)
	if n := resp.ContentLength; n >= 0 && n <= MaxBody {
		size = n
	}
	// One byte of room lets the reader see the end without growing.
	buf := make([]byte, 0, size+1)
	body := io.LimitReader(resp.Body, MaxBody+1)
	for {
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// emptyAnswer is what go-openai decodes: the real answer is decoded once, by
// llm.Read.
func emptyAnswer() *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK,
		Body:       io.NopCloser(strings.NewReader("{}")),
	}
}

func tooLarge(status int) *llm.Failure {
	return &llm.Failure{
		Class:   llm.ClassNode,
		Status:  status,
		Code:    "too_large",
		Message: fmt.Sprintf("the answer is larger than %d MiB", MaxBody>>20),
	}
}

package faultserver

import (
	"io"
	"strconv"
	"strings"
)

// bodies are answers under status 200 whose body is odd or broken.
func bodies() []Fault {
	return []Fault{
		says("error-in-200", "an error under status 200", `{"error":{"message":"Provider returned error","code":502}}`),
		says("error-429-in-200", "a rate limit under status 200", `{"error":{"message":"Rate limit exceeded","code":429}}`),
		says("error-text-in-200", "an error that is a text", `{"error":"upstream went away"}`),
		says("error-auth-in-200", "a refused key under status 200", `{"error":{"message":"No auth credentials found","code":401}}`),
		says("error-in-choice", "an error inside a choice", `{"choices":[{"error":{"code":502,"message":"Upstream error"},"finish_reason":"error","message":{"role":"assistant","content":"It f"}}]}`),
		says("finish-error", "finish reason error", `{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"error"}]}`),
		says("choices-null", "no choices", `{"id":"x","choices":null}`),
		says("choices-empty", "an empty list of choices", `{"id":"x","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":0}}`),
		says("not-json", "a body that is not JSON", `upstream connect error or disconnect/reset before headers`),
		says("empty-body", "no body at all", ``),
		says("html-200", "a web page under status 200", `<!DOCTYPE html><html><head><title>Sign in to the network</title></head></html>`),
		says("content-null", "content null", `{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":0}}`),
		says("content-no-parts", "an empty list of parts", `{"choices":[{"message":{"role":"assistant","content":[]},"finish_reason":"stop"}]}`),
		{"truncated-json", "a body that ends in the middle", func(x *Exchange) { x.Reply(200, half(x.answer(x.Text()))) }},
		{"content-parts", "content as a list of parts", func(x *Exchange) {
			first, last, _ := strings.Cut(x.Text(), "\n")
			x.Reply(200, x.choice(`{"message":{"role":"assistant","content":[{"type":"text","text":`+quote(first+"\n")+`},{"type":"text","text":`+quote(last)+`}]},"finish_reason":"stop"}`))
		}},
		{"no-usage", "no usage", func(x *Exchange) {
			x.Reply(200, `{"choices":[{"message":{"role":"assistant","content":`+quote(x.Text())+`},"finish_reason":"stop"}]}`)
		}},
		{"usage-strings", "token counts in quotes", func(x *Exchange) {
			n := quote(strconv.Itoa(x.promptTokens()))
			x.Reply(200, `{"choices":[{"message":{"role":"assistant","content":`+quote(x.Text())+`},"finish_reason":"stop"}],"usage":{"prompt_tokens":`+n+`,"completion_tokens":"7"}}`)
		}},
		{"unknown-fields", "fields nobody has heard of, at every level", func(x *Exchange) {
			x.Reply(200, `{"zeta":{"a":[1,{}]},"choices":[{"alpha":null,"message":{"beta":1e400,"content":`+quote(x.Text())+`,"annotations":[]},"finish_reason":"stop"}],"usage":{"cost":0.0001,"prompt_tokens":9,"completion_tokens":7},"timings":{"predicted_ms":3.5}}`)
		}},
		{"duplicate-keys", "keys given twice", func(x *Exchange) {
			x.Reply(200, `{"choices":null,"choices":[{"message":{"content":"no","content":`+quote(x.Text())+`},"finish_reason":"stop"}],"model":"a","model":"b"}`)
		}},
		{"invalid-utf8", "bytes that are no UTF-8 in the text", func(x *Exchange) {
			x.Reply(200, "{\"choices\":[{\"message\":{\"content\":\"caf\xe9 "+strings.Trim(quote(x.Text()), `"`)+"\"},\"finish_reason\":\"stop\"}]}")
		}},
		{"whitespace-before", "white space that keeps a connection alive", func(x *Exchange) { x.Reply(200, repeat(" \n", 400)+x.answer(x.Text())) }},
		{"byte-order-mark", "a byte order mark", func(x *Exchange) { x.Reply(200, "\xef\xbb\xbf"+x.answer(x.Text())) }},
		{"reasoning", "reasoning in a field and in the text", func(x *Exchange) {
			x.Reply(200, x.choice(`{"message":{"content":`+quote("<think>\nANSWER: Z\n</think>\n"+x.Text())+`,"reasoning_content":"ANSWER: Y"},"finish_reason":"stop"}`))
		}},
		{"huge", "30 MB, announced", func(x *Exchange) {
			x.Header().Set("Content-Length", strconv.Itoa(30<<20))
			x.pour(30 << 20)
		}},
		{"huge-chunked", "30 MB, not announced", func(x *Exchange) { x.flush(); x.pour(30 << 20) }},
	}
}

func says(name, about, body string) Fault { return fails(name, about, 200, body) }

// pour writes n bytes, or until the client hangs up.
func (x *Exchange) pour(n int) {
	chunk := repeat(" ", 1<<20)
	for ; n > 0; n -= len(chunk) {
		if _, err := io.WriteString(x, chunk); err != nil {
			return
		}
	}
}

package faultserver

import (
	"compress/gzip"
	"io"
	"net/http"
	"time"
)

// wires are faults of the connection and of whatever stands between.
func wires() []Fault {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	cut := func(name, about string, reset bool, raw func(*Exchange) string) Fault {
		return Fault{name, about, func(x *Exchange) { x.hangUp(raw(x), reset) }}
	}
	nothing := func(*Exchange) string { return "" }
	return []Fault{
		cut("closed-before-headers", "the connection ends without a word", false, nothing),
		cut("reset-before-headers", "the connection is reset without a word", true, nothing),
		cut("closed-in-body", "the connection ends inside the body", false, func(x *Exchange) string {
			return head + "Content-Length: 4000\r\n\r\n" + half(x.answer(x.Text()))
		}),
		cut("closed-in-chunks", "a chunked body without its end", false, func(x *Exchange) string {
			return head + "Transfer-Encoding: chunked\r\n\r\n14\r\n" + x.answer(x.Text())[:20] + "\r\n"
		}),
		cut("closed-in-refusal", "a refused key whose body is cut", false, func(*Exchange) string {
			return "HTTP/1.1 401 Unauthorized\r\nContent-Length: 900\r\n\r\n{\"error\":{\"mess"
		}),
		cut("no-http", "something that is not HTTP", false, func(*Exchange) string { return "220 mail.example ESMTP\r\n\r\n" }),
		{"reset-in-body", "the connection is reset inside the body", func(x *Exchange) {
			x.begin(4000, half(x.answer(x.Text())))
			x.hangUp("", true)
		}},
		{"slow-headers", "20 s until the headers", func(x *Exchange) {
			if x.sleep(20 * time.Second) {
				x.Answer()
			}
		}},
		{"slow-body", "a body that trickles for 20 s", slowBody},
		{"stalled-headers", "no headers, ever", (*Exchange).stall},
		{"stalled-body", "half a body, then silence", func(x *Exchange) {
			body := x.answer(x.Text())
			x.begin(len(body), half(body))
			x.stall()
		}},
		{"chunked", "a body in chunks", func(x *Exchange) {
			for _, b := range []byte(x.answer(x.Text())) {
				_, _ = x.Write([]byte{b})
				x.flush()
			}
		}},
		{"gzip", "a compressed body", func(x *Exchange) {
			x.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(x)
			_, _ = io.WriteString(z, x.answer(x.Text()))
			_ = z.Close()
		}},
		{"gzip-broken", "a body that says it is compressed", func(x *Exchange) { x.Answer("Content-Encoding", "gzip") }},
		{"html-502", "the error page of a proxy", func(x *Exchange) {
			x.Header().Set("Content-Type", "text/html")
			x.WriteHeader(502)
			_, _ = io.WriteString(x, "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>")
		}},
		{"redirect", "a redirect to another host", func(x *Exchange) {
			http.Redirect(x, x.Request, "https://login.example/sso?from=secret", http.StatusTemporaryRedirect)
		}},
	}
}

func slowBody(x *Exchange) {
	body := x.answer(x.Text())
	x.begin(len(body), "")
	const steps = 20
	for i := range steps {
		if !x.sleep(time.Second) {
			return
		}
		_, _ = io.WriteString(x, body[len(body)*i/steps:len(body)*(i+1)/steps])
		x.flush()
	}
}

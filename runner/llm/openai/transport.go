package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"memform/runner/llm"
)

// newTransport keeps as many idle connections as there may be calls in
// flight: with fewer, most calls would open a connection of their own.
func newTransport(cfg Config) *http.Transport {
	n := cfg.MaxInFlight
	if n <= 0 {
		n = 64
	}
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:               cfg.Proxy,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: n,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 15 * time.Second,
	}
}

// breakage is a way in which an attempt fails without an answer. The messages
// are ours: the transport's own hold hosts and addresses.
type breakage struct {
	matches func(error) bool
	class   llm.Class
	code    string
	message string
}

// breakages are tried in order; what none matches is an ended connection.
var breakages = []breakage{
	{is[*tls.CertificateVerificationError], llm.ClassEndpoint, "tls_trust",
		"the server's certificate is not trusted (check base_url, or install its authority on this machine)"},
	{noTLS, llm.ClassEndpoint, "tls", "the server does not speak TLS on this port (http:// in base_url?)"},
	{ranOut, llm.ClassRetry, "timeout", "no whole answer within {timeout}"},
	{is[*net.DNSError], llm.ClassOutage, "dns", "the server's name was not found (check base_url and the network)"},
	{among(syscall.ECONNREFUSED), llm.ClassOutage, "connection_refused", "connection refused (is the server running?)"},
	{among(syscall.EHOSTUNREACH, syscall.ENETUNREACH), llm.ClassOutage, "unreachable",
		"the server cannot be reached (check the network)"},
	{among(syscall.ECONNRESET, syscall.EPIPE), llm.ClassRetry, "connection_reset",
		"connection reset before the answer was complete"},
	{malformed, llm.ClassEndpoint, "malformed_request",
		"the request cannot be formed: base_url, key or a header has a form that HTTP does not allow"},
	{timedOut, llm.ClassRetry, "timeout", "connecting took too long"},
	{undialed, llm.ClassOutage, "no_connection", "no connection to the server"},
}

// broken says what an attempt without an answer failed on.
func (e *Endpoint) broken(err error) *llm.Failure {
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	for _, b := range breakages {
		if b.matches(err) {
			message := strings.ReplaceAll(b.message, "{timeout}", e.timeout.String())
			return &llm.Failure{Class: b.class, Code: b.code, Message: message}
		}
	}
	return &llm.Failure{
		Class:   llm.ClassRetry,
		Code:    "connection_closed",
		Message: "the connection ended before the answer was complete",
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func among(targets ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(targets, func(t error) bool { return errors.Is(err, t) })
	}
}

func noTLS(err error) bool {
	return is[tls.RecordHeaderError](err) || strings.Contains(err.Error(), "HTTP response to HTTPS client")
}

func ranOut(err error) bool { return among(context.DeadlineExceeded, os.ErrDeadlineExceeded)(err) }

func timedOut(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

func undialed(err error) bool {
	e, ok := errors.AsType[*net.OpError](err)
	return ok && e.Op == "dial"
}

// malformed recognises what net/http refuses before it dials; it has no error
// types for these.
func malformed(err error) bool {
	m := err.Error()
	return slices.ContainsFunc([]string{
		"unsupported protocol scheme", "no Host in request URL", "invalid header field",
		"invalid URL", "invalid character", "missing protocol scheme", "invalid port",
	}, func(part string) bool { return strings.Contains(m, part) })
}

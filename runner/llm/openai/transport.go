package openai

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
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

// broken says what an attempt without an answer failed on. The messages are
// ours: the transport's own hold hosts and addresses.
func (e *Endpoint) broken(err error) *llm.Failure {
	fail := func(class llm.Class, code, message string) *llm.Failure {
		return &llm.Failure{Class: class, Code: code, Message: message}
	}
	var (
		dns  *net.DNSError
		op   *net.OpError
		cert *tls.CertificateVerificationError
		rec  tls.RecordHeaderError
		ua   x509.UnknownAuthorityError
		host x509.HostnameError
		net_ net.Error
	)
	switch {
	case err == nil:
		return fail(llm.ClassRetry, "no_answer", "the connection ended without an answer")
	case errors.As(err, &cert), errors.As(err, &ua), errors.As(err, &host):
		return fail(llm.ClassEndpoint, "tls_trust",
			"the server's certificate is not trusted (check base_url, or install its authority on this machine)")
	case errors.As(err, &rec), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return fail(llm.ClassEndpoint, "tls", "the server does not speak TLS on this port (http:// in base_url?)")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fail(llm.ClassRetry, "timeout", fmt.Sprintf("no whole answer within %s", e.timeout))
	case errors.As(err, &dns):
		return fail(llm.ClassOutage, "dns", "the server's name was not found (check base_url and the network)")
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail(llm.ClassOutage, "connection_refused", "connection refused (is the server running?)")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fail(llm.ClassOutage, "unreachable", "the server cannot be reached (check the network)")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return fail(llm.ClassRetry, "connection_reset", "connection reset before the answer was complete")
	case isSetup(err):
		return fail(llm.ClassEndpoint, "bad_request_setup",
			"the request cannot be formed: base_url, key or a header has a form that HTTP does not allow")
	case errors.As(err, &net_) && net_.Timeout():
		return fail(llm.ClassRetry, "timeout", "connecting took too long")
	case errors.As(err, &op) && op.Op == "dial":
		return fail(llm.ClassOutage, "no_connection", "no connection to the server")
	}
	return fail(llm.ClassRetry, "connection_closed", "the connection ended before the answer was complete")
}

// isSetup recognises what net/http refuses before it dials; it has no error
// types for these.
func isSetup(err error) bool {
	m := err.Error()
	for _, part := range [...]string{
		"unsupported protocol scheme", "no Host in request URL", "invalid header field",
		"invalid URL", "invalid character", "missing protocol scheme", "invalid port",
	} {
		if strings.Contains(m, part) {
			return true
		}
	}
	return false
}

package faultserver

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
)

// Network serves a handler over connections in memory, with the real HTTP
// machinery on both ends. Nothing in it waits on the operating system, so it
// works under the virtual time of testing/synctest.
type Network struct {
	server *httptest.Server
	dial   func() (net.Conn, error)

	mu     sync.Mutex
	dialed int
}

// Kind is what a Network stands for.
type Kind uint8

// The kinds of network.
const (
	Plain     Kind = iota
	Trusted        // TLS and HTTP/2, with a certificate that the transport trusts
	Untrusted      // TLS with a certificate that it does not
	Refusing       // nobody listens
	Nameless       // the server's name is not found
)

// Start serves h until Close.
func Start(h http.Handler, kind Kind) *Network {
	n := &Network{}
	switch kind {
	case Refusing:
		n.dial = func() (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		return n
	case Nameless:
		n.dial = func() (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "server.invalid", IsNotFound: true}}
		}
		return n
	}
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	n.dial = l.dial
	n.server = &httptest.Server{Listener: l, Config: &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}}
	if kind == Plain {
		n.server.Start()
	} else {
		n.server.EnableHTTP2 = true
		n.server.StartTLS()
	}
	return n
}

// Transport is a client's side of the network. A client of an Untrusted
// network does not know its certificate.
func (n *Network) Transport(kind Kind) *http.Transport {
	t := &http.Transport{
		MaxIdleConnsPerHost: 64,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			n.mu.Lock()
			n.dialed++
			n.mu.Unlock()
			return n.dial()
		},
	}
	if kind == Trusted {
		t.ForceAttemptHTTP2 = true
		trust := n.server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		t.TLSClientConfig = &tls.Config{RootCAs: trust, ServerName: "example.com"}
	}
	return t
}

// Dialed is how many connections were asked for.
func (n *Network) Dialed() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dialed
}

// Close ends the server. Idle connections of transports are theirs to close.
func (n *Network) Close() {
	if n.server != nil {
		n.server.CloseClientConnections()
		n.server.Close()
	}
}

// listener hands out one end of a pipe for every dial.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *listener) dial() (net.Conn, error) {
	a, b := net.Pipe()
	reset := &resetFlag{}
	select {
	case l.conns <- &conn{Conn: b, reset: reset}:
		return &conn{Conn: a, reset: reset}, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// conn is an end of a pipe that can be reset as a TCP connection can.
type conn struct {
	net.Conn
	reset *resetFlag
}

type resetFlag struct {
	mu sync.Mutex
	on bool
}

// SetLinger with 0 makes the coming close a reset.
func (c *conn) SetLinger(sec int) error {
	c.reset.mu.Lock()
	defer c.reset.mu.Unlock()
	c.reset.on = sec == 0
	return nil
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if errors.Is(err, io.EOF) {
		c.reset.mu.Lock()
		defer c.reset.mu.Unlock()
		if c.reset.on {
			err = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
		}
	}
	return n, err
}

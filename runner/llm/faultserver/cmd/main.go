// Command cmd runs the fault server by hand: every fault is a base URL.
//
//	go run ./runner/llm/faultserver/cmd -listen 127.0.0.1:8099
//	base_url = "http://127.0.0.1:8099/status-503/first/v1"
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"

	"memform/runner/llm/faultserver"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8099", "address to listen on")
	latency := flag.Duration("latency", 0, "time before each answer")
	secure := flag.Bool("tls", false, "serve TLS and HTTP/2 with a certificate that nobody trusts")
	flag.Parse()
	if err := serve(*listen, *latency, *secure); err != nil {
		fmt.Fprintln(os.Stderr, "faultserver:", err)
		os.Exit(1)
	}
}

func serve(address string, latency time.Duration, secure bool) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: faultserver.New(faultserver.Config{
		Latency: latency,
		Seen: func(r *http.Request, body []byte, attempt int) {
			fmt.Fprintf(os.Stderr, "%s %s, %d bytes, attempt %d\n", r.Method, r.URL.Path, len(body), attempt)
		},
	})}}
	if secure {
		s.EnableHTTP2 = true
		s.StartTLS()
	} else {
		s.Start()
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s/v1\tno fault\n", s.URL)
	for _, f := range faultserver.All() {
		fmt.Fprintf(t, "%s/%s/v1\t%s\n", s.URL, f.Name, f.About)
	}
	fmt.Fprintf(t, "\t/NAME/first/v1: at the first attempt of each body only; /NAME/3/v1: at the first three\n")
	if err := t.Flush(); err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	<-stop
	s.CloseClientConnections()
	s.Close()
	return nil
}

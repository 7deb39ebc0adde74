// Package bench measures whole processes: cold and cached runs against a
// loopback server, beside a bare net/http loop over the same requests in the
// same run, and plans of a million slots. It holds benchmarks only; `make
// bench` runs them.
package bench

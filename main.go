// Command memform plans, runs and scores experiments on memory-formation
// poisoning. This file only translates between the process and runner/cli.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"memform/runner/cli"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	os.Exit(cli.Main(cli.Process{
		Args:    os.Args[1:],
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Env:     os.LookupEnv,
		Signals: signals,
	}))
}

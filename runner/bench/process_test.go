package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// floorArg makes this test binary the floor loop instead of running tests.
const floorArg = "memform-bench-floor"

func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == floorArg {
		if err := floor(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// cost is what a process took.
type cost struct {
	wall, cpu float64 // seconds
	peakMB    float64
}

// program builds memform once a test binary.
func program(tb testing.TB) string {
	tb.Helper()
	bin := filepath.Join(tb.TempDir(), "memform")
	out, err := exec.Command("go", "build", "-trimpath", "-o", bin, "memform").CombinedOutput()
	if err != nil {
		tb.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// run starts a process in dir and waits for it.
func run(tb testing.TB, dir, name string, args ...string) cost {
	tb.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start).Seconds()
	if err != nil {
		tb.Fatalf("%s %v: %v\n%s", name, args, err, out.String())
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{
		wall:   wall,
		cpu:    (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		peakMB: float64(usage.Maxrss) / 1024,
	}
}

package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// floorArg makes this test binary the floor loop instead of running tests.
const floorArg = "memform-bench-floor"

func TestMain(m *testing.M) {
	if len(os.Args) >= 5 && os.Args[1] == floorArg {
		if err := floor(os.Args[2], os.Args[3], os.Args[4], os.Args[5:]...); err != nil {
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
	ended, wall, peak := watched(tb, watchPeak, dir, name, args...)
	return cost{wall: wall, cpu: (ended.UserTime() + ended.SystemTime()).Seconds(), peakMB: peak}
}

// watched runs a process in dir with a watch beside it, and returns how the
// process ended, the seconds it took and what the watch saw.
func watched(tb testing.TB, watch func(pid int, done <-chan struct{}) float64, dir, name string, args ...string) (*os.ProcessState, float64, float64) {
	tb.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	done, seen := make(chan struct{}), make(chan float64)
	go func() { seen <- watch(cmd.Process.Pid, done) }()
	err := cmd.Wait()
	wall := time.Since(start).Seconds()
	close(done)
	saw := <-seen
	if err != nil {
		tb.Fatalf("%s %v: %v\n%s", name, args, err, out.String())
	}
	return cmd.ProcessState, wall, saw
}

// watchPeak is the most memory that a process held, in MB, by the kernel's own
// high-water mark, read every few milliseconds. The rusage of a child would
// not do: it begins with the peak of the parent that forked it.
func watchPeak(pid int, done <-chan struct{}) float64 {
	peak := 0.0
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return peak
		case <-tick.C:
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(status)) {
			var kb float64
			if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kb); err == nil {
				peak = max(peak, kb/1024)
			}
		}
	}
}

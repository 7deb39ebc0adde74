package cache

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// childVariable holds a directory when the test binary was started to be a
// process that writes there.
const childVariable = "MEMFORM_CACHE_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		childWrites(dir, os.Args[len(os.Args)-1])
		return
	}
	code := m.Run()
	if benchDir != "" {
		os.RemoveAll(benchDir)
	}
	os.Exit(code)
}

// childWrites puts entries from and to (as "from-to") with 16 writers and
// prints the number of each one that Put acknowledged.
func childWrites(dir, numbers string) {
	var from, to int
	fmt.Sscanf(numbers, "%d-%d", &from, &to)
	s, err := Open(dir, Options{Key: testKey})
	if err != nil {
		panic(err)
	}
	next := make(chan int)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for n := range next {
				e := entryOf(n)
				if err := s.Put(context.Background(), e.key(), e); err != nil {
					panic(err)
				}
				fmt.Fprintln(os.Stdout, n)
			}
		})
	}
	for n := from; n < to; n++ {
		next <- n
	}
	close(next)
	group.Wait()
	if err := s.Close(); err != nil {
		panic(err)
	}
}

type child struct {
	*exec.Cmd
	lines *bufio.Scanner
}

func startChild(t *testing.T, dir string, from, to int) child {
	t.Helper()
	cmd := exec.Command(os.Args[0], fmt.Sprintf("%d-%d", from, to))
	cmd.Env = append(os.Environ(), childVariable+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return child{cmd, bufio.NewScanner(out)}
}

// acknowledged reads up to max numbers that the child printed; -1: all.
func (c child) acknowledged(t *testing.T, max int) (out []int) {
	for (max < 0 || len(out) < max) && c.lines.Scan() {
		n, err := strconv.Atoi(strings.TrimSpace(c.lines.Text()))
		if err != nil {
			t.Errorf("the child printed %q", c.lines.Text())
		}
		out = append(out, n)
	}
	return out
}

func TestKilledWriterLosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	total := 0
	for round, kills := 0, 8; round < kills; round++ {
		c := startChild(t, dir, round*100_000, (round+1)*100_000)
		done := c.acknowledged(t, 40+97*round)
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		// What it printed before it died was acknowledged too. The last number
		// may be cut, so it is left out.
		rest := c.acknowledged(t, -1)
		c.Wait()
		s := open(t, dir)
		for _, n := range append(done, rest[:max(0, len(rest)-1)]...) {
			mustGet(t, s, entryOf(n))
			total++
		}
		if err := s.Each(context.Background(), func(l Line) error {
			if l.Err != nil && l.Err != ErrTorn {
				return l.Err
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d acknowledged entries found", total)
}

func TestManyProcessesShareADirectory(t *testing.T) {
	dir := t.TempDir()
	reader := open(t, dir)
	children := []child{startChild(t, dir, 0, 300), startChild(t, dir, 100, 400), startChild(t, dir, 200, 500)}
	for n := 500; n < 600; n++ {
		put(t, reader, entryOf(n))
	}
	for _, c := range children {
		if n := len(c.acknowledged(t, -1)); n != 300 {
			t.Errorf("a child stored %d entries", n)
		}
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	s := open(t, dir)
	for n := range 600 {
		mustGet(t, s, entryOf(n))
	}
	v, err := s.Survey(context.Background())
	if err != nil || v.Keys != 600 || v.Segments != 4 || len(v.Damaged)+len(v.Torn)+len(v.Conflicts) > 0 {
		t.Fatalf("%v, %+v", err, v)
	}
}

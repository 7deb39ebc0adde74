package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// spawn starts a process and waits for its hello.
func spawn(ctx context.Context, cfg *Config) (*process, error) {
	h, err := newHome()
	if err != nil {
		return nil, err
	}
	p := &process{cfg: cfg, home: h, exited: make(chan struct{}), open: map[string]*attempt{}, out: make(chan []byte, 1)}
	p.wake = sync.NewCond(&p.mu)
	if err := p.start(); err != nil {
		h.remove()
		return nil, &StartError{cfg.Stack, fmt.Sprintf("%s cannot be started: %v", cfg.Command[0], plain(err))}
	}
	p.send(encode(helloLine{"hello", Protocol, want{cfg.Stack, cfg.LockDigest}, cfg.Gateway, cfg.Token}))
	if err := p.greet(ctx); err != nil {
		p.kill("")
		<-p.exited
		return nil, err
	}
	return p, nil
}

// plain is an error of exec without the path, which stands beside it.
func plain(err error) error {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// start runs the command. The thread that starts it waits for it: on Linux
// the kernel kills the process when that thread ends.
func (p *process) start() error {
	p.cmd = exec.Command(p.cfg.Command[0], p.cfg.Command[1:]...)
	p.cmd.Dir = p.home.work
	p.cmd.Env = p.home.environment(p.cfg)
	p.cmd.SysProcAttr = ownGroup()
	stdin, stdout, stderr, err := p.pipes()
	if err != nil {
		return err
	}
	started := make(chan error)
	waited := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		err := p.cmd.Start()
		for _, theirs := range []any{p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr} {
			_ = theirs.(*os.File).Close()
		}
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // how it ended is told by its last words
			close(waited)
		}
	}()
	if err := <-started; err != nil {
		for _, ours := range []*os.File{stdin, stdout, stderr} {
			_ = ours.Close()
		}
		return err
	}
	var io sync.WaitGroup
	io.Go(func() { p.write(stdin) })
	io.Go(func() { p.read(stdout) })
	io.Go(func() { p.stderr.copy(stderr) })
	go p.bury(waited, &io, stdin, stdout, stderr)
	return nil
}

// pipes makes the three pipes; the child's ends are in cmd.
func (p *process) pipes() (stdin, stdout, stderr *os.File, err error) {
	var ends [6]*os.File
	for i := 0; i < len(ends); i += 2 {
		if ends[i], ends[i+1], err = os.Pipe(); err != nil {
			for _, f := range ends[:i] {
				_ = f.Close()
			}
			return nil, nil, nil, err
		}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = ends[0], ends[3], ends[5]
	return ends[1], ends[2], ends[4], nil
}

// graceForOutput is how long a dead process's descendants may hold its pipes.
const graceForOutput = time.Second

// bury waits for the end and fails what was open.
func (p *process) bury(waited <-chan struct{}, io *sync.WaitGroup, stdin, stdout, stderr *os.File) {
	<-waited
	killGroup(p.cmd.Process.Pid) // what it started
	limit := time.Now().Add(graceForOutput)
	_ = stdout.SetReadDeadline(limit)
	_ = stderr.SetReadDeadline(limit)
	_ = stdin.SetWriteDeadline(time.Now())
	p.mu.Lock()
	p.over = true
	p.wake.Broadcast()
	p.mu.Unlock()
	io.Wait()
	for _, f := range []*os.File{stdin, stdout, stderr} {
		_ = f.Close()
	}
	p.home.remove()
	p.mu.Lock()
	open := p.open
	p.open = nil
	p.mu.Unlock()
	for _, a := range open {
		a.reply <- reply{died: true}
	}
	close(p.exited)
}

// greet waits for the hello and checks it.
func (p *process) greet(ctx context.Context) error {
	timer := time.NewTimer(p.cfg.HelloWithin)
	defer timer.Stop()
	var line []byte
	select {
	case line = <-p.out:
	case <-p.exited:
		return &StartError{p.cfg.Stack, "it said no hello: " + p.lastSaid()}
	case <-timer.C:
		p.kill(fmt.Sprintf("it said no hello within %s", p.cfg.HelloWithin))
		<-p.exited
		return &StartError{p.cfg.Stack, p.lastSaid()}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := json.Unmarshal(line, &p.hello); err != nil {
		return &StartError{p.cfg.Stack, "its hello cannot be read: " + err.Error()}
	}
	if fault := p.hello.check(p.cfg); fault != "" {
		return &StartError{p.cfg.Stack, fault}
	}
	return nil
}

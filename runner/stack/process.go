package stack

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// process is one running adapter. It ends when it dies, when kill is called
// or after bye; exited closes when nothing of it is left.
type process struct {
	cfg    *Config
	cmd    *exec.Cmd
	home   home
	hello  Hello
	stderr lastWords
	out    chan []byte // hello line, then nothing
	exited chan struct{}

	mu      sync.Mutex
	open    map[string]*attempt
	next    int
	pending [][]byte // lines to write
	wake    *sync.Cond
	over    bool   // no more lines are written, no more attempts begun
	why     string // why it was killed, "" where it ended by itself
	strange bool   // a result that nobody waits for was logged
	counted bool   // its death was counted
}

// attempt is an operation given to a process.
type attempt struct {
	form  bool
	reply chan reply // holds one
}

type reply struct {
	result Result
	failed *Failure
	died   bool // the process ended first
}

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

// kill ends the process and all that it started. The first reason is kept.
func (p *process) kill(why string) {
	p.mu.Lock()
	if p.why == "" {
		p.why = why
	}
	p.over = true
	p.wake.Broadcast()
	p.mu.Unlock()
	select {
	case <-p.exited: // its number may be another's by now
	default:
		killGroup(p.cmd.Process.Pid)
	}
}

// lastSaid says why the process is gone, with the last line of its stderr.
func (p *process) lastSaid() string {
	p.mu.Lock()
	why := p.why
	p.mu.Unlock()
	if why == "" {
		why = "it ended (" + p.cmd.ProcessState.String() + ")"
	}
	return why + p.stderr.last()
}

// send queues a line. A process that does not read holds up nobody.
func (p *process) send(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.pending = append(p.pending, line)
		p.wake.Signal()
	}
}

// write writes queued lines until the process is over, then ends its stdin.
func (p *process) write(stdin io.WriteCloser) {
	defer stdin.Close()
	for {
		p.mu.Lock()
		for len(p.pending) == 0 && !p.over {
			p.wake.Wait()
		}
		lines := p.pending
		p.pending = nil
		p.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		for _, line := range lines {
			if _, err := stdin.Write(line); err != nil {
				return
			}
		}
	}
}

// read takes the process's lines until they end or make no sense.
func (p *process) read(stdout io.Reader) {
	r := bufio.NewReaderSize(stdout, 64<<10)
	for {
		line, err := readLine(r, p.cfg.maxLine)
		if errors.Is(err, errTooLong) {
			p.kill(fmt.Sprintf("a line on stdout of more than %d MiB", p.cfg.maxLine>>20))
			return
		}
		if err != nil {
			p.kill("") // an end of stdout is the end
			return
		}
		s, err := hear(line)
		if err == nil {
			err = p.handle(s, line)
		}
		if err != nil {
			p.kill(err.Error())
			return
		}
	}
}

var errTooLong = errors.New("line too long")

// readLine reads one whole line; what follows the last newline is none.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	part, err := r.ReadSlice('\n')
	if err == nil {
		return part, nil
	}
	var line []byte
	for errors.Is(err, bufio.ErrBufferFull) {
		if line = append(line, part...); len(line) > most {
			return nil, errTooLong
		}
		part, err = r.ReadSlice('\n')
	}
	if err != nil {
		return nil, err
	}
	if line = append(line, part...); len(line) > most+1 {
		return nil, errTooLong
	}
	return line, nil
}

// handle does what a line says.
func (p *process) handle(s said, line []byte) error {
	switch s.Type {
	case "hello":
		select {
		case p.out <- append([]byte(nil), line...):
			return nil
		default:
			return errors.New("it said hello twice")
		}
	case "fatal":
		return errors.New("it says: " + short(s.Message))
	case "log":
		p.cfg.Log(level(s.Level), short(s.Message))
	case "result":
		p.answered(s)
	}
	return nil
}

func level(name string) string {
	switch name {
	case "debug", "info", "warning", "error":
		return name
	}
	return "info"
}

// answered hands a result to whom it is for.
func (p *process) answered(s said) {
	p.mu.Lock()
	a := p.open[s.ID]
	delete(p.open, s.ID)
	strange := a == nil && !p.strange
	p.strange = p.strange || strange
	p.mu.Unlock()
	if strange {
		p.cfg.Log("warning", fmt.Sprintf("a result for %q, which nobody waits for, was ignored; further ones are not reported", short(s.ID)))
	}
	if a == nil {
		return
	}
	result, failed := s.result(a.form)
	a.reply <- reply{result: result, failed: failed}
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

// begin gives an operation to the process; nil where it is over.
func (p *process) begin(o *Op, token string) (id string, a *attempt) {
	a = &attempt{form: o.Messages == nil, reply: make(chan reply, 1)}
	p.mu.Lock()
	if p.over {
		p.mu.Unlock()
		return "", nil
	}
	p.next++
	id = strconv.Itoa(p.next)
	p.open[id] = a
	p.mu.Unlock()
	p.send(o.line(id, token))
	return id, a
}

// leave asks the process to end in order, and sees to it that it does.
func (p *process) leave() error {
	p.send(encode(idLine{Type: "bye"}))
	p.mu.Lock()
	p.over = true // what is queued is written, then stdin ends
	p.wake.Broadcast()
	p.mu.Unlock()
	timer := time.NewTimer(p.cfg.CancelWithin)
	defer timer.Stop()
	select {
	case <-p.exited:
		return nil
	case <-timer.C:
		p.kill("it did not end when told to")
		<-p.exited
		return fmt.Errorf("it did not end within %s of being told to", p.cfg.CancelWithin)
	}
}

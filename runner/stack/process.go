package stack

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
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

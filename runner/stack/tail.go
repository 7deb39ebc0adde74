package stack

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// lastWords keeps the end of a text.
type lastWords struct {
	mu  sync.Mutex
	end []byte
}

const (
	keptBytes = 4 << 10
	keptLines = 12
)

// copy reads r to its end.
func (t *lastWords) copy(r io.Reader) {
	buf := make([]byte, 8<<10)
	for {
		n, err := r.Read(buf)
		t.add(buf[:n])
		if err != nil {
			return
		}
	}
}

func (t *lastWords) add(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	if cut := len(t.end) - keptBytes; cut > 0 {
		t.end = bytes.Clone(t.end[cut:])
	}
}

// String is the last lines, "" where there are none.
func (t *lastWords) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(t.end), "")), "\n")
	return strings.Join(lines[max(0, len(lines)-keptLines):], "\n")
}

// last is the last line, as the end of a message.
func (t *lastWords) last() string {
	words := t.String()
	if words == "" {
		return ""
	}
	return "; its last words: " + short(words[strings.LastIndexByte(words, '\n')+1:])
}
